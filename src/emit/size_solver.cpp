#include "emit/size_solver.h"
#include <algorithm>

namespace nereus {
Reg SizeSolver::op(Opcode code, uint32_t a, uint32_t b) {
    Reg reg = fresh();
    put(code, reg, a, b, 0);
    return reg;
}
Reg SizeSolver::number(int64_t value) { return op(Opcode::load_constant, program.constant(value), 0); }

bool SizeSolver::shows(Dim d, Sym symbol) {
    std::vector<Sym> all = program.module().dims.symbols_of(d);
    return std::find(all.begin(), all.end(), symbol) != all.end() &&
           std::all_of(all.begin(), all.end(), [&](Sym s) { return s == symbol || defined(s); });
}

void SizeSolver::solve(std::vector<Sym> open, std::span<const ObservedSize> sizes) {
    while (!open.empty()) {                              // first whatever shows itself, then what follows from that
        auto next = std::find_if(open.begin(), open.end(), [&](Sym s) {
            return std::any_of(sizes.begin(), sizes.end(), [&](const ObservedSize& size) { return shows(size.written, s); });
        });
        if (next == open.end()) next = open.begin();
        Sym symbol = *next;
        open.erase(next);
        solve(symbol, sizes);
    }
}

void SizeSolver::solve(Sym symbol, std::span<const ObservedSize> sizes) {
    Dims& dims = program.module().dims;
    auto alone = [&](const ObservedSize& size) { return dims.as_symbol(size.written) == symbol; };
    for (const ObservedSize& size : sizes)
        if (size.direct && alone(size)) return define(symbol, size.found);
    Reg value = number(-1);
    for (bool direct : {true, false}) {
        for (const ObservedSize& size : sizes)
            if (size.direct == direct && alone(size)) put(Opcode::move_if, value, size.found, op(Opcode::lt, value, number(0)), 0);
        for (const ObservedSize& size : sizes)
            if (size.direct == direct && !alone(size) && shows(size.written, symbol)) take(value, size, symbol);
    }
    define(symbol, op(Opcode::max, value, number(0)));
}

// a*s + b: the quotient, which must come out even.
void SizeSolver::take(Reg value, const ObservedSize& size, Sym symbol) {
    Dims& dims = program.module().dims;
    std::optional<Dims::Linear> linear = dims.linear_in(size.written, symbol);
    if (!linear) return;
    Reg a = dim(linear->a), b = dim(linear->b);
    Reg divisor = op(Opcode::max, a, number(1)), rest = op(Opcode::size_sub, size.found, b);
    Reg quotient = op(Opcode::max, op(Opcode::floor_div, rest, divisor), number(0));
    Reg whole = op(Opcode::size_add, op(Opcode::size_mul, quotient, a), b);
    Reg taken = op(Opcode::logical_and, op(Opcode::lt, value, number(0)), op(Opcode::ge, size.found, number(0)));
    Reg tested = op(Opcode::move, size.found, 0);
    put(Opcode::move_if, tested, whole, taken, 0);
    std::string text = size.who + "no " + dims.symbol(symbol).name + " makes " + dims.to_string(size.written) + " = {1}";
    put(Opcode::check, program.site(Code::shape, std::move(text), span), tested, size.found, uint16_t(Relation::equal));
    put(Opcode::move_if, value, quotient, taken, 0);
}

void SizeSolver::check(const ObservedSize& size, uint32_t site) {
    Reg expected = dim(size.written), tested = size.found;
    if (!size.direct) {                                  // no element: nothing to compare
        tested = op(Opcode::move, size.found, 0);
        put(Opcode::move_if, tested, expected, op(Opcode::lt, size.found, number(0)), 0);
    }
    put(Opcode::check, site, tested, expected, uint16_t(Relation::equal));
}
} // namespace nereus
