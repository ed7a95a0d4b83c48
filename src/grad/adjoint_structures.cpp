#include "grad/adjoint_structures.h"
#include "grad/patterns.h"

namespace nereus {
namespace {
using Values = std::vector<ValueId>;
std::vector<Pattern> all_named(const Values& variables) {
    std::vector<Pattern> parts;
    for (ValueId v : variables) parts.push_back(names(v));
    return parts;
}
} // namespace

Result<FunctionId> AdjointStructures::function(Task task, TypeId type, TypeId result, Span span, const std::string& whose) {
    auto [it, is_new] = functions_.try_emplace({task, type, whose});
    if (!is_new) return it->second;
    constexpr std::string_view titles[] = {"added", "forced", "as_adjoint", "fitted", "item_of", "without", "added_at"};
    FunctionId id = structures_.new_function(std::string(titles[size_t(task)]), span);
    functions_[{task, type, whose}] = id;
    Function made = module_[id];                         // apart from the table, which may move meanwhile
    Writer w(module_, structures_.shadows(), made);
    w.span = span;
    made.result = result;
    ValueId body;
    bool is_seq = module_.types[type].kind == TypeKind::seq;
    switch (task) {
    case Task::add: body = TRY(is_seq ? write_add_seq(w, type) : write_add(w, type)); break;
    case Task::force: body = TRY(is_seq ? write_force_seq(w, type) : write_force(w, type)); break;
    case Task::of_value: body = TRY(is_seq ? write_of_value_seq(w, type) : write_of_value(w, type)); break;
    case Task::fit: body = TRY(is_seq ? write_fit_seq(w, type, whose) : write_fit(w, type, whose)); break;
    case Task::item: body = TRY(write_item(w, type)); break;
    case Task::without: body = TRY(write_without(w, type)); break;
    case Task::add_at: body = TRY(write_add_at(w, type)); break;
    }
    w.finish(made.body, {body});
    module_[id] = std::move(made);
    return id;
}

ValueId AdjointStructures::zero(Writer& w, TypeId leaf) {
    if (module_.types[leaf].kind == TypeKind::seq) return w.bind(Binding{.form = Form::seq}, leaf);
    DeclId decl = module_.types[leaf].decl;
    return w.construct(decl, types_.zero_of(decl), {}, leaf);
}

Result<ValueId> AdjointStructures::add(Writer& w, ValueId a, ValueId b) {
    TypeId leaf = w.type(a);
    if (module_.types[leaf].kind == TypeKind::tensor) return w.op("add", {a, b});
    return w.call(TRY(function(Task::add, types_.data_of(leaf), leaf, w.span)), {a, b}, leaf);
}

Result<ValueId> AdjointStructures::add_held(Writer& w, TypeId field, ValueId a, ValueId b) {
    TypeId held = types_.held(field);
    if (!structures_.shadows().has_adjoint(field)) return w.unit();
    if (types_.is_spread(field)) {
        std::vector<TypeId> parts = types_.parts(field);
        Values sums;
        for (size_t i = 0; i < parts.size(); ++i) {
            bool one = parts.size() == 1;
            sums.push_back(TRY(add_held(w, parts[i], one ? a : w.project(a, i), one ? b : w.project(b, i))));
        }
        return w.tuple(sums);
    }
    if (module_.types[field].kind != TypeKind::tensor) return add(w, a, b);
    DeclId maybe = types_.maybe_decl();
    ValueId x = w.value("x", field), y = w.value("y", field);
    Pattern zero = made_by(module_, maybe, 1, {});
    return w.match(w.tuple({a, b}), held, {
        {pair_of(zero, anything()), {}, [&]() -> Result<Values> { return Values{b}; }},
        {pair_of(anything(), zero), {}, [&]() -> Result<Values> { return Values{a}; }},
        {pair_of(made_by(module_, maybe, 0, {names(x)}), made_by(module_, maybe, 0, {names(y)})), {x, y},
         [&]() -> Result<Values> { return Values{w.construct(maybe, 0, {w.op("add", {x, y})}, held)}; }},
    });
}

// Both have the constructor of the value they belong to, or are zero.
Result<ValueId> AdjointStructures::write_add(Writer& w, TypeId data) {
    TypeId leaf = types_.of_data(data);
    DeclId decl = types_.decl_of(data);
    ValueId a = w.param("a", leaf), b = w.param("b", leaf);
    Pattern zero = made_by(module_, decl, types_.zero_of(decl), {});
    std::vector<Writer::Case> cases{
        {pair_of(zero, anything()), {}, [&]() -> Result<Values> { return Values{b}; }},
        {pair_of(anything(), zero), {}, [&]() -> Result<Values> { return Values{a}; }}};
    for (uint32_t c = 0; c < types_.zero_of(decl); ++c) {
        std::vector<TypeId> fields = structures_.shadows().fields(data, c);
        Values left, right, both;
        for (TypeId field : fields) left.push_back(w.value("a", types_.held(field)));
        for (TypeId field : fields) right.push_back(w.value("b", types_.held(field)));
        both = left;
        both.insert(both.end(), right.begin(), right.end());
        Pattern pattern = pair_of(made_by(module_, decl, c, all_named(left)), made_by(module_, decl, c, all_named(right)));
        cases.push_back({pattern, both, [=, this, &w]() -> Result<Values> {
            Values sums;
            for (size_t i = 0; i < fields.size(); ++i) sums.push_back(TRY(add_held(w, fields[i], left[i], right[i])));
            return Values{w.construct(decl, c, sums, leaf)};
        }});
    }
    return w.match(w.tuple({a, b}), leaf, std::move(cases));
}

ValueId AdjointStructures::held(Writer& w, TypeId field, std::span<const ValueId> leaves) {
    field = structures_.shadows().plain(field);
    if (!structures_.shadows().has_adjoint(field)) return w.unit();
    if (types_.is_spread(field)) {
        std::vector<TypeId> parts = types_.parts(field);
        Values made;
        size_t at = 0;
        for (TypeId part : parts) {
            made.push_back(held(w, part, leaves.subspan(at, types_.count(part))));
            at += types_.count(part);
        }
        return w.tuple(made);
    }
    TypeId type = types_.held(field);
    if (module_.types[field].kind != TypeKind::tensor) return leaves[0].valid() ? leaves[0] : zero(w, type);
    DeclId maybe = types_.maybe_decl();
    return leaves[0].valid() ? w.construct(maybe, 0, {leaves[0]}, type) : w.construct(maybe, 1, {}, type);
}

Status AdjointStructures::release(Writer& w, TypeId field, ValueId held, const Zero& zero, Leaves& out) {
    field = structures_.shadows().plain(field);
    if (!structures_.shadows().has_adjoint(field)) return {};
    if (types_.is_spread(field)) {
        std::vector<TypeId> parts = types_.parts(field);
        for (size_t i = 0; i < parts.size(); ++i)
            TRY(release(w, parts[i], parts.size() == 1 ? held : w.project(held, i), zero, out));
        return {};
    }
    size_t at = out.size();
    if (module_.types[field].kind != TypeKind::tensor) {
        out.push_back(held);
        return {};
    }
    DeclId maybe = types_.maybe_decl();
    ValueId v = w.value("v", field);
    out.push_back(TRY(w.match(held, field, {
        {made_by(module_, maybe, 0, {names(v)}), {v}, [&]() -> Result<Values> { return Values{v}; }},
        {made_by(module_, maybe, 1, {}), {}, [&]() -> Result<Values> { return Values{zero(at)}; }},
    })));
    return {};
}

Result<ValueId> AdjointStructures::forced(Writer& w, ValueId x, std::span<const ValueId> leaves) {
    TypeId type = structures_.shadows().plain(w.type(x));
    bool none = true;
    for (ValueId leaf : leaves) none = none && !leaf.valid();
    if (none) return structures_.adjoint(w, x, {});
    if (!types_.is_spread(type)) {
        if (module_.types[type].kind == TypeKind::tensor) return leaves[0];
        return w.call(TRY(function(Task::force, type, type, w.span)), {x, leaves[0]}, type);
    }
    const Type t = module_.types[type];
    std::vector<TypeId> parts = types_.parts(type);
    Values made;
    size_t at = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        size_t count = types_.count(parts[i]);
        made.push_back(TRY(forced(w, w.part(x, i), leaves.subspan(at, count))));
        at += count;
    }
    if (t.kind == TypeKind::data) return w.construct(t.decl, 0, made, type);
    return w.bind(Binding{.form = Form::tuple, .args = made}, type);
}

