// codegen/contract.cpp - sums of products: matrix products, and everything else that an odometer of products makes.
//
// An item is a tile: at most `rows` points along the last axis of m, by a panel of columns of n, in one batch. The tiles
// of a row of m are of nearly equal height. A task is a run of items; some tiles that follow each other share what is
// prepared for a block of k, and their sums, which fit the first-level cache. Three ways, chosen from strides alone:
//   tiles   columns of the right factor are adjacent, or it lies in panels: read where it lies, vectors along n
//   dots    few rows or columns, both factors adjacent along k: vectors along k, joined in a fixed tree
//   blocks  anything else, computed factors too: a block of k is first copied to scratch, then as tiles
// The left factor is read where it lies, one number per row and step; an integer that is cast to a wider one, too, and is
// widened in registers. Sums of tiles and blocks run over a block of k in sequence, whose sums are then added up, and dots
// go by lanes of k: the result does not depend on how the output is cut into tiles, panels or tasks. Where the product
// itself is all that is stored, tiles write the result; else they lie on the stack, and the statements after the
// contraction run over them row by row while they are in the first-level cache.
#include "codegen/fold.h"
#include "codegen/inner.h"
#include "codegen/plans.h"
#include "codegen/small_float.h"
#include "codegen/tiles.h"
#include "codegen/transpose.h"

namespace nereus::cg {
namespace {
constexpr int tiles_together = 8;                        // share a block of k, and their place on the stack

class Contraction {
 public:
    Contraction(Emitter& e, const loop::ContractPlan& plan)
        : e_(e), nest_(e), plan_(plan), statement_(std::get<loop::Contract>(e.f.body[0])),
          dtype_(e.f.expr(statement_.left).dtype), sum_(is_small_float(dtype_) ? DType::f32 : dtype_),
          size_(size_of(dtype_)), sum_size_(size_of(sum_)), columns_(plan.vectors * plan.width), m_(nest_.at(plan.m)),
          n_(nest_.at(plan.n)), k_(nest_.at(plan.k)), batch_(nest_.at(plan.batch)), points_m_(e.points(plan.m)),
          points_n_(e.points(plan.n)), points_k_(e.points(plan.k)), from_left_(source(statement_.left)),
          from_right_(source(statement_.right)), left_(plain(from_left_)), right_(plain(from_right_)),
          types_{e.f.expr(from_left_).dtype, e.f.expr(from_right_).dtype, sum_, plan.width},
          left_size_(size_of(types_.left)), right_size_(size_of(types_.right)) {
        Type *word = e.ir.getInt64Ty(), *pointer = e.ir.getPtrTy();
        item_ = e.var(word);
        for (Var* v : {&tile_, &row_, &panel_, &in_batch_, &first_column_, &columns_here_, &steps_}) *v = e.var(word);
        right_base_ = e.var(pointer);
        left_at_ = e.memory(word, plan.block, 8), right_at_ = e.memory(word, plan.block, 8);
        sums_ = e.memory(e.scalar_type(sum_), tiles_together * plan.rows * columns_, 64);
    }

    void emit() {
        IR& ir = e_.ir;
        for (loop::GroupId g : {plan_.m, plan_.n, plan_.k}) nest_.at(g).reset();
        Value* per_task = e_.param(1);
        e_.where = [this, per_task] {
            Value* row = e_.ir.CreateAdd(e_.ir.CreateMul(batch_.position(), points_m_), m_.position());
            Value* point = e_.ir.CreateAdd(e_.ir.CreateMul(row, points_n_), n_.position());
            return Emitter::Place{e_.ir.CreateUDiv(e_.get(item_), per_task), point};
        };
        Value* from = ir.CreateMul(e_.task_begin, per_task);
        Value* no_point = ir.CreateICmpEQ(ir.CreateMul(points_m_, points_n_), e_.i64(0));
        e_.when(ir.CreateNot(no_point), [&] {
            count_items();
            Value* to = e_.min(ir.CreateMul(e_.task_end, per_task), items_);
            choose();
            e_.when(ir.CreateICmpSLT(from, to), [&] { run(from, to); });
        });
    }

 private:
    using Var = Emitter::Var;

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
    Value* ceil_div(Value* a, Value* b) { return e_.ir.CreateUDiv(e_.ir.CreateSub(e_.ir.CreateAdd(a, b), e_.i64(1)), b); }

