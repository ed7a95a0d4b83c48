// eval/as_written.h - the judge of compiled code: a program run as it is written.
//
// The stage `shapes` decides branches by what it finds out. A wrong fact would be wrong in eval, too, if eval ran the
// program after that stage, and no comparison would see it. So values come from the program before it. The program
// after it gives two things only: the words of an error, for checks name sizes as the signature does, and the sizes of
// what a loop of no trips yields, which nothing but shapes can tell.
#pragma once
#include "eval/eval.h"

namespace nereus {
struct AsWritten {
    Module written;                                      // before the stage shapes
    Module shaped;                                       // the same program after it
};

Result<Value> eval(const AsWritten& program, FunctionId entry, std::span<const Value> args, EvalOptions options = {});
// For those who want no more than compiled code gives: refused is also what only the program after the stage refuses,
// such as a size of -1 that is computed and not written.
Result<Value> eval_or_refuse(const AsWritten& program, FunctionId entry, std::span<const Value> args,
                             EvalOptions options = {});
} // namespace nereus
