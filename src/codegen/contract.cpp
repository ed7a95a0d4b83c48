// codegen/contract.cpp - matrix products: register tiles over a panel of columns.
//
// An item is one tile of a panel of one batch; tiles of a panel follow each other, so the panel stays in cache. The
// left factor is read where it lies, one number per row and step. Three ways, chosen from strides alone:
//   tiles   columns of the right factor are adjacent: read where they lie, vectors along n
//   dots    both factors are adjacent along k (a transposed right factor): vectors along k, joined in a fixed tree
//   blocks  anything else, computed factors too: a block of k is first copied to scratch, then as tiles
// An integer that is cast to a wider one is read where it lies, too, and widened in registers: small weights stay small.
// Sums of tiles and blocks run over a block of k in sequence, whose sums are then added up, and dots go by lanes of k: the result does not depend on how the
// output is cut into tiles, panels or tasks. A finished tile lies on the stack, and the statements after the
// contraction run over it row by row while it is in L1.
#include "codegen/fold.h"
#include "codegen/inner.h"
#include "codegen/plans.h"
#include "codegen/small_float.h"

namespace nereus::cg {
namespace {
struct Operand { Emitter::Var base, row, step; };        // pointer; bytes between rows and between steps of k

class Contraction {
 public:
    Contraction(Emitter& e, const loop::ContractPlan& plan)
        : e_(e), nest_(e), plan_(plan), statement_(std::get<loop::Contract>(e.f.body[0])),
          dtype_(e.f.expr(statement_.left).dtype), sum_(is_small_float(dtype_) ? DType::f32 : dtype_), size_(size_of(dtype_)),
          sum_size_(size_of(sum_)), columns_(plan.vectors * plan.width),
          word_(e.ir.getInt64Ty()), points_m_(e.points(plan.m)), points_n_(e.points(plan.n)),
          points_k_(e.points(plan.k)), from_left_(source(statement_.left)), from_right_(source(statement_.right)),
          left_(plain(from_left_)), right_(plain(from_right_)), left_type_(e.f.expr(from_left_).dtype), right_type_(e.f.expr(from_right_).dtype),
          left_size_(size_of(left_type_)), right_size_(size_of(right_type_)) {
        rows_ = {e.var(e.ir.getPtrTy()), e.var(word_), e.var(word_)};
        panel_ = {e.var(e.ir.getPtrTy()), e.var(word_), e.var(word_)};
        item_ = e.var(word_);
        steps_ = e.var(word_);
        tile_ = e.memory(e.scalar_type(sum_), plan.rows * columns_, 64);
    }

    void emit() {
        IR& ir = e_.ir;
        Odometer &m = nest_.at(plan_.m), &n = nest_.at(plan_.n), &batch = nest_.at(plan_.batch);
        for (loop::GroupId g : {plan_.m, plan_.n, plan_.k}) nest_.at(g).reset();
        Value* per_task = e_.param(1);
        e_.where = [this, per_task, &m, &n, &batch] {
            Value* row = e_.ir.CreateAdd(e_.ir.CreateMul(batch.position(), points_m_), m.position());
            Value* point = e_.ir.CreateAdd(e_.ir.CreateMul(row, points_n_), n.position());
            return Emitter::Place{e_.ir.CreateUDiv(e_.get(item_), per_task), point};
        };
        auto pieces = [&](Value* points, int64_t piece) {
            return ir.CreateUDiv(ir.CreateAdd(points, e_.i64(piece - 1)), e_.i64(piece));
        };
        Value *tiles = pieces(points_m_, plan_.rows), *panels = pieces(points_n_, columns_);
        Value* items = ir.CreateMul(ir.CreateMul(e_.points(plan_.batch), panels), tiles);
        Value* from = ir.CreateMul(e_.task_begin, per_task);
        Value* to = e_.min(ir.CreateMul(e_.task_end, per_task), items);
        Emitter::Var ready = e_.var(e_.i64(-1));         // the batch that the odometer stands at
        choose();
        e_.loop(from, to, 1, [&](Value* item) {
            e_.set(item_, item);
            Value* panel = ir.CreateUDiv(item, tiles);
            first_row_ = ir.CreateMul(ir.CreateSub(item, ir.CreateMul(panel, tiles)), e_.i64(plan_.rows));
            Value* b = ir.CreateUDiv(panel, panels);
            first_column_ = ir.CreateMul(ir.CreateSub(panel, ir.CreateMul(b, panels)), e_.i64(columns_));
            Value* rows = e_.min(e_.i64(plan_.rows), ir.CreateSub(points_m_, first_row_));
            Value* columns = e_.min(e_.i64(columns_), ir.CreateSub(points_n_, first_column_));
            e_.when(ir.CreateICmpNE(b, e_.get(ready)), [&] {
                batch.seek(b);
                e_.set(ready, b);
            });
            if (dots_) e_.when(dots_, [&] { multiply_dots(rows, columns); }, [&] { multiply_blocks(rows, columns); });
            else multiply_blocks(rows, columns);
            finish_tile(rows, columns);
        });
    }

