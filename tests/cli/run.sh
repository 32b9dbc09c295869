#!/usr/bin/env bash
# The program as people and scripts use it: exit codes, what goes to which stream, catalogues of one's own.
set -u
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset STEPCAST_CATALOG
failed=0 passed=0
ok() { passed=$((passed + 1)); }
bad() { echo "FAILED: $1"; [ -s out ] && sed 's/^/  out: /' out | head -5; [ -s err ] && sed 's/^/  err: /' err | head -5; failed=1; }
# run CODE ARGS...: runs the program and checks its exit code
run() { local want=$1; shift; args=$*; "$program" "$@" >out 2>err; local code=$?; [ $code -eq "$want" ] && ok || bad "\`$args\` exits $code, not $want"; }
out_has() { grep -qF -- "$1" out && ok || bad "\`$args\` does not print '$1'"; }
err_has() { grep -qF -- "$1" err && ok || bad "\`$args\` does not say '$1'"; }
no_out() { [ -s out ] && bad "\`$args\` prints to standard output" || ok; }
no_err() { [ -s err ] && bad "\`$args\` says something" || ok; }

# what one sees first
run 0; out_has "What does Stepcast know?"; no_err
for verb in $("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  run 0 "$verb" --help; out_has "Examples:"; no_err
  [ "$(wc -l <out)" -le 24 ] && ok || bad "\`$args\` is longer than one screen"
  verbs=$((${verbs:-0} + 1))
done
[ "${verbs:-0}" -ge 5 ] && ok || bad "only ${verbs:-0} verbs found"
run 0 version; out_has "stepcast"; no_err
run 0 version --format json; out_has '"boost"'

# show: value, unit, source, date
run 0 show gpu a100_sxm4_80gb; no_err
out_has "2039 GB/s"; out_has "unverified"; out_has "nvidia-smi listings"; out_has "2026-08"
run 0 show gpu a100_sxm4_80gb --format csv; out_has "key,value,unit,status,date,source"
out_has "memory.usable,81920,MiB,read,2026-11,nvidia-smi listings in public repositories"
run 0 show gpu a100_sxm4_80gb --format json; out_has '"schema_version": 1'
run 0 show system dgx_a100; out_has "dgx_a100_80gb"; err_has "note: 'dgx_a100' means dgx_a100_80gb"
run 0 show gpu b100_192gb; err_has "warning: memory: the usable capacity is not known"
"$program" show gpu a100_sxm4_80gb --format json | grep -A16 '"key": "memory.bandwidth"' | grep -q '"value": 2039.0' && ok || bad "numbers are numbers in JSON"
for kind in gpu link system fabric storage price; do run 0 list $kind; run 0 list $kind --format json; done

# mistakes: exit code 2 for the call, 3 for the input, and standard output stays empty
run 2 shwo; err_has "did you mean show?"; no_out
run 2 show gpu; err_has "is missing"; no_out
run 2 show gpu a b; err_has "one word too many"
run 2 show cpu a; err_has "did you mean gpu?"
run 2 list gpu --formta csv; err_has "did you mean --format?"
run 2 list gpu --format xml; err_has "text, json, csv"
run 2 list gpu --format; no_out
run 2 completion tcsh; err_has "bash, zsh or fish"
run 3 show gpu v100; err_has "fits several"; no_out
run 3 show gpu a100x; no_out
run 3 show gpu ./missing.yaml; err_has "cannot read this file"; no_out
run 3 show gpu .; run 3 show gpu /; err_has "not a regular file"; no_out
mkfifo fifo.yaml; run 3 show gpu ./fifo.yaml; err_has "not a regular file"
run 3 show gpu "$(printf 'a%.0s' $(seq 3000))"
run 3 list gpu --catalog ./nowhere; err_has "not a directory"; no_out
mkdir empty; run 3 list gpu --catalog empty; err_has "this directory is no catalogue"
run 2 --catalog x list; err_has "the verb comes first"
run 0 list -h; out_has "Examples:"
run 2 list --words gpu; err_has "unknown option"
"$program" nope 2>/dev/full; [ $? -eq 2 ] && ok || bad "a standard error that cannot be written changes no exit code"

# topology: the graph of links
run 0 topology dgx1_v100_16gb; no_err; out_has "GPU0  X     NV1   NV1   NV2   NV2   SYS   SYS   SYS   PIX"; out_has "in a node         150 GB/s"
run 0 topology dgx_h100 --nodes 4 --path 0 9; out_has "narrowest"; out_has "across nodes      800 GB/s"
run 0 topology pcie_8x_rtx4090 --path 0 7; out_has "the driver forbids peer access"
run 0 topology dgx_a100_80gb --format json --path 0 1; out_has '"through_host": false'
run 0 topology dgx_a100_80gb --format dot; out_has 'graph topology {'
run 0 topology dgx_h100 --set 'cluster.overrides=[{link: nvlink, node: 0, scale: 0.3}]'; out_has "135"
run 0 topology pcie_8x_rtx4090; out_has "GPU0  X     PIX   NODE  NODE  SYS   SYS   SYS   SYS   PIX"
run 0 topology gb200_nvl72; out_has "From GPU 0 to 71 GPUs: NV18, 900 GB/s"
run 0 topology --set 'cluster.groups=[{system: dgx_a100_80gb, nodes: 2}, {system: dgx_h100, nodes: 2}]'; out_has "2 x NVIDIA DGX H100"; out_has "(from node 2)"
run 0 topology dgx_h100 --nodes 2 --set 'cluster.overrides=[{gpu: 9, compute_scale: 0.5}]'; out_has "gpu1 computes at 0.5"
run 3 topology; no_out
run 3 topology --set 'cluster={groups: []}'; err_has "no groups"; no_out
run 3 topology dgx_h100 --nodes 64 --set 'cluster.overrides=[{link: fabric, scale: 0}]'; err_has "nothing joins the nodes"
run 3 topology dgx_h100 --set 'cluster.overrides=[{link: pcie, between: [gpu0, leaf0], scale: 0.5}]'; err_has "there is no leaf0 in the node"
run 3 topology dgx_h100 --nodes 4 --set 'cluster.fabric={base: ib_ndr, switch: {ports: 1}}'; err_has "write 2 to 65536"
run 2 topology aws_p3_16xlarge --nodes 40000 --set cluster.fabric=ib_ndr; err_has "too many to draw"
"$program" topology dgx1_v100_16gb | grep '^GPU' >one; "$program" topology dgx1_v100_16gb --nodes 4 | grep '^GPU' >four
cmp -s one four && ok || bad "a node looks the same alone and among others"
run 0 topology pcie_8x_rtx4090 --path 0 7; out_has "Narrowest: the host's own copying"
run 3 topology dgx_h100 --set 'cluster.overrides=[{link: nvlink, node: 3, scale: 0.3}]'; no_out
err_has "--set cluster.overrides:1:2: error: cluster.overrides[0]: there is no node 3; write 0 to 0"
run 3 topology dgx_h100 --set 'cluster.overrides=[{link: nvlink, scale: 0}, {link: pcie, scale: 0}]'; err_has "nothing joins gpu0 and gpu1"
run 3 topology dgx_h100 --nodes 0; err_has "cluster.nodes: '0' is out of range"
run 3 topology dgx_h100 --nodes two; err_has "'two' is not a number"
run 3 topology dgx_h100 --set cluster.fabrc=ib_ndr; err_has "did you mean 'fabric'?"
run 3 topology dgx_h100 --set cluster.nodes; err_has "no value"
run 3 topology dgx_h10; no_out
run 2 topology dgx_h100 --path 0; err_has "takes FROM TO"
run 2 topology dgx_h100 --path 0 8; err_has "from 0 to 7"
run 2 topology dgx_h100 --path 3 3; err_has "two different GPUs"

# files: whole or not at all
run 2 list gpu --output a --output b; err_has "given twice"
run 2 list gpu --output ""; no_out
mkfifo pipe; cat pipe >read & run 0 list gpu --output pipe; wait
[ -p pipe ] && grep -q rtx4090 read && ok || bad "--output writes into a pipe"
ln -s target link; touch target; chmod 600 target; run 0 list gpu --output link
[ -L link ] && [ "$(stat -c %a target)" = 600 ] && grep -q rtx4090 target && ok || bad "--output follows a link and keeps the mode"
run 0 list gpu --output table.txt; no_out; grep -q rtx4090 table.txt && ok || bad "--output writes the table"
run 6 list gpu --output ./nowhere/table.txt; err_has "cannot write"
"$program" list gpu >/dev/full 2>err; [ $? -eq 6 ] && ok || bad "a full disk is exit code 6"

# the same bytes every time
"$program" show system gb200_nvl72 --format json >a; "$program" show system gb200_nvl72 --format json >b
cmp -s a b && ok || bad "two runs differ"

# a GPU and a server of one's own: one file each, no build
mkdir -p mine/gpus mine/systems
cat >mine/gpus/dream_9000.yaml <<'Y'
gpu: dream_9000
name: Dream 9000
vendor: NVIDIA
generation: blackwell
dense: {bf16_tensor_acc32: 9000 TFLOP/s, source: {document: a dream, date: 2026-11-30}}
memory:
  type: HBM5
  marketing: 512 GB
  usable: 500 GiB
  bandwidth: 30 TB/s
  source: {document: a dream, date: 2026-11-30}
gpu_link: {link: nvlink5, count: 18, per_direction: 900 GB/s, both_directions: 1800 GB/s, source: {document: a dream, date: 2026-11-30}}
host_link: {link: pcie6_x16, per_direction: 121 GB/s, peer_access: true, source: {document: a dream, date: 2026-11-30}}
Y
cat >mine/systems/dream_box.yaml <<'Y'
system: dream_box
name: Dream box
gpu: dream_9000
gpus: 4
interconnect: nvswitch
nics: {count: 4, rate: 800 Gb/s, kind: infiniband, source: {document: a dream, date: 2026-11-30}}
fabric: ib_xdr
Y
run 0 list gpu --catalog mine; out_has "dream_9000"; out_has "rtx4090"
run 0 list system --catalog mine; out_has "dream_box"; out_has "800 Gb/s  infiniband"
run 0 show system "Dream Box" --catalog mine; out_has "ib_xdr"
export STEPCAST_CATALOG=mine
run 0 list gpu; out_has "dream_9000"
run 0 show gpu dream-9000; out_has "a dream"
unset STEPCAST_CATALOG
run 3 show gpu dream_9000
run 0 show system ./mine/systems/dream_box.yaml  # a file leans on the catalogue that it lies in
cp mine/systems/dream_box.yaml .
run 3 show system ./dream_box.yaml; err_has "./dream_box.yaml:3:6: error: gpu: unknown gpu 'dream_9000'"

# a broken file hides no others
printf 'gpu: broken\nname: 3\n' >mine/gpus/broken.yaml
run 3 list gpu --catalog mine; out_has "dream_9000"; out_has "rtx4090"; err_has "mine/gpus/broken.yaml:1:1: error: missing key"
rm mine/gpus/broken.yaml

# names come from files: hostile ones are data
touch "mine/gpus/x\$(touch PWNED).yaml"
completed=$(STEPCAST_CATALOG=mine PATH=$(dirname "$program"):$PATH bash -c 'source <(stepcast completion bash)
  COMP_WORDS=(stepcast show gpu x); COMP_CWORD=3; _stepcast' 2>&1)
[ -e PWNED ] && bad "completion runs what a file name says" || ok
rm mine/gpus/x*

# aliases of one's own
printf 'gpus: {dream: dream_9000, ghost: nothing}\n' >mine/aliases.yaml
run 0 show gpu dream --catalog mine; err_has "'dream' means dream_9000"
run 3 show gpu ghost --catalog mine; err_has "mine/aliases.yaml:1:34: error: gpus.ghost: there is no gpu 'nothing'"
printf 'gpu: {dream: dream_9000}\n' >mine/aliases.yaml
run 3 show gpu dream --catalog mine; err_has "unknown key 'gpu'"
rm mine/aliases.yaml

# one's own entry stands before the shipped one of the same id
mkdir -p other/gpus
sed 's/dream_9000/rtx4090/; s/Dream 9000/My own 4090/' mine/gpus/dream_9000.yaml >other/gpus/rtx4090.yaml
run 0 list gpu --catalog other; out_has "My own 4090"
[ "$(grep -c '^rtx4090 ' out)" -eq 1 ] && ok || bad "an id stands once"

# completion
"$program" completion bash >stepcast.bash && bash -n stepcast.bash && ok || bad "the bash completion has a syntax error"
completed=$(PATH=$(dirname "$program"):$PATH bash -c 'source ./stepcast.bash
  COMP_WORDS=(stepcast show gpu rtx50); COMP_CWORD=3; _stepcast; echo "${COMPREPLY[*]}"')
[ "$completed" = rtx5090 ] && ok || bad "completion of 'show gpu rtx50' gives '$completed'"

echo "$passed checks passed"
exit $failed
