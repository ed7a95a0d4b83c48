// run/plugins.h - `--plugin FILE`, at any place of any command line: operators from outside, loaded before anything is read.
#pragma once
#include "base/result.h"
#include <vector>

namespace nereus {
// Loads them and takes these words out.
Status load_plugins(std::vector<const char*>& words);
inline constexpr const char* plugin_help = "  --plugin FILE    a shared library with operators of its own (include/nereus/plugin.h); may be given several times\n";
} // namespace nereus
