// ir/print.h - a module as text that text/parse.h reads back: print(parse(print(m))) == print(m) at every stage.
//
// One binding per line, constants where they are used, the surface form where a construct has one. What later stages
// know stands beside it:
//   %k: Tensor[(new late m), f32] {= 2*n, dims (n)} = …    value as a dim, dims handed over; `new` where a symbol is defined
//   (2.0: f32)                                             a constant whose type is known
//   symbols (n, m) and sizes (2*n) in a block              Block::symbols and ::dims; in a body those of the function
//   mul(%x, %y; note=1)                                    attributes that the operator does not declare
//   ?1                                                     a `?` that occurs more than once
// The generic form, %a, %b = name<details>(args; attributes) {(%p: T) … => %results} : T, T, serves dialects and
// whatever has no other; see text/generic.cpp.
#pragma once
#include "ir/module.h"
#include <span>
#include <string>

namespace nereus {
struct PrintOptions {
    bool generic = false;                 // every binding in the generic form
    bool numbered = false;                // values by number instead of name, but for parameters of functions
    std::span<const DimFact> facts = {};  // comments below the binding that defines the symbol on their left
};
std::string print(const Module& module, PrintOptions options = {});
std::string print(const Module& module, FunctionId function, PrintOptions options = {});
std::string to_string(const Module& module, TypeId type);
// Equal up to the names of values that are not parameters of functions, and up to places in the text.
bool same_module(const Module& a, const Module& b);
} // namespace nereus
