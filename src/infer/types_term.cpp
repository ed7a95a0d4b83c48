#include "infer/types_term.h"

namespace nereus {
Terms::Terms() {
    for (int i = 0; i < dtype_count; ++i) {              // dtype(d) is the term of that index
        TypeTerm& term = terms_.emplace_back();
        term.kind = TermKind::dtype, term.dtype = DType(i);
        parent_.push_back(TermId(size_t(i)));
    }
}

TermId Terms::composite(TermKind kind, std::span<const TermId> parts, DeclId decl) {
    TermId id(terms_.size());
    TypeTerm& term = terms_.emplace_back();
    term.kind = kind, term.decl = decl;
    term.first = uint32_t(parts_.size()), term.count = uint32_t(parts.size());
    // by index: `parts` may lie in parts_ itself, which can move
    bool inside = !parts.empty() && !parts_.empty() && parts.data() >= parts_.data() &&
                  parts.data() < parts_.data() + parts_.size();
    size_t from = inside ? size_t(parts.data() - parts_.data()) : 0;
    for (size_t i = 0; i < parts.size(); ++i) parts_.push_back(inside ? TermId(parts_[from + i]) : parts[i]);
    parent_.push_back(id);
    return id;
}

TermId Terms::unknown() { return composite(TermKind::unknown, {}); }
TermId Terms::dtype_unknown(DTypeClass of) {
    TermId id = composite(TermKind::dtype_unknown, {});
    terms_[id.index].of = of;
    return id;
}
TermId Terms::tensor(TermId element) { return composite(TermKind::tensor, {&element, 1}); }
TermId Terms::function(std::vector<TermId> params, TermId result) {
    params.push_back(result);
    return composite(TermKind::function, params);
}
TermId Terms::data(DeclId decl, std::span<const TermId> args) { return composite(TermKind::data, args, decl); }

TermId Terms::find(TermId id) const {
    while (parent_[id.index] != id) {
        TermId up = parent_[id.index];
        if (supposing_ && parent_[up.index] != up) supposed_.push_back({id, up});
        parent_[id.index] = parent_[up.index];
        id = parent_[id.index];
    }
    return id;
}

void Terms::merge_supposed(TermId from, TermId to) {
    from = find(from);
    supposed_.push_back({from, from});
    parent_[from.index] = find(to);
}

void Terms::take_back() {
    supposing_ = false;
    for (size_t i = supposed_.size(); i-- > 0;) parent_[supposed_[i].id.index] = supposed_[i].parent;
}

std::span<const TermId> Terms::parts(TermId id) const {
    const TypeTerm& term = (*this)[id];
    return std::span(parts_).subspan(term.first, term.count);
}

bool Terms::is_unknown(TermId id) const {
    const TypeTerm& term = (*this)[id];
    return (term.kind == TermKind::unknown || term.kind == TermKind::dtype_unknown) && term.declared.empty();
}

std::optional<uint32_t> Terms::nesting(TermId top, std::unordered_map<TermId, uint32_t>& known) const {
    constexpr uint32_t open = UINT32_MAX;                // on the stack: met again, it contains itself
    struct Visit { TermId id; uint32_t next = 0, below = 0; };
    std::vector<Visit> stack{{find(top)}};
    if (auto it = known.find(stack[0].id); it != known.end()) return it->second;
    known[stack[0].id] = open;
    for (;;) {
        Visit& visit = stack.back();
        if (visit.next < (*this)[visit.id].count) {
            TermId part = find(this->part(visit.id, visit.next++));
            auto [it, fresh] = known.try_emplace(part, open);
            if (!fresh && it->second == open) return std::nullopt;
            if (fresh) stack.push_back({part});
            else visit.below = std::max(visit.below, it->second + 1);
            continue;
        }
        uint32_t levels = visit.below;
        known[visit.id] = levels;
        stack.pop_back();
        if (stack.empty()) return levels;
        stack.back().below = std::max(stack.back().below, levels + 1);
    }
}
} // namespace nereus
