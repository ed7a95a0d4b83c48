// cli/child_process.h - another program, run to its end.
#pragma once
#include "base/result.h"
#include <string>
#include <vector>

namespace nereus {
// words[0] is looked for as a shell does. A failing one is an error with what it said on stderr; `said`: a file for that.
Status run_child(std::vector<std::string> words, const std::string& said);
} // namespace nereus
