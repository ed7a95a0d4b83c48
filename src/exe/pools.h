// exe/pools.h - gives constants and operand lists their indices, each content once, in order of first use.
#pragma once
#include "exe/executable.h"
#include <map>
#include <span>

namespace nereus {
class OperandPools {
 public:
    explicit OperandPools(Executable& exe) : exe_(&exe) {}    // appends to its constants, operands and lists
    uint32_t constant(int64_t value);
    uint32_t list(std::span<const uint32_t> items);

 private:
    Executable* exe_;
    std::map<int64_t, uint32_t> constants_;
    std::map<std::vector<uint32_t>, uint32_t> lists_;
};
} // namespace nereus
