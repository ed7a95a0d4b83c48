#include "codegen/transpose.h"

namespace nereus::cg {
namespace {
// Swaps the off-diagonal halves of each pair of vectors, at distances side / 2, ..., 1.
std::vector<Value*> turned(FunctionWriter& e, std::vector<Value*> rows) {
    const int side = int(rows.size());
    for (int half = side / 2; half >= 1; half /= 2) {
        std::vector<int> low, high;
        for (int i = 0; i < side; ++i) {
            const bool upper = i / half % 2 == 1;
            low.push_back(upper ? side + i - half : i);
            high.push_back(upper ? side + i : i + half);
        }
        for (int r = 0; r < side; ++r) {
            if (r / half % 2 == 1) continue;
            Value *a = rows[size_t(r)], *b = rows[size_t(r + half)];
            rows[size_t(r)] = e.ir.CreateShuffleVector(a, b, low);
            rows[size_t(r + half)] = e.ir.CreateShuffleVector(a, b, high);
        }
    }
    return rows;
}

void whole_square(FunctionWriter& e, const Square& s, Value* from, Value* to) {
    Type* type = llvm::FixedVectorType::get(e.memory_type(s.dtype), unsigned(s.side));
    std::vector<Value*> rows;
    for (int r = 0; r < s.side; ++r) {
        Value* at = e.step_by(from, e.ir.CreateMul(s.from_row, e.i64(r)));
        rows.push_back(e.ir.CreateAlignedLoad(type, at, llvm::Align(1)));
    }
    rows = turned(e, std::move(rows));
    for (int c = 0; c < s.side; ++c)
        e.ir.CreateAlignedStore(rows[size_t(c)], e.step_by(to, e.i64(c * s.to_row)), llvm::Align(1));
}

void part_of_square(FunctionWriter& e, const Square& s, Value* from, Value* to, Value* rows, Value* columns) {
    IR& ir = e.ir;
    Type* type = e.memory_type(s.dtype);
    const int64_t size = size_of(s.dtype);
    Value* zero = llvm::Constant::getNullValue(type);
    e.loop(e.i64(0), columns, 1, [&](Value* column) {
        Value* row_to = e.step_by(to, ir.CreateMul(column, e.i64(s.to_row)));
        Value* column_from = e.step_by(from, ir.CreateMul(column, e.i64(size)));
        e.loop(e.i64(0), rows, 1, [&](Value* row) {
            Value* element = ir.CreateAlignedLoad(type, e.step_by(column_from, ir.CreateMul(row, s.from_row)), llvm::Align(1));
            ir.CreateAlignedStore(element, e.step_by(row_to, ir.CreateMul(row, e.i64(size))), llvm::Align(1));
        });
        e.loop(rows, e.i64(s.side), 1, [&](Value* row) {
            ir.CreateAlignedStore(zero, e.step_by(row_to, ir.CreateMul(row, e.i64(size))), llvm::Align(1));
        });
    });
}
} // namespace

void copy_turned(FunctionWriter& e, const Square& s, Value* from, Value* to, Value* rows, Value* columns) {
    Value* full = e.ir.CreateAnd(e.ir.CreateICmpEQ(rows, e.i64(s.side)), e.ir.CreateICmpEQ(columns, e.i64(s.side)));
    e.when(full, [&] { whole_square(e, s, from, to); }, [&] { part_of_square(e, s, from, to, rows, columns); });
}
} // namespace nereus::cg
