#include "codegen/nest.h"
#include "codegen/small_float.h"
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

Value* Nest::load(DType t, Value* pointer, int width, Value* mask) {
    Type* scalar = e.memory_type(t);
    Type* type = width == 1 ? scalar : llvm::FixedVectorType::get(scalar, unsigned(width));
    llvm::Align align(1);                                // buffers may lie anywhere
    Value *zero = llvm::Constant::getNullValue(type), *loaded;
    if (mask) loaded = e.ir.CreateMaskedLoad(type, pointer, align, mask, zero);
    else loaded = e.ir.CreateAlignedLoad(type, pointer, align);
    if (is_small_float(t)) return emit_widened(e, t, loaded);
    return t == DType::boolean ? e.ir.CreateICmpNE(loaded, zero) : loaded;
}
void Nest::store(DType t, Value* value, Value* pointer, Value* mask) {
    if (t == DType::boolean) value = e.ir.CreateZExt(value, value->getType()->getWithNewType(e.ir.getInt8Ty()));
    if (is_small_float(t)) value = emit_narrowed(e, t, value);
    llvm::Align align(1);
    if (mask) e.ir.CreateMaskedStore(value, pointer, align, mask);
    else e.ir.CreateAlignedStore(value, pointer, align);
}
Value* Nest::lane_numbers(int width) {
    std::vector<llvm::Constant*> numbers;
    for (int i = 0; i < width; ++i) numbers.push_back(e.ir.getInt64(uint64_t(i)));
    return llvm::ConstantVector::get(numbers);
}

Value* Nest::first_lanes(Value* count, int width) {
    Type* bits = e.ir.getIntNTy(unsigned(width));
    Value* drop = e.ir.CreateTrunc(e.ir.CreateSub(e.i64(width), count), bits);
    Value* kept = e.ir.CreateLShr(llvm::Constant::getAllOnesValue(bits), drop);
    return e.ir.CreateBitCast(kept, llvm::FixedVectorType::get(e.ir.getInt1Ty(), unsigned(width)));
}

void Nest::read_here(Body& one) {
    one.leaves.index = [this](loop::GroupId g) { return at(g).position(); };
    one.leaves.load = [this, &one](AccessId id) {
        const Access& a = e.f.access(id);
        Value* place = offset(a, one);
        bounds(one, a.buffer, place);
        return load(e.f.buffers[a.buffer.index].dtype, pointer(a.buffer, place));
    };
}
void Nest::store_one(Body& body, AccessId to, Value* value) {
    const Access& a = e.f.access(to);
    Value* place = offset(a, body);
    bounds(body, a.buffer, place);
    store(e.f.buffers[a.buffer.index].dtype, value, pointer(a.buffer, place));
}
} // namespace nereus::cg
