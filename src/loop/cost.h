// loop/cost.h - how much one launch of a loop function does: counted from the function and its parameters, no row per operator.
#pragma once
#include "exe/launch_params.h"
#include "loop/loop.h"

namespace nereus::loop {
struct Cost {
    int64_t points = 0;                   // of all groups together: multiply-adds of a contraction
    double flops = 0;                     // arithmetic, each operator one; a step of a contraction two, of a fold one
    double read = 0, written = 0;         // bytes; what is broadcast once, of an indexed buffer the elements that are met
};
// `p`: filled by fill_params for a layout of this function.
Cost cost_of(const Function& f, const ParamLayout& layout, const int64_t* p);
} // namespace nereus::loop
