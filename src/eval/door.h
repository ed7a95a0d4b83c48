// eval/door.h - values across the door: API values in, checked against a type, and results out.
#pragma once
#include "eval/machine.h"

namespace nereus {
// Structure, dtypes and ranks must be the type's; constructors are found by name, and the dims they bind are checked. The
// message of an error begins with the place inside the value: `, at .w: …`, or `: …` of the whole.
Result<Datum> come_in(Machine& machine, const Module& module, const Value& value, TypeId type);
// A cell or a function cannot leave: an error.
Result<Value> go_out(const Module& module, const Datum& value);
// For people to read: cells and functions are shown by these words alone.
Value shown(const Module& module, const Datum& value);
// The path to a part of a value, for people too; `way`: which item of each structure leads there.
std::string place_in(const Module& module, const Datum& value, std::span<const uint32_t> way);
} // namespace nereus
