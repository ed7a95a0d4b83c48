// loop/schedule.h - decides how a loop function runs: which axis fills vectors, tiles, the task grid, scratch.
//
// A plan names bodies that the code generator knows how to write; each body has a fallback that is right for every
// stride, chosen inside the kernel from its parameters. The grid depends on the parameters alone, and each output
// element is computed within one task in an order that the parameters fix: results do not depend on the number of
// threads. A new family of kernels is a new plan: a struct here, a match in schedule.cpp, a body in codegen.
#pragma once
#include "base/result.h"
#include "exe/launch_params.h"
#include "loop/loop.h"

namespace nereus::loop {
struct Machine {
    int vector_bytes = 16;
    int vector_registers = 16;
    bool masks = false;                   // masked loads and stores at full speed
    bool fma = false;
};

// Elementwise: runs along the last axis of `over`, `width` points at a time.
struct MapPlan { GroupId over; int width; };
// Folds over `inner` at each point of `outer`. Vectors run along the last axis of either, as the strides allow.
struct RowPlan { GroupId outer, inner; int width; };
// y[b, m, n] = epilogue(sum over k of left * right): register tiles of `rows` x (`vectors` * `width`). m and k are axes or
// odometers of any rank: of a convolution m are the points of a picture, k the taps and channels of a window.
// Factors that cannot be read in place go through scratch, `block` steps of k at a time; the left one is computed
// `left_width` steps at once. With `panels` the right factor lies in panels: of panel_columns columns, the last one rounded
// up to whole vectors of 16, the steps of k inside.
struct ContractPlan {
    GroupId batch, m, n, k;
    int width, rows, vectors, epilogue_width, left_width, block;
    bool panels = false;
};
inline constexpr int panel_columns = 64;
inline constexpr int few = 8;             // of m or n: turning a right factor for so few costs more than dots of its columns
// Updates in the order of `order`; vectors run along the last axis of `over`.
struct ScatterPlan { GroupId over, order; int width; };
// One pass in row-major order; a single task.
struct CompactPlan { GroupId over; };
using Plan = std::variant<MapPlan, RowPlan, ContractPlan, ScatterPlan, CompactPlan>;

struct Scheduled {
    Function function;
    Plan plan;
    ParamLayout params;                   // also says the task grid
    int64_t scratch_bytes;                // what a worker needs, 64-byte aligned
};

// Code::unsupported if no plan fits the form of the function; never depends on sizes.
Result<Scheduled> schedule(Function f, const Machine& machine);
} // namespace nereus::loop
