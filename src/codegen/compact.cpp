// codegen/compact.cpp - one pass in row-major order that counts, or keeps what a condition selects. A single task.
#include "codegen/nest.h"
#include "codegen/plans.h"

namespace nereus::cg {
namespace {
// out[axis * row + k] = coordinate, for every axis; a group of rank 0 has none to write.
void write_coordinates(Nest& nest, Body& one, const loop::Compact& c, loop::GroupId group, Value* k) {
    Emitter& e = nest.e;
    Odometer& over = nest.at(group);
    Value* axes = e.param(e.layout.group_slot(group.index));
    auto write = [&](Value* axis, Value* coordinate) {
        Value* element = e.ir.CreateAdd(e.ir.CreateMul(axis, e.scalar(c.row)), k);
        Value* offset = e.ir.CreateMul(element, e.i64(size_of(DType::i64)));
        nest.bounds(one, c.out, offset);
        e.store(DType::i64, coordinate, nest.pointer(c.out, offset));
    };
    Value* last = e.ir.CreateSub(axes, e.i64(1));
    e.loop(e.i64(0), last, 1, [&](Value* axis) { write(axis, over.coordinate(axis)); });
    e.when(e.ir.CreateICmpSGE(last, e.i64(0)), [&] { write(last, e.get(over.inner)); });
}
} // namespace

void emit_plan(Emitter& e, const loop::CompactPlan& plan) {
    Nest nest(e);
    Odometer& over = nest.at(plan.over);
    const loop::Compact& c = std::get<loop::Compact>(e.f.body[0]);
    e.where = [&] { return Emitter::Place{e.i64(0), over.position()}; };
    e.when(e.ir.CreateICmpSLT(e.task_begin, e.task_end), [&] {
        Emitter::Var count = e.var(e.i64(0));
        over.reset();
        over.rows(e.i64(0), e.points(plan.over), [&](Value* begin, Value* end) {
            e.loop(begin, end, 1, [&](Value* at) {
                e.set(over.inner, at);
                Body one(e, nest.masks);
                nest.read_here(one);
                Value* kept = one.emit(c.where);
                if (!c.out.valid()) return e.add(count, e.ir.CreateZExt(kept, e.ir.getInt64Ty()));
                e.when(kept, [&] {
                    Value* k = e.get(count);
                    if (c.value.valid()) {
                        DType t = e.f.buffers[c.out.index].dtype;
                        Value* value = one.emit(c.value);
                        Value* offset = e.ir.CreateMul(k, e.i64(size_of(t)));
                        nest.bounds(one, c.out, offset);
                        e.store(t, value, nest.pointer(c.out, offset));
                    } else {
                        write_coordinates(nest, one, c, plan.over, k);
                    }
                    e.add(count, e.i64(1));
                });
            });
        });
        e.ir.CreateStore(e.get(count), e.out_pointer());
    });
}
} // namespace nereus::cg