 private:
    // What is read for a factor: what a cast to more bits of an integer is of, where that can be read in place.
    loop::ExprId source(loop::ExprId e) const {
        const loop::Expr& x = e_.f.expr(e);
        if (x.op != loop::Op::cast || !is_integer(x.dtype) || !plain(x.a)) return e;
        const DType from = e_.f.expr(x.a).dtype;
        return is_integer(from) && size_of(from) < size_of(x.dtype) ? x.a : e;
    }
    Value* widened(Value* x, DType from) {
        if (from == dtype_) return x;
        Type* to = x->getType()->getWithNewType(e_.scalar_type(dtype_));
        return is_unsigned(from) ? e_.ir.CreateZExt(x, to) : e_.ir.CreateSExt(x, to);
    }
    const loop::Access* plain(loop::ExprId e) const {
        const loop::Expr& x = e_.f.expr(e);
        if (x.op != loop::Op::load) return nullptr;
        const loop::Access& a = e_.f.accesses[size_t(x.bits)];
        return a.at.empty() ? &a : nullptr;
    }
    Value* stride(const loop::Access& a, loop::GroupId g) {
        return Nest::names(a, g) ? nest_.at(g).stride(a.buffer) : e_.i64(0);
    }
    Value* step_by(Value* pointer, Value* bytes) { return e_.step_by(pointer, bytes); }

    // From parameters: whether the right factor is read where it lies for a panel of some width.
    void choose() {
        adjacent_ = right_ ? e_.ir.CreateICmpEQ(stride(*right_, plan_.n), e_.i64(right_size_)) : e_.ir.getFalse();
        if (!left_ || !right_ || plan_.width == 1) return;
        Value* left_along = e_.ir.CreateICmpEQ(stride(*left_, plan_.k), e_.i64(left_size_));
        Value* right_along = e_.ir.CreateICmpEQ(stride(*right_, plan_.k), e_.i64(right_size_));
        dots_ = e_.ir.CreateAnd(e_.ir.CreateNot(adjacent_), e_.ir.CreateAnd(left_along, right_along));
    }

    // Where a plain factor starts for this tile, k = 0. An affine access stays inside its buffer if the corners of
    // the box that the tile covers do.
    Value* start(const loop::Access& a, loop::GroupId g, Value* count) {
        e_.set(nest_.at(plan_.m).inner, first_row_);
        e_.set(nest_.at(plan_.n).inner, first_column_);
        e_.set(nest_.at(plan_.k).inner, e_.i64(0));
        Body one(e_, nest_.masks);
        Value* offset = nest_.offset(a, one);
        if (e_.checked)
            e_.when(e_.ir.CreateICmpSGT(points_k_, e_.i64(0)), [&] {
                Value* across = e_.ir.CreateMul(e_.ir.CreateSub(count, e_.i64(1)), stride(a, g));
                Value* along = e_.ir.CreateMul(e_.ir.CreateSub(points_k_, e_.i64(1)), stride(a, plan_.k));
                Value *near = e_.ir.CreateAdd(offset, across), *far = e_.ir.CreateAdd(offset, along);
                for (Value* at : {offset, near, far, e_.ir.CreateAdd(far, across)}) nest_.bounds(one, a.buffer, at);
            });
        return nest_.pointer(a.buffer, offset);
    }

