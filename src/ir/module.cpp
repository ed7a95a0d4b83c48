#include "ir/module.h"

namespace nereus {
ValueId Function::add_value(std::string name, TypeId type, Span span) {
    values.push_back(ValueInfo{.name = std::move(name), .type = type, .known = {}, .span = span});
    return ValueId(values.size() - 1);
}
BindingId Function::add_binding(Binding binding) {
    bindings.push_back(std::move(binding));
    return BindingId(bindings.size() - 1);
}
BlockId Function::add_block() {
    blocks.emplace_back();
    return BlockId(blocks.size() - 1);
}

VarId Module::add_var(std::string name, VarKind kind) {
    vars.push_back(Var{std::move(name), kind});
    return VarId(vars.size() - 1);
}
FunctionId Module::find_id(std::string_view name) const {
    for (size_t i = 0; i < functions.size(); ++i)
        if (functions[i].name == name) return FunctionId(i);
    return {};
}
const Function* Module::find(std::string_view name) const {
    FunctionId id = find_id(name);
    return id.valid() ? &(*this)[id] : nullptr;
}

const Attribute* find_attribute(const Binding& binding, std::string_view name) {
    for (const Attribute& attribute : binding.attributes)
        if (attribute.name == name) return &attribute;
    return nullptr;
}

bool is_message(std::string_view what) {
    return what.find("{0}") != what.npos || what.find("{1}") != what.npos || what.find("{}") != what.npos;
}
std::string fill_message(std::string what, const std::string& left, const std::string& right) {
    const std::string nothing;
    for (auto [mark, text] : {std::pair(std::string_view("{0}"), &left), std::pair(std::string_view("{1}"), &right), std::pair(std::string_view("{}"), &nothing)})
        for (size_t at = what.find(mark); at != what.npos; at = what.find(mark, at + text->size())) what.replace(at, mark.size(), *text);
    return what;
}
} // namespace nereus
