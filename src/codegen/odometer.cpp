#include "codegen/odometer.h"
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

namespace nereus::cg {
namespace {
// Written once per module and called per row of a group of rank 2 or more: kernels stay small and quick to compile.
// `table` has the extents of all axes, then for each buffer its strides; `coordinates` and `offsets` leave out the
// last axis.
constexpr std::string_view helpers = R"(
; Moves to a row: coordinates from the last to the first, the first needs no division. Offsets start at zero.
define internal void @odometer_seek(i64 %row, i64 %rank, ptr %table, ptr %coordinates, ptr %offsets,
                                    i64 %buffers) nounwind {
entry:
  %last = sub i64 %rank, 2
  br label %axis
axis:
  %a = phi i64 [ %last, %entry ], [ %outer, %axis_done ]
  %rest = phi i64 [ %row, %entry ], [ %left, %axis_done ]
  %divides = icmp sgt i64 %a, 0
  br i1 %divides, label %divide, label %digit
divide:
  %ep = getelementptr i64, ptr %table, i64 %a
  %extent = load i64, ptr %ep
  %quotient = udiv i64 %rest, %extent
  %whole = mul i64 %quotient, %extent
  %remainder = sub i64 %rest, %whole
  br label %digit
digit:
  %left = phi i64 [ %rest, %axis ], [ %quotient, %divide ]
  %c = phi i64 [ %rest, %axis ], [ %remainder, %divide ]
  %cp = getelementptr i64, ptr %coordinates, i64 %a
  store i64 %c, ptr %cp
  br label %buffer
buffer:
  %b = phi i64 [ 0, %digit ], [ %next, %update ]
  %more = icmp slt i64 %b, %buffers
  br i1 %more, label %update, label %axis_done
update:
  %next = add i64 %b, 1
  %column = mul i64 %next, %rank
  %at = add i64 %column, %a
  %sp = getelementptr i64, ptr %table, i64 %at
  %stride = load i64, ptr %sp
  %by = mul i64 %stride, %c
  %op = getelementptr i64, ptr %offsets, i64 %b
  %old = load i64, ptr %op
  %new = add i64 %old, %by
  store i64 %new, ptr %op
  br label %buffer
axis_done:
  %outer = sub i64 %a, 1
  %again = icmp sge i64 %outer, 0
  br i1 %again, label %axis, label %done
done:
  ret void
}

; Moves to the next row, carrying.
define internal void @odometer_next(i64 %rank, ptr %table, ptr %coordinates, ptr %offsets, i64 %buffers) nounwind {
entry:
  %last = sub i64 %rank, 2
  br label %axis
axis:
  %a = phi i64 [ %last, %entry ], [ %outer, %axis_done ]
  %cp = getelementptr i64, ptr %coordinates, i64 %a
  %c = load i64, ptr %cp
  %up = add i64 %c, 1
  %ep = getelementptr i64, ptr %table, i64 %a
  %extent = load i64, ptr %ep
  %wraps = icmp sge i64 %up, %extent
  %back = sub i64 0, %c
  %new_c = select i1 %wraps, i64 0, i64 %up
  %move = select i1 %wraps, i64 %back, i64 1
  store i64 %new_c, ptr %cp
  br label %buffer
buffer:
  %b = phi i64 [ 0, %axis ], [ %next, %update ]
  %more = icmp slt i64 %b, %buffers
  br i1 %more, label %update, label %axis_done
update:
  %next = add i64 %b, 1
  %column = mul i64 %next, %rank
  %at = add i64 %column, %a
  %sp = getelementptr i64, ptr %table, i64 %at
  %stride = load i64, ptr %sp
  %by = mul i64 %stride, %move
  %op = getelementptr i64, ptr %offsets, i64 %b
  %old = load i64, ptr %op
  %new = add i64 %old, %by
  store i64 %new, ptr %op
  br label %buffer
axis_done:
  %outer = sub i64 %a, 1
  %inside = icmp sge i64 %outer, 0
  %again = and i1 %wraps, %inside
  br i1 %again, label %axis, label %done
done:
  ret void
}
)";

llvm::Function* helper(llvm::Module& module, const Target& target, const char* name) {
    if (llvm::Function* known = module.getFunction(name)) return known;
    llvm::SMDiagnostic problem;
    bool failed = llvm::parseAssemblyInto(llvm::MemoryBufferRef(helpers, "odometer"), &module, nullptr, problem);
    invariant(!failed, "the odometer's helpers are valid IR");
    for (const char* both : {"odometer_seek", "odometer_next"}) set_target(*module.getFunction(both), target);
    return module.getFunction(name);
}
} // namespace

