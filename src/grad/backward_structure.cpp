// grad/backward_structure.cpp - tuples, records and constructors: the adjoint of the whole is handed to the parts.
#include "grad/backward.h"
#include "grad/patterns.h"

namespace nereus {
Status Backward::structure(const Binding& b) {
    ValueId result = b.results[0];
    TypeId type = plain(result);
    if (b.form == Form::field) {                         // of a record that holds itself
        ValueId whole = b.args[0];
        TypeId record = plain(whole);
        DeclId decl = types_.decl_of(record);
        Leaves adjoint = take(result);
        std::vector<TypeId> fields = shadows_.fields(record, 0);
        std::vector<ValueId> held;
        for (size_t i = 0; i < fields.size(); ++i)
            held.push_back(structures_.held(w_, fields[i], i == b.index ? adjoint : Leaves(types_.count(fields[i]))));
        return contribute(whole, 0, w_.construct(decl, 0, held, types_.of_data(record)));
    }
    if (!types_.is_spread(type)) return construct(b);
    Leaves adjoint = take(result);
    std::vector<TypeId> parts = types_.parts(type);
    auto slice = [&](size_t part) {
        auto from = adjoint.begin() + ptrdiff_t(types_.offset(type, part));
        return Leaves(from, from + ptrdiff_t(types_.count(parts[part])));
    };
    if (b.form == Form::tuple) {
        for (size_t i = 0; i < parts.size(); ++i) TRY(contribute(b.args[i], slice(i)));
        return {};
    }
    const std::vector<std::string> fields = module_[module_.types[type].decl].constructors[0].field_names;
    size_t given = b.form == Form::update ? 1 : 0;       // the first of the fields given; before it the record updated
    Leaves kept = adjoint;
    for (size_t i = 0; i < b.names.size(); ++i)
        for (size_t part = 0; part < fields.size(); ++part) {
            if (fields[part] != b.names[i]) continue;
            TRY(contribute(b.args[given + i], slice(part)));
            for (size_t j = 0; j < types_.count(parts[part]); ++j) kept[types_.offset(type, part) + j] = ValueId();
        }
    return given ? contribute(b.args[0], kept) : Status();
}

// The adjoint has the same constructor or is zero.
Status Backward::construct(const Binding& b) {
    ValueId result = b.results[0];
    TypeId type = plain(result);
    DeclId decl = types_.decl_of(type);
    ValueId adjoint = take(result)[0];
    bool record = b.form != Form::construct;
    if (b.form == Form::update) return Error{Code::internal, "grad: an update of a record that holds itself", b.span};
    uint32_t which = record ? 0 : b.index;
    std::vector<ValueId> args = b.args;                  // in the order of the fields
    if (record) {
        const std::vector<std::string> fields = module_[module_.types[type].decl].constructors[0].field_names;
        for (size_t i = 0; i < b.names.size(); ++i)
            for (size_t j = 0; j < fields.size(); ++j)
                if (fields[j] == b.names[i]) args[j] = b.args[i];
    }
    std::vector<TypeId> fields = shadows_.fields(type, which);
    std::vector<ValueId> variables;
    std::vector<Pattern> parts(fields.size());
    std::vector<std::pair<size_t, size_t>> wanted;       // argument and leaf of it
    std::vector<TypeId> leaf_types;
    for (size_t i = 0; i < fields.size(); ++i) {
        if (!active(args[i])) continue;
        variables.push_back(w_.value("a", types_.held(fields[i])));
        parts[i] = names(variables.back());
        std::vector<TypeId> leaves = types_.leaves(fields[i]);
        for (size_t j = 0; j < leaves.size(); ++j) wanted.push_back({i, j}), leaf_types.push_back(leaves[j]);
    }
    if (wanted.empty()) return {};
    auto zero_of = [&](size_t arg, size_t leaf) {
        Place at = place(args[arg]);
        return zero(at.root, at.offset + leaf);
    };
    auto same = [&]() -> Result<std::vector<ValueId>> {
        Leaves all;
        size_t next = 0;
        for (size_t i = 0; i < fields.size(); ++i) {
            if (!active(args[i])) continue;
            Leaves own;
            auto none = [&](size_t leaf) { return zero_of(i, leaf); };
            TRY(structures_.release(w_, fields[i], variables[next++], none, own));
            all.insert(all.end(), own.begin(), own.end());
        }
        return std::vector<ValueId>{w_.tuple(all)};
    };
    auto none = [&]() -> Result<std::vector<ValueId>> {
        Leaves all;
        for (auto [arg, leaf] : wanted) all.push_back(zero_of(arg, leaf));
        return std::vector<ValueId>{w_.tuple(all)};
    };
    TypeId given = leaf_types.size() == 1 ? leaf_types[0] : module_.types.tuple(leaf_types);
    ValueId taken = TRY(w_.match(adjoint, given, {
        {made_by(module_, decl, which, parts), variables, same},
        {anything(), {}, none},
    }));
    for (size_t i = 0; i < wanted.size(); ++i)
        TRY(contribute(args[wanted[i].first], wanted[i].second, wanted.size() == 1 ? taken : w_.project(taken, i)));
    return {};
}
} // namespace nereus
