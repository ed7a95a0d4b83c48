// codegen/inner.h - runs values along the last axis of a group: vectors where the strides allow, one lane elsewhere.
//
// Vectors need every buffer to move by one element or not at all along the axis. A buffer that does not move is read
// once per row and spread into a stack slot that then stands in for it: one vector body serves every mix of
// broadcasts. An index must be the same for all lanes, so what it reads may not move. Where a lane fails a check, the
// same lanes are run again one by one, which finds the exact element.
#pragma once
#include "codegen/nest.h"

namespace nereus::cg {
class Inner {
 public:
    // `reads` are evaluated at each point; `written` are the accesses that `consume` passes to store() or load().
    Inner(Nest& nest, loop::GroupId along, int width, std::vector<loop::ExprId> reads,
          std::vector<loop::AccessId> written);

    std::function<Value*(int result, int width)> value;  // earlier results, at the current point
    std::function<void(Body&)> consume;                  // once per body: body.width() lanes, body.mask

    // Runs [begin, end) on the last axis. `vectors`: i1 that may forbid the vector body; null: allowed.
    void run(Value* begin, Value* end, Value* vectors = nullptr);
    Value* unit();                                       // i1, from parameters: strides allow vectors

    void store(Body& body, loop::AccessId to, Value* value);
    Value* load(Body& body, loop::AccessId from);        // what store() would overwrite

 private:
    struct Cursor { Emitter::Var pointer, offset; Value *step, *advance; };      // bytes per element, per vector
    void vectors(Value* end, llvm::BasicBlock* slow);
    void lanes(Value* end);
    Value* lane_offset(Body& one, loop::AccessId id);
    void one_vector(Body& body, llvm::BasicBlock* slow, Value* lanes);
    void place(loop::AccessId id, Body& uniform, bool reads);
    void collect(loop::ExprId e, bool inside_index);

    Nest& nest_;
    Emitter& e_;
    loop::GroupId along_;
    int width_;
    std::vector<loop::ExprId> reads_;
    std::vector<loop::AccessId> written_, loads_;        // loads that move along the axis
    std::vector<loop::BufferId> still_;                  // buffers that an index reads: may not move
    std::vector<bool> seen_;
    std::map<loop::AccessId, Cursor> cursors_;           // of the vector body
    std::map<loop::AccessId, Emitter::Var> walkers_;     // byte offsets in the one-lane body
    Value* unit_ = nullptr;
    Value* lanes_ = nullptr;                             // active lanes of the current vector, i64
};
} // namespace nereus::cg
