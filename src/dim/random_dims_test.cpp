#include "dim/random_dims.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nereus {
constexpr int rounded_bits = 3;              // so few that small numbers are rounded, too

std::optional<int64_t> Tree::value(const std::vector<int64_t>& point) const {
    if (op == 'c') return number;
    if (op == 's') return point[symbol.index];
    std::vector<int64_t> v;
    for (const Tree& t : args) {
        std::optional<int64_t> x = t.value(point);
        if (!x) return std::nullopt;
        v.push_back(*x);
    }
    auto floor_mod = [](int64_t a, int64_t b) { int64_t r = a % b; return r && (r < 0) != (b < 0) ? r + b : r; };
    switch (op) {
    case '+': return v[0] + v[1];
    case '-': return v[0] - v[1];
    case '*': return v[0] * v[1];
    case '/': return v[1] ? std::optional((v[0] - floor_mod(v[0], v[1])) / v[1]) : std::nullopt;
    case '%': return v[1] ? std::optional(floor_mod(v[0], v[1])) : std::nullopt;
    case 'm': return *std::min_element(v.begin(), v.end());
    case 'M': return *std::max_element(v.begin(), v.end());
    case 'r': {                                          // as a float of that many digits would
        int exponent = 0;
        std::frexp(double(v[0]), &exponent);
        const double unit = std::ldexp(1.0, std::max(exponent - rounded_bits, 0));
        return int64_t(std::nearbyint(double(v[0]) / unit) * unit);
    }
    default: break;
    }
    int64_t out = 1;
    for (int64_t x : v) {
        if (x != 1 && out != 1 && x != out) return std::nullopt;
        if (x != 1) out = x;
    }
    return out;
}

Dim Tree::build(Dims& dims) const {
    if (op == 'c') return dims.constant(number);
    if (op == 's') return dims.of(symbol);
    std::vector<Dim> v;
    for (const Tree& t : args) v.push_back(t.build(dims));
    switch (op) {
    case '+': return dims.add(v[0], v[1]);
    case '-': return dims.sub(v[0], v[1]);
    case '*': return dims.mul(v[0], v[1]);
    case '/': return dims.floor_div(v[0], v[1]);
    case '%': return dims.mod(v[0], v[1]);
    case 'm': return dims.min(v);
    case 'M': return dims.max(v);
    case 'r': return dims.rounded(v[0], rounded_bits);
    default: return dims.bcast(v);
    }
}

Tree RandomTrees::tree(int depth, std::string_view operators) {
    if (depth == 0 || pick(0, 9) == 0) {
        if (pick(0, 2) == 0) return {'c', pick(-3, 6)};
        return {'s', 0, symbols[size_t(pick(0, int64_t(symbols.size()) - 1))]};
    }
    Tree out{operators[size_t(pick(0, int64_t(operators.size()) - 1))]};
    bool division = out.op == '/' || out.op == '%', many = out.op == 'm' || out.op == 'M' || out.op == 'b';
    for (int64_t i = 0, n = many ? pick(1, 3) : out.op == 'r' ? 1 : 2; i < n; i++) out.args.push_back(tree(depth - 1, operators));
    if (division && pick(0, 3)) out.args[1] = {'c', pick(0, 8) ? pick(1, 6) : -2};
    return out;
}

Tree RandomTrees::tree(int depth) { return tree(depth, "+++---**///%%mMbr"); }

uint64_t second_seed() {
    if (const char* given = std::getenv("NEREUS_SEED")) return std::strtoull(given, nullptr, 10);
    return 20261116;                         // a test that a commit must pass does not change by itself
}
} // namespace nereus
