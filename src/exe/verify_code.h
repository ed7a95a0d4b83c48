// exe/verify_code.h - the half of verify() that walks instructions: operands, then what flows along the jumps.
#pragma once
#include "base/result.h"
#include "exe/executable.h"

namespace nereus {
// A function, or the plan program of a region, as a stretch of code with its own registers.
struct CodeRange {
    uint32_t begin = 0, end = 0;
    uint32_t registers = 0, params = 0, results = 0;
    const FunctionInfo* function = nullptr;               // null: a plan program
    const RegionInfo* region = nullptr;                   // of a plan program
    std::string name;                                     // for messages
};

// The tables have been verified before. Plan programs compute numbers only, and all that their region reads.
Status verify_code(const Executable& exe, const CodeRange& range);
} // namespace nereus
