#!/usr/bin/env bash
# The installed package serves a project outside the house; its runtime half stands alone.
# test/consumer.sh BUILD SOURCE COMPILER [FLAGS]
set -euo pipefail
build=$1 source=$2 compiler=$3 flags=${4-}
c_compiler=${compiler/clang++/clang} c_compiler=${c_compiler/g++/gcc} c_compiler=${c_compiler/c++/cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "consumer: $*" >&2; exit 1; }
quiet() { "$@" > "$work/log" 2>&1 || { cat "$work/log" >&2; fail "$1 failed"; }; }

# `consume PREFIX FOLDER`: builds the consumer project against an installed package.
consume() {
    quiet /usr/bin/cmake -S "$source/test/consumer" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$1" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" \
        -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_C_FLAGS="$flags"
    quiet /usr/bin/cmake --build "$2"
}

quiet /usr/bin/cmake --install "$build" --prefix "$work/all"
consume "$work/all" "$work/with_compiler"
cd "$work"
"$work/with_compiler/example" "$source/examples/tree_encoder.nr" > example.txt
"$work/with_compiler/shapes" "$source/examples/tree_encoder.nr"
"$work/with_compiler/load" tree.nrx > loaded.txt
cmp example.txt loaded.txt || fail "the artefact gives another result"
"$source/test/onnx/model_from_text.py" "$source/test/consumer/small.txt" small.onnx
"$work/with_compiler/example_c" small.onnx > example_c.txt
printf '%s\n' 'out/y:0: Tensor[(2, 2), f32] [[0, 0], [1, 2]]' 'found: Tensor[(2, 2), i64] [[1, 1], [0, 1]]' | cmp - example_c.txt ||
    fail "the example in C gives another result"
printf '%s\n' 'input input.1 f32 n,2' 'node Relu: input.1 -> y' 'output y f32 n,2' > one_output.txt
"$source/test/onnx/model_from_text.py" one_output.txt one_output.onnx
# shellcheck disable=SC2086
quiet "$c_compiler" $flags -I "$work/all/include" "$source/test/consumer/example.c" -o app -L "$work/all/lib" -lnereus -lnereus-runtime -Wl,-rpath,"$work/all/lib"
./app one_output.onnx | cmp - <(echo 'y: Tensor[(2, 2), f32] [[0.5, 0], [2, 1]]') || fail "the example in C gives another result for one output"
"$work/with_compiler/values" values.npz
"$work/with_compiler/calls"
"$work/with_compiler/refusals"
"$work/with_compiler/model" small.onnx small.nrx
"$work/with_compiler/plugin" own.nrx

# the runtime alone: nothing of the compiler is installed, linked or inside
quiet /usr/bin/cmake --install "$build" --prefix "$work/runtime" --component runtime
for header in compile.h compile.hpp nereus.hpp; do
    [ ! -e "$work/runtime/include/nereus/$header" ] || fail "the runtime component has the compiler's $header"
done
consume "$work/runtime" "$work/without_compiler"
"$work/without_compiler/values" values.npz
"$work/without_compiler/load" tree.nrx | cmp - example.txt || fail "the runtime alone gives another result"
ldd "$work/without_compiler/load" > "$work/linked"
grep -q "$work/runtime/.*libnereus-runtime" "$work/linked" || fail "the runtime library is not the installed one"
grep -qiE 'llvm|libnereus\.so' "$work/linked" && fail "the runtime links the compiler"
for library in "$build"/lib/libnereus-runtime.so "$build"/lib/libnereus.so; do
    nm -DC --defined-only "$library" | grep -E ' [TWBDRVu] ' | grep -v ' T nereus_' && fail "$library exports more than the C interface"
done
# every function of the headers is exported, and nothing that they do not have
cat "$source"/include/nereus/nereus.h "$source"/include/nereus/compile.h | grep -oE '^[a-z_0-9 *]+ \**nereus_[a-z0-9_]+\(' | grep -oE 'nereus_[a-z0-9_]+\(' | tr -d '(' | sort > declared.txt
nm -D --defined-only "$build"/lib/libnereus-runtime.so "$build"/lib/libnereus.so | grep -oE 'nereus_[a-z0-9_]+$' | sort > exported.txt
diff declared.txt exported.txt || fail "the headers and the libraries do not have the same functions"
nm -C "$build/lib/libnereus-runtime.so" > "$work/symbols"
for inside in 'llvm::' 'nereus::eval(' 'nereus::parse(' 'nereus::infer_shapes(' 'nereus::loop::'; do
    grep -qF "$inside" "$work/symbols" && fail "libnereus-runtime contains $inside"
done

# every header stands alone; the examples are those that README.md shows
for header in "$work"/all/include/nereus/*.h; do
    quiet "$c_compiler" -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$work/all/include" -x c -include "$header" /dev/null
done
for header in "$work"/all/include/nereus/*; do
    quiet "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$work/all/include" -x c++ -include "$header" /dev/null
done
for language in cpp c; do
    sed -n "/^\`\`\`$language\$/,/^\`\`\`\$/p" "$source/README.md" | sed '1d;$d' | cmp - "$source/test/consumer/example.$language" ||
        fail "README.md shows another example than test/consumer/example.$language"
done
echo "1 passed, 0 failed"
