// codegen/odometer.h - walks a group of run-time rank: offsets of every buffer, row by row.
//
// A row is a run along the last axis. `inner` is the coordinate on it; the other coordinates are kept in memory, and
// per buffer the byte offset they make. Moving to the next row carries like an odometer: no division.
#pragma once
#include "codegen/emitter.h"

namespace nereus::cg {
class Odometer {
 public:
    Odometer(Emitter& e, loop::GroupId group);

    Emitter::Var inner;                                  // coordinate on the last axis
    Value* extent() const { return extent_; }            // of the last axis
    // Both null if the buffer has no strides in the group.
    Value* stride(loop::BufferId b) const { return strides_[b.index]; }      // bytes along the last axis
    Value* offset(loop::BufferId b);                     // bytes, of the whole position
    Value* position();                                   // row-major, of the whole position
    Value* coordinate(Value* axis);                      // of an axis before the last
    Value* rank() const { return rank_; }                // at least 1

    void reset();                                        // to the first point
    void seek(Value* position);
    // Visits [from, to) as pieces of rows: body(begin, end) with inner == begin; the body may move inner.
    void rows(Value* from, Value* to, const std::function<void(Value*, Value*)>& body);

 private:
    void next_row();
    void zero_offsets();
    void call(const char* name, std::vector<Value*> arguments);
    Value* table_at(size_t column, Value* axis);         // column 0: extents, then strides by buffer
    Emitter& e_;
    const GroupLayout& group_;
    Value *rank_, *extent_;
    Value* table_;                                       // pointer to the group's table
    llvm::AllocaInst *coordinates_, *outer_offsets_;     // memory that the helpers of odometer.cpp work on
    Emitter::Var row_;                                   // position of the start of the row
    std::vector<Value*> strides_;                        // by buffer
    std::vector<Emitter::Var> offsets_;                  // by buffer of the group: all axes but the last
    std::vector<int> columns_;                           // by buffer: its place in the group, -1: none
};
} // namespace nereus::cg
