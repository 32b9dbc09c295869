#!/usr/bin/env bash
# Includes point only down the floors of the house, and heavy third-party headers stay out of public headers.
set -u
cd "$1" || exit 1

# floor: the floors it may include, itself among them (ARCHITECTURE: arrows only point down)
allowed() {
  case $1 in
    base) echo base ;;
    hardware) echo base hardware ;;
    models) echo base models ;;
    sim/engine) echo base sim/engine ;;
    sim/network) echo base hardware $(sim_up_to network) ;;
    sim/*) echo base hardware models $(sim_up_to "${1#sim/}") ;;
    tools) echo base hardware models tools $(sim_up_to study) ;;
    tests) echo base hardware models tools tests $(sim_up_to study) ;;
  esac
}
sim_up_to() {
  local floor
  for floor in engine network collective cost scenario plan memory run study; do
    echo "sim/$floor"
    [ "$floor" = "$1" ] && return
  done
}
floor_of() {
  case $1 in sim/*) local rest=${1#sim/}; echo "sim/${rest%%/*}" ;; *) echo "${1%%/*}" ;; esac
}

bad=0 seen=0
while IFS=: read -r file include; do
  floor=$(floor_of "$file")
  target=$(floor_of "$include")
  seen=$((seen + 1))
  case " $(allowed "$floor" | tr '\n' ' ') " in
    *" $target "*) ;;
    *) echo "$file includes \"$include\": $floor may not use $target"; bad=1 ;;
  esac
done < <(find base hardware models sim tools tests -name '*.[ch]pp' 2>/dev/null | sort |
  xargs grep -HoE '^#include "[^"]+"' | sed -E 's/#include "([^"]+)"/\1/')

# Debian's ones cost 1.5 to 7 seconds for each file that sees them.
heavy='<(boost/|Eigen/|yaml-cpp/|nlohmann/|catch2/)'
if find base hardware models sim tools -name '*.hpp' 2>/dev/null | xargs grep -nE "#include $heavy"; then
  echo "heavy third-party headers in public headers: move them into a .cpp"
  bad=1
fi
echo "$seen includes checked"
[ "$seen" -gt 50 ] && exit $bad
exit 1
