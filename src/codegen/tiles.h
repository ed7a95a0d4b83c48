// codegen/tiles.h - register tiles of products: functions that all kernels of a blob share, one for each height and width.
//
// A tile adds to sums[row][column] the products of left[row][k] and right[k][column] for some steps of k. The steps come
// in `chunks` of one `length`: in chunk c the left factor begins at left_at[c], the right one at right_at[c], and each
// step moves them by left_step and right_step. So one function serves a matrix product, a convolution (a chunk for each
// row of taps) and whatever else is a sum of products over an odometer; nothing in it knows a shape.
// A left factor is a number per row and step, read where it lies; a right factor is a vector per step, read where it
// lies or from a panel. Sums stay in registers for all steps, in the order of k.
#pragma once
#include "codegen/function_writer.h"

namespace nereus::cg {
// Of the factors as they lie in memory; of their products and sums.
struct TileTypes {
    DType left, right, sum;
    int width;                                           // lanes of a vector of sums
    auto operator<=>(const TileTypes&) const = default;
};
struct TileCall {
    Value *height, *vectors;                             // rows; vectors of a row, the last with `lanes` lanes
    Value *left, *left_row, *left_at, *left_step;        // pointer, bytes between rows, offsets by chunk, bytes a step
    Value *right, *right_at, *right_step;
    Value *chunks, *length;
    Value *sums, *sums_row;                              // pointer, bytes between rows
    Value* lanes;
    Value* fresh;                                        // i1: sums begin at 0, not with what they are
};
// Writes the call at the place where `e` stands. At most `most_rows` rows and `most_vectors` vectors.
void call_tile(FunctionWriter& e, const TileTypes& types, int most_rows, int most_vectors, const TileCall& call);
} // namespace nereus::cg