    // Block by block of k: in place where both factors can be read so, else through scratch.
    void multiply_blocks(Value* rows, Value* columns) {
        IR& ir = e_.ir;
        Value* zero = llvm::Constant::getNullValue(e_.vector_type(dtype_, plan_.width));
        e_.loop(e_.i64(0), ir.CreateMul(rows, e_.i64(columns_)), plan_.width, [&](Value* element) {
            e_.store(sum_, zero, step_by(tile_, ir.CreateMul(element, e_.i64(sum_size_))));
        });
        Value* direct = adjacent_;
        if (!e_.target.machine.masks) direct = ir.CreateAnd(direct, ir.CreateICmpEQ(columns, e_.i64(columns_)));
        Emitter::Var at = e_.var(e_.i64(0));
        e_.loop_while([&] { return ir.CreateICmpSLT(e_.get(at), points_k_); }, [&] {
            Value* first = e_.get(at);
            e_.set(steps_, e_.min(e_.i64(plan_.block), ir.CreateSub(points_k_, first)));
            find_right(direct, first, columns);
            find_left(first, rows);
            multiply(rows, columns);
            e_.add(at, e_.get(steps_));
        });
    }
    void find_right(Value* direct, Value* first, Value* columns) {
        auto in_place = [&] {
            Value* step = stride(*right_, plan_.k);
            e_.set(panel_.base, step_by(start(*right_, plan_.n, columns), e_.ir.CreateMul(first, step)));
            e_.set(panel_.step, step);
        };
        auto packed = [&] {
            pack_right(first, columns);
            e_.set(panel_.base, e_.scratch());
            e_.set(panel_.step, e_.i64(columns_ * right_size_));
        };
        if (right_) e_.when(direct, in_place, packed);
        else packed();
    }
    // Rows of k; without masks padded with zeros to whole panels.
    void pack_right(Value* first, Value* columns) {
        IR& ir = e_.ir;
        Odometer &k = nest_.at(plan_.k), &n = nest_.at(plan_.n);
        Value* panel = e_.scratch();
        Emitter::Var row = e_.var(panel);
        Inner inner(nest_, plan_.n, plan_.epilogue_width, {from_right_}, {});
        inner.consume = [&](Body& body) {
            Value* column = ir.CreateMul(ir.CreateSub(e_.get(n.inner), first_column_), e_.i64(right_size_));
            e_.store(right_type_, body.emit(from_right_), step_by(e_.get(row), column), body.mask);
        };
        Value* zero = llvm::Constant::getNullValue(e_.scalar_type(right_type_));
        e_.loop(e_.i64(0), e_.get(steps_), 1, [&](Value* step) {
            e_.set(k.inner, ir.CreateAdd(first, step));
            inner.run(first_column_, ir.CreateAdd(first_column_, columns));
            if (!e_.target.machine.masks)
                e_.loop(columns, e_.i64(columns_), 1, [&](Value* column) {
                    e_.store(right_type_, zero, step_by(e_.get(row), ir.CreateMul(column, e_.i64(right_size_))));
                });
            e_.set(row, step_by(e_.get(row), e_.i64(columns_ * right_size_)));
        });
    }
    void find_left(Value* first, Value* rows) {
        IR& ir = e_.ir;
        if (left_) {
            Value* step = stride(*left_, plan_.k);
            e_.set(rows_.base, step_by(start(*left_, plan_.m, rows), ir.CreateMul(first, step)));
            e_.set(rows_.row, stride(*left_, plan_.m));
            e_.set(rows_.step, step);
            return;
        }
        // A computed left factor goes to scratch behind the panel, the rows of a step together.
        Odometer &k = nest_.at(plan_.k), &m = nest_.at(plan_.m);
        Value* behind = step_by(e_.scratch(), e_.i64(int64_t(plan_.block) * columns_ * size_));
        e_.loop(e_.i64(0), e_.get(steps_), 1, [&](Value* step) {
            e_.set(k.inner, ir.CreateAdd(first, step));
            e_.loop(e_.i64(0), rows, 1, [&](Value* row) {
                e_.set(m.inner, ir.CreateAdd(first_row_, row));
                Body one(e_, nest_.masks);
                nest_.read_here(one);
                Value* value = one.emit(statement_.left);
                Value* element = ir.CreateAdd(ir.CreateMul(step, e_.i64(plan_.rows)), row);
                e_.store(dtype_, value, step_by(behind, ir.CreateMul(element, e_.i64(size_))));
            });
        });
        e_.set(rows_.base, behind);
        e_.set(rows_.row, e_.i64(size_));
        e_.set(rows_.step, e_.i64(plan_.rows * size_));
    }

