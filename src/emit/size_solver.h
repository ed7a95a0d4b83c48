// emit/size_solver.h - code that finds the values of dims from observed sizes, for the door and for narrowed values.
//
// A size is -1 where no element shows it. In this order: sizes of direct tensors, alone and then in a*s + b; sizes of
// elements likewise; a symbol that nothing shows is 0.
#pragma once
#include "emit/dim_writer.h"
#include "emit/program.h"

namespace nereus {
struct ObservedSize {
    Dim written;
    Reg found;
    bool direct;
    std::string who = {};                    // what is said before the rest if no number makes it
};

struct SizeSolver {
    EmitProgram& program;
    std::function<void(Opcode, uint32_t, uint32_t, uint32_t, uint16_t)> put;
    std::function<Reg()> fresh;
    std::function<Reg(Dim)> dim;
    std::function<bool(Sym)> defined;
    std::function<void(Sym, Reg)> define;
    Span span;

    void solve(std::vector<Sym> open, std::span<const ObservedSize> sizes);
    void check(const ObservedSize& size, uint32_t site);             // {0}: found, {1}: expected

 private:
    Reg op(Opcode code, uint32_t a, uint32_t b);
    Reg number(int64_t value);
    bool shows(Dim d, Sym symbol);           // and no other that has no value yet
    void solve(Sym symbol, std::span<const ObservedSize> sizes);
    void take(Reg value, const ObservedSize& size, Sym symbol);
};
} // namespace nereus
