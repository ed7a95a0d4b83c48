// grad(%f) of a function value that is not seen becomes grad(fn(%z) { %f(%z) }), which is.
#include "grad/grad.h"
#include "ir/op.h"
#include <set>
#include <unordered_map>

namespace nereus {
namespace {
class Wrap {
 public:
    Wrap(Module& module, Function& function) : module_(module), f_(function) {
        for (const Binding& b : f_.bindings)
            for (ValueId result : b.results) is_seen_[result] = b.form == Form::lambda || b.form == Form::function || is_gradient(b);
        for (const ValueInfo& v : f_.values) names_.insert(v.name);
    }
    void run() {
        for (size_t i = 0, given = f_.blocks.size(); i < given; ++i) block(BlockId(i));
    }

 private:
    static bool is_gradient(const Binding& b) { return b.form == Form::op && b.op->builtin == Builtin::grad; }
    void block(BlockId id) {
        const std::vector<BindingId> before = f_[id].bindings;
        std::vector<BindingId> after;
        for (BindingId at : before) {
            if (is_gradient(f_[at]) && !is_seen_[f_[at].args[0]]) {
                const BindingId lambda = wrapped(f_[at].args[0], f_[at].span);
                after.push_back(lambda);
                f_[at].args[0] = f_[lambda].results[0];
            }
            after.push_back(at);
        }
        f_[id].bindings = std::move(after);
    }
    BindingId wrapped(ValueId function, Span span) {
        const Type type = module_.types[f_[function].type];              // parameters, then the result
        Binding apply{.form = Form::apply, .args = {function}, .span = span};
        const BlockId body = f_.add_block();
        for (size_t i = 0; i + 1 < type.parts.size(); ++i) apply.args.push_back(value(type.parts[i], span));
        apply.results = {value(type.parts.back(), span)};
        f_[body].params.assign(apply.args.begin() + 1, apply.args.end());
        f_[body].results = apply.results;
        f_[body].bindings = {f_.add_binding(std::move(apply))};
        const ValueId seen = value(f_[function].type, span);
        return f_.add_binding(Binding{.form = Form::lambda, .blocks = {body}, .results = {seen}, .span = span});
    }
    ValueId value(TypeId type, Span span) {
        std::string name;
        do name = "z" + std::to_string(next_++);
        while (!names_.insert(name).second);
        return f_.add_value(std::move(name), type, span);
    }

    Module& module_;
    Function& f_;
    std::unordered_map<ValueId, bool> is_seen_;
    std::set<std::string> names_;
    size_t next_ = 0;
};
} // namespace

Module wrap_unknown_functions(Module module) {
    for (Function& function : module.functions) Wrap(module, function).run();
    return module;
}
} // namespace nereus
