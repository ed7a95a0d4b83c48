// codegen/row.cpp - statements that fold over `inner` at each point of `outer`: sums, softmax, layer norm.
//
// Three ways through the same statements, chosen from parameters alone:
//   rows     one point of `outer` at a time, vectors along `inner`; lanes join at the end in a fixed tree
//   columns  a vector of points of `outer` at a time, `inner` in sequence; for folds over leading axes
//   lanes    one by one, `inner` in sequence; any strides, and what columns leave over: the same order of sums
#include "codegen/fold.h"
#include "codegen/inner.h"
#include "codegen/plans.h"

namespace nereus::cg {
using loop::AccessId;
using loop::ExprId;

namespace {
constexpr int64_t short_row = 8;          // below this, joining lanes costs more than rows gain

class Rows {
 public:
    Rows(Emitter& e, const loop::RowPlan& plan)
        : e_(e), nest_(e), outer_(nest_.at(plan.outer)), inner_(nest_.at(plan.inner)), plan_(plan) {
        for (const loop::Statement& s : e.f.body)
            if (const loop::Reduce* r = std::get_if<loop::Reduce>(&s)) {
                DType t = e.f.expr(r->value).dtype;
                results_.push_back(e.var(e.vector_type(t, 1)));
                wide_results_.push_back(e.var(e.vector_type(t, plan.width)));
            }
    }

    void emit() {
        Value* per_task = e_.param(1);
        e_.where = [this, per_task] {
            Value* position = outer_.position();
            return Emitter::Place{e_.ir.CreateUDiv(position, per_task), position};
        };
        Value* columns = plan_.width > 1 ? prefers_columns() : e_.ir.getFalse();
        Value* rows = e_.ir.CreateNot(columns);
        Value* from = e_.ir.CreateMul(e_.task_begin, per_task);
        Value* to = e_.min(e_.ir.CreateMul(e_.task_end, per_task), e_.points(plan_.outer));
        e_.when(e_.ir.CreateICmpSLT(from, to), [&] {
            outer_.seek(from);
            outer_.rows(from, to, [&](Value*, Value* end) {
                if (plan_.width > 1) {
                    llvm::BasicBlock* slow = e_.block("one_by_one");
                    e_.when(columns, [&] { run_columns(end, slow); });
                    e_.enter(slow);
                }
                e_.loop_while([&] { return e_.ir.CreateICmpSLT(e_.get(outer_.inner), end); }, [&] {
                    run_point(rows);
                    e_.add(outer_.inner, e_.i64(1));
                });
            });
        });
    }

 private:
    bool runs_inner(const loop::Store& s) const { return Nest::names(e_.f.access(s.out), plan_.inner); }
    Inner inner_loop(std::vector<ExprId> reads, std::vector<AccessId> written) {
        Inner inner(nest_, plan_.inner, plan_.width, std::move(reads), std::move(written));
        inner.value = [this](int n, int width) { return e_.splat(e_.get(results_[size_t(n)]), width); };
        return inner;
    }
    void each_inner_row(const std::function<void(Value*, Value*)>& body) {
        Value* points = e_.points(plan_.inner);
        inner_.reset();
        inner_.rows(e_.i64(0), points, body);
    }

    Value* prefers_columns() {
        std::vector<ExprId> reads;
        std::vector<AccessId> written;
        Value* rows_fit = e_.ir.CreateICmpSGE(inner_.extent(), e_.i64(short_row));
        for (const loop::Statement& s : e_.f.body) {
            const loop::Reduce* r = std::get_if<loop::Reduce>(&s);
            const loop::Store* store = std::get_if<loop::Store>(&s);
            reads.push_back(r ? r->value : store->value);
            if (store) written.push_back(store->out);
            if (store && !runs_inner(*store)) continue;
            std::vector<AccessId> outs = store ? std::vector<AccessId>{store->out} : std::vector<AccessId>();
            rows_fit = e_.ir.CreateAnd(rows_fit, inner_loop({reads.back()}, outs).unit());
        }
        Inner across(nest_, plan_.outer, plan_.width, reads, written);
        int least = e_.target.machine.masks ? plan_.width / 4 : plan_.width;
        Value* wide_enough = e_.ir.CreateICmpSGE(outer_.extent(), e_.i64(least));
        return e_.ir.CreateAnd(e_.ir.CreateNot(rows_fit), e_.ir.CreateAnd(across.unit(), wide_enough));
    }

    void run_point(Value* rows) {
        Body one(e_, nest_.masks);
        nest_.read_here(one);
        one.leaves.value = [this](int n) { return e_.get(results_[size_t(n)]); };
        for (const loop::Statement& s : e_.f.body) {
            if (const loop::Reduce* r = std::get_if<loop::Reduce>(&s)) fold_point(*r, rows);
            else store_point(one, std::get<loop::Store>(s), rows);
        }
    }
    void fold_point(const loop::Reduce& r, Value* rows) {
        DType t = e_.f.expr(r.value).dtype;
        Inner inner = inner_loop(fold_reads(e_, r), {});
        Accumulator single(e_, r, 1), wide(e_, r, plan_.width);
        inner.consume = [&](Body& body) { (body.width() > 1 ? wide : single).step(body); };
        each_inner_row([&](Value* begin, Value* end) { inner.run(begin, end, rows); });
        Value* total = single.total();
        if (plan_.width > 1) total = fold_combine(e_, r.fold, t, fold_lanes(e_, r.fold, t, wide.total()), total);
        e_.set(results_[size_t(r.result)], fold_result(e_, t, total));
    }
    void store_point(Body& one, const loop::Store& s, Value* rows) {
        if (!runs_inner(s)) return nest_.store_one(one, s.out, one.emit(s.value));
        Inner inner = inner_loop({s.value}, {s.out});
        inner.consume = [&](Body& body) { inner.store(body, s.out, body.emit(s.value)); };
        each_inner_row([&](Value* begin, Value* end) { inner.run(begin, end, rows); });
    }

