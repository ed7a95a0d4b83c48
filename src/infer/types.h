// infer/types.h - phase T: structure and dtypes of every value of every function. Ranks and sizes are the shapes stage's.
#pragma once
#include "ir/module.h"

namespace nereus {
// Types all functions, in groups of mutual recursion, each polymorphic for its callers. Afterwards every value and
// result has a type: written ones as written, with holes and variables filled in; for others shapes are ".." and dim
// arguments of data types are invalid, both of which say nothing. What stays open is a variable, listed in the
// function's type_params where its signature mentions it. For reading: specialise() starts from the module as parsed,
// because a variable that was inferred is not the promise that a written one is.
Result<Module> infer_types(Module module);
} // namespace nereus
