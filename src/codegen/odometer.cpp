#include "codegen/odometer.h"

namespace nereus::cg {
Odometer::Odometer(Emitter& e, loop::GroupId group)
    : e_(e), group_(e.layout.groups[group.index]), columns_(e.f.buffers.size(), -1) {
    int slot = e.layout.group_slot(group.index);
    Type* word = e.ir.getInt64Ty();
    table_ = e.param(slot + 1);
    Value* rank = e.param(slot);
    rank_ = e.at_entry([&] { return e.ir.CreateSelect(e.ir.CreateICmpEQ(rank, e.i64(0)), e.i64(1), rank); });
    Value* last = e.at_entry([&] { return e.ir.CreateSub(rank_, e.i64(1)); });
    extent_ = e.at_entry([&] { return table_at(e.i64(0), last); });
    strides_.resize(e.f.buffers.size());
    for (size_t i = 0; i < group_.buffers.size(); ++i) {
        columns_[group_.buffers[i]] = int(i);
        strides_[group_.buffers[i]] = e.at_entry([&] { return table_at(e.i64(int64_t(i) + 1), last); });
        offsets_.push_back(e.var(word));
    }
    inner = e.var(word);
    row_ = e.var(word);
    coordinates_ = e.memory(word, max_group_rank, 8);
}

Value* Odometer::table_at(Value* column, Value* axis) {
    Value* slot = e_.ir.CreateAdd(table_, e_.ir.CreateAdd(e_.ir.CreateMul(column, rank_), axis));
    return e_.param_at(slot);
}

Value* Odometer::offset(loop::BufferId b) {
    int column = columns_[b.index];
    if (column < 0) return nullptr;
    Value* along = e_.ir.CreateMul(e_.get(inner), strides_[b.index]);
    return e_.ir.CreateAdd(e_.get(offsets_[size_t(column)]), along);
}
Value* Odometer::position() { return e_.ir.CreateAdd(e_.get(row_), e_.get(inner)); }
Value* Odometer::coordinate(Value* axis) {
    Type* word = e_.ir.getInt64Ty();
    return e_.ir.CreateLoad(word, e_.ir.CreateGEP(word, coordinates_, axis));
}

void Odometer::reset() {
    for (Emitter::Var v : offsets_) e_.set(v, e_.i64(0));
    e_.set(inner, e_.i64(0));
    e_.set(row_, e_.i64(0));
    Type* word = e_.ir.getInt64Ty();
    e_.loop(e_.i64(1), rank_, 1, [&](Value* axis) {      // one less than the rank
        e_.ir.CreateStore(e_.i64(0), e_.ir.CreateGEP(word, coordinates_, e_.ir.CreateSub(axis, e_.i64(1))));
    });
}

// From the last axis to the first; the first needs no division, so rank 1 has none.
void Odometer::seek(Value* position) {
    IR& ir = e_.ir;
    Type* word = ir.getInt64Ty();
    for (Emitter::Var v : offsets_) e_.set(v, e_.i64(0));
    e_.set(inner, position);
    e_.set(row_, e_.i64(0));
    e_.when(ir.CreateICmpSGT(rank_, e_.i64(1)), [&] {
        Value* whole = ir.CreateUDiv(position, extent_);
        Value* start = ir.CreateMul(whole, extent_);
        e_.set(inner, ir.CreateSub(position, start));
        e_.set(row_, start);
        Emitter::Var rest = e_.var(whole), axis = e_.var(ir.CreateSub(rank_, e_.i64(2)));
        e_.loop_while([&] { return ir.CreateICmpSGE(e_.get(axis), e_.i64(0)); }, [&] {
            Value *at = e_.get(axis), *left = e_.get(rest);
            Emitter::Var digit = e_.var(left);
            e_.when(ir.CreateICmpSGT(at, e_.i64(0)), [&] {
                Value *extent = table_at(e_.i64(0), at), *quotient = ir.CreateUDiv(left, extent);
                e_.set(digit, ir.CreateSub(left, ir.CreateMul(quotient, extent)));
                e_.set(rest, quotient);
            });
            Value* coordinate = e_.get(digit);
            ir.CreateStore(coordinate, ir.CreateGEP(word, coordinates_, at));
            for (size_t i = 0; i < offsets_.size(); ++i)
                e_.add(offsets_[i], ir.CreateMul(coordinate, table_at(e_.i64(int64_t(i) + 1), at)));
            e_.add(axis, e_.i64(-1));
        });
    });
}

void Odometer::next_row() {
    IR& ir = e_.ir;
    Type* word = ir.getInt64Ty();
    e_.set(inner, e_.i64(0));
    e_.add(row_, extent_);
    llvm::BasicBlock* done = e_.block("carried");
    Emitter::Var axis = e_.var(ir.CreateSub(rank_, e_.i64(2)));
    e_.loop_while([&] { return ir.CreateICmpSGE(e_.get(axis), e_.i64(0)); }, [&] {
        Value* at = e_.get(axis);
        Value* slot = ir.CreateGEP(word, coordinates_, at);
        Value* coordinate = ir.CreateAdd(ir.CreateLoad(word, slot), e_.i64(1));
        Value* extent = table_at(e_.i64(0), at);
        ir.CreateStore(coordinate, slot);
        std::vector<Value*> strides;
        for (size_t i = 0; i < offsets_.size(); ++i) {
            strides.push_back(table_at(e_.i64(int64_t(i) + 1), at));
            e_.add(offsets_[i], strides[i]);
        }
        e_.go_if(ir.CreateICmpSLT(coordinate, extent), done);
        ir.CreateStore(e_.i64(0), slot);
        for (size_t i = 0; i < offsets_.size(); ++i)
            e_.set(offsets_[i], ir.CreateSub(e_.get(offsets_[i]), ir.CreateMul(strides[i], extent)));
        e_.add(axis, e_.i64(-1));
    });
    e_.enter(done);
}

void Odometer::rows(Value* from, Value* to, const std::function<void(Value*, Value*)>& body) {
    IR& ir = e_.ir;
    Emitter::Var left = e_.var(ir.CreateSub(to, from));
    e_.loop_while([&] { return ir.CreateICmpSGT(e_.get(left), e_.i64(0)); }, [&] {
        Value* begin = e_.get(inner);
        Value* count = e_.min(e_.get(left), ir.CreateSub(extent_, begin));
        body(begin, ir.CreateAdd(begin, count));
        next_row();
        e_.set(left, ir.CreateSub(e_.get(left), count));
    });
}
} // namespace nereus::cg
