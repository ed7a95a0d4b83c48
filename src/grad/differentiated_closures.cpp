// Whether functions as values stand in the way of the product form.
#include "grad/grad.h"
#include "ir/op.h"
#include <algorithm>
#include <set>
#include <unordered_map>

namespace nereus {
namespace {
class Search {
 public:
    explicit Search(const Module& module) : module_(module) {}
    bool closures = false;

    void run() {
        for (size_t i = 0; i < module_.functions.size(); ++i)
            for (const Binding& b : module_.functions[i].bindings)
                if (is_gradient(b) && !by_closures(b)) target(FunctionId(i), b.args[0]);
    }

 private:
    static bool is_gradient(const Binding& b) { return b.form == Form::op && b.op->builtin == Builtin::grad; }
    static bool by_closures(const Binding& b) {
        const Attribute* mode = find_attribute(b, "mode");
        const std::string* text = mode ? std::get_if<std::string>(&mode->value) : nullptr;
        return text && *text == "closures";
    }
    struct Uses { std::unordered_map<ValueId, const Binding*> definitions; std::set<ValueId> gradients, differentiated; };
    const Uses& uses(FunctionId id) {
        auto [it, is_new] = uses_.try_emplace(id.index);
        for (size_t i = 0; is_new && i < module_[id].bindings.size(); ++i) {
            const Binding& b = module_[id].bindings[i];
            for (ValueId result : b.results) it->second.definitions[result] = &b;
            if (is_gradient(b)) it->second.gradients.insert(b.results[0]), it->second.differentiated.insert(b.args[0]);
        }
        return it->second;
    }
    void target(FunctionId in, ValueId v) {
        const Uses& all = uses(in);
        auto it = all.definitions.find(v);
        if (it == all.definitions.end()) return;
        if (it->second->form == Form::function) function(it->second->function);
        if (it->second->form == Form::lambda) block(in, it->second->blocks[0]);
    }
    void function(FunctionId id) {
        if (!seen_.insert(id).second || module_[id].vjp_forward.valid()) return;
        block(id, module_[id].body);
    }
    void block(FunctionId in, BlockId id) {
        const Function& f = module_[in];
        for (BindingId at : f[id].bindings) {
            const Binding& b = f[at];
            if (b.form == Form::apply) closures |= !uses(in).gradients.contains(b.args[0]);
            if (b.form == Form::lambda || b.form == Form::function) closures |= !uses(in).differentiated.contains(b.results[0]);
            if (b.function.valid()) function(b.function);
            for (const Arm& arm : b.arms)
                if (arm.guard.valid()) block(in, arm.guard);
            for (BlockId inner : b.blocks) block(in, inner);
        }
    }

    const Module& module_;
    std::unordered_map<uint32_t, Uses> uses_;
    std::set<FunctionId> seen_;
};
} // namespace

bool differentiates_closures(const Module& module) {
    Search search(module);
    search.run();
    return search.closures;
}

bool differentiates_unknown(const Module& module) {
    return std::any_of(module.functions.begin(), module.functions.end(), [](const Function& f) {
        std::set<ValueId> seen;
        for (const Binding& b : f.bindings)
            if (b.form == Form::lambda || b.form == Form::function) seen.insert(b.results[0]);
        return std::any_of(f.bindings.begin(), f.bindings.end(), [&](const Binding& b) {
            return b.form == Form::op && b.op->builtin == Builtin::grad && !seen.contains(b.args[0]);
        });
    });
}
} // namespace nereus
