// exe/launch_params.h - the parameter block `Launch.p`: its layout, written by the scheduler, and the function that
// fills it from extents and strides. Compiled code reads these slots: a change here is a new artefact version.
//
//   p[0] tasks   p[1] items per task
//   p[2 + 3g] rank of group g          p[3 + 3g] slot of its table   p[4 + 3g] its number of points
//   p[2 + 3G + s] bits of scalar s
//   table of a group: max(rank, 1) extents, outermost first; then per buffer of the group as many strides, in bytes
#pragma once
#include "tensor/dtype.h"
#include <span>
#include <vector>

namespace nereus {
inline constexpr int max_group_rank = 32;     // after collapsing; kernels keep their coordinates on the stack

struct GroupLayout {
    std::vector<uint16_t> buffers;            // which buffers have strides in this group, ascending
    bool keep_axes = false;                   // the kernel needs each axis as it is: coordinates, single axes
    bool operator==(const GroupLayout&) const = default;
};

// Items are the units of work that tasks are made of: points, rows or tiles. Their number is the product over
// `dims` of ceil(points / tile), where tiles are `by_row` of the rows times ceil(row / tile); an item costs the product of
// the points of `work`; a task gets about `target` of it.
struct GridLayout {
    struct Dim {
        uint16_t group = 0;
        int32_t tile = 1;
        bool by_row = false;                  // no tile goes beyond the end of the last axis
        bool operator==(const Dim&) const = default;
    };
    std::vector<Dim> dims;                    // empty: one task
    std::vector<uint16_t> work;
    int64_t target = 1;
    int64_t align = 1;                        // items per task is a multiple of this
    bool operator==(const GridLayout&) const = default;
};

struct ParamLayout {
    std::vector<GroupLayout> groups;
    std::vector<DType> buffers;               // dtype of every buffer of the kernel
    int32_t scalars = 0;
    GridLayout grid;

    int32_t group_slot(size_t g) const { return int32_t(2 + 3 * g); }
    int32_t scalar_slot(size_t s) const { return int32_t(2 + 3 * groups.size() + s); }
    int32_t tables() const { return scalar_slot(size_t(scalars)); }
    bool operator==(const ParamLayout&) const = default;
};

// How one group is bound: extents, outermost first, and strides in elements, [buffer of the group][axis].
struct GroupShape { std::span<const int64_t> extents, strides; };

// Slots that fill_params may use for groups of these ranks; bounds the block before sizes are known.
int64_t param_slots(const ParamLayout& layout, std::span<const int32_t> ranks);

// Writes the block; `scalars` holds bits. Adjacent axes are merged where the strides of every buffer allow, axes of
// extent 1 vanish. Returns the slots used, or -1 if a group has more than max_group_rank axes left or the number of
// its points overflows. Allocates nothing; p has at least param_slots().
int64_t fill_params(const ParamLayout& layout, std::span<const GroupShape> groups, std::span<const int64_t> scalars,
                    std::span<int64_t> p);

// Merges and drops axes in place; extents and strides ([buffer][axis], packed by the old rank on entry and by the new
// one on return). Row-major order of points is kept. Returns the new rank, 0 if a single point is left.
int collapse(int rank, int buffers, int64_t* extents, int64_t* strides);
} // namespace nereus