    // Rows of m are cut into tiles each: `tall_` of base_ + 1 points, then the others of base_.
    void count_items() {
        IR& ir = e_.ir;
        row_points_ = m_.extent();
        rows_m_ = ir.CreateUDiv(points_m_, row_points_);
        tiles_ = ceil_div(row_points_, e_.i64(plan_.rows));
        base_ = ir.CreateUDiv(row_points_, tiles_);
        tall_ = ir.CreateSub(row_points_, ir.CreateMul(base_, tiles_));
        panels_ = ceil_div(points_n_, e_.i64(columns_));
        tiles_of_panel_ = ir.CreateMul(rows_m_, tiles_);
        items_ = ir.CreateMul(ir.CreateMul(e_.points(plan_.batch), panels_), tiles_of_panel_);
        k_row_ = k_.extent();
        Value* whole = ir.CreateUDiv(e_.i64(plan_.block), e_.ir.CreateSelect(ir.CreateICmpEQ(k_row_, e_.i64(0)), e_.i64(1), k_row_));
        short_k_ = ir.CreateICmpSGT(whole, e_.i64(0));   // whole rows of k fit a block
        block_rows_ = whole;
    }
    Value* first_of_tile(Value* tile) {                  // a coordinate on a row of m
        return e_.ir.CreateAdd(e_.ir.CreateMul(tile, base_), e_.min(tile, tall_));
    }

    // From parameters: how the factors are read and the result is written.
    void choose() {
        IR& ir = e_.ir;
        adjacent_ = plan_.panels ? ir.getTrue()
                    : right_     ? ir.CreateICmpEQ(stride(*right_, plan_.n), e_.i64(right_size_))
                                 : ir.getFalse();
        right_along_k_ = right_ ? ir.CreateICmpEQ(stride(*right_, plan_.k), e_.i64(right_size_)) : ir.getFalse();
        if (left_ && right_ && !plan_.panels && plan_.width > 1) {
            Value* left_along = ir.CreateICmpEQ(stride(*left_, plan_.k), e_.i64(left_size_));
            Value* few = ir.CreateOr(ir.CreateICmpSLE(points_m_, e_.i64(loop::few)),
                                     ir.CreateICmpSLE(points_n_, e_.i64(loop::few)));
            Value* one_row = ir.CreateICmpEQ(k_row_, points_k_);
            dots_ = ir.CreateAnd(ir.CreateAnd(ir.CreateNot(adjacent_), few),
                                 ir.CreateAnd(one_row, ir.CreateAnd(left_along, right_along_k_)));
        }
        writes_ = written_by_tiles();
    }
    // The access of a result that is the product itself, or null.
    const loop::Access* product_alone() const {
        if (e_.checked || e_.f.body.size() != 2) return nullptr;
        const loop::Store& s = std::get<loop::Store>(e_.f.body[1]);
        const loop::Expr& x = e_.f.expr(s.value);
        const loop::Access& out = e_.f.access(s.out);
        const bool same = x.op == loop::Op::value && e_.f.buffers[out.buffer.index].dtype == sum_ && dtype_ == sum_;
        return same && out.at.empty() ? &out : nullptr;
    }
    Value* written_by_tiles() {
        const loop::Access* out = product_alone();
        if (!out) return nullptr;
        Value* fits = e_.ir.CreateICmpEQ(stride(*out, plan_.n), e_.i64(sum_size_));
        return dots_ ? e_.ir.CreateAnd(fits, e_.ir.CreateNot(dots_)) : fits;
    }

