#include "codegen/nest.h"
#include "loop/verify.h"
#include <algorithm>

namespace nereus::cg {
using loop::Access;
using loop::AccessId;

Nest::Nest(Emitter& emitter) : e(emitter), masks(loop::group_masks(emitter.f)) {
    for (size_t g = 0; g < e.f.groups.size(); ++g)
        odometers_.push_back(std::make_unique<Odometer>(e, loop::GroupId(g)));
}

bool Nest::names(const Access& a, loop::GroupId g) {
    return std::find(a.groups.begin(), a.groups.end(), g) != a.groups.end();
}

Value* Nest::offset(const Access& a, Body& indices) {
    Value* sum = nullptr;
    for (loop::GroupId g : a.groups) {
        Value* part = at(g).offset(a.buffer);
        sum = sum ? e.ir.CreateAdd(sum, part) : part;
    }
    if (!sum) sum = e.i64(0);
    int64_t size = size_of(e.f.buffers[a.buffer.index].dtype);
    for (const loop::Indirect& i : a.at) {
        Value* given = indices.emit(i.index);
        bool positive = is_unsigned(e.f.expr(i.index).dtype);
        Value* index = positive ? e.ir.CreateZExt(given, e.ir.getInt64Ty()) : e.ir.CreateSExt(given, e.ir.getInt64Ty());
        Value* extent = e.scalar(i.extent);
        // one unsigned comparison refuses negative ones too
        indices.check(e.ir.CreateICmpUGE(index, extent), Fault::index_range, a.buffer, index, extent);
        sum = e.ir.CreateAdd(sum, e.ir.CreateMul(index, e.ir.CreateMul(e.scalar(i.stride), e.i64(size))));
    }
    return sum;
}

void Nest::bounds(Body& body, loop::BufferId b, Value* offset, Value* lanes, Value* step) {
    if (!e.checked) return;
    Value* end = e.ir.CreateAdd(offset, e.i64(size_of(e.f.buffers[b.index].dtype)));
    if (lanes) end = e.ir.CreateAdd(end, e.ir.CreateMul(e.ir.CreateSub(lanes, e.i64(1)), step));
    Value* outside = e.ir.CreateOr(e.ir.CreateICmpSLT(offset, e.i64(0)), e.ir.CreateICmpSGT(end, e.buffer_bytes(b)));
    if (body.width() > 1) body.bad = body.bad ? e.ir.CreateOr(body.bad, outside) : outside;
    else e.fault_if(outside, Fault::bounds, b, offset);
}

Value* Nest::lane_numbers(int width) {
    std::vector<llvm::Constant*> numbers;
    for (int i = 0; i < width; ++i) numbers.push_back(e.ir.getInt64(uint64_t(i)));
    return llvm::ConstantVector::get(numbers);
}

void Nest::read_here(Body& one) {
    one.leaves.index = [this](loop::GroupId g) { return at(g).position(); };
    one.leaves.load = [this, &one](AccessId id) {
        const Access& a = e.f.access(id);
        Value* place = offset(a, one);
        bounds(one, a.buffer, place);
        return e.load(e.f.buffers[a.buffer.index].dtype, pointer(a.buffer, place));
    };
}
void Nest::store_one(Body& body, AccessId to, Value* value) {
    const Access& a = e.f.access(to);
    Value* place = offset(a, body);
    bounds(body, a.buffer, place);
    e.store(e.f.buffers[a.buffer.index].dtype, value, pointer(a.buffer, place));
}
} // namespace nereus::cg
