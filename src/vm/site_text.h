// vm/site_text.h - what a site says, with what was found in the places that it leaves open. A run and the walk that
// predicts its peak say the same.
#pragma once
#include "vm/look.h"
#include <functional>

namespace nereus {
std::string check_text(const Site& site, int64_t left, int64_t right);           // {0} and {1}
// {r5} is the number in a register, {shape r5} the sizes of the tensor there: `read` gives them as text.
std::string with_registers(std::string what, const std::function<std::string(uint32_t reg, bool is_shape)>& read);
// {expected} and {found} are shapes; {= expected} is left out of another rank, whose sizes tell nothing.
std::string mismatch_text(const Site& site, const Mismatch& misfit);
} // namespace nereus
