#!/usr/bin/env bash
# A researcher's afternoon: a Tree-LSTM from an empty file, trained, saved, resumed, and used where no compiler is.
#   examples/researcher.sh [BIN_FOLDER]
# Every step says what it shows and ends the script if it does not; the tests run it.
set -euo pipefail
examples=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${1-$examples/../build/bin}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
say() { echo "-- $*"; }
fail() { echo "researcher: $*" >&2; exit 1; }
refused() { if "$@" > out.txt 2> error.txt; then fail "was accepted: $*"; fi; cat error.txt; }

say "an empty file says what is missing"
: > net.nr
refused "$bin/nereus" run net.nr
grep -q "no function @main" error.txt || fail "the empty file is refused for another reason"

say "a first layer, with a mistake; the error shows where and what to write"
cat > net.nr <<'PROGRAM'
def @main(%w: Tensor[(i, d), f32], %x: Tensor[(i), f32]) { tanh(matmull(%x, %w)) }
PROGRAM
refused "$bin/nereus" run net.nr
grep -q "did you mean \`matmul\`" error.txt || fail "no suggestion"
sed -i 's/matmull/matmul/' net.nr
"$bin/nereus" run net.nr --input w=3x4xf32=random --input x=3xf32=random

say "the whole network: recursion over a tree whose shape nobody knows, a loss, its gradient, Adam"
cat > net.nr <<'PROGRAM'
type Cell[i: dim, d: dim] = {leaf: Linear[i, 3*d, f32], left: Tensor[(d, 5*d), f32], right: Tensor[(d, 5*d), f32], bias: Tensor[(5*d), f32], classes: Linear[d, 2, f32]}
type Run[a] = {params: a, state: Adam[a, f32]}
type Done[a] = {params: a, state: Adam[a, f32], losses: Tensor[(?), f32]}

def @encode(%p: Cell[i, d], %tree: Tree[Tensor[(i), f32]]) -> (Tensor[(d), f32], Tensor[(d), f32]) {
  match (%tree) {
    Leaf(%x) => {
      (%in, %out, %new) = split(linear(%p.leaf, %x), [d, d, d], axis=0)
      %c = sigmoid(%in) * tanh(%new)
      (sigmoid(%out) * tanh(%c), %c)
    },
    Node(%l, %r) => {
      ((%hl, %cl), (%hr, %cr)) = (@encode(%p, %l), @encode(%p, %r))
      (%in, %fl, %fr, %out, %new) = split(matmul(%hl, %p.left) + matmul(%hr, %p.right) + %p.bias, [d, d, d, d, d], axis=0)
      %c = sigmoid(%in) * tanh(%new) + sigmoid(%fl) * %cl + sigmoid(%fr) * %cr
      (sigmoid(%out) * tanh(%c), %c)
    }
  }
}
def @logits(%p, %tree) { linear(%p.classes, @encode(%p, %tree).0) }
def @loss(%p: Cell[i, d], %trees: Seq[(Tree[Tensor[(i), f32]], i64)]) {
  %all = for %k in length(%trees), () { yield @logits(%p, %trees[%k].0); yield %trees[%k].1; () }
  cross_entropy(%all.0, %all.1)
}
def @start(%p: Cell[i, d]) -> Run[Cell[i, d]] { {params = %p, state = adam_start(%p)} }
def @train(%params: Cell[i, d], %state: Adam[Cell[i, d], f32], %trees: Seq[(Tree[Tensor[(i), f32]], i64)], %steps: i64) {
  (%p, %s, %losses) = for %step in %steps, (%p = %params, %s = %state) {
    (%l, %g) = value_and_grad(fn(%p) { @loss(%p, %trees) })(%p)
    yield %l
    adam(%p, %s, %g, 0.02)
  }
  {params = %p, state = %s, losses = %losses}
}
def @predict(%params: Cell[i, d], %tree: Tree[Tensor[(i), f32]]) { softmax(@logits(%params, %tree)) }
PROGRAM
"$bin/nereus" dump net.nr --entry predict --after=shapes | grep "^def @predict"

say "train for 30 steps and save; the files are NumPy's"
/usr/bin/python3 "$examples/make_training.py" tree f32 .
"$bin/nereus" run net.nr --entry start --input p=@weights.npz --save begin.npz
train() {       # from, to, steps
    "$bin/nereus" run net.nr --entry train --inputs trees.json --input params=@"$1":params --input state=@"$1":state --input steps=i64="$3" --save "$2"
}
train begin.npz half.npz 30

say "resume for 30 more: bit for bit what 60 steps in one go give"
train half.npz end.npz 30
train begin.npz whole.npz 60
/usr/bin/python3 - <<'CHECK'
import numpy as np
half, end, whole = (dict(np.load(f"{name}.npz")) for name in ("half", "end", "whole"))
end["losses"] = np.concatenate([half["losses"], end["losses"]])
assert sorted(end) == sorted(whole), "other names"
assert all(end[name].tobytes() == whole[name].tobytes() for name in whole), "resumed differs from unbroken"
print("loss", whole["losses"][0], "to", whole["losses"][-1])
assert whole["losses"][-1] < 0.1 * whole["losses"][0], "nothing was learnt"
CHECK

say "an artefact of the prediction alone, run without the compiler, on a tree that training never saw"
"$bin/nereus" compile net.nr --entry predict -o predict.nrx
cat > tree.json <<'TREE'
{"tree": {"ctor": "Node", "args": [{"ctor": "Leaf", "args": [{"dtype": "f32", "shape": [3], "data": [0.9, 0, 0]}]},
                                   {"ctor": "Leaf", "args": [{"dtype": "f32", "shape": [3], "data": [-0.8, 0, 0]}]}]}}
TREE
"$bin/nereus-run" predict.nrx --inputs tree.json --input params=@end.npz:params
"$bin/nereus-run" predict.nrx --inputs tree.json --input params=@end.npz:params --json > artefact.json
"$bin/nereus" run net.nr --entry predict --inputs tree.json --input params=@end.npz:params --json > compiled.json
cmp artefact.json compiled.json || fail "the artefact differs"
/usr/bin/python3 -c 'import json; no, yes = json.load(open("artefact.json"))["data"]; assert yes > 0.9, "0.9 - -0.8 is positive"'

say "weights of another network are refused by name"
/usr/bin/python3 "$examples/make_training.py" char f32 .
refused "$bin/nereus-run" predict.nrx --inputs tree.json --input params=@weights.npz
grep -q "params" error.txt || fail "the parameter is not named"
say "done"
