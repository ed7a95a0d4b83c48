// loop/way.h - which of its ways a kernel takes at a launch: the body chooses from strides alone, and so can who looks on.
//
// The conditions are those that the bodies in codegen write: Inner::unit (vectors), Rows::prefers_columns (rows, columns),
// Contraction::choose (tiles, dots, blocks). A few points at the ends of rows go lane by lane in every way.
#pragma once
#include "loop/schedule.h"

namespace nereus::loop {
enum class Way : uint8_t {
    vectors,       // elementwise or updates: along the last axis
    rows,          // folds: vectors along the fold
    columns,       // folds: vectors across it
    tiles,         // contractions: both factors are read where they lie
    dots,          // contractions: vectors along the sum
    blocks,        // contractions: a factor is copied to scratch first
    lanes,         // one point at a time
    pass,          // what has one order: compact
    library,       // written by hand, or from outside
};
std::string_view way_name(Way way);
// `p`: filled by fill_params for the layout of `s`. `masks`: as Machine has them.
Way way_of(const Scheduled& s, const int64_t* p, bool masks);
} // namespace nereus::loop
