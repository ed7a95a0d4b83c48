// codegen/contract.cpp - matrix products: register tiles over a panel of columns.
//
// An item is one tile of a panel of one batch; tiles of a panel follow each other, so the panel stays in cache.
// Every sum runs over k in sequence in one register: the result does not depend on tiles, panels or tasks. The left
// factor is read where it lies, one number per row and step. The right factor is read where it lies if its columns
// are adjacent and the panel is full or masks can cut it; else the panel is first copied to scratch. A finished tile
// goes to the stack, and the statements after the contraction run over it row by row while it is in L1.
#include "codegen/inner.h"
#include "codegen/plans.h"

namespace nereus::cg {
namespace {
struct Operand { Emitter::Var base, row, step; };        // pointer; bytes between rows (left only) and steps of k

class Contraction {
 public:
    Contraction(Emitter& e, const loop::ContractPlan& plan)
        : e_(e), nest_(e), plan_(plan), statement_(std::get<loop::Contract>(e.f.body[0])),
          dtype_(e.f.expr(statement_.left).dtype), size_(size_of(dtype_)), columns_(plan.vectors * plan.width),
          word_(e.ir.getInt64Ty()), points_m_(e.points(plan.m)), points_n_(e.points(plan.n)),
          points_k_(e.points(plan.k)) {
        left_ = {e.var(e.ir.getPtrTy()), e.var(word_), e.var(word_)};
        right_ = {e.var(e.ir.getPtrTy()), e.var(word_), e.var(word_)};
        item_ = e.var(word_);
        tile_ = e.memory(e.scalar_type(dtype_), plan.rows * columns_, 64);
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
        Emitter::Var ready = e_.var(e_.i64(-1));         // the panel that right_ points to
        e_.loop(from, to, 1, [&](Value* item) {
            e_.set(item_, item);
            Value* panel = ir.CreateUDiv(item, tiles);
            Value* first_row = ir.CreateMul(ir.CreateSub(item, ir.CreateMul(panel, tiles)), e_.i64(plan_.rows));
            Value* b = ir.CreateUDiv(panel, panels);
            first_column_ = ir.CreateMul(ir.CreateSub(panel, ir.CreateMul(b, panels)), e_.i64(columns_));
            Value* rows = e_.min(e_.i64(plan_.rows), ir.CreateSub(points_m_, first_row));
            Value* columns = e_.min(e_.i64(columns_), ir.CreateSub(points_n_, first_column_));
            e_.set(m.inner, first_row);
            e_.set(n.inner, first_column_);
            e_.when(ir.CreateICmpNE(panel, e_.get(ready)), [&] {
                batch.seek(b);
                find_right(columns);
                e_.set(ready, panel);
            });
            e_.set(m.inner, first_row);
            find_left(rows);
            multiply(rows, columns);
            finish_tile(first_row, rows, columns);
        });
    }

 private:
    const loop::Access* plain(loop::ExprId e) const {
        const loop::Expr& x = e_.f.expr(e);
        if (x.op != loop::Op::load) return nullptr;
        const loop::Access& a = e_.f.accesses[size_t(x.bits)];
        return a.at.empty() ? &a : nullptr;
    }
    Value* stride(const loop::Access& a, loop::GroupId g) {
        return Nest::names(a, g) ? nest_.at(g).stride(a.buffer) : e_.i64(0);
    }
    Value* step_by(Value* pointer, Value* bytes) { return e_.ir.CreateGEP(e_.ir.getInt8Ty(), pointer, bytes); }

    // An affine access stays inside its buffer if the corners of the box it covers do.
    void check_corners(const loop::Access& a, Value* offset, loop::GroupId g, Value* count) {
        if (!e_.checked) return;
        Body one(e_, nest_.masks);
        e_.when(e_.ir.CreateICmpSGT(points_k_, e_.i64(0)), [&] {
            Value* across = e_.ir.CreateMul(e_.ir.CreateSub(count, e_.i64(1)), stride(a, g));
            Value* along = e_.ir.CreateMul(e_.ir.CreateSub(points_k_, e_.i64(1)), stride(a, plan_.k));
            Value* corner = e_.ir.CreateAdd(offset, along);
            for (Value* at : {offset, corner, e_.ir.CreateAdd(offset, across), e_.ir.CreateAdd(corner, across)})
                nest_.bounds(one, a.buffer, at);
        });
    }

