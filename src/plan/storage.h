// plan/storage.h - how each value is kept: number, planned memory or object.
//
// Memory of a region is planned from the function's own symbols, so a tensor lives at an *address* if its size follows
// from them. It becomes an *object* if its size is late, or if something that outlives the region holds it: a container,
// a cell, a closure. Arguments at addresses are borrowed, objects handed over; results of known size are written where the
// caller says (destination passing), others are handed over as objects. An address that flows to where an object is needed is copied: always
// right, so all this is a question of cost.
#pragma once
#include "lower/lowered.h"

namespace nereus {
enum class Kept : uint8_t { nothing, number, address, object };

struct Signature {
    std::vector<Kept> params, results;
    // Per result: the parameter that is in its memory when the call begins (plan/in_place.h), -1: none. The caller puts it
    // there, unless it is there already.
    std::vector<int> begins_as;
};

struct FunctionStorage {
    Signature signature;
    std::vector<Kept> values;                // per lowered value; immediates as what their type says
};

struct Storage {
    std::vector<FunctionStorage> functions;  // parallel to module.functions
};

Storage plan_storage(const Lowered& lowered, FunctionId entry);

// True if every symbol of the type's dims is a parameter of the function: its size is known when the region is entered.
bool known_at_entry(const Module& module, const Function& function, TypeId type);
} // namespace nereus
