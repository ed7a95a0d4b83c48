// ir/shown_names.h - names as messages show them: only those that somebody wrote.
#pragma once
#include "ir/module.h"
#include <span>

namespace nereus {
// A value that nobody named has a number for a name, which no message should show.
inline bool is_temporary(std::string_view name) { return !name.empty() && name[0] >= '0' && name[0] <= '9'; }
// Stages call what they make of @f @f.grad or @f.1, and of a fn in it @f.fn: the user knows @f, and that it was a fn.
inline std::string shown_function(std::string_view name) {
    const bool is_fn = name.ends_with(".fn") || name.find(".fn.") != name.npos;
    return is_fn ? "fn" : "@" + std::string(name.substr(0, name.find('.')));
}
inline std::string shown_value(std::string_view name) { return is_temporary(name) ? "this value" : "%" + std::string(name); }
inline std::string shown_parameter(const Function& function, std::span<const ValueId> params, size_t i) {
    const std::string& name = function[params[i]].name;
    return is_temporary(name) ? "parameter " + std::to_string(i + 1) : "%" + name;
}
} // namespace nereus
