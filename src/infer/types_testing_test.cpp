#include "infer/types_testing.h"
#include "ops/registry.h"
#include "text/parse.h"

namespace nereus {
namespace {
std::string list(const Module& module, std::span<const TypeId> types) {
    std::string text;
    for (TypeId type : types) text += (text.empty() ? "" : ", ") + type_for_test(module, type);
    return text;
}
std::string element_text(const Module& module, const Element& element) {
    return element.dtype ? std::string(dtype_name(*element.dtype)) : element.var.valid() ? module.vars[element.var.index].name : "_";
}
std::string dim_text(const Module& module, Dim dim) { return dim.valid() ? module.dims.to_string(dim) : "?"; }
} // namespace

Result<Module> parse_for_test(std::string_view program) { return parse("test.nr", std::string(program), all_ops()); }

std::string type_for_test(const Module& module, TypeId id) {
    if (!id.valid()) return "nothing";
    const Type& type = module.types[id];
    switch (type.kind) {
    case TypeKind::hole: return "_";
    case TypeKind::var: return module.vars[type.var.index].name;
    case TypeKind::ref: return "Ref[" + list(module, type.parts) + "]";
    case TypeKind::seq: return "Seq[" + list(module, type.parts) + "]";
    case TypeKind::tuple: return "(" + list(module, type.parts) + ")";
    case TypeKind::function:
        return "fn(" + list(module, std::span(type.parts).first(type.parts.size() - 1)) + ") -> " +
               type_for_test(module, type.parts.back());
    case TypeKind::tensor: {
        std::string text = element_text(module, type.element), dims;
        for (Dim dim : type.shape.dims) dims += (dims.empty() ? "" : ", ") + dim_text(module, dim);
        if (type.shape.tail.valid()) dims += ".." + module.vars[type.shape.tail.index].name;
        return type.shape.ranked || !dims.empty() ? text + "(" + dims + ")" : text;
    }
    case TypeKind::data: break;
    }
    std::string text;
    for (const TypeArg& arg : type.args) {
        text += text.empty() ? "[" : ", ";
        if (const TypeId* inner = std::get_if<TypeId>(&arg)) text += type_for_test(module, *inner);
        if (const Dim* dim = std::get_if<Dim>(&arg)) text += dim_text(module, *dim);
        if (const Element* element = std::get_if<Element>(&arg)) text += element_text(module, *element);
        if (std::holds_alternative<Shape>(arg)) text += "..";
    }
    return module[type.decl].name + text + (text.empty() ? "" : "]");
}

std::string signatures_of(const Module& module) {
    std::string text;
    for (const Function& function : module.functions) {
        if (function.from_prelude) continue;
        std::vector<TypeId> params;
        for (ValueId param : function.params) params.push_back(function[param].type);
        text += (text.empty() ? "@" : "\n@") + function.name + "(" + list(module, params) + ") -> " +
                type_for_test(module, function.result);
    }
    return text;
}
} // namespace nereus