    void find_right(Value* columns) {
        Value* panel = e_.scratch();
        auto pack = [&] {
            pack_right(panel, columns);
            e_.set(right_.base, panel);
            e_.set(right_.step, e_.i64(columns_ * size_));
        };
        const loop::Access* a = plain(statement_.right);
        if (!a) return pack();
        Value* adjacent = e_.ir.CreateICmpEQ(stride(*a, plan_.n), e_.i64(size_));
        bool masks = e_.target.machine.masks;
        Value* whole = masks ? e_.ir.getTrue() : e_.ir.CreateICmpEQ(columns, e_.i64(columns_));
        e_.when(e_.ir.CreateAnd(adjacent, whole), [&] {
            Body one(e_, nest_.masks);
            e_.set(nest_.at(plan_.k).inner, e_.i64(0));
            Value* offset = nest_.offset(*a, one);
            check_corners(*a, offset, plan_.n, columns);
            e_.set(right_.base, nest_.pointer(a->buffer, offset));
            e_.set(right_.step, stride(*a, plan_.k));
        }, pack);
    }
    // Rows of k; without masks padded with zeros to whole panels.
    void pack_right(Value* panel, Value* columns) {
        IR& ir = e_.ir;
        Odometer &k = nest_.at(plan_.k), &n = nest_.at(plan_.n);
        Inner inner(nest_, plan_.n, plan_.epilogue_width, {statement_.right}, {});
        inner.consume = [&](Body& body) {
            Value* column = ir.CreateSub(e_.get(n.inner), first_column_);
            Value* element = ir.CreateAdd(ir.CreateMul(e_.get(k.inner), e_.i64(columns_)), column);
            Value* to = step_by(panel, ir.CreateMul(element, e_.i64(size_)));
            nest_.store(dtype_, body.emit(statement_.right), to, body.mask);
        };
        Value* zero = llvm::Constant::getNullValue(e_.scalar_type(dtype_));
        e_.loop(e_.i64(0), points_k_, 1, [&](Value* at) {
            e_.set(k.inner, at);
            inner.run(first_column_, ir.CreateAdd(first_column_, columns));
            if (e_.target.machine.masks) return;
            e_.loop(columns, e_.i64(columns_), 1, [&](Value* column) {
                Value* element = ir.CreateAdd(ir.CreateMul(at, e_.i64(columns_)), column);
                nest_.store(dtype_, zero, step_by(panel, ir.CreateMul(element, e_.i64(size_))));
            });
        });
        e_.set(n.inner, first_column_);
    }

