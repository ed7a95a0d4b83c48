#!/usr/bin/env bash
# A deployer's afternoon: a model that nobody here has written is looked at, checked, compiled, embedded in a C program that
# has no compiler, held to a limit of memory, and measured.
#   examples/deployer.sh [BUILD_FOLDER]
# Every step says what it shows and ends the script if it does not; the tests run it.
set -euo pipefail
examples=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1-$examples/../build}" && pwd)
bin=$build/bin
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
say() { echo "-- $*"; }
fail() { echo "deployer: $*" >&2; exit 1; }
refused() { if "$@" > out.txt 2> error.txt; then fail "was accepted: $*"; fi; cat error.txt; }

say "somebody sends a model and recorded outputs"
"$examples/make_model.py" classifier
ls classifier

say "what does it take and give, which sizes are open, what does the run decide?"
"$bin/nereus" inspect classifier/model.onnx | tee inspect.txt
grep -q "batch" inspect.txt && grep -q "NonZero" inspect.txt || fail "inspect does not tell"

say "a newer one has operators that are not offered: all of them are named at once"
refused "$bin/nereus" inspect newer.onnx
grep -q "Sparkle" error.txt && grep -q "Twinkle" error.txt || fail "not all are named"

say "does it give what was recorded, as it is and with every size open?"
"$bin/nereus" check classifier
"$bin/nereus" check --symbolic classifier

say "and at sizes that nobody recorded, against the interpreter?"
"$bin/nereus" check --against=eval --seed 1 classifier

say "compile once, for every shape; run without the compiler"
"$bin/nereus" compile classifier/model.onnx -o classifier.nrx
"$bin/nereus-run" classifier.nrx --input ids=1x4xi64=3,1,4,15

say "the same from C, with a limit of memory that was asked for before"
cc -std=c11 -Wall -Wextra -Werror -I "$examples/../include" "$examples/deployer.c" -o deployer -L "$build/lib" -lnereus-runtime -Wl,-rpath,"$build/lib"
./deployer classifier.nrx

say "how fast is it, at two shapes in turn, and where does the time go?"
"$bin/nereus" bench classifier/model.onnx --shapes ids:8x64 --shapes ids:1x16 --count 200
"$bin/nereus" run classifier/model.onnx --input ids=8x64xi64=random --profile --json > /dev/null 2> profile.txt
cat profile.txt
grep -q "Gather 'gather_node'" profile.txt || fail "the profile names no node"

say "done"
