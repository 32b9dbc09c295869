# Shared by tools/stepcast and tools/test: finds what is missing, installs it, builds. Sourced, not run.

set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release

# Debian and Ubuntu packages that a build needs; ccache is used where it is there.
packages=(g++ cmake ninja-build libboost-program-options-dev libfmt-dev libyaml-cpp-dev nlohmann-json3-dev catch2)

say() { echo "stepcast: $*" >&2; }

missing_packages() {
  local name
  for name in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
  done
}

install_packages() {
  command -v dpkg-query >/dev/null || return 0  # not Debian: CMake names what it does not find
  local missing
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -gt 0 ] || return 0
  local line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "${STEPCAST_NO_INSTALL:-}" = 1 ] || [ "$(id -u)" -ne 0 ]; then
    say "these packages are missing: ${missing[*]}"
    say "install them with:"
    [ "$(id -u)" -eq 0 ] && echo "  $line" >&2 || echo "  sudo sh -c '$line'" >&2
    exit 1
  fi
  say "installing ${missing[*]}"
  quietly "the packages could not be installed" env DEBIAN_FRONTEND=noninteractive sh -c "$line"
}

# quietly MESSAGE COMMAND...: shows what the command prints only if it fails.
quietly() {
  local message=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    rm -f "$log"
    say "$message"
    exit 1
  fi
  rm -f "$log"
}

# The stamp is older than a source, or there is none. Catalogue, zoo and scenarios are data: read, not built.
out_of_date() {
  local stamp=$build/.built-$1
  [ -e "$stamp" ] && [ -x "$build/stepcast" ] || return 0
  [ -n "$(cd "$root" && find CMakeLists.txt CMakePresets.json cmake base hardware models sim tools tests \
    \( -path hardware/catalog -o -path models/zoo -o -path tests/diagnostics \) -prune \
    -o -newer "$stamp" \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cmake' -o -name 'CMake*' -o -type d \) \
    -print -quit 2>/dev/null)" ]
}

# A build directory that came along with a copied or moved checkout is of no use to CMake.
drop_foreign_build() {
  local home
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt" 2>/dev/null) || return 0
  [ "$home" = "$root" ] || rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
}

# build_release stepcast|all: up to date after it, whoever else builds at the same time.
build_release() {
  local target=$1
  out_of_date "$target" || return 0
  install_packages
  if ! mkdir -p "$build" 2>/dev/null || ! [ -w "$build" ]; then
    say "cannot write to $build: give this checkout to a user who may, or copy it"
    exit 1
  fi
  exec 9>"$build/.lock"
  if command -v flock >/dev/null; then flock 9; fi
  if out_of_date "$target"; then
    local launcher=()
    touch "$build/.started-$target"
    if command -v ccache >/dev/null && mkdir -p "$(ccache --get-config cache_dir)" 2>/dev/null; then
      launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    say "building (the first time takes a minute or two)"
    drop_foreign_build
    quietly "CMake could not configure the build" cmake -S "$root" --preset release "${launcher[@]}"
    quietly "the build failed" cmake --build "$build" --target "$target"
    mv "$build/.started-$target" "$build/.built-$target"
  fi
  exec 9>&-
}