    void run(Value* from, Value* to) {
        IR& ir = e_.ir;
        e_.set(item_, from);
        Value* panel = ir.CreateUDiv(from, tiles_of_panel_);
        Value* in_panel = ir.CreateSub(from, ir.CreateMul(panel, tiles_of_panel_));
        Value* row = ir.CreateUDiv(in_panel, tiles_);
        e_.set(tile_, ir.CreateSub(in_panel, ir.CreateMul(row, tiles_)));
        e_.set(row_, row);
        Value* b = ir.CreateUDiv(panel, panels_);
        e_.set(in_batch_, b);
        e_.set(panel_, ir.CreateSub(panel, ir.CreateMul(b, panels_)));
        batch_.seek(b);
        e_.loop_while([&] { return ir.CreateICmpSLT(e_.get(item_), to); }, [&] {
            Value* at = ir.CreateAdd(ir.CreateMul(e_.get(row_), tiles_), e_.get(tile_));
            Value* left = e_.min(ir.CreateSub(to, e_.get(item_)), ir.CreateSub(tiles_of_panel_, at));
            Value* count = e_.min(left, e_.i64(tiles_together));
            Value* end = ir.CreateAdd(at, count);
            Value* end_row = ir.CreateUDiv(end, tiles_);
            Value* end_tile = ir.CreateSub(end, ir.CreateMul(end_row, tiles_));
            Value* first_column = ir.CreateMul(e_.get(panel_), e_.i64(columns_));
            e_.set(first_column_, first_column);
            e_.set(columns_here_, e_.min(e_.i64(columns_), ir.CreateSub(points_n_, first_column)));
            first_point_ = ir.CreateAdd(ir.CreateMul(e_.get(row_), row_points_), first_of_tile(e_.get(tile_)));
            end_point_ = ir.CreateAdd(ir.CreateMul(end_row, row_points_), first_of_tile(end_tile));
            some_tiles();
            e_.add(item_, count);
            e_.set(row_, end_row);
            e_.set(tile_, end_tile);
            e_.when(ir.CreateICmpEQ(end, tiles_of_panel_), [&] { next_panel(); });
        });
    }
    void next_panel() {
        IR& ir = e_.ir;
        e_.set(row_, e_.i64(0));
        e_.set(tile_, e_.i64(0));
        e_.add(panel_, e_.i64(1));
        e_.when(ir.CreateICmpEQ(e_.get(panel_), panels_), [&] {
            e_.set(panel_, e_.i64(0));
            e_.add(in_batch_, e_.i64(1));
            batch_.seek(e_.get(in_batch_));
        });
    }
    void some_tiles() {
        if (dots_) e_.when(dots_, [&] { multiply_dots(); }, [&] { multiply_blocks(); });
        else multiply_blocks();
        if (!writes_) return finish();
        e_.when(e_.ir.CreateNot(written_here()), [&] { finish(); });
    }
    Value* written_here() {                              // whether the tiles at hand write the result
        if (e_.target.machine.masks) return writes_;
        Value* rest = e_.ir.CreateURem(e_.get(columns_here_), e_.i64(plan_.width));
        return e_.ir.CreateAnd(writes_, e_.ir.CreateICmpEQ(rest, e_.i64(0)));
    }

    // Calls body(height) for each tile at hand: m stands at its first point.
    void each_tile(const std::function<void(Value* height)>& body) {
        IR& ir = e_.ir;
        m_.seek(first_point_);
        m_.rows(first_point_, end_point_, [&](Value*, Value* end) {
            e_.loop_while([&] { return ir.CreateICmpSLT(e_.get(m_.inner), end); }, [&] {
                Value* first = e_.get(m_.inner);
                Value* tall = ir.CreateICmpSLT(first, ir.CreateMul(tall_, ir.CreateAdd(base_, e_.i64(1))));
                Value* height = ir.CreateAdd(base_, ir.CreateZExt(tall, ir.getInt64Ty()));
                body(height);
                e_.set(m_.inner, ir.CreateAdd(first, height));
            });
        });
    }

    // Bytes from the start of a buffer to where an access is at the first step of k.
    Value* corner(const loop::Access& a) {
        Value* sum = e_.i64(0);
        for (loop::GroupId g : a.groups)
            if (g != plan_.k) sum = e_.ir.CreateAdd(sum, nest_.at(g).offset(a.buffer));
        return sum;
    }

