// dim/evaluate.cpp - the exact value of a dim. Works in 128 bits, so that only the result has to fit into 64.
#include "dim/dims.h"
#include "dim/rounded.h"
#include <algorithm>

namespace nereus {
namespace {
struct Evaluating {
    const Dims& dims;
    const std::function<std::optional<int64_t>(Sym)>& value;
    std::unordered_map<Atom, Wide> known = {};

    Error overflow(Dim d) {
        return {Code::value, "the value of " + dims.to_string(d) + " does not fit into 64 bits"};
    }

    Result<Wide> dim(Dim d) {
        Wide sum = 0;
        for (const Term& t : dims.polynomial(d)) {
            Wide product = t.coefficient;
            for (const Factor& f : t.factors) {
                Wide base = TRY(atom(f.atom));
                for (int32_t i = 0; i < f.power; i++)
                    if (__builtin_mul_overflow(product, base, &product)) return overflow(d);
            }
            if (__builtin_add_overflow(sum, product, &sum)) return overflow(d);
        }
        constexpr Wide limit = Wide(1) << 120;           // room for one more subtraction in a division
        if (sum > limit || sum < -limit) return overflow(d);
        return sum;
    }

    Result<Wide> atom(Atom a) {
        const AtomNode& node = dims.atom(a);
        if (node.kind == AtomKind::symbol) {
            std::optional<int64_t> v = value(node.symbol);
            if (!v) return Error{Code::value, "the size " + dims.symbol(node.symbol).name + " has no value"};
            return Wide(*v);
        }
        if (auto found = known.find(a); found != known.end()) return found->second;
        return known[a] = TRY(apply(a, node));
    }

    Result<Wide> apply(Atom a, const AtomNode& node) {
        std::vector<Wide> args;
        for (Dim d : node.args) args.push_back(TRY(dim(d)));
        switch (node.kind) {
        case AtomKind::floor_div:
        case AtomKind::mod: {
            if (args[1] == 0)
                return Error{Code::value, "division by zero"};
            Wide r = args[0] % args[1];
            if (r != 0 && (r < 0) != (args[1] < 0)) r += args[1];
            if (node.kind == AtomKind::mod) return r;
            return (args[0] - r) / args[1];
        }
        case AtomKind::min: return *std::min_element(args.begin(), args.end());
        case AtomKind::max: return *std::max_element(args.begin(), args.end());
        case AtomKind::bcast: {
            Wide out = 1;
            for (Wide v : args) {
                if (v != 1 && out != 1 && v != out)
                    return Error{Code::shape, "sizes do not broadcast: " + dims.to_string(a) + " of " +
                                                  std::to_string(int64_t(out)) + " and " +
                                                  std::to_string(int64_t(v))};
                if (v != 1) out = v;
            }
            return out;
        }
        case AtomKind::rounded: return rounded_to_bits(args[0], int(args[1]));
        case AtomKind::rank:
        case AtomKind::size: return Error{Code::value, "the shape variable in a size has no value"};
        case AtomKind::symbol: break;
        }
        return Error{Code::internal, "a symbol is evaluated by its value"};
    }
};
} // namespace

Result<int64_t> Dims::evaluate(Dim d, const std::function<std::optional<int64_t>(Sym)>& value) const {
    Evaluating work{*this, value};
    Wide v = TRY(work.dim(d));
    if (v != Wide(int64_t(v))) return work.overflow(d);
    return int64_t(v);
}
} // namespace nereus
