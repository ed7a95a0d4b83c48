#include "codegen/inner.h"

namespace nereus::cg {
using loop::Access;
using loop::AccessId;
using loop::ExprId;

Inner::Inner(Nest& nest, loop::GroupId along, int width, std::vector<ExprId> reads, std::vector<AccessId> written)
    : nest_(nest), e_(nest.e), along_(along), width_(width), reads_(std::move(reads)), written_(std::move(written)),
      seen_(2 * e_.f.exprs.size()) {
    for (ExprId e : reads_) collect(e, false);
    for (AccessId a : written_)
        for (const loop::Indirect& at : e_.f.access(a).at) collect(at.index, true);
}

void Inner::collect(ExprId id, bool inside_index) {
    size_t key = 2 * id.index + inside_index;
    if (seen_[key]) return;
    seen_[key] = true;
    const loop::Expr& x = e_.f.expr(id);
    for (ExprId operand : {x.a, x.b, x.c})
        if (operand.valid()) collect(operand, inside_index);
    if (x.op != loop::Op::load) return;
    AccessId access{size_t(x.bits)};
    const Access& a = e_.f.access(access);
    for (const loop::Indirect& at : a.at) collect(at.index, true);
    if (!Nest::names(a, along_)) {
        bool moves = nest_.masks[id.index] >> along_.index & 1;      // by its index
        if (!inside_index && moves) loads_.push_back(access);
        return;
    }
    if (inside_index) still_.push_back(a.buffer);
    else loads_.push_back(access);
}

Value* Inner::unit() {
    if (unit_) return unit_;
    Odometer& odometer = nest_.at(along_);
    unit_ = e_.at_entry([&] {
        Value* fits = e_.ir.getTrue();
        auto demand = [&](loop::BufferId b, bool moves, bool stands) {
            Value* stride = odometer.stride(b);
            if (!stride) return;                         // never moves along this axis
            Value* size = e_.i64(size_of(e_.f.buffers[b.index].dtype));
            Value *one = e_.ir.CreateICmpEQ(stride, size), *none = e_.ir.CreateICmpEQ(stride, e_.i64(0));
            fits = e_.ir.CreateAnd(fits, moves && stands ? e_.ir.CreateOr(one, none) : moves ? one : none);
        };
        for (AccessId a : loads_)
            if (Nest::names(e_.f.access(a), along_)) demand(e_.f.access(a).buffer, true, true);
        for (AccessId a : written_) demand(e_.f.access(a).buffer, true, false);
        for (loop::BufferId b : still_) demand(b, false, true);
        return fits;
    });
    return unit_;
}

void Inner::run(Value* begin, Value* end, Value* allowed) {
    Odometer& odometer = nest_.at(along_);
    e_.set(odometer.inner, begin);
    if (width_ > 1) {
        llvm::BasicBlock* slow = e_.block("slow");
        Value* enough = e_.target.machine.masks ? e_.ir.CreateICmpSLT(begin, end)
                                                : e_.ir.CreateICmpSGE(e_.ir.CreateSub(end, begin), e_.i64(width_));
        Value* fits = e_.ir.CreateAnd(unit(), enough);
        if (allowed) fits = e_.ir.CreateAnd(fits, allowed);
        e_.when(fits, [&] { vectors(end, slow); });
        e_.enter(slow);
    }
    e_.when(e_.ir.CreateICmpSLT(e_.get(odometer.inner), end), [&] { lanes(end); });
}

// One lane at a time, any strides. Offsets of plain accesses move by addition; those with an index are made anew.
void Inner::lanes(Value* end) {
    Odometer& odometer = nest_.at(along_);
    Body one(e_, nest_.masks);
    nest_.read_here(one);
    one.leaves.value = [&](int n) { return value(n, 1); };
    std::function<Value*(AccessId)> anywhere = one.leaves.load;
    one.leaves.load = [&](AccessId id) { return walkers_.count(id) ? load(one, id) : anywhere(id); };
    walkers_.clear();
    for (const std::vector<AccessId>& list : {loads_, written_})
        for (AccessId id : list) {
            const Access& a = e_.f.access(id);
            if (a.at.empty() && Nest::names(a, along_) && !walkers_.count(id))
                walkers_[id] = e_.var(nest_.offset(a, one));
        }
    one.hoist(reads_, along_);
    llvm::BasicBlock *again = e_.block("lane"), *done = e_.block("lanes_done");
    e_.enter(again);
    for (ExprId e : reads_) one.emit(e);
    consume(one);
    for (auto& [id, offset] : walkers_) e_.add(offset, odometer.stride(e_.f.access(id).buffer));
    e_.add(odometer.inner, e_.i64(1));
    e_.ir.CreateCondBr(e_.ir.CreateICmpSLT(e_.get(odometer.inner), end), again, done);
    e_.ir.SetInsertPoint(done);
}
Value* Inner::lane_offset(Body& one, AccessId id) {
    auto walker = walkers_.find(id);
    Value* offset = walker != walkers_.end() ? e_.get(walker->second) : nest_.offset(e_.f.access(id), one);
    nest_.bounds(one, e_.f.access(id).buffer, offset);
    return offset;
}

// Where a vector access starts, and how far one element moves it.
void Inner::place(AccessId id, Body& uniform, bool reads) {
    const Access& a = e_.f.access(id);
    DType t = e_.f.buffers[a.buffer.index].dtype;
    Value* offset = nest_.offset(a, uniform);
    Value* stride = Nest::names(a, along_) ? nest_.at(along_).stride(a.buffer) : e_.i64(0);
    Value* advance = e_.ir.CreateMul(stride, e_.i64(width_));
    Cursor cursor{e_.var(nest_.pointer(a.buffer, offset)), e_.var(offset), stride, advance};
    if (reads) {
        Type* scalar = e_.memory_type(t);
        llvm::AllocaInst* slot = e_.memory(llvm::FixedVectorType::get(scalar, unsigned(width_)), 1, 64);
        e_.when(e_.ir.CreateICmpEQ(stride, e_.i64(0)), [&] {
            nest_.bounds(uniform, a.buffer, offset);
            Value* read = e_.ir.CreateAlignedLoad(scalar, e_.get(cursor.pointer), llvm::Align(1));
            e_.ir.CreateStore(e_.splat(read, width_), slot);
            e_.set(cursor.pointer, slot);
        });
    }
    cursors_[id] = cursor;
}

void Inner::vectors(Value* end, llvm::BasicBlock* slow) {
    Odometer& odometer = nest_.at(along_);
    Body uniform(e_, nest_.masks);
    nest_.read_here(uniform);
    uniform.leaves.value = [&](int n) { return value(n, 1); };
    cursors_.clear();
    for (AccessId id : loads_) place(id, uniform, true);
    for (AccessId id : written_)
        if (!cursors_.count(id)) place(id, uniform, false);

    Body body(e_, nest_.masks, width_, along_, &uniform);
    body.leaves.index = [&](loop::GroupId) {
        return e_.ir.CreateAdd(e_.splat(odometer.position(), width_), nest_.lane_numbers(width_));
    };
    body.leaves.value = [&](int n) { return value(n, width_); };
    body.leaves.load = [&](AccessId id) { return load(body, id); };
    body.hoist(reads_, along_);

    auto room = [&] { return e_.ir.CreateICmpSLE(e_.ir.CreateAdd(e_.get(odometer.inner), e_.i64(width_)), end); };
    llvm::BasicBlock *again = e_.block("vector"), *done = e_.block("vectors_done");
    e_.ir.CreateCondBr(room(), again, done);
    e_.ir.SetInsertPoint(again);
    body.scope([&] { one_vector(body, slow, e_.i64(width_)); });
    for (auto& [id, cursor] : cursors_) {
        e_.set(cursor.pointer, e_.ir.CreateGEP(e_.ir.getInt8Ty(), e_.get(cursor.pointer), cursor.advance));
        if (e_.checked) e_.add(cursor.offset, cursor.advance);
    }
    e_.add(odometer.inner, e_.i64(width_));
    e_.ir.CreateCondBr(room(), again, done);
    e_.ir.SetInsertPoint(done);
    if (!e_.target.machine.masks) return;

    e_.when(e_.ir.CreateICmpSLT(e_.get(odometer.inner), end), [&] {
        Value* left = e_.ir.CreateSub(end, e_.get(odometer.inner));
        body.mask = e_.first_lanes(left, width_);
        body.scope([&] { one_vector(body, slow, left); });
        e_.set(odometer.inner, end);
    });
}

void Inner::one_vector(Body& body, llvm::BasicBlock* slow, Value* lanes) {
    lanes_ = lanes;
    body.bad = nullptr;
    for (ExprId e : reads_) body.emit(e);
    for (AccessId id : written_)
        nest_.bounds(body, e_.f.access(id).buffer, e_.get(cursors_.at(id).offset), lanes, cursors_.at(id).step);
    if (body.bad) e_.go_if(body.bad, slow);              // before anything is written
    consume(body);
}

Value* Inner::load(Body& body, AccessId from) {
    const Access& a = e_.f.access(from);
    DType t = e_.f.buffers[a.buffer.index].dtype;
    if (body.width() == 1) return e_.load(t, nest_.pointer(a.buffer, lane_offset(body, from)));
    Cursor& cursor = cursors_.at(from);
    nest_.bounds(body, a.buffer, e_.get(cursor.offset), lanes_, cursor.step);
    return e_.load(t, e_.get(cursor.pointer), body.width(), body.mask);
}

void Inner::store(Body& body, AccessId to, Value* value) {
    const Access& a = e_.f.access(to);
    DType t = e_.f.buffers[a.buffer.index].dtype;
    if (body.width() == 1) return e_.store(t, value, nest_.pointer(a.buffer, lane_offset(body, to)));
    e_.store(t, value, e_.get(cursors_.at(to).pointer), body.mask);
}
} // namespace nereus::cg
