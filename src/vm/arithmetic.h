// vm/arithmetic.h - what the instructions from `move` to `not` compute, as a function: for walks that know some
// registers and not others. The loop over instructions says the same in its own cases; a test compares the two.
#pragma once
#include "dim/rounded.h"
#include "exe/opcode.h"
#include "tensor/element.h"
#include <algorithm>

namespace nereus {
inline bool is_arithmetic(Opcode op) { return op == Opcode::move || (op >= Opcode::add && op <= Opcode::logical_not); }

// False: the instruction fails. `c` is ignored where there is one operand; `to` is what `wrap` wraps to.
inline bool arithmetic(Opcode op, uint64_t b, uint64_t c, uint64_t& out, DType to = DType::i64) {
    int64_t x = int64_t(b), y = int64_t(c), result = 0;
    auto floored = [&] {
        if (y == -1) return uint64_t(0) - b;             // INT64_MIN / -1 wraps
        return uint64_t(x / y - (x % y != 0 && (x < 0) != (y < 0)));
    };
    switch (op) {
    case Opcode::move: out = b; return true;
    case Opcode::add: out = b + c; return true;
    case Opcode::sub: out = b - c; return true;
    case Opcode::mul: out = b * c; return true;
    case Opcode::div: case Opcode::floor_div: case Opcode::mod:
        if (y == 0) return false;
        if (op == Opcode::div) out = y == -1 ? 0 - b : uint64_t(x / y);
        else out = op == Opcode::floor_div ? floored() : b - floored() * c;
        return true;
    case Opcode::min: out = uint64_t(std::min(x, y)); return true;
    case Opcode::max: out = uint64_t(std::max(x, y)); return true;
    case Opcode::neg: out = 0 - b; return true;
    case Opcode::wrap: out = word_of(to, x); return true;
    case Opcode::size_add: if (__builtin_add_overflow(x, y, &result)) return false; out = uint64_t(result); return true;
    case Opcode::size_sub: if (__builtin_sub_overflow(x, y, &result)) return false; out = uint64_t(result); return true;
    case Opcode::size_mul: if (__builtin_mul_overflow(x, y, &result)) return false; out = uint64_t(result); return true;
    case Opcode::size_round: {
        if (y < 1 || y > 63) return false;
        const Wide nearest = rounded_to_bits(x, int(y));
        if (nearest != Wide(int64_t(nearest))) return false;
        out = uint64_t(int64_t(nearest));
        return true;
    }
    case Opcode::size_bcast: out = x == 1 ? c : b; return true;
    case Opcode::eq: out = x == y; return true;
    case Opcode::ne: out = x != y; return true;
    case Opcode::lt: out = x < y; return true;
    case Opcode::le: out = x <= y; return true;
    case Opcode::gt: out = x > y; return true;
    case Opcode::ge: out = x >= y; return true;
    case Opcode::logical_and: out = b & c; return true;
    case Opcode::logical_or: out = b | c; return true;
    case Opcode::logical_not: out = b == 0; return true;
    default: return false;
    }
}
} // namespace nereus
