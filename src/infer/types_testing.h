// infer/types_testing.h - programs in, signatures out, for the tests of this room.
#pragma once
#include "ir/module.h"

namespace nereus {
Result<Module> parse_for_test(std::string_view program);
// f32 is a tensor of unknown shape, f32() a scalar, f32(n, 4) a matrix.
std::string type_for_test(const Module& module, TypeId type);
// "@f(f32(), a) -> a" per function, without the prelude's that nothing uses, one per line.
std::string signatures_of(const Module& module);
} // namespace nereus
