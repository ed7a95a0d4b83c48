// infer/shapes.h - phase S: the rank and sizes of every value, as far as can be known before the program runs.
#pragma once
#include "ir/module.h"

namespace nereus {
struct ShapeReport {
    int64_t checks = 0;                     // equations left to run time
    int64_t instances = 0;
    int64_t rounds = 0;                     // the most that one instance needed
    std::vector<Error> warnings;            // ranks that meet and differ
    std::vector<DimFact> bounds;            // of each symbol that stands for what arms bring: it is on the left
};

// Abstract interpretation from the entry point over instances of functions. The result holds one function per instance
// that the entry reaches, entry first, in the form that "Symbols" in ir/module.h describes: complete types, lambdas
// lifted to functions, indexing resolved to operators, a check where an equation could not be proved.
Result<Module> infer_shapes(Module specialised, FunctionId entry, ShapeReport* report);
} // namespace nereus
