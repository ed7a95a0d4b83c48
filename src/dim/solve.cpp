// dim/solve.cpp - one unknown at a time; the rest is verification.
#include "dim/solve.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
namespace {
struct Solving {
    const Dims& dims;
    SymbolValues values;

    Error error(const Observation& o, const std::string& what) {
        return {Code::shape, (o.place.empty() ? "" : o.place + ": ") + what};
    }

    Result<int64_t> evaluate(Dim d) {
        return dims.evaluate(d, [this](Sym s) { return values[s.index]; });
    }

    Status bind(const Observation& o, Sym s, int64_t value) {
        SymKind kind = dims.symbol(s).kind;
        if (value < 0 && kind != SymKind::host && kind != SymKind::join)
            return error(o, "expected " + dims.to_string(o.expression) + ", found " + std::to_string(o.value) +
                                ", which needs " + dims.symbol(s).name + " = " + std::to_string(value));
        values[s.index] = value;
        return {};
    }

    // The only symbol without a value, if the expression is linear in it.
    std::optional<Sym> unknown(Dim d) {
        std::optional<Sym> out;
        for (Sym s : dims.symbols_of(d)) {
            if (values[s.index]) continue;
            if (out) return std::nullopt;
            out = s;
        }
        if (!out) return std::nullopt;
        for (const Term& t : dims.polynomial(d))
            for (const Factor& f : t.factors) {
                const AtomNode& node = dims.atom(f.atom);
                if (node.kind == AtomKind::symbol && node.symbol == *out && f.power > 1) return std::nullopt;
                for (Dim argument : node.args) {
                    std::vector<Sym> inside = dims.symbols_of(argument);
                    if (std::binary_search(inside.begin(), inside.end(), *out)) return std::nullopt;
                }
            }
        return out;
    }

    // a*s + b = value; b and a + b are the values at s = 0 and s = 1. False if a is 0, so that s stays open.
    Result<bool> solve_for(const Observation& o, Sym s) {
        values[s.index] = 0;
        Result<int64_t> at_zero = evaluate(o.expression);
        values[s.index] = 1;
        Result<int64_t> at_one = evaluate(o.expression);
        values[s.index].reset();
        if (!at_zero) return error(o, at_zero.error().message);
        if (!at_one) return error(o, at_one.error().message);
        int64_t a, rest;
        if (__builtin_sub_overflow(*at_one, *at_zero, &a) || __builtin_sub_overflow(o.value, *at_zero, &rest))
            return error(o, "the value of " + dims.to_string(o.expression) + " does not fit into 64 bits");
        if (a == 0) return false;
        if ((a == -1 && rest == INT64_MIN) || rest % a != 0)
            return error(o, "expected " + dims.to_string(o.expression) + ", found " + std::to_string(o.value) +
                                ", which no whole " + dims.symbol(s).name + " gives");
        TRY(bind(o, s, rest / a));
        return true;
    }

    Status verify(const Observation& o) {
        for (Sym s : dims.symbols_of(o.expression))
            if (!values[s.index])
                return error(o, "the size " + dims.symbol(s).name + " in " + dims.to_string(o.expression) +
                                    " is not determined by the arguments");
        Result<int64_t> expected = evaluate(o.expression);
        if (!expected) return error(o, expected.error().message);
        if (*expected == o.value) return {};
        std::string text = dims.to_string(o.expression), number = std::to_string(*expected);
        return error(o, "expected " + (text == number ? number : text + " = " + number) + ", found " +
                            std::to_string(o.value));
    }
};
} // namespace

Result<SymbolValues> solve(const Dims& dims, std::span<const Observation> observed, SymbolValues known) {
    known.resize(dims.symbol_count());
    Solving work{dims, std::move(known)};
    for (const Observation& o : observed)
        if (std::optional<Sym> s = dims.as_symbol(o.expression); s && !work.values[s->index])
            TRY(work.bind(o, *s, o.value));
    for (bool progress = true; progress;) {
        progress = false;
        for (const Observation& o : observed)
            if (std::optional<Sym> s = work.unknown(o.expression))
                progress |= TRY(work.solve_for(o, *s));
    }
    for (const Observation& o : observed) TRY(work.verify(o));
    return std::move(work.values);
}
} // namespace nereus
