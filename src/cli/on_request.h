// cli/on_request.h - calls of a program when lines of stdin ask for them, so that other engines can take turns with it.
//
//   out  {"sets": ["small", "large"], "threads": 1, "compile_ms": 210.1, "load_ms": 3.2, "weights_bytes": 4096}
//   in   1 100                                  set 1, so many calls; words behind them are for others
//   out  {"ms": [0.41, 0.40], "peak_bytes": 8192}        or {"error": "there is no set 7"}
#pragma once
#include "cli/argument_sets.h"

namespace nereus {
// Until stdin ends.
Status call_on_request(const ReadyProgram& program, const std::vector<ArgumentSet>& sets, int threads);
} // namespace nereus
