#include "infer/unify.h"
#include <algorithm>

namespace nereus {
std::optional<DTypeClass> meet(DTypeClass a, DTypeClass b) {
    if (a == b) return a;
    const DTypeClass wider = std::min(a, b), narrower = std::max(a, b);
    return wider == DTypeClass::integer ? std::nullopt : std::optional(narrower);
}

namespace {
// Both are variables of one signature if they share a function: they may not become one.
bool declared_apart(const TypeTerm& a, const TypeTerm& b) {
    for (const Declared& one : a.declared)
        for (const Declared& other : b.declared)
            if (one.function == other.function) return true;
    return false;
}

std::optional<Clash> bind(Terms& terms, TermId expected, TermId found) {
    TypeTerm& left = terms.node(expected);
    TypeTerm& right = terms.node(found);
    bool left_open = left.kind == TermKind::unknown || left.kind == TermKind::dtype_unknown;
    bool right_open = right.kind == TermKind::unknown || right.kind == TermKind::dtype_unknown;
    if (left_open && right_open) {
        std::optional<DTypeClass> of = meet(left.of, right.of);
        if (!of) return Clash{Clash::Kind::differ, expected, found};
        if (declared_apart(left, right)) return Clash{Clash::Kind::rigid, expected, found};
        for (Declared& name : right.declared) left.declared.push_back(std::move(name));
        left.of = *of;
        terms.merge(found, expected);
        return std::nullopt;
    }
    TypeTerm& open = left_open ? left : right;
    TypeTerm& known = left_open ? right : left;
    if (!open.declared.empty()) return Clash{Clash::Kind::rigid, expected, found};
    if (open.kind == TermKind::dtype_unknown && !belongs(known.dtype, open.of))
        return Clash{Clash::Kind::differ, expected, found};
    left_open ? terms.merge(expected, found) : terms.merge(found, expected);
    return std::nullopt;
}
} // namespace

std::optional<Clash> unify(Terms& terms, TermId expected, TermId found) {
    constexpr uint32_t top = UINT32_MAX;
    struct Pair { TermId expected, found; uint32_t inside, part; };      // part of which of `opened`
    struct Opened { uint32_t inside, part; };
    std::vector<Pair> work{{expected, found, top, 0}};
    std::vector<Opened> opened;
    terms.suppose();
    auto clash_at = [&](Clash clash, const Pair& pair) {
        for (Opened at{pair.inside, pair.part}; at.inside != top; at = opened[at.inside]) clash.path.push_back(at.part);
        std::reverse(clash.path.begin(), clash.path.end());
        terms.take_back();
        return clash;
    };
    while (!work.empty()) {
        Pair pair = work.back();
        TermId left = terms.find(pair.expected), right = terms.find(pair.found);
        work.pop_back();
        if (left == right) continue;
        TermKind kind = terms[left].kind, other = terms[right].kind;
        bool open = kind == TermKind::unknown || kind == TermKind::dtype_unknown || other == TermKind::unknown ||
                    other == TermKind::dtype_unknown;
        if (open) {
            if (std::optional<Clash> clash = bind(terms, left, right)) return clash_at(*clash, pair);
            continue;
        }
        if (kind != other || kind == TermKind::dtype || terms[left].decl != terms[right].decl)
            return clash_at(Clash{Clash::Kind::differ, left, right}, pair);
        if (terms[left].count != terms[right].count) return clash_at(Clash{Clash::Kind::count, left, right}, pair);
        size_t count = terms[left].count;
        uint32_t inside = uint32_t(opened.size());
        opened.push_back({pair.inside, pair.part});
        for (size_t i = count; i-- > 0;)                 // from the back: the first part is compared first
            work.push_back({terms.part(left, i), terms.part(right, i), inside, uint32_t(i)});
        terms.merge_supposed(right, left);               // before the parts: a cyclic term ends here
    }
    terms.keep();
    return std::nullopt;
}
} // namespace nereus
