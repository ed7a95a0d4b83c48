// infer/types_finish.h - writes what inference found into a copy of the function.
#pragma once
#include "infer/types_body.h"

namespace nereus {
// `target` is a copy of the function, in the module that `finished` interns in. Types of values and the result; the
// declarations of records, fields, updates and record patterns; dtypes given by a variable.
void finish_body(const TypeContext& context, FunctionId function, const BodyTypes& types, FinishedTypes& finished,
                 Function& target);
} // namespace nereus
