// value/element.h - one element of a tensor as text, shared by every reader and printer of this room.
#pragma once
#include "tensor/host_tensor.h"
#include <string>
#include <string_view>

namespace nereus {
// The fewest digits that read back as the same float; nan, inf, -inf; true, false.
void append_element(std::string& out, const HostTensor& tensor, int64_t index);

// Reads one element and stores its size_of(dtype) bytes. Integers go straight to their type: out of range
// is an error, and so is a fraction or an exponent. Floats take integers, nan, inf and -inf, round to
// nearest in their own precision, and may underflow but not overflow. A bool is true, false, 0 or 1. Error:
// value.
Status store_element(DType dtype, std::string_view text, std::byte* target);
} // namespace nereus
