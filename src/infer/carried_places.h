// infer/carried_places.h - where a type declaration writes a function or a cell. No type parameter carries which of them
// stands there, so an abstract object carries it itself: its parts, one for each place reached from its declaration.
//
// A cell is carried without its content: objects can hold cells that hold such objects, without end. What it holds is
// asked for where it is taken out (Program::cell_content).
#pragma once
#include "infer/abstract.h"

namespace nereus {
struct CarriedPlace {
    DeclId decl;
    uint32_t constructor = 0, field = 0;
    std::vector<uint32_t> path = {};                     // inside the field's type: which part or argument
    auto operator<=>(const CarriedPlace&) const = default;
};
using CarriedAt = std::map<CarriedPlace, AbsId>;

// Of the declaration and of all that its fields mention, in order. Objects of one declaration inside another share them.
std::vector<CarriedPlace> carried_places(const Module& module, DeclId decl);
// Does an object of this declaration hold others of it?
bool is_recursive(const Module& module, DeclId decl);

CarriedAt carried_by(const Module& module, const Abs& object);
TypeId type_at(const Module& module, const CarriedPlace& place);
// What a value that goes to such a field brings to the places of the object around it.
void collect_carried(const Module& module, Abstracts& abstracts, TypeId written, AbsId value, const CarriedPlace& place,
                       std::map<CarriedPlace, std::vector<AbsId>>& out);
} // namespace nereus