Result<ValueId> AdjointStructures::forced_held(Writer& w, ValueId x, ValueId held) {
    TypeId type = structures_.shadows().plain(w.type(x));
    if (!structures_.shadows().has_adjoint(type)) return structures_.adjoint(w, x, {});
    const Type t = module_.types[type];
    if (types_.is_spread(type)) {
        std::vector<TypeId> parts = types_.parts(type);
        Values made;
        for (size_t i = 0; i < parts.size(); ++i)
            made.push_back(TRY(forced_held(w, w.part(x, i), parts.size() == 1 ? held : w.project(held, i))));
        if (t.kind == TypeKind::data) return w.construct(t.decl, 0, made, type);
        return w.bind(Binding{.form = Form::tuple, .args = made}, type);
    }
    if (t.kind != TypeKind::tensor) return w.call(TRY(function(Task::force, type, type, w.span)), {x, held}, type);
    DeclId maybe = types_.maybe_decl();
    ValueId v = w.value("v", type);
    return w.match(held, type, {
        // stated once more in the value's own shape: the shapes stage may not know that they are the same
        {made_by(module_, maybe, 0, {names(v)}), {v}, [&]() -> Result<Values> { return Values{w.op("broadcast_to", {v, w.shape_of(x)})}; }},
        {made_by(module_, maybe, 1, {}), {}, [&]() -> Result<Values> { return Values{w.zeros_like(x)}; }},
    });
}

