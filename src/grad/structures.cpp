#include "grad/structures.h"

namespace nereus {
FunctionId Structures::new_function(std::string name, Span span) {
    std::string made = name;
    for (int i = 1; module_.find(made); ++i) made = name + "." + std::to_string(i);
    FunctionId id(module_.functions.size());
    Function& function = module_.functions.emplace_back();
    function.name = std::move(made);
    function.span = span;
    return id;
}

Result<ValueId> Structures::fresh_shadow(Writer& w, ValueId x) { return apply(w, Task::shadow, x, {}); }
Result<ValueId> Structures::adjoint(Writer& w, ValueId x, ValueId shadow) {
    return apply(w, shadow.valid() ? Task::adjoint : Task::zeros, x, shadow);
}
Status Structures::add(Writer& w, ValueId shadow, ValueId value) {
    TRY(apply(w, Task::add, value, shadow));
    return {};
}

TypeId Structures::result_type(Task task, TypeId type) {
    if (task == Task::add) return module_.types.unit();
    return task == Task::shadow ? shadows_.of(type) : shadows_.plain(type);
}

Result<ValueId> Structures::apply(Writer& w, Task task, ValueId value, ValueId shadow) {
    TypeId type = shadows_.plain(w.type(value));
    bool inert = shadows_.inert(type);
    if (inert && (task == Task::shadow || task == Task::add)) return w.unit();
    if (inert && task == Task::adjoint) task = Task::zeros;
    if (task == Task::zeros) shadow = {};
    const Type t = module_.types[type];
    switch (t.kind) {
    case TypeKind::hole: case TypeKind::var: break;
    case TypeKind::tensor: return tensor(w, task, value, shadow);
    case TypeKind::tuple: {
        std::vector<ValueId> parts;
        for (size_t i = 0; i < t.parts.size(); ++i)
            parts.push_back(TRY(apply(w, task, w.project(value, i), shadow.valid() ? w.project(shadow, i) : ValueId())));
        if (task == Task::add || parts.empty()) return w.unit();
        return w.bind(Binding{.form = Form::tuple, .args = parts}, result_type(task, type));
    }
    case TypeKind::ref: {
        if (task != Task::shadow) break;
        return w.ref(TRY(apply(w, task, w.read(value), {})));
    }
    case TypeKind::function:
        return Error{Code::unsupported, "this function comes from outside of the code that is differentiated", w.span,
                     "make it inside, or call it by its name: what it computes must be seen to be differentiated"};
    case TypeKind::seq: case TypeKind::data: {
        if (is_plain_record(type)) return record(w, task, value, shadow);
        std::vector<ValueId> args{value};
        if (shadow.valid()) args.push_back(shadow);
        return w.call(TRY(function(task, type, w.span)), args, result_type(task, type));
    }
    }
    return Error{Code::internal, "grad: a structure that has no adjoint", w.span};
}

bool Structures::is_plain_record(TypeId type) {
    if (module_.types[type].kind != TypeKind::data || !module_[module_.types[type].decl].is_record) return false;
    for (TypeId field : shadows_.fields(type, 0))
        for (TypeId inside : shadows_.reached(field))
            if (inside == type) return false;
    return true;
}
Result<ValueId> Structures::record(Writer& w, Task task, ValueId value, ValueId shadow) {
    TypeId type = shadows_.plain(w.type(value));
    size_t count = shadows_.fields(type, 0).size();
    std::vector<ValueId> parts;
    for (size_t i = 0; i < count; ++i) {
        bool has = shadow.valid() && !shadows_.inert(shadows_.fields(type, 0)[i]);
        const ValueId second = has ? w.part(shadow, i) : ValueId(), first = w.part(value, i);    // in order: arguments are evaluated in none
        parts.push_back(TRY(apply(w, task, first, second)));
    }
    if (task == Task::add) return w.unit();
    return w.construct(task == Task::shadow ? shadows_.decl_of(type) : module_.types[type].decl, 0, parts, result_type(task, type));
}

Result<ValueId> Structures::tensor(Writer& w, Task task, ValueId value, ValueId shadow) {
    switch (task) {
    case Task::shadow: return w.ref(w.tuple({w.zeros_like(value), w.truth(false)}));
    case Task::zeros: return w.zeros_like(value);
    // stated once more in the value's own shape: the shapes stage cannot look into the cell
    case Task::adjoint: return w.op("broadcast_to", {w.adjoint_in(shadow), w.shape_of(value)});
    case Task::add: {
        // writing over the whole: refused unless the shapes are the same
        w.accumulate(shadow, w.op("slice_update", {w.adjoint_in(shadow), value, {{}, true}}));
        return w.unit();
    }
    }
    return ValueId();
}

Result<FunctionId> Structures::function(Task task, TypeId type, Span span) {
    auto [it, is_new] = functions_.try_emplace({task, type});
    if (!is_new) return it->second;
    constexpr std::string_view names[] = {"fresh_shadow", "adjoint", "zeros", "add_adjoint"};
    FunctionId id = new_function(std::string(names[size_t(task)]), span);
    functions_[{task, type}] = id;
    Function made = module_[id];                         // apart from the table, which may move meanwhile
    Writer w(module_, shadows_, made);
    w.span = span;
    ValueId value = w.param("x", type);
    ValueId shadow = task == Task::adjoint || task == Task::add ? w.param("s", shadows_.of(type)) : ValueId();
    made.result = result_type(task, type);
    bool is_data = module_.types[type].kind == TypeKind::data;
    ValueId result = is_data ? TRY(data(w, task, value, shadow)) : TRY(seq(w, task, value, shadow));
    w.finish(made.body, {result});
    module_[id] = std::move(made);
    return id;
}

Result<ValueId> Structures::data(Writer& w, Task task, ValueId value, ValueId shadow) {
    TypeId type = w.type(value), result = result_type(task, type);
    DeclId decl = module_.types[type].decl;
    bool has_shadow = !shadows_.inert(type) && task != Task::zeros;
    DeclId shadow_decl = has_shadow ? shadows_.decl_of(type) : DeclId();
    Binding match{.form = Form::match, .args = {shadow.valid() ? w.tuple({value, shadow}) : value}};
    BlockId outer = w.at();
    size_t constructors = module_[decl].constructors.size();
    for (uint32_t c = 0; c < constructors; ++c) {
        std::vector<TypeId> fields = shadows_.fields(type, c);
        bool record = module_[decl].is_record;
        const std::vector<std::string> names = module_[decl].constructors[c].field_names;
        auto pattern = [&](DeclId of) {
            Pattern p{.kind = record ? Pattern::Kind::record : Pattern::Kind::constructor};
            p.decl = of, p.constructor = record ? 0 : c, p.fields = names;
            return p;
        };
        Pattern own = pattern(decl), beside = pattern(shadow_decl);
        std::vector<ValueId> values, shadows;
        for (TypeId field : fields) {
            values.push_back(w.value("v", field));
            Pattern part{.kind = Pattern::Kind::variable};
            part.variable = values.back();
            own.parts.push_back(part);
        }
        for (TypeId field : fields) {
            Pattern part;
            bool has = shadow.valid() && !shadows_.inert(field);
            shadows.push_back(has ? w.value("s", shadows_.of(field)) : ValueId());
            if (has) part.kind = Pattern::Kind::variable, part.variable = shadows.back();
            beside.parts.push_back(part);
        }
        Pattern whole = own;
        if (shadow.valid()) {
            whole = Pattern{.kind = Pattern::Kind::tuple};
            whole.parts = {own, beside};
        }
        std::vector<ValueId> params = values;
        for (ValueId s : shadows)
            if (s.valid()) params.push_back(s);
        BlockId body = w.start(params);
        std::vector<ValueId> made;
        for (size_t i = 0; i < fields.size(); ++i) made.push_back(TRY(apply(w, task, values[i], shadows[i])));
        ValueId built = task == Task::add ? w.unit() : w.construct(task == Task::shadow ? shadow_decl : decl, c, made, result);
        w.finish(body, {built});
        w.go_to(outer);
        match.arms.push_back({.pattern = std::move(whole), .guard = {}});
        match.blocks.push_back(body);
    }
    return w.bind(std::move(match), result);
}

// One by one, in order.
Result<ValueId> Structures::seq(Writer& w, Task task, ValueId value, ValueId shadow) {
    TypeId type = w.type(value), result = result_type(task, type);
    bool builds = task != Task::add;
    ValueId count = w.builtin("length", {value}, module_.types.scalar(DType::i64));
    ValueId i = w.value("i", module_.types.scalar(DType::i64));
    std::vector<ValueId> initial{count}, params{i};
    if (builds) {
        initial.push_back(w.bind(Binding{.form = Form::seq}, result));
        params.push_back(w.value("done", result));
    }
    if (task == Task::add) {                             // a shorter one would leave elements without their adjoint
        ValueId expected = w.builtin("length", {shadow}, module_.types.scalar(DType::i64));
        w.assert_(w.op("eq", {count, expected}), "an adjoint of a Seq has as many elements as the Seq");
    }
    auto item = [&](ValueId from) { return w.builtin("seq_get", {from, i}, module_.types[w.type(from)].parts[0]); };
    BlockId body = TRY(w.block(params, [&]() -> Result<std::vector<ValueId>> {
        ValueId made = TRY(apply(w, task, item(value), shadow.valid() ? item(shadow) : ValueId()));
        if (!builds) return std::vector<ValueId>{};
        return std::vector<ValueId>{w.builtin("push", {params[1], made}, result)};
    }));
    ValueId done = w.bind(Binding{.form = Form::for_, .args = initial, .blocks = {body}}, result);
    return done;
}
} // namespace nereus
