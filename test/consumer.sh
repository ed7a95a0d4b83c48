#!/usr/bin/env bash
# The installed package serves a project outside the house; its runtime half stands alone.
# test/consumer.sh BUILD SOURCE COMPILER [FLAGS]
set -euo pipefail
build=$1 source=$2 compiler=$3 flags=${4-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "consumer: $*" >&2; exit 1; }
quiet() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$1 failed"; }; }

# `consume PREFIX FOLDER`: builds the consumer project against an installed package.
consume() {
    quiet /usr/bin/cmake -S "$source/test/consumer" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$1" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags"
    quiet /usr/bin/cmake --build "$2"
}

quiet /usr/bin/cmake --install "$build" --prefix "$work/all"
consume "$work/all" "$work/with_compiler"
cd "$work"
"$work/with_compiler/example" "$source/examples/tree_encoder.nr" > example.txt
"$work/with_compiler/shapes" "$source/examples/tree_encoder.nr"
"$work/with_compiler/load" tree.nrx > loaded.txt
cmp example.txt loaded.txt || fail "the artefact gives another result"

# the runtime alone: nothing of the compiler is installed, linked or inside
quiet /usr/bin/cmake --install "$build" --prefix "$work/runtime" --component runtime
[ ! -e "$work/runtime/include/nereus/compile.h" ] || fail "the runtime component has the compiler's header"
consume "$work/runtime" "$work/without_compiler"
"$work/without_compiler/load" tree.nrx | cmp - example.txt || fail "the runtime alone gives another result"
ldd "$work/without_compiler/load" > "$work/linked"
grep -q "$work/runtime/.*libnereus-runtime" "$work/linked" || fail "the runtime library is not the installed one"
grep -qiE 'llvm|libnereus\.so' "$work/linked" && fail "the runtime links the compiler"
for library in "$build"/lib/libnereus-runtime.so "$build"/lib/libnereus.so; do
    nm -DC --defined-only "$library" | grep -E ' [TWBDRVu] ' | grep -v 'nereus::v1::' && fail "$library exports more than nereus::v1"
done
nm -C "$build/lib/libnereus-runtime.so" > "$work/symbols"
for inside in 'llvm::' 'nereus::eval(' 'nereus::parse(' 'nereus::infer_shapes(' 'nereus::loop::'; do
    grep -qF "$inside" "$work/symbols" && fail "libnereus-runtime contains $inside"
done

# every header stands alone; the example is the one that README.md shows
for header in "$work"/all/include/nereus/*.h; do
    quiet "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$work/all/include" -x c++ -include "$header" /dev/null
done
sed -n '/^```cpp$/,/^```$/p' "$source/README.md" | sed '1d;$d' | cmp - "$source/test/consumer/example.cpp" ||
    fail "README.md shows another example than test/consumer/example.cpp"
echo "1 passed, 0 failed"
