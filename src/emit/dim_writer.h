// emit/dim_writer.h - a symbolic size as size arithmetic in registers.
#pragma once
#include "dim/dims.h"
#include "exe/opcode.h"
#include <unordered_map>

namespace nereus {
using Reg = uint32_t;

// Appends to `code`, takes new registers from `next`; overflow and bad divisors fail when the code runs.
struct DimWriter {
    Dims& dims;
    std::vector<Instruction>& code;
    Reg& next;
    std::function<Reg(Sym)> symbol;
    std::function<uint32_t(int64_t)> constant;           // its place in the table of constants
    std::function<Reg(const AtomNode&)> variable = {};   // rank(s), size(s)
    // Sizes of arms that may not run are computed too: a divisor of 0 makes some number, and the check that stands in
    // the arm says what is wrong. Overflow always fails.
    bool total = false;
    std::unordered_map<Dim, Reg> done = {};              // what was written before is read again

    Reg write(Dim d);
    Reg number(int64_t value);
    Reg op(Opcode op, Reg a, Reg b);
    Reg either(Reg condition, Reg yes, Reg no);
    Reg unless_one(Reg value, Reg extent);               // value, or 0 where extent is 1

 private:
    Reg atom(const AtomNode& node);
};
} // namespace nereus