Odometer::Odometer(Emitter& e, loop::GroupId group)
    : e_(e), group_(e.layout.groups[group.index]), columns_(e.f.buffers.size(), -1) {
    int slot = e.layout.group_slot(group.index);
    Type* word = e.ir.getInt64Ty();
    Value *rank = e.param(slot), *table = e.param(slot + 1);
    rank_ = e.at_entry([&] { return e.ir.CreateSelect(e.ir.CreateICmpEQ(rank, e.i64(0)), e.i64(1), rank); });
    Value* last = e.at_entry([&] { return e.ir.CreateSub(rank_, e.i64(1)); });
    table_ = e.at_entry([&] { return e.param_pointer(table); });
    extent_ = e.at_entry([&] { return table_at(0, last); });
    strides_.resize(e.f.buffers.size());
    for (size_t i = 0; i < group_.buffers.size(); ++i) {
        columns_[group_.buffers[i]] = int(i);
        strides_[group_.buffers[i]] = e.at_entry([&] { return table_at(i + 1, last); });
        offsets_.push_back(e.var(word));
    }
    inner = e.var(word);
    row_ = e.var(word);
    coordinates_ = e.memory(word, max_group_rank, 8);
    outer_offsets_ = e.memory(word, int64_t(offsets_.size()) + 1, 8);
}

Value* Odometer::table_at(size_t column, Value* axis) {
    Type* word = e_.ir.getInt64Ty();
    Value* slot = e_.ir.CreateAdd(e_.ir.CreateMul(rank_, e_.i64(int64_t(column))), axis);
    return e_.ir.CreateLoad(word, e_.ir.CreateGEP(word, table_, slot));
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

void Odometer::zero_offsets() {
    for (size_t i = 0; i < offsets_.size(); ++i) {
        e_.set(offsets_[i], e_.i64(0));
        e_.ir.CreateStore(e_.i64(0), e_.ir.CreateConstGEP1_64(e_.ir.getInt64Ty(), outer_offsets_, i));
    }
}
void Odometer::call(const char* name, std::vector<Value*> arguments) {
    Value* count = e_.i64(int64_t(offsets_.size()));
    arguments.insert(arguments.end(), {rank_, table_, coordinates_, outer_offsets_, count});
    e_.ir.CreateCall(helper(*e_.ir.GetInsertBlock()->getModule(), e_.target, name), arguments);
    for (size_t i = 0; i < offsets_.size(); ++i) {
        Type* word = e_.ir.getInt64Ty();
        e_.set(offsets_[i], e_.ir.CreateLoad(word, e_.ir.CreateConstGEP1_64(word, outer_offsets_, i)));
    }
}

void Odometer::reset() {
    zero_offsets();
    e_.set(inner, e_.i64(0));
    e_.set(row_, e_.i64(0));
    Type* word = e_.ir.getInt64Ty();
    e_.loop(e_.i64(1), rank_, 1, [&](Value* axis) {      // one less than the rank
        e_.ir.CreateStore(e_.i64(0), e_.ir.CreateGEP(word, coordinates_, e_.ir.CreateSub(axis, e_.i64(1))));
    });
}

void Odometer::seek(Value* position) {
    IR& ir = e_.ir;
    zero_offsets();
    e_.set(inner, position);
    e_.set(row_, e_.i64(0));
    e_.when(ir.CreateICmpSGT(rank_, e_.i64(1)), [&] {
        Value* row = ir.CreateUDiv(position, extent_);
        Value* start = ir.CreateMul(row, extent_);
        e_.set(inner, ir.CreateSub(position, start));
        e_.set(row_, start);
        call("odometer_seek", {row});
    });
}

void Odometer::next_row() {
    e_.set(inner, e_.i64(0));
    e_.add(row_, extent_);
    e_.when(e_.ir.CreateICmpSGT(rank_, e_.i64(1)), [&] { call("odometer_next", {}); });
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
