// base/suggest.h - "did you mean": the known name nearest to a mistyped one.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nereus {
// "" when nothing is near: more than a third of the letters would change, or of a short name half and the first.
std::string nearest(std::string_view name, std::span<const std::string_view> known);
// "did you mean `…`?" with the prefix before the name, or "".
std::string did_you_mean(std::string_view prefix, std::string_view name, std::span<const std::string_view> known);
} // namespace nereus
