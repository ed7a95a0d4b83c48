#include "infer/call_depth.h"
#include <vector>

namespace nereus {
constexpr size_t deepest = 2000;                         // shapes are inferred less deep, but gradients come before

Status check_call_depth(const Module& module, FunctionId entry) {
    struct Open { FunctionId function; size_t next = 0; };           // the binding to look at
    std::vector<bool> seen(module.functions.size());
    std::vector<Open> open{{entry}};
    seen[entry.index] = true;
    while (!open.empty()) {
        const Function& function = module[open.back().function];
        if (open.size() > deepest) return Error{Code::limit, "calls nest too deep to infer shapes", function.span};
        if (open.back().next == function.bindings.size()) {
            open.pop_back();
            continue;
        }
        const Binding& binding = function.bindings[open.back().next++];
        if (binding.form != Form::call || seen[binding.function.index]) continue;
        seen[binding.function.index] = true;
        open.push_back({binding.function});
    }
    return {};
}
} // namespace nereus
