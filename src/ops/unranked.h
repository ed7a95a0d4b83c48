// ops/unranked.h - operators on values whose rank is known only when they run. Kernels do not know ranks, so it is enough
// to look at each operand in a form of known rank (all elements, a few axes and the rest), to make the result with the
// extents that belong to it, and then to write the same launches as for known ranks.
#pragma once
#include "ops/lowering.h"

namespace nereus {
Status lower_unranked(OpLowering& l);
} // namespace nereus