    // Block by block of k: whole rows of its odometer, or a part of one.
    void multiply_blocks() {
        IR& ir = e_.ir;
        Value* width = e_.i64(plan_.width);
        Value* columns = e_.get(columns_here_);
        vectors_ = ceil_div(columns, width);
        lanes_ = ir.CreateSub(columns, ir.CreateMul(ir.CreateSub(vectors_, e_.i64(1)), width));
        if (plan_.panels) lanes_ = width;
        in_place_ = adjacent_;
        if (!e_.target.machine.masks && !plan_.panels) in_place_ = ir.CreateAnd(adjacent_, ir.CreateICmpEQ(lanes_, width));
        Var at = e_.var(e_.i64(0)), again = e_.var(ir.getTrue());
        e_.loop_while([&] { return e_.get(again); }, [&] {
            block(e_.get(at));
            e_.add(at, e_.get(steps_));
            e_.set(again, ir.CreateICmpSLT(e_.get(at), points_k_));
        });
    }
    void block(Value* first) {
        IR& ir = e_.ir;
        k_.seek(first);
        Value* rows_left = ir.CreateUDiv(ir.CreateSub(points_k_, first), ir.CreateSelect(ir.CreateICmpEQ(k_row_, e_.i64(0)), e_.i64(1), k_row_));
        Value* part = e_.min(e_.i64(plan_.block), ir.CreateSub(k_row_, e_.get(k_.inner)));
        chunks_ = ir.CreateSelect(short_k_, e_.min(block_rows_, rows_left), e_.i64(1));
        length_ = ir.CreateSelect(short_k_, k_row_, part);
        e_.set(steps_, ir.CreateMul(chunks_, length_));
        find_chunks(first);
        find_right(first);
        if (plan_.panels || right_) check_right();
        Var row = e_.var(e_.i64(0));                     // of the sums
        each_tile([&](Value* height) {
            tile(first, height, e_.get(row));
            e_.add(row, height);
        });
    }
    // Where each chunk begins in both factors, from where they are at the first step of k; copied ones lie in sequence.
    void find_chunks(Value* first) {
        IR& ir = e_.ir;
        Var chunk = e_.var(e_.i64(0));
        k_.rows(first, ir.CreateAdd(first, e_.get(steps_)), [&](Value*, Value*) {
            auto put = [&](llvm::AllocaInst* table, const loop::Access* a, Value* copied, Value* direct) {
                Value* offset = ir.CreateMul(ir.CreateMul(e_.get(chunk), length_), copied);
                if (a) {
                    Value* lies = Nest::names(*a, plan_.k) ? k_.offset(a->buffer) : e_.i64(0);
                    offset = ir.CreateSelect(direct, lies, offset);
                }
                ir.CreateStore(offset, ir.CreateGEP(ir.getInt64Ty(), table, e_.get(chunk)));
            };
            put(left_at_, left_, e_.i64(size_), ir.getTrue());
            if (plan_.panels) put(right_at_, nullptr, panel_row(), nullptr);
            else put(right_at_, right_, e_.i64(columns_ * right_size_), in_place_);
            e_.add(chunk, e_.i64(1));
        });
    }
    // Bytes of a step of k in a panel: panels are 64 columns wide, and the last one is rounded up to 16.
    Value* panel_row() {
        IR& ir = e_.ir;
        Value* before = ir.CreateAnd(e_.get(first_column_), e_.i64(-loop::panel_columns));
        Value* rest = ir.CreateAnd(ir.CreateAdd(ir.CreateSub(points_n_, before), e_.i64(15)), e_.i64(-16));
        return ir.CreateMul(e_.min(e_.i64(loop::panel_columns), rest), e_.i64(right_size_));
    }
    void find_right(Value* first) {
        IR& ir = e_.ir;
        e_.set(n_.inner, e_.get(first_column_));
        if (plan_.panels) {
            Value* before = ir.CreateAnd(e_.get(first_column_), e_.i64(-loop::panel_columns));
            Value* panels = ir.CreateMul(ir.CreateMul(before, points_k_), e_.i64(right_size_));
            Value* within = ir.CreateMul(ir.CreateSub(e_.get(first_column_), before), e_.i64(right_size_));
            Value* here = batch_.offset(right_->buffer);
            Value* skipped = ir.CreateMul(first, panel_row());
            Value* offset = ir.CreateAdd(ir.CreateAdd(here ? here : e_.i64(0), panels), ir.CreateAdd(within, skipped));
            e_.set(right_base_, nest_.pointer(right_->buffer, offset));
            right_step_ = panel_row();
            return;
        }
        Value* packed = e_.i64(columns_ * right_size_);
        right_step_ = right_ ? ir.CreateSelect(in_place_, stride(*right_, plan_.k), packed) : packed;
        auto copy = [&] {
            pack_right(first);
            e_.set(right_base_, e_.scratch());
        };
        if (!right_) return copy();
        e_.when(in_place_, [&] { e_.set(right_base_, nest_.pointer(right_->buffer, corner(*right_))); }, copy);
    }
    // An affine access stays inside its buffer if the corners of the boxes that it covers do: those of each chunk.
    void check_corners(const loop::Access& a, loop::GroupId g, llvm::AllocaInst* table, Value* count) {
        if (!e_.checked) return;
        IR& ir = e_.ir;
        Body one(e_, nest_.masks);
        Value* here = corner(a);
        Value* across = ir.CreateMul(ir.CreateSub(count, e_.i64(1)), stride(a, g));
        Value* along = ir.CreateMul(ir.CreateSub(length_, e_.i64(1)), stride(a, plan_.k));
        e_.when(ir.CreateICmpSGT(e_.get(steps_), e_.i64(0)), [&] {
            e_.loop(e_.i64(0), chunks_, 1, [&](Value* chunk) {
                Value* offset = ir.CreateLoad(ir.getInt64Ty(), ir.CreateGEP(ir.getInt64Ty(), table, chunk));
                Value* near = ir.CreateAdd(here, offset);
                Value* far = ir.CreateAdd(near, along);
                for (Value* at : {near, far, ir.CreateAdd(near, across), ir.CreateAdd(far, across)})
                    nest_.bounds(one, a.buffer, at);
            });
        });
    }
    void check_right() {
        if (!e_.checked) return;
        auto in_place = [&] { check_corners(*right_, plan_.n, right_at_, e_.get(columns_here_)); };
        if (!plan_.panels) return e_.when(in_place_, in_place);
        Body one(e_, nest_.masks);                       // the first and the last vector of the block
        e_.when(e_.ir.CreateICmpSGT(e_.get(steps_), e_.i64(0)), [&] {
            Value* begin = e_.ir.CreateSub(e_.ir.CreatePtrToInt(e_.get(right_base_), e_.ir.getInt64Ty()),
                                           e_.ir.CreatePtrToInt(e_.buffer(right_->buffer), e_.ir.getInt64Ty()));
            Value* rows = e_.ir.CreateMul(e_.ir.CreateSub(e_.get(steps_), e_.i64(1)), panel_row());
            Value* last = e_.ir.CreateMul(e_.ir.CreateMul(vectors_, e_.i64(plan_.width)), e_.i64(right_size_));
            nest_.bounds(one, right_->buffer, begin);
            Value* end = e_.ir.CreateAdd(e_.ir.CreateAdd(begin, rows), e_.ir.CreateSub(last, e_.i64(right_size_)));
            nest_.bounds(one, right_->buffer, end);
        });
    }