Result<ValueId> AdjointStructures::write_force(Writer& w, TypeId data) {
    TypeId leaf = types_.of_data(data);
    DeclId decl = types_.decl_of(data), own = module_.types[data].decl;
    ValueId x = w.param("x", data), adjoint = w.param("a", leaf);
    std::vector<Writer::Case> cases;
    for (uint32_t c = 0; c < types_.zero_of(decl); ++c) {
        std::vector<TypeId> fields = structures_.shadows().fields(data, c);
        Values left, right, both;
        for (TypeId field : fields) left.push_back(w.value("x", field));
        for (TypeId field : fields) right.push_back(w.value("a", types_.held(field)));
        both = left;
        both.insert(both.end(), right.begin(), right.end());
        Pattern pattern = pair_of(made_by(module_, own, c, all_named(left)), made_by(module_, decl, c, all_named(right)));
        cases.push_back({pattern, both, [=, this, &w]() -> Result<Values> {
            Values made;
            for (size_t i = 0; i < fields.size(); ++i) made.push_back(TRY(forced_held(w, left[i], right[i])));
            return Values{w.construct(own, c, made, data)};
        }});
    }
    cases.push_back({anything(), {}, [&]() -> Result<Values> { return Values{TRY(structures_.adjoint(w, x, {}))}; }});
    return w.match(w.tuple({x, adjoint}), data, std::move(cases));
}

Result<Leaves> AdjointStructures::of_value(Writer& w, ValueId x) {
    TypeId type = structures_.shadows().plain(w.type(x));
    if (!structures_.shadows().has_adjoint(type)) return Leaves{};
    if (!types_.is_spread(type)) {
        if (module_.types[type].kind == TypeKind::tensor) return Leaves{x};
        TypeId leaf = types_.held(type);
        return Leaves{w.call(TRY(function(Task::of_value, type, leaf, w.span)), {x}, leaf)};
    }
    Leaves all;
    for (size_t i = 0; i < types_.parts(type).size(); ++i)
        for (ValueId leaf : TRY(of_value(w, w.part(x, i)))) all.push_back(leaf);
    return all;
}

