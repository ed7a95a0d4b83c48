#include "eval/sized.h"

namespace nereus {
// Two kinds of places: a function, whose scope says it, or a declaration, whose arguments and bound dims say it.
struct SizedTypes::Names {
    const Scope* scope = nullptr;
    const TypeDecl* decl = nullptr;
    const Constructor* constructor = nullptr;
    std::span<const SizedArg> args;
    std::span<const int64_t> dims;

    std::optional<int64_t> size(Sym symbol) const {
        if (scope) return scope->size(symbol);
        for (size_t i = 0; i < dims.size(); ++i)
            if (constructor->dims[i] == symbol) return dims[i];
        for (size_t i = 0; i < args.size(); ++i)
            if (decl->params[i].dim == symbol && args[i].dim >= 0) return args[i].dim;
        return std::nullopt;
    }
    const SizedArg* argument(VarId var) const {
        for (size_t i = 0; i < args.size(); ++i)
            if (decl->params[i].var == var) return &args[i];
        return nullptr;
    }
};

namespace {
size_t hash_of(const Sized& type) {
    size_t state = size_t(type.kind) * 31 + (type.dtype ? size_t(*type.dtype) + 1 : 0);
    auto add = [&](size_t word) { state = (state ^ word) * 1099511628211ull; };
    add(type.ranked), add(type.decl.index);
    for (int64_t size : type.sizes) add(size_t(size));
    for (SizedId part : type.parts) add(part.index);
    for (const SizedArg& arg : type.args) {
        add(arg.type.index), add(size_t(arg.dim));
        for (int64_t size : arg.shape) add(size_t(size));
    }
    return state;
}
std::string sizes_text(const Sized& type) {
    std::string text = "(";
    for (size_t i = 0; i < type.sizes.size(); ++i)
        text += (i ? ", " : "") + (type.sizes[i] < 0 ? "?" : std::to_string(type.sizes[i]));
    return text + (type.ranked ? ")" : type.sizes.empty() ? "..)" : ", ..)");
}
std::string dtype_text(DType dtype) { return std::string(dtype_name(dtype)); }

std::optional<std::string> tensor_misfit(const Datum& value, const Sized& type) {
    if (!value.is(DatumKind::tensor)) return "expected a tensor";
    if (type.dtype && value.dtype() != *type.dtype)
        return "expected " + dtype_text(*type.dtype) + ", found " + dtype_text(value.dtype());
    Extents shape = value.shape();
    bool fits = type.ranked ? shape.size() == type.sizes.size() : shape.size() >= type.sizes.size();
    for (size_t i = 0; fits && i < type.sizes.size(); ++i)
        fits = type.sizes[i] < 0 || type.sizes[i] == shape[i];
    if (fits) return std::nullopt;
    return "expected sizes " + sizes_text(type) + ", found " + shape_text(shape);
}
} // namespace

SizedTypes::SizedTypes(const Module& module) : module_(module) {
    closed_.assign(module.types.size(), -1);
    decl_says_nothing_.assign(module.decls.size(), -1);
    intern(Sized{}); // any() == SizedId(0)
}

SizedId SizedTypes::intern(Sized type) {
    size_t hash = hash_of(type);
    auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (all_[it->second.index] == type) return it->second;
    SizedId id(all_.size());
    by_hash_.emplace(hash, id);
    bool nothing = type.kind == Sized::Kind::any ||
                   (type.kind == Sized::Kind::tensor && !type.ranked && type.sizes.empty());
    if (type.kind == Sized::Kind::seq) nothing = says_nothing(type.parts[0]);
    if (type.kind == Sized::Kind::tuple) {
        nothing = true;
        for (SizedId part : type.parts) nothing &= says_nothing(part);
    }
    if (type.kind == Sized::Kind::data) {
        nothing = decl_says_nothing(type.decl);
        for (const SizedArg& arg : type.args) nothing &= !arg.type.valid() || says_nothing(arg.type);
    }
    all_.push_back(std::move(type));
    says_nothing_.push_back(nothing);
    return id;
}

// Whether values of a declared type need no look because neither its text nor that of a type it mentions names a tensor,
// tuple or Seq: List[a].
bool SizedTypes::decl_says_nothing(DeclId id) {
    if (decl_says_nothing_[id.index] >= 0) return decl_says_nothing_[id.index];
    std::vector<TypeId> open;
    std::vector<bool> seen(module_.decls.size(), false);
    auto add = [&](DeclId decl) {
        if (seen[decl.index]) return;
        seen[decl.index] = true;
        for (const Constructor& constructor : module_[decl].constructors)
            open.insert(open.end(), constructor.fields.begin(), constructor.fields.end());
    };
    bool nothing = true;
    for (add(id); !open.empty() && nothing;) {
        const Type& type = module_.types[open.back()];
        open.pop_back();
        nothing = type.kind != TypeKind::tensor && type.kind != TypeKind::tuple && type.kind != TypeKind::seq;
        if (type.kind != TypeKind::data) continue;
        add(type.decl);
        for (const TypeArg& arg : type.args)
            if (const TypeId* part = std::get_if<TypeId>(&arg)) open.push_back(*part);
    }
    decl_says_nothing_[id.index] = nothing;
    return nothing;
}

bool SizedTypes::is_closed(TypeId id) {
    int8_t& known = closed_[id.index];
    if (known >= 0) return known;
    const Type& type = module_.types[id];
    auto dim_closed = [&](Dim dim) { return !dim.valid() || module_.dims.constant_value(dim).has_value(); };
    auto shape_closed = [&](const Shape& shape) {
        for (Dim dim : shape.dims)
            if (!dim_closed(dim)) return false;
        return !shape.tail.valid();
    };
    bool closed = type.kind != TypeKind::var && !type.element.var.valid() && shape_closed(type.shape);
    for (TypeId part : type.parts) closed = closed && is_closed(part);
    for (const TypeArg& arg : type.args) {
        if (const TypeId* part = std::get_if<TypeId>(&arg)) closed = closed && is_closed(*part);
        if (const Dim* dim = std::get_if<Dim>(&arg)) closed = closed && dim_closed(*dim);
        if (const Element* element = std::get_if<Element>(&arg)) closed = closed && !element->var.valid();
        if (const Shape* shape = std::get_if<Shape>(&arg)) closed = closed && shape_closed(*shape);
    }
    closed_[id.index] = closed;
    return closed;
}

SizedId SizedTypes::of(TypeId type, const Scope& scope) {
    if (!is_closed(type)) return of(type, Names{.scope = &scope});
    if (auto found = of_closed_.find(type); found != of_closed_.end()) return found->second;
    SizedId made = of(type, Names{.scope = &scope});
    of_closed_.emplace(type, made);
    return made;
}

void SizedTypes::shape_of(const Shape& shape, const Names& names, bool& ranked, Extents& sizes) {
    for (Dim dim : shape.dims) {
        Result<int64_t> size = module_.dims.evaluate(dim, [&](Sym symbol) { return names.size(symbol); });
        sizes.push_back(size ? *size : -1);
    }
    ranked = shape.ranked;
    if (shape.ranked || !shape.tail.valid()) return;
    const Extents* rest = names.scope ? names.scope->shape(shape.tail) : nullptr;
    const SizedArg* arg = names.scope ? nullptr : names.argument(shape.tail);
    if (arg && arg->ranked) rest = &arg->shape;
    if (!rest) return;
    sizes.insert(sizes.end(), rest->begin(), rest->end());
    ranked = true;
}

SizedArg SizedTypes::argument(const TypeArg& arg, const Names& names) {
    SizedArg made;
    if (const TypeId* type = std::get_if<TypeId>(&arg)) made.type = of(*type, names);
    if (const Dim* dim = std::get_if<Dim>(&arg); dim && dim->valid()) { // invalid: not known
        Result<int64_t> size = module_.dims.evaluate(*dim, [&](Sym symbol) { return names.size(symbol); });
        made.dim = size ? *size : -1;
    }
    if (const Element* element = std::get_if<Element>(&arg)) {
        made.dtype = element->dtype;
        if (element->var.valid() && names.scope) made.dtype = names.scope->dtype(element->var);
        if (const SizedArg* outer = names.argument(element->var)) made.dtype = outer->dtype;
    }
    if (const Shape* shape = std::get_if<Shape>(&arg)) shape_of(*shape, names, made.ranked, made.shape);
    return made;
}

// Recursion here is on the text of a type, which nests at most as deep as the program.
SizedId SizedTypes::of(TypeId id, const Names& names) {
    const Type& type = module_.types[id];
    Sized made;
    switch (type.kind) {
    case TypeKind::hole:
    case TypeKind::function:
    case TypeKind::ref: return any();
    case TypeKind::var: {
        const SizedArg* arg = names.argument(type.var);
        return arg && arg->type.valid() ? arg->type : any();
    }
    case TypeKind::tensor: {
        made.kind = Sized::Kind::tensor;
        TypeArg element(type.element);
        made.dtype = argument(element, names).dtype;
        shape_of(type.shape, names, made.ranked, made.sizes);
        if (!made.dtype && !made.ranked && made.sizes.empty()) return any();
        break;
    }
    case TypeKind::tuple:
        made.kind = Sized::Kind::tuple;
        for (TypeId part : type.parts) made.parts.push_back(of(part, names));
        break;
    case TypeKind::seq:
        made.kind = Sized::Kind::seq;
        made.parts.push_back(of(type.parts[0], names));
        break;
    case TypeKind::data:
        made.kind = Sized::Kind::data;
        made.decl = type.decl;
        for (const TypeArg& arg : type.args) made.args.push_back(argument(arg, names));
        break;
    }
    return intern(std::move(made));
}

std::vector<SizedId> SizedTypes::fields(SizedId data, DeclId decl, uint32_t constructor,
                                        std::span<const int64_t> dims) {
    const TypeDecl& declared = module_[decl];
    std::vector<SizedArg> args; // a copy: making types moves all_
    if ((*this)[data].kind == Sized::Kind::data && (*this)[data].decl == decl) args = (*this)[data].args;
    const Constructor& made = declared.constructors[constructor];
    Names names{.decl = &declared, .constructor = &made, .args = args, .dims = dims};
    std::vector<SizedId> result;
    for (TypeId field : made.fields) result.push_back(of(field, names));
    return result;
}

// Whether all that fits one type fits the other, as far as the texts of both show it. Recursion is on these.
bool SizedTypes::implies(SizedId fits, SizedId type) {
    if (fits == type || says_nothing(type)) return true;
    if (!fits.valid()) return false;
    uint64_t key = uint64_t(fits.index) << 32 | type.index;
    if (auto found = implies_.find(key); found != implies_.end()) return found->second;
    const Sized &a = (*this)[fits], &b = (*this)[type];
    bool yes = a.kind == b.kind && a.decl == b.decl && a.parts.size() == b.parts.size() &&
               a.args.size() == b.args.size();
    yes = yes && (b.ranked ? a.ranked && a.sizes.size() == b.sizes.size() : a.sizes.size() >= b.sizes.size());
    for (size_t i = 0; yes && i < b.sizes.size(); ++i) yes = b.sizes[i] < 0 || a.sizes[i] == b.sizes[i];
    for (size_t i = 0; yes && i < b.parts.size(); ++i) yes = implies(a.parts[i], b.parts[i]);
    for (size_t i = 0; yes && i < b.args.size(); ++i) yes = implies(a.args[i], b.args[i]);
    return implies_[key] = yes;
}
bool SizedTypes::implies(const SizedArg& fits, const SizedArg& arg) {
    if (arg.type.valid() && !implies(fits.type, arg.type)) return false;
    return (arg.dim < 0 || arg.dim == fits.dim) && (!arg.ranked || (fits.ranked && arg.shape == fits.shape));
}

size_t SizedTypes::fitting_items(const Datum& seq, SizedId type) {
    Datum::PartlyFits known = seq.partly_fits();
    return implies(SizedId(size_t(known.type)), type) ? known.items : 0;
}

std::optional<Misfit> SizedTypes::misfit(const Datum& value, SizedId type) {
    if (implies(SizedId(size_t(value.fits())), type)) return std::nullopt;
    struct Task {
        Datum value;
        SizedId type;
        size_t step;                                     // that leads to it
    };
    struct Step {
        size_t from;
        uint32_t item;
    };
    std::vector<Step> steps{{0, 0}};                     // the first leads nowhere
    std::vector<Task> tasks{{value, type, 0}};
    bool nested = false;
    for (; !tasks.empty(); nested = true) {
        Task task = std::move(tasks.back());
        tasks.pop_back();
        auto look_inside = [&](size_t item, SizedId wanted) {
            steps.push_back({task.step, uint32_t(item)});
            tasks.push_back({task.value.items()[item], wanted, steps.size() - 1});
        };
        if (implies(SizedId(size_t(task.value.fits())), task.type)) continue;
        Sized expected = (*this)[task.type]; // a copy: fields() below moves all_
        std::string wrong;
        switch (expected.kind) {
        case Sized::Kind::any: break;
        case Sized::Kind::tensor: wrong = tensor_misfit(task.value, expected).value_or(""); break;
        case Sized::Kind::tuple:
            if (!task.value.is(DatumKind::tuple) || task.value.items().size() != expected.parts.size()) {
                wrong = "expected a tuple of " + std::to_string(expected.parts.size());
                break;
            }
            for (size_t i = expected.parts.size(); i-- > 0;) look_inside(i, expected.parts[i]);
            break;
        case Sized::Kind::seq:
            if (!task.value.is(DatumKind::seq)) {
                wrong = "expected a Seq";
                break;
            }
            for (size_t i = task.value.items().size(), fitting = fitting_items(task.value, task.type); i-- > fitting;)
                look_inside(i, expected.parts[0]);
            break;
        case Sized::Kind::data: {
            if (!task.value.is(DatumKind::data) || task.value.decl() != expected.decl) {
                wrong = "expected " + module_[expected.decl].name;
                break;
            }
            std::vector<SizedId> types =
                fields(task.type, expected.decl, task.value.constructor(), task.value.dims());
            for (size_t i = types.size(); i-- > 0;) look_inside(i, types[i]);
            break;
        }
        }
        if (!wrong.empty()) {
            Misfit misfit{std::move(wrong), nested};
            for (size_t at = task.step; at > 0; at = steps[at].from) misfit.way.insert(misfit.way.begin(), steps[at].item);
            return misfit;
        }
        // marked before its parts are looked at: a misfit ends the run, so a mark is never seen to be wrong
        task.value.set_fits(task.type.index);
    }
    return std::nullopt;
}
} // namespace nereus
