#include "infer/types.h"
#include "infer/types_finish.h"
#include "infer/types_group.h"
#include <set>

namespace nereus {
namespace {
// Names for what a function leaves open: its own where it wrote one, else a, b, c … for types and t, t1 … for dtypes.
class OpenNames {
 public:
    OpenNames(Module& module, const Terms& terms, Function& function, BodyTypes& types)
        : module_(module), terms_(terms), function_(function) {
        for (VarId var : signature_variables(module, function)) {
            vars_.emplace(terms.find(types.written.variable(var)), var);
            used_.insert(module.vars[var.index].name);
        }
    }
    VarId of(TermId unknown, VarKind kind) {
        auto [it, fresh] = vars_.try_emplace(terms_.find(unknown));
        if (fresh) {
            it->second = module_.add_var(next_name(kind), kind);
            made_.push_back(it->second);
        }
        return it->second;
    }
    // The new ones that the signature mentions become parameters of the function.
    void declare() {
        std::vector<VarId> mentioned = signature_variables(module_, function_);
        for (VarId var : made_) {
            if (std::find(mentioned.begin(), mentioned.end(), var) == mentioned.end()) continue;
            bool is_dtype = module_.vars[var.index].kind == VarKind::dtype;
            function_.type_params.push_back({is_dtype ? TypeParam::Kind::dtype : TypeParam::Kind::type, var, {}});
        }
    }

 private:
    std::string next_name(VarKind kind) {
        for (size_t i = 0;; ++i) {
            std::string name = kind == VarKind::dtype ? "t" + (i ? std::to_string(i) : "")
                                                      : char('a' + i % 19) + (i / 19 ? std::to_string(i / 19) : "");
            if (used_.insert(name).second) return name;
        }
    }
    Module& module_;
    const Terms& terms_;
    Function& function_;
    std::unordered_map<TermId, VarId> vars_;
    std::set<std::string> used_;
    std::vector<VarId> made_;
};
} // namespace

Result<Module> infer_types(Module module) {
    Module written = module;                             // inference refers to it while the result is filled in
    TypeContext context(written);
    std::vector<BodyTypes> bodies = TRY(type_functions(context));
    for (size_t i = 0; i < module.functions.size(); ++i) {
        Function& function = module.functions[i];
        OpenNames names(module, context.terms, function, bodies[i]);
        FinishedTypes finished(module, context.terms, [&](TermId id, VarKind kind) { return names.of(id, kind); });
        finish_body(context, FunctionId(i), bodies[i], finished, function);
        names.declare();
    }
    return module;
}
} // namespace nereus
