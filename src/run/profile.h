// run/profile.h - where the time of calls went, as a table for people: launches by place and kernel, the longest first.
#pragma once
#include "base/source_text.h"
#include "vm/context.h"
#include <string>

namespace nereus {
// `seconds`: of all calls together. What is not in kernels is the host's.
std::string profile_text(const Context& context, double seconds, std::span<const SourceText> sources);
} // namespace nereus