Result<ValueId> AdjointStructures::write_of_value(Writer& w, TypeId data) {
    TypeId leaf = types_.of_data(data);
    DeclId decl = types_.decl_of(data), own = module_.types[data].decl;
    ValueId x = w.param("x", data);
    std::vector<Writer::Case> cases;
    for (uint32_t c = 0; c < types_.zero_of(decl); ++c) {
        std::vector<TypeId> fields = structures_.shadows().fields(data, c);
        Values variables;
        for (TypeId field : fields) variables.push_back(w.value("x", field));
        cases.push_back({made_by(module_, own, c, all_named(variables)), variables, [=, this, &w]() -> Result<Values> {
            Values made;
            for (size_t i = 0; i < fields.size(); ++i) made.push_back(held(w, fields[i], TRY(of_value(w, variables[i]))));
            return Values{w.construct(decl, c, made, leaf)};
        }});
    }
    return w.match(x, leaf, std::move(cases));
}

Result<Leaves> AdjointStructures::fitted(Writer& w, ValueId x, ValueId given, const std::string& whose) {
    return fitted_at(w, x, given, whose, "");
}

Result<Leaves> AdjointStructures::fitted_at(Writer& w, ValueId x, ValueId given, const std::string& whose, const std::string& path) {
    TypeId type = structures_.shadows().plain(w.type(x));
    if (!structures_.shadows().has_adjoint(type)) return Leaves{};
    const std::string speaker = path.empty() ? whose : whose + ", at " + path;
    Leaves all;
    if (types_.is_spread(type)) {
        const bool record = module_.types[type].kind == TypeKind::data;
        for (size_t i = 0; i < types_.parts(type).size(); ++i) {
            const ValueId own = w.part(given, i), part = w.part(x, i);       // in order: arguments are evaluated in none
            const std::string name = record ? module_[module_.types[type].decl].constructors[0].field_names[i] : std::to_string(i);
            for (ValueId leaf : TRY(fitted_at(w, part, own, whose, path + "." + name))) all.push_back(leaf);
        }
    } else if (module_.types[type].kind == TypeKind::tensor) {               // over the whole: refuses other shapes
        all.push_back(w.op("slice_update", {w.zeros_like(x), given, {{}, true}}, {{"as", speaker}}));
    } else {
        TypeId leaf = types_.held(type);                 // one function for all depths: what is inside has no path
        const std::string& of = path.starts_with(an_element) ? whose : speaker;
        all.push_back(w.call(TRY(function(Task::fit, type, leaf, w.span, of)), {x, given}, leaf));
    }
    return all;
}

Result<ValueId> AdjointStructures::write_fit(Writer& w, TypeId data, const std::string& whose) {
    TypeId leaf = types_.of_data(data);
    DeclId decl = types_.decl_of(data), own = module_.types[data].decl;
    ValueId x = w.param("x", data), given = w.param("a", data);
    std::vector<Writer::Case> cases;
    for (uint32_t c = 0; c < types_.zero_of(decl); ++c) {
        std::vector<TypeId> fields = structures_.shadows().fields(data, c);
        Values left, right, both;
        for (TypeId field : fields) left.push_back(w.value("x", field));
        for (TypeId field : fields) right.push_back(w.value("a", field));
        both = left;
        both.insert(both.end(), right.begin(), right.end());
        Pattern pattern = pair_of(made_by(module_, own, c, all_named(left)), made_by(module_, own, c, all_named(right)));
        cases.push_back({pattern, both, [=, this, &w]() -> Result<Values> {
            Values made;
            for (size_t i = 0; i < fields.size(); ++i) made.push_back(held(w, fields[i], TRY(fitted_at(w, left[i], right[i], whose, an_element))));
            return Values{w.construct(decl, c, made, leaf)};
        }});
    }
    if (types_.zero_of(decl) > 1)
        cases.push_back({anything(), {}, [&]() -> Result<Values> {
            w.assert_(w.truth(false), whose + " and its value differ in a constructor");
            return Values{zero(w, leaf)};
        }});
    return w.match(w.tuple({x, given}), leaf, std::move(cases));
}
} // namespace nereus
