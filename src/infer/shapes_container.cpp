// infer/shapes_container.cpp - constructors, fields, sequences and cells. What goes into a container is joined with what
// it may hold already; what comes out has its element unknowns opened.
#include "infer/shapes_walk.h"

namespace nereus {
AbsId Walk::open(AbsId element) {
    return open_element(
        abstracts_, element, [&] { return late("n", {}); }, [&] { return unknown_shape().tail; });
}
AbsId Walk::close(AbsId value, uint32_t scope) {
    return close_element(abstracts_, value, [&](Dim d) { return visible(d, scope); });
}
AbsId Walk::join_all(const std::vector<AbsId>& elements) {
    std::vector<AbsId> normal;
    for (AbsId element : elements) normal.push_back(abstracts_.is_bottom(element) ? element : normalised(element));
    return join_elements(
        abstracts_, normal, [](Dim) { return true; },
        [&](const std::vector<uint32_t>& cells, AbsId content) {
            for (uint32_t cell : cells) program_.widen_cell(cell, content);
        });
}

AbsId Walk::join_closed(std::vector<AbsId> elements) {
    for (AbsId& element : elements) element = close(element);
    return join_all(elements);
}

Names Walk::names_of(AbsId object) {
    const Abs& a = abstracts_[object];
    Names names;
    const std::vector<TypeParam>& params = module_[a.decl].params;
    for (size_t i = 0; i < params.size() && i < a.args.size(); ++i) {
        if (const AbsId* type = std::get_if<AbsId>(&a.args[i])) names.types[params[i].var] = *type;
        if (const Dim* dim = std::get_if<Dim>(&a.args[i]); dim && dim->valid()) names.dims[params[i].dim] = *dim;
        if (const Shape* shape = std::get_if<Shape>(&a.args[i])) names.tails[params[i].var] = *shape;
        if (const Element* dtype = std::get_if<Element>(&a.args[i])) names.dtypes[params[i].var] = *dtype;
    }
    names.carried = carried_by(module_, a);
    names.content = [this](const Abs& cell) { return content_of(cell); };
    return names;
}

void Walk::open_constructor(const Constructor& constructor, Names& names) {
    for (Sym s : constructor.dims) {
        std::string name = module_.dims.symbol(s).name;
        names.dims[s] = late(name, {});
    }
}

namespace {
// Does a tensor of this type, outside any container, have a size that no object has told?
bool lacks_size(const Module& module, TypeId id, const Names& names) {
    const Type& t = module.types[id];
    if (t.kind == TypeKind::tensor)
        for (Dim d : t.shape.dims)
            for (Sym s : module.dims.symbols_of(d))
                if (!names.dims.contains(s) && module.dims.symbol(s).kind != SymKind::unknown) return true;
    if (t.kind == TypeKind::tuple)
        for (TypeId part : t.parts)
            if (lacks_size(module, part, names)) return true;
    return false;
}
} // namespace

AbsId Walk::field_value(DeclId decl, uint32_t constructor, size_t field, const Names& names) {
    TypeId written = module_[decl].constructors[constructor].fields[field];
    if (lacks_size(module_, written, names)) return abstracts_.bottom();
    Dims& dims = module_.dims;
    Names whole = names;
    AbsId value = instantiate(
        module_, abstracts_, written, whole, [&](Sym s) { return s.valid() && dims.symbol(s).kind != SymKind::unknown ? dims.of(s) : late("n", {}); },
        [&] { return unknown_shape().tail; }, CarriedPlace{decl, constructor, uint32_t(field)});
    return value;
}

Result<Walk::Made> Walk::construct(const Binding& b, DeclId decl_id, uint32_t constructor_index, const std::vector<ValueId>& fields) {
    const TypeDecl decl = module_[decl_id];
    const Constructor& constructor = decl.constructors[constructor_index];
    Names names;
    Matching matching(module_, abstracts_, names);
    std::map<VarId, std::vector<AbsId>> types;
    std::map<CarriedPlace, std::vector<AbsId>> carried;
    std::string owner = decl.is_record ? decl.name : constructor.name;
    auto field_text = [&](size_t i) {
        return "field " + (decl.is_record ? constructor.field_names[i] : std::to_string(i)) + " of " + owner;
    };
    for (size_t i = 0; i < fields.size(); ++i) {
        AbsId value = abs(fields[i]);
        TypeId written = constructor.fields[i];
        collect_carried(module_, abstracts_, written, value, {decl_id, constructor_index, uint32_t(i)}, carried);
        matching.collect(written, value, field_text(i));
        collect_types(written, value, types, 0);
    }
    matching.solve();
    for (const std::string& rank_error : matching.rank_errors)
        if (audible_) return error(rank_error);
    for (const Equation& e : matching.equations)
        if (e.depth == 0 && !matching.unsolved(e))
            TRY(require(matching.image(e), Relation::equal, e.found, e.where));
    Binding out = copy(b);
    std::vector<Made> held;
    for (ValueId field : fields) held.push_back(made(field));
    for (size_t i = 0; i < fields.size(); ++i) {         // elements whose sizes the declaration states
        Matching own(module_, abstracts_, names);
        own.collect(constructor.fields[i], held[i].abs, "");
        bool look = own.must_look;
        for (const Equation& e : own.equations)
            look = look || (e.depth > 0 && (abstracts_.has_unknown(e.found) || own.unsolved(e) ||
                                            !know_.equal(own.image(e), e.found)));
        if (look) held[i] = TRY(narrow(held[i], constructor.fields[i], names, "", field_text(i)));
        if (audible_) out.args[i] = held[i].value;
    }
    Abs object{.kind = AbsKind::data, .decl = decl_id};
    for (const CarriedPlace& place : carried_places(module_, decl_id)) object.parts.push_back(join_carried(carried[place]));
    const Type skeleton = module_.types[skeleton_of(b)];
    for (size_t i = 0; i < decl.params.size(); ++i) {
        const TypeParam& param = decl.params[i];
        switch (param.kind) {
        case TypeParam::Kind::type: object.args.push_back(join_all(types[param.var])); break;
        case TypeParam::Kind::dim: object.args.push_back(names.dims.contains(param.dim) ? names.dims[param.dim] : Dim()); break;
        case TypeParam::Kind::shape: {
            auto it = names.tails.find(param.var);
            object.args.push_back(it == names.tails.end() ? Shape{{}, false, {}} : it->second);
            break;
        }
        case TypeParam::Kind::dtype:
            object.args.push_back(i < skeleton.args.size() && std::get_if<Element>(&skeleton.args[i])
                                      ? std::get<Element>(skeleton.args[i]) : Element{});
        }
    }
    out.decl = decl_id, out.index = constructor_index;
    return emit_for(b, std::move(out), abstracts_.intern(std::move(object)));
}

// What stands where the declaration says `a`: a direct value, or the elements of an inner container.
void Walk::collect_types(TypeId written, AbsId value, std::map<VarId, std::vector<AbsId>>& out, uint32_t depth) {
    if (abstracts_.is_bottom(value)) return;
    const Type t = module_.types[written];
    const Abs a = abstracts_[value];
    if (t.kind == TypeKind::var) return out[t.var].push_back(depth > 0 ? value : close(value));
    if (t.kind == TypeKind::tuple)
        for (size_t i = 0; i < t.parts.size(); ++i) collect_types(t.parts[i], a.parts[i], out, depth);
    if (t.kind == TypeKind::seq || t.kind == TypeKind::ref) collect_types(t.parts[0], a.parts[0], out, depth + 1);
    if (t.kind == TypeKind::data)
        for (size_t i = 0; i < t.args.size() && i < a.args.size(); ++i)
            if (const TypeId* arg = std::get_if<TypeId>(&t.args[i])) collect_types(*arg, std::get<AbsId>(a.args[i]), out, depth + 1);
}

Result<Walk::Made> Walk::record(const Binding& b) {
    DeclId decl = b.decl.valid() ? b.decl : module_.types[skeleton_of(b)].decl;
    const Constructor& constructor = module_[decl].constructors[0];
    std::vector<ValueId> fields;                         // in declared order; evaluation is over by now
    for (const std::string& name : constructor.field_names)
        for (size_t i = 0; i < b.names.size(); ++i)
            if (b.names[i] == name) fields.push_back(b.args[i]);
    Binding ordered = b;
    ordered.args = fields, ordered.names = constructor.field_names, ordered.decl = decl;
    return construct(ordered, decl, 0, fields);
}

size_t Walk::field_index(DeclId decl, std::string_view name) const {
    const std::vector<std::string>& names = module_[decl].constructors[0].field_names;
    for (size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return i;
    invariant(false, "a field that types let through");
    return 0;
}

Result<Walk::Made> Walk::field(const Binding& b) {
    AbsId object = abs(b.args[0]);
    DeclId decl = abstracts_[object].decl;
    Names names = names_of(object);
    open_constructor(module_[decl].constructors[0], names);
    AbsId value = field_value(decl, 0, field_index(decl, b.names[0]), names);
    return emit_for(b, copy(b), value);
}

// {e with f = v}: as if all other fields were read and a new record made of them.
Result<Walk::Made> Walk::update(const Binding& b) {
    AbsId object = abs(b.args[0]);
    const Abs a = abstracts_[object];
    const Constructor constructor = module_[a.decl].constructors[0];
    Names names = names_of(object);
    Matching matching(module_, abstracts_, names);
    std::map<VarId, std::vector<AbsId>> types;
    std::map<CarriedPlace, std::vector<AbsId>> carried;
    for (size_t i = 0; i < b.names.size(); ++i) {
        size_t at = field_index(a.decl, b.names[i]);
        AbsId value = abs(b.args[i + 1]);
        collect_carried(module_, abstracts_, constructor.fields[at], value, {a.decl, 0, uint32_t(at)}, carried);
        matching.collect(constructor.fields[at], value, "field " + b.names[i]);
        collect_types(constructor.fields[at], value, types, 0);
    }
    matching.solve();
    for (const std::string& rank_error : matching.rank_errors)
        if (audible_) return error(rank_error);
    for (const Equation& e : matching.equations)
        if (e.depth == 0 && !matching.unsolved(e))
            TRY(require(matching.image(e), Relation::equal, e.found, e.where));
    Abs updated = a;
    const bool holds_itself = is_recursive(module_, a.decl);     // then others of its kind may hold what was there
    const std::vector<CarriedPlace> places = carried_places(module_, a.decl);
    for (size_t i = 0; i < places.size(); ++i) {
        if (!carried.contains(places[i])) continue;
        std::vector<AbsId> all = carried[places[i]];
        if (holds_itself || places[i].decl != a.decl) all.push_back(a.parts[i]);
        updated.parts[i] = join_carried(all);
    }
    const std::vector<TypeParam>& params = module_[a.decl].params;
    for (size_t i = 0; i < params.size(); ++i) {
        if (AbsId* arg = std::get_if<AbsId>(&updated.args[i]); arg && types.contains(params[i].var)) {
            std::vector<AbsId> all = types[params[i].var];
            if (!replaces_all(constructor, b.names, params[i].var)) all.push_back(*arg);
            *arg = join_all(all);
        }
        if (Dim* arg = std::get_if<Dim>(&updated.args[i]); arg && !arg->valid() && names.dims.contains(params[i].dim))
            *arg = names.dims[params[i].dim];
    }
    return emit_for(b, copy(b), abstracts_.intern(std::move(updated)));
}

namespace {
bool mentions(const Module& module, TypeId id, VarId var) {
    const Type& t = module.types[id];
    if (t.kind == TypeKind::var) return t.var == var;
    for (TypeId part : t.parts)
        if (mentions(module, part, var)) return true;
    for (const TypeArg& arg : t.args)
        if (const TypeId* type = std::get_if<TypeId>(&arg); type && mentions(module, *type, var)) return true;
    return false;
}
} // namespace
bool Walk::replaces_all(const Constructor& constructor, const std::vector<std::string>& names, VarId var) const {
    for (size_t i = 0; i < constructor.fields.size(); ++i) {
        bool replaced = std::find(names.begin(), names.end(), constructor.field_names[i]) != names.end();
        if (!replaced && mentions(module_, constructor.fields[i], var)) return false;
    }
    return true;
}

Result<Walk::Made> Walk::sequence(const Binding& b) {
    std::vector<AbsId> elements;
    for (ValueId arg : b.args) elements.push_back(close(abs(arg)));
    return emit_for(b, copy(b), abstracts_.seq(join_all(elements)));
}

// What an object will carry. Whoever takes a cell out of it sees no symbol of ours, so from here on nobody does.
AbsId Walk::join_carried(std::vector<AbsId> values) {
    for (AbsId& value : values) {
        Abs a = abstracts_[value];
        if (a.kind != AbsKind::ref) continue;
        for (uint32_t cell : a.cells) program_.widen_cell(cell, a.parts[0]);
        a.parts[0] = abstracts_.bottom();
        value = abstracts_.intern(std::move(a));
    }
    return join_closed(std::move(values));
}

// Of cells that were carried: any of them may be meant, so each holds what all hold.
AbsId Walk::content_of(const Abs& cell) {
    std::vector<AbsId> contents = cell.parts;
    for (uint32_t at : cell.cells)
        if (at != cell_from_outside) contents.push_back(program_.cell_content(at));
    AbsId content = join_all(contents);
    for (uint32_t at : cell.cells) program_.widen_cell(at, content);
    return content;
}

// The content of a cell, as seen where it is made: the first value, and whatever is written to it anywhere.
Result<Walk::Made> Walk::make_cell(const Binding& b) {
    BindingId site(size_t(&b - in_.bindings.data()));
    uint32_t cell = program_.cell(program_.instances[self_].plan.key, site);
    AbsId content = join_all({close(abs(b.args[0])), program_.cell_content(cell)});
    Abs ref{.kind = AbsKind::ref, .parts = {content}, .cells = {cell}};
    return emit_for(b, copy(b), abstracts_.intern(std::move(ref)));
}

// Writing what the view does not cover widens the cell for everyone. Symbols of this instance mean nothing to others,
// so sizes that are not constants become unknown.
Result<Walk::Made> Walk::write_cell(const Binding& b) {
    const Abs ref = abstracts_[abs(b.args[0])];
    AbsId value = close(abs(b.args[1]));
    AbsId covered = join_all({ref.parts[0], value});
    if (covered != normalised(ref.parts[0])) {
        auto constant = [&](Dim d) { return module_.dims.constant_value(d).has_value(); };
        for (uint32_t cell : ref.cells) program_.widen_cell(cell, close_element(abstracts_, value, constant));
    }
    return emit_for(b, copy(b), abstracts_.unit());
}
} // namespace nereus
