// grad/grad.h - replaces every grad(f), value_and_grad(f) and vjp(f) by code that computes it: reverse mode, in the
// reference form.
//
// `@f.taped` is @f with a shadow beside every parameter and result and a tape as its last parameter. A shadow has the
// structure of its value with a cell in place of each float tensor; the cell collects the adjoint. Each operator makes
// a fresh cell for its result and pushes a step on the tape, a closure that reads that cell and adds to the operands'.
// Everything else (constructors, match, loops, calls, closures, cells) moves shadows in parallel with values. grad(f) is
// a closure that makes shadows for its arguments, runs @f.taped once, puts 1 in the result's cell, runs the tape
// backwards in a loop and reads the adjoints off the shadows.
//
// Nested gradients are expanded inside out: the expansion of the inner one is differentiated like any other code.
#pragma once
#include "ir/module.h"

namespace nereus {
// Takes a module as specialise leaves it: types are ground, shapes say nothing or what is written.
Result<Module> grad(Module module);
} // namespace nereus
