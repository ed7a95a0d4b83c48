// vm/frame.h - an activation of a function, on the context's range: this header, its registers, then its arena.
#pragma once
#include "vm/context.h"

namespace nereus {
struct Context::Frame {
    Frame* caller;
    const Instruction* resume;               // the call that made the callee; results go where it says
    RegionPlan* plan;                        // null: the function has no region, or has not entered it
    std::byte* arena;
    uint32_t function, region;               // region: of the plan
    uint64_t regs[];

    static int64_t bytes(uint32_t registers) { return int64_t(sizeof(Frame)) + 8 * int64_t(registers); }
    std::byte* end(const FunctionInfo& info) { return reinterpret_cast<std::byte*>(regs + info.registers); }
    static std::byte* align(std::byte* at) {
        return reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(at) + slot_alignment - 1) &
                                            ~uintptr_t(slot_alignment - 1));
    }
};
} // namespace nereus
