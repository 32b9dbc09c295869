#!/usr/bin/env bash
# Each broken file KIND_WHAT.yaml gives KIND_WHAT.stderr byte for byte, exit code 3 and nothing on standard output.
# `run.sh PROGRAM --approve` writes the .stderr files anew: read the difference before you commit it.
set -u
program=$(realpath "$1")
approve=${2:-}
cd "$(dirname "$0")" || exit 1
failed=0 checked=0
out=$(mktemp) err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
for file in *.yaml; do
  name=${file%.yaml}
  "$program" show "${name%%_*}" "./$file" >"$out" 2>"$err"
  code=$?
  checked=$((checked + 1))
  [ "$approve" = --approve ] && cp "$err" "$name.stderr"
  if [ $code -ne 3 ]; then echo "$file: exit code $code, not 3"; failed=1; fi
  if [ -s "$out" ]; then echo "$file: something on standard output"; failed=1; fi
  if ! diff -u "$name.stderr" "$err"; then echo "$file: standard error differs"; failed=1; fi
done
echo "$checked broken files checked"
[ "$checked" -ge 60 ] || failed=1
exit $failed
