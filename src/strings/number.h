// strings/number.h - elements of any dtype as texts and back: what a cast to and from str does.
#pragma once
#include "tensor/host_tensor.h"
#include <string>
#include <string_view>

namespace nereus {
// As NumPy prints it: the fewest digits that read back as the same float, 1.0, 1e-07, nan, -inf; True, False.
std::string number_text(DType dtype, const std::byte* element);

// Also read: NaN, INF, +INF and -INF in letters of any case; true and false; white space around. Integers take a float and drop
// its fraction; a bool is whether a number is not 0. Refused: what is no number, an integer that does not fit.
Status read_number(DType dtype, std::string_view text, StoreRule rule, std::byte* target);
} // namespace nereus