    // A block of the right factor in scratch, a row of columns for each step; without masks padded with zeros.
    void pack_right(Value* first) {
        IR& ir = e_.ir;
        auto row_by_row = [&] {
            Inner inner(nest_, plan_.n, plan_.epilogue_width, {from_right_}, {});
            Var row = e_.var(e_.scratch());
            inner.consume = [&](Body& body) {
                Value* column = ir.CreateSub(e_.get(n_.inner), e_.get(first_column_));
                Value* to = step_by(e_.get(row), ir.CreateMul(column, e_.i64(right_size_)));
                e_.store(types_.right, body.emit(from_right_), to, body.mask);
            };
            Value* columns = e_.get(columns_here_);
            Value* zero = llvm::Constant::getNullValue(e_.scalar_type(types_.right));
            each_step(first, [&](Value*) {
                Value* begin = e_.get(first_column_);
                inner.run(begin, ir.CreateAdd(begin, columns));
                if (!e_.target.machine.masks)
                    e_.loop(columns, e_.i64(columns_), 1, [&](Value* column) {
                        e_.store(types_.right, zero, step_by(e_.get(row), ir.CreateMul(column, e_.i64(right_size_))));
                    });
                e_.set(row, step_by(e_.get(row), e_.i64(columns_ * right_size_)));
            });
        };
        if (!right_ || !can_transpose()) return row_by_row();
        e_.when(right_along_k_, [&] { turn_right(first); }, row_by_row);
        k_.seek(first);
    }
    void each_step(Value* first, const std::function<void(Value*)>& body) {
        k_.seek(first);
        k_.rows(first, e_.ir.CreateAdd(first, e_.get(steps_)), [&](Value* begin, Value* end) {
            e_.loop(begin, end, 1, [&](Value* at) {
                e_.set(k_.inner, at);
                body(at);
            });
        });
    }
    bool can_transpose() const { return !e_.checked && right_size_ * plan_.width >= 16 && (right_size_ == 4 || right_size_ == 8); }
    // Steps are adjacent: squares of columns by steps are turned in registers. Columns beyond the last are zeros.
    void turn_right(Value* first) {
        IR& ir = e_.ir;
        const int side = int(plan_.width * sum_size_ / right_size_);
        Value* across = stride(*right_, plan_.n);
        e_.set(n_.inner, e_.get(first_column_));
        Var row = e_.var(e_.scratch());
        Value* here = corner(*right_);
        k_.seek(first);
        k_.rows(first, ir.CreateAdd(first, e_.get(steps_)), [&](Value* begin, Value* end) {
            Value* start = ir.CreateAdd(here, k_.offset(right_->buffer));
            Square square{types_.right, side, across, columns_ * right_size_};
            Value* count = ir.CreateSub(end, begin);
            e_.loop(e_.i64(0), count, side, [&](Value* step) {
                Value* steps = e_.min(e_.i64(side), ir.CreateSub(count, step));
                e_.loop(e_.i64(0), e_.get(columns_here_), side, [&](Value* column) {
                    Value* columns = e_.min(e_.i64(side), ir.CreateSub(e_.get(columns_here_), column));
                    Value* from = ir.CreateAdd(ir.CreateAdd(start, ir.CreateMul(step, e_.i64(right_size_))),
                                               ir.CreateMul(column, across));
                    Value* to = ir.CreateAdd(ir.CreateMul(step, e_.i64(columns_ * right_size_)),
                                             ir.CreateMul(column, e_.i64(right_size_)));
                    copy_turned(e_, square, nest_.pointer(right_->buffer, from), step_by(e_.get(row), to), columns, steps);
                });
            });
            e_.set(row, step_by(e_.get(row), ir.CreateMul(count, e_.i64(columns_ * right_size_))));
        });
    }