    // Vectors of points of `outer`, starting at outer_.inner; leaves it where one-by-one has to go on.
    void run_columns(Value* end, llvm::BasicBlock* slow) {
        bool masks = e_.target.machine.masks;
        Value* width = e_.i64(plan_.width);
        auto room = [&] {
            Value* at = e_.get(outer_.inner);
            return e_.ir.CreateICmpSLE(masks ? e_.ir.CreateAdd(at, e_.i64(1)) : e_.ir.CreateAdd(at, width), end);
        };
        e_.loop_while(room, [&] {
            Body uniform(e_, nest_.masks);
            nest_.read_here(uniform);
            uniform.leaves.value = [this](int n) { return e_.get(results_[size_t(n)]); };
            Body body(e_, nest_.masks, plan_.width, plan_.outer, &uniform);
            lanes_ = e_.min(width, e_.ir.CreateSub(end, e_.get(outer_.inner)));
            if (masks) body.mask = e_.first_lanes(lanes_, plan_.width);
            body.leaves.index = [&](loop::GroupId) {
                return e_.ir.CreateAdd(e_.splat(outer_.position(), plan_.width), nest_.lane_numbers(plan_.width));
            };
            body.leaves.value = [this](int n) { return e_.get(wide_results_[size_t(n)]); };
            body.leaves.load = [&](AccessId id) { return load_column(body, uniform, id); };
            for (const loop::Statement& s : e_.f.body) {
                if (const loop::Reduce* r = std::get_if<loop::Reduce>(&s)) fold_columns(body, *r, slow);
                else store_columns(body, uniform, std::get<loop::Store>(s), slow);
            }
            e_.add(outer_.inner, lanes_);
        });
    }
    // One well predicted branch tells a column of a buffer from a value that all lanes share.
    Value* load_column(Body& body, Body& uniform, AccessId id) {
        const loop::Access& a = e_.f.access(id);
        DType t = e_.f.buffers[a.buffer.index].dtype;
        Value* offset = nest_.offset(a, uniform);
        Value* pointer = nest_.pointer(a.buffer, offset);
        Value* stride = Nest::names(a, plan_.outer) ? outer_.stride(a.buffer) : nullptr;
        nest_.bounds(body, a.buffer, offset, lanes_, stride ? stride : e_.i64(0));
        if (e_.checked) leave_if_bad(body);
        if (!stride) return e_.splat(e_.load(t, pointer), plan_.width);
        Emitter::Var lanes = e_.var(e_.vector_type(t, plan_.width));
        e_.when(e_.ir.CreateICmpEQ(stride, e_.i64(0)),
                [&] { e_.set(lanes, e_.splat(e_.load(t, pointer), plan_.width)); },
                [&] { e_.set(lanes, e_.load(t, pointer, plan_.width, body.mask)); });
        return e_.get(lanes);
    }
    void leave_if_bad(Body& body) {
        if (body.bad) e_.go_if(body.bad, slow_);
        body.bad = nullptr;
    }
    // Emits `at_each` at each point of `inner`, with what does not change along it outside the loop.
    void along_inner(Body& body, const std::vector<ExprId>& reads, const Emit& at_each) {
        e_.when(e_.ir.CreateICmpSGT(e_.points(plan_.inner), e_.i64(0)), [&] {
            body.scope([&] {
                body.hoist(reads, plan_.inner);
                leave_if_bad(body);
                each_inner_row([&](Value* begin, Value* end) {
                    e_.loop(begin, end, 1, [&](Value* at) {
                        e_.set(inner_.inner, at);
                        body.scope([&] {
                            for (ExprId read : reads) body.emit(read);
                            leave_if_bad(body);
                            at_each();
                        });
                    });
                });
            });
        });
    }
    void fold_columns(Body& body, const loop::Reduce& r, llvm::BasicBlock* slow) {
        slow_ = slow;
        DType t = e_.f.expr(r.value).dtype;
        Accumulator wide(e_, r, plan_.width);
        along_inner(body, fold_reads(e_, r), [&] { wide.step(body); });
        e_.set(wide_results_[size_t(r.result)], fold_result(e_, t, wide.total()));
    }
    void store_columns(Body& body, Body& uniform, const loop::Store& s, llvm::BasicBlock* slow) {
        slow_ = slow;
        const loop::Access& to = e_.f.access(s.out);
        auto store = [&] {
            Value* value = body.emit(s.value);
            Value* offset = nest_.offset(to, uniform);
            nest_.bounds(body, to.buffer, offset, lanes_, e_.i64(size_of(e_.f.buffers[to.buffer.index].dtype)));
            leave_if_bad(body);
            e_.store(e_.f.buffers[to.buffer.index].dtype, value, nest_.pointer(to.buffer, offset), body.mask);
        };
        if (runs_inner(s)) along_inner(body, {s.value}, store);
        else store();
    }

    Emitter& e_;
    Nest nest_;
    Odometer &outer_, &inner_;
    const loop::RowPlan& plan_;
    std::vector<Emitter::Var> results_, wide_results_;   // by value number
    Value* lanes_ = nullptr;                             // active lanes of the current columns
    llvm::BasicBlock* slow_ = nullptr;
};
} // namespace

void emit_plan(Emitter& e, const loop::RowPlan& plan) { Rows(e, plan).emit(); }
} // namespace nereus::cg
