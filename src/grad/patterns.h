// grad/patterns.h - patterns as generated code needs them.
#pragma once
#include "ir/module.h"

namespace nereus {
inline Pattern anything() { return {}; }
inline Pattern names(ValueId variable) {
    Pattern p{.kind = Pattern::Kind::variable};
    p.variable = variable;
    return p;
}
inline Pattern pair_of(Pattern a, Pattern b) {
    Pattern p{.kind = Pattern::Kind::tuple};
    p.parts = {std::move(a), std::move(b)};
    return p;
}
inline Pattern tuple_of(std::vector<Pattern> parts) {
    Pattern p{.kind = Pattern::Kind::tuple};
    p.parts = std::move(parts);
    return p;
}
inline void variables_of(const Pattern& p, std::vector<ValueId>& out) {
    if (p.variable.valid()) out.push_back(p.variable);
    for (const Pattern& part : p.parts) variables_of(part, out);
}
// Of a record too, with all its fields in order.
inline Pattern made_by(const Module& module, DeclId decl, uint32_t constructor, std::vector<Pattern> parts) {
    bool record = module[decl].is_record;
    Pattern p{.kind = record ? Pattern::Kind::record : Pattern::Kind::constructor};
    p.decl = decl, p.constructor = constructor, p.parts = std::move(parts);
    if (record) p.fields = module[decl].constructors[0].field_names;
    return p;
}
} // namespace nereus
