// codegen/nest.h - the odometers of a kernel and the addresses that accesses make of them.
#pragma once
#include "codegen/body.h"
#include "codegen/odometer.h"
#include <memory>

namespace nereus::cg {
class Nest {
 public:
    explicit Nest(Emitter& e);

    Emitter& e;
    const std::vector<uint64_t> masks;                   // groups along which each expression changes
    Odometer& at(loop::GroupId g) { return *odometers_[g.index]; }
    static bool names(const loop::Access& a, loop::GroupId g);

    // Byte offset of an access at the current position; indices are evaluated and checked by `indices`, one lane.
    Value* offset(const loop::Access& a, Body& indices);
    Value* pointer(loop::BufferId b, Value* offset) { return e.ir.CreateGEP(e.ir.getInt8Ty(), e.buffer(b), offset); }
    // Checked mode: faults (or marks bad) unless all lanes lie inside the buffer. `lanes` null: one.
    void bounds(Body& body, loop::BufferId b, Value* offset, Value* lanes = nullptr, Value* step = nullptr);

    void read_here(Body& one);                           // gives a one-lane body its loads: at the current position
    Value* lane_numbers(int width);                      // 0, 1, 2, ... as i64
    void store_one(Body& body, loop::AccessId to, Value* value);

 private:
    std::vector<std::unique_ptr<Odometer>> odometers_;
};
} // namespace nereus::cg
