// exe/samples.h - an executable in text that has something of everything, for tests of this room and of the VM.
#pragma once
#include <string_view>

namespace nereus {
// main(x: Tensor[(n), f32], k: i64) = (x + k times x, factorial(k)); kernel 0 is out = a + b, of n elements.
inline constexpr std::string_view sample_program = R"(
target "x86-64"
type 0 {axes: [0]}
type 1 {dtype: i64}
type 2 {kind: tuple, fields: [[0, 1]]}
type 3 {kind: data, names: ["Nil", "Cons"], fields: [[], [1, 3]], bound: [0, 0]}
source 0 {path: "main.nr", sum: -5}
site 0 {code: value, what: "k is {0}, over {1}", hint: "use a smaller k", where: {source: 0, line: 3, column: 7, length: 2}}
site 1 {what: "adding", where: {source: 0, line: 4, column: 1}}
kernel 0 {name: "add", layout: {groups: [{buffers: [0, 1, 2]}], buffers: [f32, f32, f32], grid: {dims: [{tile: 16}], target: 16}}, scratch: 4096}
launch 0 {buffers: [{bytes: p1}, {kind: address, index: 1, bytes: p1}, {kind: address, index: 1, bytes: p1}], groups: [{extents: [p0], strides: [1, 1, 1]}], site: 1, step: 0}
launch 1 {buffers: [{kind: address, index: 3, bytes: p1}, {index: 0, bytes: p1}, {kind: address, index: 1, bytes: p1}], groups: [{extents: [p0], strides: [1, 1, 1]}], site: 1, step: 2}
entry 0 {name: "main", where: {source: 0, line: 1, column: 5, length: 5}, sizes: 1, size_names: ["n"], params: [{name: "x"}, {name: "k", type: 1}], param_leaves: [{kind: address}, {kind: number, type: 1}], result_type: 2, result_leaves: [{kind: address}, {kind: number, type: 1}]}
region 0 {key: [0], slots: [{bytes: p1, last: 2}], prefixes: [1], lists: [[0], [1]]}
function main(3) -> 2 registers 6 {       ; n, x, k
  r5 = load_constant 20
  check.less_equal 0, r2, r5
  enter 0
  run 0
  mark 1
  (r4) = call.0 factorial, (r2)
  r3 = new_output.f32 (r0), 0
  run 1
  leave (r3, r4)
}
plan 0 registers 3 {
  r2 = load_constant 4
  r1 = size_mul r0, r2
  leave ()
}
function factorial(1) -> 1 {
  r1 = load_constant 1
  r2 = le r0, r1
  jump_if done, r2
  r2 = sub r0, r1
  (r2) = call factorial, (r2)
  r1 = mul r0, r2
done:
  leave (r1)
}
blob "c3"
)";
} // namespace nereus