    // Full panels take all vectors at once, narrow ones a vector at a time; rows go in falling heights.
    void multiply(Value* rows, Value* columns) {
        IR& ir = e_.ir;
        bool masks = e_.target.machine.masks;
        Value* width = e_.i64(plan_.width);
        Value* vectors = ir.CreateUDiv(ir.CreateAdd(columns, e_.i64(plan_.width - 1)), width);
        Value* full = masks ? ir.CreateICmpEQ(columns, e_.i64(columns_))
                            : ir.CreateICmpEQ(vectors, e_.i64(plan_.vectors));
        auto narrow = [&](Value* v) {
            Value* left = ir.CreateSub(columns, ir.CreateMul(v, width));
            if (masks) mask_ = e_.first_lanes(e_.min(width, left), plan_.width);
            multiply_rows(rows, 1, v);
            mask_ = nullptr;
        };
        e_.when(full, [&] { multiply_rows(rows, plan_.vectors, e_.i64(0)); },
                [&] { e_.loop(e_.i64(0), vectors, 1, narrow); });
    }
    void multiply_rows(Value* rows, int vectors, Value* first_vector) {
        Emitter::Var done = e_.var(e_.i64(0));
        for (int height : {plan_.rows, 4, 2, 1}) {
            if (height == plan_.rows ? height == 4 : height >= plan_.rows) continue;     // each height once
            auto fits = [&] { return e_.ir.CreateICmpSGE(e_.ir.CreateSub(rows, e_.get(done)), e_.i64(height)); };
            e_.loop_while(fits, [&] {
                multiply_tile(height, vectors, e_.get(done), first_vector);
                e_.add(done, e_.i64(height));
            });
        }
    }
    Value* product(Value* a, Value* b, Value* sum) {
        return is_float(dtype_) ? emit_fma(e_, a, b, sum) : e_.ir.CreateAdd(e_.ir.CreateMul(a, b), sum);
    }
    // The sums of a block are added to those that lie in the tile: a sum of short sums loses fewer digits than one long chain.
    void multiply_tile(int height, int vectors, Value* first_row, Value* first_vector) {
        IR& ir = e_.ir;
        Value* skipped = ir.CreateMul(first_vector, e_.i64(plan_.width));
        Value* corner = step_by(tile_, ir.CreateMul(ir.CreateAdd(ir.CreateMul(first_row, e_.i64(columns_)), skipped), e_.i64(sum_size_)));
        auto place = [&](int i) {
            return step_by(corner, e_.i64((i / vectors * columns_ + i % vectors * plan_.width) * sum_size_));
        };
        std::vector<Emitter::Var> sums;
        for (int i = 0; i < height * vectors; ++i) sums.push_back(e_.var(fold_identity(e_, loop::Fold::sum, sum_, plan_.width)));
        Value* row_bytes = e_.get(rows_.row);
        Emitter::Var left = e_.var(step_by(e_.get(rows_.base), ir.CreateMul(first_row, row_bytes)));
        Emitter::Var right = e_.var(step_by(e_.get(panel_.base), ir.CreateMul(skipped, e_.i64(right_size_))));
        std::vector<Value*> row_offsets;
        for (int r = 0; r < height; ++r) row_offsets.push_back(ir.CreateMul(row_bytes, e_.i64(r)));
        Value *left_step = e_.get(rows_.step), *right_step = e_.get(panel_.step);
        e_.loop(e_.i64(0), e_.get(steps_), 1, [&](Value*) {
            std::vector<Value*> column;
            for (int v = 0; v < vectors; ++v) {
                Value* from = step_by(e_.get(right), e_.i64(v * plan_.width * right_size_));
                column.push_back(widened(e_.load(right_type_, from, plan_.width, mask_), right_type_));
            }
            for (int r = 0; r < height; ++r) {
                Value* number = e_.load(left_type_, step_by(e_.get(left), row_offsets[size_t(r)]));
                Value* factor = e_.splat(widened(number, left_type_), plan_.width);
                for (int v = 0; v < vectors; ++v) {
                    Emitter::Var sum = sums[size_t(r * vectors + v)];
                    e_.set(sum, product(factor, column[size_t(v)], e_.get(sum)));
                }
            }
            e_.set(left, step_by(e_.get(left), left_step));
            e_.set(right, step_by(e_.get(right), right_step));
        });
        for (int i = 0; i < height * vectors; ++i)
            e_.store(sum_, fold_combine(e_, loop::Fold::sum, sum_, e_.load(sum_, place(i), plan_.width), e_.get(sums[size_t(i)])), place(i));
    }

