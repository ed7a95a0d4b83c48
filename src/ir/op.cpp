#include "ir/op.h"
#include <algorithm>

namespace nereus {
namespace {
const Attribute* find_named(const AttributeList& attributes, std::string_view name) {
    for (const Attribute& attribute : attributes)
        if (attribute.name == name) return &attribute;
    return nullptr;
}
int64_t declared_default(const OpDef& op, std::string_view name) {
    for (const OpParam& param : op.params)
        if (param.name == name) return param.otherwise;
    invariant(false, "an attribute the operator does not declare");
    return 0;
}
bool by_name(const OpDef* a, const OpDef* b) { return a->name < b->name; }
} // namespace

int64_t EvalArgs::integer(std::string_view name) const {
    const Attribute* found = find_named(attributes, name);
    const int64_t* value = found ? std::get_if<int64_t>(&found->value) : nullptr;
    return value ? *value : declared_default(op, name);
}
bool EvalArgs::boolean(std::string_view name) const {
    const Attribute* found = find_named(attributes, name);
    const bool* value = found ? std::get_if<bool>(&found->value) : nullptr;
    return value ? *value : declared_default(op, name) != 0;
}
std::optional<std::vector<int64_t>> EvalArgs::integers(std::string_view name) const {
    const Attribute* found = find_named(attributes, name);
    const std::vector<int64_t>* value = found ? std::get_if<std::vector<int64_t>>(&found->value) : nullptr;
    return value ? std::optional(*value) : std::nullopt;
}
std::optional<DType> EvalArgs::dtype(std::string_view name) const {
    const Attribute* found = find_named(attributes, name);
    const DType* value = found ? std::get_if<DType>(&found->value) : nullptr;
    return value ? std::optional(*value) : std::nullopt;
}
std::string_view EvalArgs::text(std::string_view name, std::string_view otherwise) const {
    const Attribute* found = find_named(attributes, name);
    const std::string* value = found ? std::get_if<std::string>(&found->value) : nullptr;
    return value ? std::string_view(*value) : otherwise;
}

OpRegistry::OpRegistry(std::vector<const OpDef*> ops) : ops_(std::move(ops)) {
    std::sort(ops_.begin(), ops_.end(), by_name);
}
const OpDef* OpRegistry::find(std::string_view name) const {
    auto it = std::lower_bound(ops_.begin(), ops_.end(), name,
                               [](const OpDef* op, std::string_view n) { return op->name < n; });
    return it != ops_.end() && (*it)->name == name ? *it : nullptr;
}
} // namespace nereus
