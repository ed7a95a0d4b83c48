// dim/print.cpp - a dim in the grammar of the language, so that it reads back: n + 2*m, (n + 1)//2, mod(n, 32).
// The grammar has no unary minus: a positive term goes first, and 0 - n begins with a zero.
#include "dim/dims.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
namespace {
struct Printing {
    const Dims& dims;
    const std::function<std::string(Sym)>& name;
    int nodes_left = 20000;                              // shared parts are printed at each use: stop somewhere

    static bool is_part_kept_whole(const AtomNode& node) {
        return node.kind == AtomKind::min && node.args.size() == 1;
    }

    std::string list(const char* function, const std::vector<Dim>& args) {
        std::string out = function;
        for (size_t i = 0; i < args.size(); i++) out += (i ? ", " : "(") + dim(args[i]);
        return out + ")";
    }

    // Parenthesised unless it is one name, number or call.
    std::string operand(Dim d) {
        const Polynomial& p = dims.polynomial(d);
        std::string text = dim(d);
        if (p.empty() || (p.size() == 1 && p[0].factors.empty() && p[0].coefficient >= 0)) return text;
        if (p.size() == 1 && p[0].coefficient == 1 && lone_atom(p[0])) {
            const AtomNode& node = dims.atom(p[0].factors[0].atom);
            if (node.kind != AtomKind::floor_div) return text;         // a part kept whole has its own parentheses
        }
        return "(" + text + ")";
    }

    std::string atom(Atom a) {
        const AtomNode& node = dims.atom(a);
        if (nodes_left-- < 0) return "?";
        switch (node.kind) {
        case AtomKind::symbol: return name(node.symbol);
        case AtomKind::floor_div: return operand(node.args[0]) + "//" + operand(node.args[1]);
        case AtomKind::mod: return list("mod", node.args);
        case AtomKind::min: return list(is_part_kept_whole(node) ? "" : "min", node.args);
        case AtomKind::max: return list("max", node.args);
        case AtomKind::bcast: return list("bcast", node.args);
        case AtomKind::rounded: return list("rounded", node.args);
        case AtomKind::rank: return "rank(s" + std::to_string(node.shape) + ")";
        case AtomKind::size: return "size(s" + std::to_string(node.shape) + ")";
        }
        return "?";
    }

    // The term without its sign.
    std::string term(const Term& t) {
        uint64_t c = t.coefficient < 0 ? uint64_t(0) - uint64_t(t.coefficient) : uint64_t(t.coefficient);
        std::string out = c != 1 || t.factors.empty() ? std::to_string(c) : "";
        bool alone = out.empty() && t.factors.size() == 1 && t.factors[0].power == 1;
        for (const Factor& f : t.factors)
            for (int32_t i = 0; i < f.power; i++) {
                std::string text = atom(f.atom);
                if (!alone && dims.atom(f.atom).kind == AtomKind::floor_div) text = "(" + text + ")";
                out += (out.empty() ? "" : "*") + text;
            }
        return out;
    }

    std::string dim(Dim d) {
        const Polynomial& p = dims.polynomial(d);
        if (p.empty()) return "0";
        if (p.size() == 1 && p[0].factors.empty()) return std::to_string(p[0].coefficient);
        auto first = std::find_if(p.begin(), p.end(), [](const Term& t) { return t.coefficient > 0; });
        std::string out = first != p.end() ? term(*first) : "0";
        for (auto t = p.begin(); t != p.end(); ++t)
            if (t != first) out += (t->coefficient < 0 ? " - " : " + ") + term(*t);
        return out;
    }
};
} // namespace

std::string Dims::to_string(Dim d) const {
    return to_string(d, [this](Sym s) { return symbols_[s.index].name; });
}

std::string Dims::to_string(Atom a) const {
    const std::function<std::string(Sym)> name = [this](Sym s) { return symbols_[s.index].name; };
    return Printing{*this, name}.atom(a);
}

std::string Dims::to_string(Dim d, const std::function<std::string(Sym)>& name) const {
    return Printing{*this, name}.dim(d);
}
} // namespace nereus
