// grad/grad.h - replaces every grad(f), value_and_grad(f), vjp(f), jvp(f) and checkpoint(f) by code that computes it.
//
// In the product form grad(@f) is a function @f.grad: f's code, then code that goes through it from its end. What that
// reads of another function, arm or loop body is handed out by it as a tape: @f.fwd gives (y, tape), @f.bwd takes the
// tape and the adjoint of y. There is no closure and no cell that f did not have. See products.h, backward.h.
//
// The reference form takes all of the language. `@f.taped` is @f with a shadow beside every parameter and result and a
// tape as its last parameter. A shadow has the structure of its value with a cell in place of each float tensor; the cell
// collects the adjoint. Each operator makes a fresh cell for its result and pushes a step on the tape, a closure that reads
// that cell and adds to the operands'. Everything else (constructors, match, loops, calls, closures, cells) moves shadows in
// parallel with values. grad(f) is a closure that makes shadows for its arguments, runs @f.taped once, puts 1 in the
// result's cell, runs the tape backwards in a loop and reads the adjoints off the shadows.
//
// mode="product" and mode="closures" choose; by default the product form is taken where it can be (product_support.h).
// Nested gradients are expanded inside out: the expansion of the inner one is differentiated like any other code.
#pragma once
#include "ir/module.h"

namespace nereus {
// Takes a module as specialise leaves it: types are ground, shapes say nothing or what is written.
Result<Module> grad(Module module);

// True if the product form would take what is differentiated, were closures data (pass/defunctionalise.cpp): the adjoint of
// what a closure captures is then that of a constructor's fields.
bool differentiates_closures(const Module& module);
// True if something is differentiated that is not made where it is: a parameter, a part, a result.
bool differentiates_unknown(const Module& module);

// A function value that grad does not see the making of is called inside of a lambda that it sees.
Module wrap_unknown_functions(Module module);
} // namespace nereus
