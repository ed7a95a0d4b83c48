// exe/text.h - executables for people and tests: assemble(disassemble(e)) == e for every e that verify() accepts.
//
//   target "x86-64-v2"
//   function 0 factorial(1) -> 1 registers 3 {      ; 1 parameter in r0, 1 result
//     r1 = load_constant 1                          ; what an instruction writes stands left, a list in (…)
//     r2 = le r0, r1
//     jump_if L8, r2                                ; a target is a label of the same function
//     r2 = sub r0, r1
//     (r2) = call.0 factorial, (r2)                 ; .x: dtype, relation, tag or prefix
//     r1 = mul r0, r2
//   L8:
//     leave (r1)
//   }
//
// `mark 3` in front of an instruction: faults from here on are site 3's. Tables are written `launch 0 {kernel: 2}`
// with the field names of fields.h, defaults left out; a number is 64, a plan register p1, a register r2. The plan
// program of region 0 is `plan 0 registers 2 {…}`. Indices and numbers of registers may be left out: they count up.
#pragma once
#include "base/result.h"
#include "exe/executable.h"
#include <string>

namespace nereus {
std::string disassemble(const Executable& exe);
Result<Executable> assemble(std::string_view text);       // not verified; errors are Code::parse and name the line
} // namespace nereus
