#!/usr/bin/env bash
# The runtime stands alone: no LLVM, no parser, no interpreter inside, and an artefact gives the bits of the compiler's run.
set -euo pipefail
bin=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "runtime_only: $*" >&2; exit 1; }

ldd "$bin/nereus-run" | grep -qi llvm && fail "nereus-run links LLVM"
nm -C "$bin/nereus-run" > "$work/symbols"
for inside in 'llvm::' 'nereus::eval(' 'nereus::parse(' 'nereus::infer_shapes(' 'nereus::loop::'; do
    grep -qF "$inside" "$work/symbols" && fail "nereus-run contains $inside"
done

"$source/examples/make_trees.py" > "$work/trees.json"
for target in x86-64-v2 x86-64-v3 host; do
    "$bin/nereus" compile "$source/examples/tree_encoder.nr" -o "$work/tree.nrx" --target=$target     # before any input is read
    "$bin/nereus-run" "$work/tree.nrx" --inputs "$work/trees.json" --json > "$work/artefact.json"
    "$bin/nereus" run "$source/examples/tree_encoder.nr" --target=$target --inputs "$work/trees.json" --json > "$work/compiled.json"
    cmp "$work/artefact.json" "$work/compiled.json" || fail "the artefact for $target differs"
done

# of a model, by the names of its inputs
"$source/test/onnx/model_from_text.py" "$source/test/consumer/small.txt" "$work/small.onnx"
"$bin/nereus" compile "$work/small.onnx" -o "$work/small.nrx"
"$bin/nereus-run" "$work/small.nrx" --input input.1=2x2xf32=0.5,-3,2,1 > "$work/small.txt"
grep -qF '(Tensor[(2, 2), f32] [[0, 0], [1, 2]], Tensor[(2, 2), i64] [[1, 1], [0, 1]])' "$work/small.txt" || fail "a model's artefact gives another result"

"$bin/nereus-run" "$work/tree.nrx" --inputs "$work/trees.json" --profile 2> "$work/profile" > /dev/null
grep -Eq "55  matmul +[^ ]*tree_encoder.nr:[0-9]+" "$work/profile" && grep -q "host" "$work/profile" || fail "the profile does not name a kernel and its place"
head -c 3000 "$work/tree.nrx" > "$work/short.nrx"
if "$bin/nereus-run" "$work/short.nrx" --inputs "$work/trees.json" 2> "$work/error"; then fail "half an artefact was run"; fi
grep -q "^error: " "$work/error" || fail "half an artefact gives no clear error"
if "$bin/nereus" compile "$source/examples/tree_encoder.nr" -o "$work/no/such/folder.nrx" 2> "$work/error"; then fail "wrote nowhere"; fi
[ ! -e "$work/no" ] || fail "something was left behind"
echo "1 passed, 0 failed"