    // Small blocks of dot products; what does not fill a block goes one by one, in the same order of sums.
    void multiply_dots(Value* rows, Value* columns) {
        e_.set(rows_.base, start(*left_, plan_.m, rows));
        e_.set(panel_.base, start(*right_, plan_.n, columns));
        Emitter::Var row = e_.var(e_.i64(0)), column = e_.var(word_);
        for (int height : {e_.target.machine.vector_registers >= 32 ? 3 : 2, 1}) {
            auto fits = [&] { return e_.ir.CreateICmpSGE(e_.ir.CreateSub(rows, e_.get(row)), e_.i64(height)); };
            e_.loop_while(fits, [&] {
                e_.set(column, e_.i64(0));
                for (int wide : {4, 1}) {
                    auto more = [&] { return e_.ir.CreateICmpSGE(e_.ir.CreateSub(columns, e_.get(column)), e_.i64(wide)); };
                    e_.loop_while(more, [&] {
                        dot_block(height, wide, e_.get(row), e_.get(column));
                        e_.add(column, e_.i64(wide));
                    });
                }
                e_.add(row, e_.i64(height));
            });
        }
    }
    void dot_block(int height, int wide, Value* row, Value* column) {
        IR& ir = e_.ir;
        Value *down = stride(*left_, plan_.m), *across = stride(*right_, plan_.n), *width = e_.i64(plan_.width);
        std::vector<Value*> lefts, rights;
        for (int r = 0; r < height; ++r)
            lefts.push_back(step_by(e_.get(rows_.base), ir.CreateMul(ir.CreateAdd(row, e_.i64(r)), down)));
        for (int c = 0; c < wide; ++c)
            rights.push_back(step_by(e_.get(panel_.base), ir.CreateMul(ir.CreateAdd(column, e_.i64(c)), across)));
        auto step = [&](std::vector<Emitter::Var>& sums, Value* k, int lanes, Value* mask) {
            std::vector<Value*> other;
            Value *down_left = ir.CreateMul(k, e_.i64(left_size_)), *down_right = ir.CreateMul(k, e_.i64(right_size_));
            for (Value* right : rights) other.push_back(widened(e_.load(right_type_, step_by(right, down_right), lanes, mask), right_type_));
            for (int r = 0; r < height; ++r) {
                Value* factor = widened(e_.load(left_type_, step_by(lefts[size_t(r)], down_left), lanes, mask), left_type_);
                for (int c = 0; c < wide; ++c) {
                    Emitter::Var sum = sums[size_t(r * wide + c)];
                    e_.set(sum, product(factor, other[size_t(c)], e_.get(sum)));
                }
            }
        };
        std::vector<Emitter::Var> sums, rests;
        for (int i = 0; i < height * wide; ++i) {
            sums.push_back(e_.var(fold_identity(e_, loop::Fold::sum, dtype_, plan_.width)));
            rests.push_back(e_.var(fold_identity(e_, loop::Fold::sum, dtype_, 1)));
        }
        Value* whole = ir.CreateMul(ir.CreateUDiv(points_k_, width), width);
        e_.loop(e_.i64(0), whole, plan_.width, [&](Value* k) { step(sums, k, plan_.width, nullptr); });
        if (e_.target.machine.masks)                     // masked lanes read zeros and keep their sums
            e_.when(ir.CreateICmpSLT(whole, points_k_), [&] {
                step(sums, whole, plan_.width, e_.first_lanes(ir.CreateSub(points_k_, whole), plan_.width));
            });
        else e_.loop(whole, points_k_, 1, [&](Value* k) { step(rests, k, 1, nullptr); });
        for (int i = 0; i < height * wide; ++i) {
            Value* total = fold_lanes(e_, loop::Fold::sum, dtype_, e_.get(sums[size_t(i)]));
            total = fold_combine(e_, loop::Fold::sum, dtype_, total, e_.get(rests[size_t(i)]));
            Value* element = ir.CreateAdd(ir.CreateMul(ir.CreateAdd(row, e_.i64(i / wide)), e_.i64(columns_)),
                                          ir.CreateAdd(column, e_.i64(i % wide)));
            e_.store(sum_, total, step_by(tile_, ir.CreateMul(element, e_.i64(sum_size_))));
        }
    }

