// codegen/transpose.h - squares of elements turned in registers: rows become columns, whole vectors in, whole vectors out.
#pragma once
#include "codegen/function_writer.h"

namespace nereus::cg {
// `side` elements of `dtype` in each direction; bytes between the rows that are read, and between those that are written.
struct Square { DType dtype; int side; Value* from_row; int64_t to_row; };

// to[c][r] = from[r][c] for r < rows, c < columns; the rest of each written row up to a side is 0. Squares that are not full
// go element by element.
void copy_turned(FunctionWriter& e, const Square& square, Value* from, Value* to, Value* rows, Value* columns);
} // namespace nereus::cg
