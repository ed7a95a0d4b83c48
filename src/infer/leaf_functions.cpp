#include "infer/leaf_functions.h"
#include <algorithm>
#include <set>
#include <unordered_map>

namespace nereus {
namespace {
class Copier {
 public:
    explicit Copier(Function& function) : function_(function) {
        for (const ValueInfo& value : function.values) names_.insert(value.name);
    }

    ValueId fresh(ValueId from) {
        const ValueInfo info = function_[from];
        return by_[from] = function_.add_value(new_name(info.name), info.type, info.span);
    }

    BindingId binding(BindingId from) {
        Binding made = function_[from];
        for (ValueId& arg : made.args) arg = now(arg);
        for (size_t i = 0; i < made.arms.size(); ++i) {
            pattern(made.arms[i].pattern);
            if (made.arms[i].guard.valid()) made.arms[i].guard = block(made.arms[i].guard);
        }
        for (BlockId& inner : made.blocks) inner = block(inner);
        for (ValueId& result : made.results) result = fresh(result);
        return function_.add_binding(std::move(made));
    }

    ValueId add(Binding made, const std::string& name, TypeId type, std::vector<BindingId>& out) {
        made.results = {function_.add_value(new_name(name), type, made.span)};
        ValueId result = made.results[0];
        out.push_back(function_.add_binding(std::move(made)));
        return result;
    }

 private:
    ValueId now(ValueId value) const {
        auto it = by_.find(value);
        return it == by_.end() ? value : it->second;
    }

    BlockId block(BlockId from) {
        Block made = function_[from];
        for (ValueId& param : made.params)               // of a guard, and of a pattern: made already
            if (ValueId known = now(param); known == param) param = fresh(param);
            else param = known;
        for (BindingId& id : made.bindings) id = binding(id);
        for (ValueId& result : made.results) result = now(result);
        BlockId id = function_.add_block();
        function_[id] = std::move(made);
        return id;
    }

    void pattern(Pattern& pattern) {
        if (pattern.variable.valid()) pattern.variable = fresh(pattern.variable);
        for (Pattern& part : pattern.parts) this->pattern(part);
    }

    std::string new_name(const std::string& base) {
        std::string name = base;
        for (size_t i = 1; !names_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
        return name;
    }

    Function& function_;
    std::set<std::string> names_;
    std::unordered_map<ValueId, ValueId> by_;            // overwritten by the next copy
};
} // namespace

Function with_leaf_functions(const Function& function, const Types& types, const Binding* binding, size_t count) {
    const BindingId leaves(size_t(binding - function.bindings.data()));
    Function made = function;
    const ValueId f = binding->args[0];
    auto makes_f = [&](const Binding& b) { return !b.results.empty() && b.results[0] == f; };
    const BindingId source(size_t(std::find_if(made.bindings.begin(), made.bindings.end(), makes_f) - made.bindings.begin()));
    std::vector<BindingId> added;
    Binding all{.form = Form::tuple, .args = {f}};
    all.span = binding->span;
    for (size_t i = 1; i < count; ++i) {
        added.push_back(Copier(made).binding(source));
        all.args.push_back(made[added.back()].results[0]);
    }
    made[leaves].args[0] = Copier(made).add(std::move(all), "functions", types.hole(), added);
    for (Block& block : made.blocks) {
        auto at = std::find(block.bindings.begin(), block.bindings.end(), leaves);
        if (at != block.bindings.end()) block.bindings.insert(at, added.begin(), added.end());
    }
    return made;
}
} // namespace nereus