    void find_left(Value* rows) {
        if (const loop::Access* a = plain(statement_.left)) {
            Body one(e_, nest_.masks);
            e_.set(nest_.at(plan_.k).inner, e_.i64(0));
            Value* offset = nest_.offset(*a, one);
            check_corners(*a, offset, plan_.m, rows);
            e_.set(left_.base, nest_.pointer(a->buffer, offset));
            e_.set(left_.row, stride(*a, plan_.m));
            e_.set(left_.step, stride(*a, plan_.k));
            return;
        }
        // A computed left factor is evaluated into scratch behind the panel, the rows of a step together.
        IR& ir = e_.ir;
        Odometer &k = nest_.at(plan_.k), &m = nest_.at(plan_.m);
        Value* first = e_.get(m.inner);
        Value* block = step_by(e_.scratch(), ir.CreateMul(points_k_, e_.i64(columns_ * size_)));
        e_.loop(e_.i64(0), points_k_, 1, [&](Value* at) {
            e_.set(k.inner, at);
            e_.loop(e_.i64(0), rows, 1, [&](Value* row) {
                e_.set(m.inner, ir.CreateAdd(first, row));
                Body one(e_, nest_.masks);
                nest_.read_here(one);
                Value* element = ir.CreateAdd(ir.CreateMul(at, e_.i64(plan_.rows)), row);
                Value* value = one.emit(statement_.left);
                nest_.store(dtype_, value, step_by(block, ir.CreateMul(element, e_.i64(size_))));
            });
        });
        e_.set(left_.base, block);
        e_.set(left_.row, e_.i64(size_));
        e_.set(left_.step, e_.i64(plan_.rows * size_));
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
            if (masks) mask_ = nest_.first_lanes(e_.min(width, left), plan_.width);
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
    void multiply_tile(int height, int vectors, Value* first_row, Value* first_vector) {
        IR& ir = e_.ir;
        Type* type = e_.vector_type(dtype_, plan_.width);
        std::vector<Emitter::Var> sums;
        for (int i = 0; i < height * vectors; ++i) sums.push_back(e_.var(llvm::Constant::getNullValue(type)));
        Value* row_bytes = e_.get(left_.row);
        Emitter::Var left = e_.var(step_by(e_.get(left_.base), ir.CreateMul(first_row, row_bytes)));
        Value* skipped = ir.CreateMul(first_vector, e_.i64(plan_.width * size_));
        Emitter::Var right = e_.var(step_by(e_.get(right_.base), skipped));
        std::vector<Value*> row_offsets;
        for (int r = 0; r < height; ++r) row_offsets.push_back(ir.CreateMul(row_bytes, e_.i64(r)));
        Value *left_step = e_.get(left_.step), *right_step = e_.get(right_.step);
        e_.loop(e_.i64(0), points_k_, 1, [&](Value*) {
            std::vector<Value*> column;
            for (int v = 0; v < vectors; ++v) {
                Value* from = step_by(e_.get(right), e_.i64(v * plan_.width * size_));
                column.push_back(nest_.load(dtype_, from, plan_.width, mask_));
            }
            for (int r = 0; r < height; ++r) {
                Value* number = nest_.load(dtype_, step_by(e_.get(left), row_offsets[size_t(r)]));
                Value* factor = e_.splat(number, plan_.width);
                for (int v = 0; v < vectors; ++v) {
                    Emitter::Var sum = sums[size_t(r * vectors + v)];
                    Value* other = column[size_t(v)];
                    e_.set(sum, is_float(dtype_) ? emit_fma(e_, factor, other, e_.get(sum))
                                                 : ir.CreateAdd(ir.CreateMul(factor, other), e_.get(sum)));
                }
            }
            e_.set(left, step_by(e_.get(left), left_step));
            e_.set(right, step_by(e_.get(right), right_step));
        });
        for (int r = 0; r < height; ++r)
            for (int v = 0; v < vectors; ++v) {
                Value* row = ir.CreateMul(ir.CreateAdd(first_row, e_.i64(r)), e_.i64(columns_ * size_));
                Value* column = ir.CreateMul(ir.CreateAdd(first_vector, e_.i64(v)), e_.i64(plan_.width * size_));
                nest_.store(dtype_, e_.get(sums[size_t(r * vectors + v)]), step_by(tile_, ir.CreateAdd(row, column)));
            }
    }

    void finish_tile(Value* first_row, Value* rows, Value* columns) {
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
            Value* column = ir.CreateMul(ir.CreateSub(e_.get(n.inner), first_column_), e_.i64(size_));
            return nest_.load(dtype_, step_by(e_.get(row_sums), column), width);
        };
        inner.consume = [&](Body& body) {
            for (size_t i = 0; i < outs.size(); ++i) inner.store(body, outs[i], body.emit(values[i]));
        };
        e_.loop(e_.i64(0), rows, 1, [&](Value* row) {
            e_.set(m.inner, ir.CreateAdd(first_row, row));
            e_.set(row_sums, step_by(tile_, ir.CreateMul(row, e_.i64(columns_ * size_))));
            inner.run(first_column_, ir.CreateAdd(first_column_, columns));
        });
    }

    Emitter& e_;
    Nest nest_;
    const loop::ContractPlan& plan_;
    const loop::Contract& statement_;
    DType dtype_;
    int64_t size_;
    int columns_;                                        // of a panel
    Type* word_;
    Value *points_m_, *points_n_, *points_k_;
    Operand left_, right_;
    Emitter::Var item_;
    llvm::AllocaInst* tile_;
    Value* first_column_ = nullptr;
    Value* mask_ = nullptr;                              // columns of a narrow panel
};
} // namespace

void emit_plan(Emitter& e, const loop::ContractPlan& plan) { Contraction(e, plan).emit(); }
} // namespace nereus::cg
