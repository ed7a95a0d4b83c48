#include "infer/types_convert.h"
#include <algorithm>

namespace nereus {
namespace {
bool is_in_terms(TypeParam::Kind kind) { return kind == TypeParam::Kind::type || kind == TypeParam::Kind::dtype; }
Shape unknown_shape() { return Shape{.dims = {}, .ranked = false, .tail = {}}; }
} // namespace

TermId WrittenTypes::variable(VarId var) {
    auto [it, fresh] = vars_.try_emplace(var);
    bool is_dtype = module_->vars[var.index].kind == VarKind::dtype;
    if (fresh) it->second = is_dtype ? terms_->dtype_unknown(DTypeClass::any) : terms_->unknown();
    return it->second;
}

TermId WrittenTypes::element(const Element& element) {
    if (element.dtype) return terms_->dtype(*element.dtype);
    return element.var.valid() ? variable(element.var) : terms_->dtype_unknown(DTypeClass::any);
}

TermId WrittenTypes::data(DeclId decl) {
    std::vector<TermId> args;
    for (const TypeParam& param : (*module_)[decl].params)
        if (is_in_terms(param.kind)) args.push_back(variable(param.var));
    return terms_->data(decl, args);
}

TermId WrittenTypes::term(TypeId id) {
    if (!id.valid()) return terms_->unknown();
    const Type& type = module_->types[id];
    std::vector<TermId> parts;
    switch (type.kind) {
    case TypeKind::hole: return terms_->unknown();
    case TypeKind::var: return variable(type.var);
    case TypeKind::tensor: return terms_->tensor(element(type.element));
    case TypeKind::ref: return terms_->ref(term(type.parts[0]));
    case TypeKind::seq: return terms_->seq(term(type.parts[0]));
    case TypeKind::tuple: case TypeKind::function:
        for (TypeId part : type.parts) parts.push_back(term(part));
        return terms_->composite(type.kind == TypeKind::tuple ? TermKind::tuple : TermKind::function, parts);
    case TypeKind::data: break;
    }
    const std::vector<TypeParam>& params = (*module_)[type.decl].params;
    for (size_t i = 0; i < params.size(); ++i) {
        if (!is_in_terms(params[i].kind)) continue;
        bool is_dtype = params[i].kind == TypeParam::Kind::dtype;
        if (i >= type.args.size()) parts.push_back(is_dtype ? terms_->dtype_unknown(DTypeClass::any) : terms_->unknown());
        else if (is_dtype) parts.push_back(element(std::get<Element>(type.args[i])));
        else parts.push_back(term(std::get<TypeId>(type.args[i])));
    }
    return terms_->data(type.decl, parts);
}

namespace {
void variables_in(const Module& module, TypeId id, std::vector<VarId>& out) {
    if (!id.valid()) return;
    auto found = [&](VarId var) {
        if (var.valid() && std::find(out.begin(), out.end(), var) == out.end()) out.push_back(var);
    };
    const Type& type = module.types[id];
    found(type.var), found(type.element.var);
    for (TypeId part : type.parts) variables_in(module, part, out);
    for (const TypeArg& arg : type.args) {
        if (const TypeId* inner = std::get_if<TypeId>(&arg)) variables_in(module, *inner, out);
        if (const Element* element = std::get_if<Element>(&arg)) found(element->var);
    }
}
} // namespace

bool has_holes(const Module& module, TypeId id) {
    if (!id.valid() || id == module.types.hole()) return true;
    const Type& type = module.types[id];
    if (type.kind == TypeKind::tensor) return !type.element.dtype && !type.element.var.valid();
    if (type.kind == TypeKind::data && type.args.size() < module[type.decl].params.size()) return true;
    for (TypeId part : type.parts)
        if (has_holes(module, part)) return true;
    for (const TypeArg& arg : type.args)
        if (const TypeId* inner = std::get_if<TypeId>(&arg); inner && has_holes(module, *inner)) return true;
    return false;
}

std::vector<VarId> signature_variables(const Module& module, const Function& function) {
    std::vector<VarId> found;
    for (const TypeParam& param : function.type_params)
        if (is_in_terms(param.kind)) found.push_back(param.var);
    for (ValueId param : function.params) variables_in(module, function[param].type, found);
    variables_in(module, function.result, found);
    return found;
}

Element FinishedTypes::element(TermId id) {
    const TypeTerm& term = terms_[id];
    if (term.kind == TermKind::dtype) return Element{term.dtype, {}};
    return Element{std::nullopt, name_unknown_(terms_.find(id), VarKind::dtype)};
}

TypeId FinishedTypes::type(TermId id) {
    id = terms_.find(id);
    if (auto it = known_.find(id); it != known_.end()) return it->second;
    Types& types = module_.types;
    const TypeTerm& term = terms_[id];
    TypeId made;
    switch (term.kind) {
    case TermKind::unknown: made = types.variable(name_unknown_(id, VarKind::type)); break;
    case TermKind::dtype_unknown: case TermKind::dtype: invariant(false, "a dtype where a type stands"); break;
    case TermKind::tensor: made = types.tensor(unknown_shape(), element(terms_.part(id, 0))); break;
    case TermKind::ref: made = types.ref(type(terms_.part(id, 0))); break;
    case TermKind::seq: made = types.seq(type(terms_.part(id, 0))); break;
    case TermKind::tuple: case TermKind::function: {
        Type built{.kind = term.kind == TermKind::tuple ? TypeKind::tuple : TypeKind::function};
        for (TermId part : terms_.parts(id)) built.parts.push_back(type(part));
        made = types.intern(std::move(built));
        break;
    }
    case TermKind::data: {
        Type built{.kind = TypeKind::data, .decl = term.decl};
        size_t next = 0;
        for (const TypeParam& param : module_[term.decl].params) {
            switch (param.kind) {
            case TypeParam::Kind::type: built.args.push_back(type(terms_.part(id, next++))); break;
            case TypeParam::Kind::dtype: built.args.push_back(element(terms_.part(id, next++))); break;
            case TypeParam::Kind::shape: built.args.push_back(unknown_shape()); break;
            case TypeParam::Kind::dim: built.args.push_back(Dim()); break;
            }
        }
        made = types.intern(std::move(built));
        break;
    }
    }
    known_.emplace(id, made);
    return made;
}

TypeId FinishedTypes::fill(TypeId written, TermId id) {
    if (!written.valid()) return type(id);
    Type filled = module_.types[written];                // a copy: interning may move the table
    switch (filled.kind) {
    case TypeKind::hole: case TypeKind::var: return type(id);
    case TypeKind::tensor: filled.element = element(terms_.part(id, 0)); break;
    case TypeKind::tuple: case TypeKind::function: case TypeKind::ref: case TypeKind::seq:
        for (size_t i = 0; i < filled.parts.size(); ++i) filled.parts[i] = fill(filled.parts[i], terms_.part(id, i));
        break;
    case TypeKind::data: {
        if (filled.args.empty()) return type(id);
        size_t next = 0;
        for (TypeArg& arg : filled.args) {
            if (const TypeId* inner = std::get_if<TypeId>(&arg)) arg = fill(*inner, terms_.part(id, next++));
            else if (std::holds_alternative<Element>(arg)) arg = element(terms_.part(id, next++));
        }
        break;
    }
    }
    return module_.types.intern(std::move(filled));
}
} // namespace nereus