    // One tile of a block; `row` of the sums is its first.
    void tile(Value* first, Value* height, Value* row) {
        IR& ir = e_.ir;
        TileCall call{height, vectors_, nullptr, nullptr, left_at_, nullptr, e_.get(right_base_), right_at_, right_step_,
                      chunks_, length_, nullptr, nullptr, lanes_, ir.CreateICmpEQ(first, e_.i64(0))};
        if (left_) {
            check_corners(*left_, plan_.m, left_at_, height);
            call.left = nest_.pointer(left_->buffer, corner(*left_));
            call.left_row = stride(*left_, plan_.m);
            call.left_step = stride(*left_, plan_.k);
        } else {
            call.left = pack_left(first, height);
            call.left_row = e_.i64(int64_t(plan_.block) * size_);
            call.left_step = e_.i64(size_);
        }
        call.sums = step_by(sums_, ir.CreateMul(row, e_.i64(columns_ * sum_size_)));
        call.sums_row = e_.i64(columns_ * sum_size_);
        if (const loop::Access* out = writes_ ? product_alone() : nullptr) {
            e_.set(n_.inner, e_.get(first_column_));
            Value* direct = written_here();
            call.sums = ir.CreateSelect(direct, nest_.pointer(out->buffer, corner(*out)), call.sums);
            call.sums_row = ir.CreateSelect(direct, stride(*out, plan_.m), call.sums_row);
            if (plan_.panels && e_.target.machine.masks) {           // full vectors of the panel, but not of the result
                Value* rest = ir.CreateSub(e_.get(columns_here_), ir.CreateMul(ir.CreateSub(vectors_, e_.i64(1)), e_.i64(plan_.width)));
                call.lanes = ir.CreateSelect(direct, rest, lanes_);
            }
        }
        call_tile(e_, types_, plan_.rows, plan_.vectors, call);
    }
    // A computed left factor goes to scratch behind the panel, row by row of the tile.
    Value* pack_left(Value* first, Value* height) {
        IR& ir = e_.ir;
        Value* behind = step_by(e_.scratch(), e_.i64(int64_t(plan_.block) * columns_ * size_));
        Value* point = e_.get(m_.inner);
        e_.loop(e_.i64(0), height, 1, [&](Value* row) {
            e_.set(m_.inner, ir.CreateAdd(point, row));
            Value* to = step_by(behind, ir.CreateMul(row, e_.i64(int64_t(plan_.block) * size_)));
            Inner inner(nest_, plan_.k, plan_.left_width, {statement_.left}, {});
            inner.consume = [&](Body& body) {
                Value* step = ir.CreateSub(k_.position(), first);
                e_.store(dtype_, body.emit(statement_.left), step_by(to, ir.CreateMul(step, e_.i64(size_))), body.mask);
            };
            k_.seek(first);
            k_.rows(first, ir.CreateAdd(first, e_.get(steps_)), [&](Value* begin, Value* end) { inner.run(begin, end); });
        });
        e_.set(m_.inner, point);
        return behind;
    }

