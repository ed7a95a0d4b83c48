#include "ir/shape_rule.h"

namespace nereus {
Relation negate(Relation relation) {
    switch (relation) {
    case Relation::equal: return Relation::not_equal;
    case Relation::not_equal: return Relation::equal;
    case Relation::less: return Relation::greater_equal;
    case Relation::less_equal: return Relation::greater;
    case Relation::greater: return Relation::less_equal;
    case Relation::greater_equal: return Relation::less;
    case Relation::compatible: break;
    }
    invariant(false, "compatibility has no negation");
    return relation;
}

Condition negate(const Condition& c) {
    using Kind = Condition::Kind;
    Condition n = c;
    switch (c.kind) {
    case Kind::unknown: break;
    case Kind::always: n.kind = Kind::never; break;
    case Kind::never: n.kind = Kind::always; break;
    case Kind::relation: n.relation = negate(c.relation); break;
    case Kind::all: case Kind::any:
        n.kind = c.kind == Kind::all ? Kind::any : Kind::all;
        for (Condition& part : n.parts) part = negate(part);
    }
    return n;
}

// An unknown part is kept: `all` of a fact and an unknown still teaches the fact.
Condition both(Condition a, Condition b) {
    using Kind = Condition::Kind;
    if (a.kind == Kind::always || b.kind == Kind::never) return b;
    if (b.kind == Kind::always || a.kind == Kind::never) return a;
    if (a.kind == Kind::unknown && b.kind == Kind::unknown) return a;
    return {.kind = Kind::all, .parts = {std::move(a), std::move(b)}};
}
Condition either(Condition a, Condition b) { return negate(both(negate(a), negate(b))); }

namespace {
template <class T> const T* attribute(const AttributeList& attributes, std::string_view name) {
    for (const Attribute& a : attributes)
        if (a.name == name) return std::get_if<T>(&a.value);
    return nullptr;
}
} // namespace

int64_t ShapeArgs::integer(std::string_view name, int64_t otherwise) const {
    const int64_t* found = attribute<int64_t>(attributes, name);
    return found ? *found : otherwise;
}
bool ShapeArgs::boolean(std::string_view name, bool otherwise) const {
    const bool* found = attribute<bool>(attributes, name);
    return found ? *found : otherwise;
}
std::optional<DType> ShapeArgs::dtype(std::string_view name) const {
    const DType* found = attribute<DType>(attributes, name);
    return found ? std::optional(*found) : std::nullopt;
}
const std::string* ShapeArgs::text(std::string_view name) const { return attribute<std::string>(attributes, name); }
std::optional<std::vector<int64_t>> ShapeArgs::integers(std::string_view name) const {
    const std::vector<int64_t>* found = attribute<std::vector<int64_t>>(attributes, name);
    return found ? std::optional(*found) : std::nullopt;
}
} // namespace nereus
