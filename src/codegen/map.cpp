// codegen/map.cpp - elementwise kernels: a task is a run of points in row-major order.
#include "codegen/inner.h"
#include "codegen/plans.h"

namespace nereus::cg {
void emit_plan(Emitter& e, const loop::MapPlan& plan) {
    Nest nest(e);
    Odometer& over = nest.at(plan.over);
    std::vector<loop::ExprId> values;
    std::vector<loop::AccessId> outs;
    for (const loop::Statement& s : e.f.body) {
        values.push_back(std::get<loop::Store>(s).value);
        outs.push_back(std::get<loop::Store>(s).out);
    }
    Value* per_task = e.param(1);
    e.where = [&] {
        Value* position = over.position();
        return Emitter::Place{e.ir.CreateUDiv(position, per_task), position};
    };
    Inner inner(nest, plan.over, plan.width, values, outs);
    inner.consume = [&](Body& body) {
        for (size_t i = 0; i < outs.size(); ++i) inner.store(body, outs[i], body.emit(values[i]));
    };
    Value* from = e.ir.CreateMul(e.task_begin, per_task);
    Value* to = e.min(e.ir.CreateMul(e.task_end, per_task), e.points(plan.over));
    e.when(e.ir.CreateICmpSLT(from, to), [&] {
        over.seek(from);
        over.rows(from, to, [&](Value* begin, Value* end) { inner.run(begin, end); });
    });
}
} // namespace nereus::cg