    void finish_tile(Value* rows, Value* columns) {
        IR& ir = e_.ir;
        Odometer &m = nest_.at(plan_.m), &n = nest_.at(plan_.n);
        std::vector<loop::ExprId> values;
        std::vector<loop::AccessId> outs;
        for (size_t i = 1; i < e_.f.body.size(); ++i) {
            values.push_back(std::get<loop::Store>(e_.f.body[i]).value);
            outs.push_back(std::get<loop::Store>(e_.f.body[i]).out);
        }
        Inner inner(nest_, plan_.n, plan_.epilogue_width, values, outs);
        Emitter::Var row_sums = e_.var(ir.getPtrTy());
        inner.value = [&](int, int width) {
            Value* column = ir.CreateMul(ir.CreateSub(e_.get(n.inner), first_column_), e_.i64(sum_size_));
            return emit_rounded(e_, dtype_, e_.load(sum_, step_by(e_.get(row_sums), column), width));
        };
        inner.consume = [&](Body& body) {
            for (size_t i = 0; i < outs.size(); ++i) inner.store(body, outs[i], body.emit(values[i]));
        };
        e_.loop(e_.i64(0), rows, 1, [&](Value* row) {
            e_.set(m.inner, ir.CreateAdd(first_row_, row));
            e_.set(row_sums, step_by(tile_, ir.CreateMul(row, e_.i64(columns_ * sum_size_))));
            inner.run(first_column_, ir.CreateAdd(first_column_, columns));
        });
    }

    Emitter& e_;
    Nest nest_;
    const loop::ContractPlan& plan_;
    const loop::Contract& statement_;
    DType dtype_, sum_;                                  // of the factors; of their sums in the tile
    int64_t size_, sum_size_;
    int columns_;                                        // of a panel
    Type* word_;
    Value *points_m_, *points_n_, *points_k_;
    loop::ExprId from_left_, from_right_;                // what is read, or computed, before it is widened
    const loop::Access *left_, *right_;                  // null: computed, or read through an index
    DType left_type_, right_type_;                       // of what is read
    int64_t left_size_, right_size_;
    Operand rows_, panel_;                               // what the micro-kernel reads
    Emitter::Var item_, steps_;                          // steps of k in this block
    llvm::AllocaInst* tile_;
    Value *first_row_ = nullptr, *first_column_ = nullptr;
    Value *adjacent_ = nullptr, *dots_ = nullptr;        // i1; dots_ null: never
    Value* mask_ = nullptr;                              // columns of a narrow panel
};
} // namespace

void emit_plan(Emitter& e, const loop::ContractPlan& plan) { Contraction(e, plan).emit(); }
} // namespace nereus::cg
