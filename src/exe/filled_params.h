// exe/filled_params.h - what a filled parameter block says of a launch, for those who look on.
#pragma once
#include "exe/launch_params.h"
#include <optional>

namespace nereus {
// How many elements of a buffer are met along a group, one if it does not move along it, and by how many bytes it moves along the
// last axis; nothing: no access says so.
int64_t elements_along(const ParamLayout& layout, const int64_t* p, size_t group, size_t buffer);
std::optional<int64_t> stride_along(const ParamLayout& layout, const int64_t* p, size_t group, size_t buffer);
} // namespace nereus
