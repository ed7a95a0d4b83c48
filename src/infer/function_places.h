// infer/function_places.h - where a type declaration writes a function type. No type parameter carries what stands there,
// so an abstract object carries it itself: its parts, one for each place that can be reached from its declaration.
#pragma once
#include "infer/abstract.h"

namespace nereus {
struct FunctionPlace {
    DeclId decl;
    uint32_t constructor = 0, field = 0;
    std::vector<uint32_t> path = {};                     // inside the field's type: which part or argument
    auto operator<=>(const FunctionPlace&) const = default;
};
using FunctionsAt = std::map<FunctionPlace, AbsId>;

// Of the declaration and of all that its fields mention, in order. Objects of one declaration inside another share them.
std::vector<FunctionPlace> function_places(const Module& module, DeclId decl);
// Does an object of this declaration hold others of it?
bool is_recursive(const Module& module, DeclId decl);

FunctionsAt functions_of(const Module& module, const Abs& object);
// What a value that goes to such a field brings to the places of the object around it.
void collect_functions(const Module& module, Abstracts& abstracts, TypeId written, AbsId value, const FunctionPlace& place,
                       std::map<FunctionPlace, std::vector<AbsId>>& out);
} // namespace nereus
