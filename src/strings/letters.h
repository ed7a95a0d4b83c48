// strings/letters.h - small letters and capitals: one for one, the same in every language.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace nereus {
inline constexpr size_t longest_text = size_t(1) << 30;      // in bytes; what operators make of others
inline constexpr std::string_view too_long = "a text of more than 2^30 bytes";

std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);
} // namespace nereus
