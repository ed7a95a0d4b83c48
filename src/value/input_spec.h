// value/input_spec.h - an argument written on the command line: name, sizes and dtype, content.
//   x=2x3xf32=random    x=2x3xf32=@file.npy    x=3xi64=1,2,3    x=f32=2.5    x=2xstr=yes,no    x=@file.npy
//   x=@file.npz, x=@file.npz:layers.0 (a structure, or the part of it at a path: value/npz.h)
#pragma once
#include "value/value.h"

namespace nereus {
// Random content depends on the seed and the name alone: floats uniform in [-1, 1), integers 0 to 9, fair
// bools, texts of one digit. A comma stands between texts, and in one that is alone for itself. A malformed spec is a usage error; content that does not fit is a shape, type or value error. Both
// name the spec.
Result<Field> parse_input_spec(std::string_view spec, uint64_t seed = 0);
Result<HostTensor> random_tensor(DType dtype, Extents shape, std::string_view name, uint64_t seed, uint64_t integers_below = 10);
} // namespace nereus