    // Small blocks of dot products; what does not fill a block goes one by one, in the same order of sums.
    void multiply_dots() {
        IR& ir = e_.ir;
        k_.reset();
        e_.set(n_.inner, e_.get(first_column_));
        e_.set(steps_, points_k_);
        chunks_ = e_.i64(1), length_ = points_k_;
        for (llvm::AllocaInst* table : {left_at_, right_at_}) ir.CreateStore(e_.i64(0), table);
        check_corners(*right_, plan_.n, right_at_, e_.get(columns_here_));
        Value* rights = nest_.pointer(right_->buffer, corner(*right_));
        Var row = e_.var(e_.i64(0)), column = e_.var(ir.getInt64Ty());
        each_tile([&](Value* height) {
            check_corners(*left_, plan_.m, left_at_, height);
            Value* lefts = nest_.pointer(left_->buffer, corner(*left_));
            Var in_tile = e_.var(e_.i64(0));
            for (int tall : {e_.target.machine.vector_registers >= 32 ? 3 : 2, 1}) {
                auto fits = [&] { return ir.CreateICmpSGE(ir.CreateSub(height, e_.get(in_tile)), e_.i64(tall)); };
                e_.loop_while(fits, [&] {
                    Value* left = step_by(lefts, ir.CreateMul(e_.get(in_tile), stride(*left_, plan_.m)));
                    Value* at = ir.CreateAdd(e_.get(row), e_.get(in_tile));
                    e_.set(column, e_.i64(0));
                    for (int wide : {4, 1}) {
                        auto more = [&] { return ir.CreateICmpSGE(ir.CreateSub(e_.get(columns_here_), e_.get(column)), e_.i64(wide)); };
                        e_.loop_while(more, [&] {
                            dots(left, rights, tall, wide, at, e_.get(column));
                            e_.add(column, e_.i64(wide));
                        });
                    }
                    e_.add(in_tile, e_.i64(tall));
                });
            }
            e_.add(row, height);
        });
    }
    void dots(Value* left, Value* rights, int tall, int wide, Value* row, Value* column) {
        IR& ir = e_.ir;
        Value *down = stride(*left_, plan_.m), *across = stride(*right_, plan_.n), *width = e_.i64(plan_.width);
        std::vector<Value*> rows, columns;
        for (int r = 0; r < tall; ++r) rows.push_back(step_by(left, ir.CreateMul(down, e_.i64(r))));
        for (int c = 0; c < wide; ++c)
            columns.push_back(step_by(rights, ir.CreateMul(ir.CreateAdd(column, e_.i64(c)), across)));
        auto read = [&](Value* base, Value* k, DType t, int lanes, Value* mask) {
            Value* from = step_by(base, ir.CreateMul(k, e_.i64(size_of(t))));
            return widened(e_.load(t, from, lanes, mask), t);
        };
        auto step = [&](std::vector<Var>& sums, Value* k, int lanes, Value* mask) {
            std::vector<Value*> others;
            for (Value* other : columns) others.push_back(read(other, k, types_.right, lanes, mask));
            for (int r = 0; r < tall; ++r) {
                Value* factor = read(rows[size_t(r)], k, types_.left, lanes, mask);
                for (int c = 0; c < wide; ++c) {
                    Var sum = sums[size_t(r * wide + c)];
                    Value* other = others[size_t(c)];
                    e_.set(sum, is_float(dtype_) ? emit_fma(e_, factor, other, e_.get(sum))
                                                 : ir.CreateAdd(ir.CreateMul(factor, other), e_.get(sum)));
                }
            }
        };
        std::vector<Var> sums, rests;
        for (int i = 0; i < tall * wide; ++i) {
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
        for (int i = 0; i < tall * wide; ++i) {
            Value* total = fold_lanes(e_, loop::Fold::sum, dtype_, e_.get(sums[size_t(i)]));
            total = fold_combine(e_, loop::Fold::sum, dtype_, total, e_.get(rests[size_t(i)]));
            Value* element = ir.CreateAdd(ir.CreateMul(ir.CreateAdd(row, e_.i64(i / wide)), e_.i64(columns_)),
                                          ir.CreateAdd(column, e_.i64(i % wide)));
            e_.store(sum_, total, step_by(sums_, ir.CreateMul(element, e_.i64(sum_size_))));
        }
    }

    // The statements after the contraction, over the tiles at hand.
    void finish() {
        IR& ir = e_.ir;
        std::vector<loop::ExprId> values;
        std::vector<loop::AccessId> outs;
        for (size_t i = 1; i < e_.f.body.size(); ++i) {
            values.push_back(std::get<loop::Store>(e_.f.body[i]).value);
            outs.push_back(std::get<loop::Store>(e_.f.body[i]).out);
        }
        Inner inner(nest_, plan_.n, plan_.epilogue_width, values, outs);
        Var row = e_.var(static_cast<Value*>(sums_));
        inner.value = [&](int, int width) {
            Value* column = ir.CreateSub(e_.get(n_.inner), e_.get(first_column_));
            Value* from = step_by(e_.get(row), ir.CreateMul(column, e_.i64(sum_size_)));
            return emit_rounded(e_, dtype_, e_.load(sum_, from, width));
        };
        inner.consume = [&](Body& body) {
            for (size_t i = 0; i < outs.size(); ++i) inner.store(body, outs[i], body.emit(values[i]));
        };
        m_.seek(first_point_);
        m_.rows(first_point_, end_point_, [&](Value* begin, Value* end) {
            e_.loop(begin, end, 1, [&](Value* point) {
                e_.set(m_.inner, point);
                Value* first = e_.get(first_column_);
                inner.run(first, ir.CreateAdd(first, e_.get(columns_here_)));
                e_.set(row, step_by(e_.get(row), e_.i64(columns_ * sum_size_)));
            });
        });
    }

    Emitter& e_;
    Nest nest_;
    const loop::ContractPlan& plan_;
    const loop::Contract& statement_;
    DType dtype_, sum_;                                  // of the factors; of their sums
    int64_t size_, sum_size_;
    int columns_;                                        // of a panel
    Odometer &m_, &n_, &k_, &batch_;
    Value *points_m_, *points_n_, *points_k_;
    loop::ExprId from_left_, from_right_;                // what is read, or computed, before it is widened
    const loop::Access *left_, *right_;                  // null: computed, or read through an index
    TileTypes types_;
    int64_t left_size_, right_size_;                     // of what is read

    Value *row_points_ = nullptr, *rows_m_ = nullptr, *tiles_ = nullptr, *base_ = nullptr, *tall_ = nullptr;     // of m
    Value *panels_ = nullptr, *tiles_of_panel_ = nullptr, *items_ = nullptr;
    Value *k_row_ = nullptr, *block_rows_ = nullptr, *short_k_ = nullptr;
    Value *adjacent_ = nullptr, *right_along_k_ = nullptr, *dots_ = nullptr, *writes_ = nullptr;     // i1; null: never

    Var item_, tile_, row_, panel_, in_batch_;           // where the kernel is
    Var first_column_, columns_here_;
    Value *first_point_ = nullptr, *end_point_ = nullptr;            // of m: the tiles at hand
    Value *vectors_ = nullptr, *lanes_ = nullptr, *in_place_ = nullptr;
    Var steps_, right_base_;                             // of the block of k
    Value *chunks_ = nullptr, *length_ = nullptr, *right_step_ = nullptr;
    llvm::AllocaInst *left_at_, *right_at_, *sums_;
};
} // namespace

void emit_plan(Emitter& e, const loop::ContractPlan& plan) { Contraction(e, plan).emit(); }
} // namespace nereus::cg
