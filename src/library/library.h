// library/library.h - the kernels there are. A program names one by its place in the table: rows are added at the end.
#pragma once
#include "tensor/kernel.h"
#include <optional>
#include <span>
#include <string_view>

namespace nereus {
std::span<const Kernel> library();                       // for LoadedExecutable::load
std::optional<uint32_t> library_index(std::string_view name);    // nullopt: no such kernel
} // namespace nereus
