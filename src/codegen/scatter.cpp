// codegen/scatter.cpp - updates at computed places, in the order of a sequential group. A task owns a run of points
// of `over` and goes through the whole order for them, so no two tasks touch one element and sums have one order.
#include "codegen/inner.h"
#include "codegen/plans.h"

namespace nereus::cg {
namespace {
Value* updated(Emitter& e, loop::Update update, DType t, Value* old, Value* value) {
    switch (update) {
    case loop::Update::set: return value;
    case loop::Update::add: return is_float(t) ? e.ir.CreateFAdd(old, value) : e.ir.CreateAdd(old, value);
    case loop::Update::mul: return is_float(t) ? e.ir.CreateFMul(old, value) : e.ir.CreateMul(old, value);
    case loop::Update::max: return emit_max(e, t, old, value);
    case loop::Update::min: return emit_min(e, t, old, value);
    }
    return nullptr;
}
} // namespace

void emit_plan(Emitter& e, const loop::ScatterPlan& plan) {
    Nest nest(e);
    Odometer &over = nest.at(plan.over), &order = nest.at(plan.order);
    std::vector<loop::ExprId> values;
    std::vector<loop::AccessId> outs;
    for (const loop::Statement& s : e.f.body) {
        values.push_back(std::get<loop::Accumulate>(s).value);
        outs.push_back(std::get<loop::Accumulate>(s).out);
    }
    Value* per_task = e.param(1);
    e.where = [&] { return Emitter::Place{e.ir.CreateUDiv(over.position(), per_task), order.position()}; };
    Inner inner(nest, plan.over, plan.width, values, outs);
    inner.consume = [&](Body& body) {
        for (size_t i = 0; i < outs.size(); ++i) {
            const loop::Accumulate& a = std::get<loop::Accumulate>(e.f.body[i]);
            DType t = e.f.expr(a.value).dtype;
            Value* value = body.emit(a.value);
            Value* old = a.update == loop::Update::set ? nullptr : inner.load(body, a.out);
            inner.store(body, a.out, updated(e, a.update, t, old, value));
        }
    };
    e.loop(e.task_begin, e.task_end, 1, [&](Value* task) {
        Value* from = e.ir.CreateMul(task, per_task);
        Value* to = e.min(e.ir.CreateAdd(from, per_task), e.points(plan.over));
        order.reset();
        order.rows(e.i64(0), e.points(plan.order), [&](Value* begin, Value* end) {
            e.loop(begin, end, 1, [&](Value* at) {
                e.set(order.inner, at);
                over.seek(from);
                over.rows(from, to, [&](Value* first, Value* last) { inner.run(first, last); });
            });
        });
    });
}
} // namespace nereus::cg
