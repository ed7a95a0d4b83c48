#include "infer/types_finish.h"
#include <algorithm>

namespace nereus {
namespace {
class Finisher {
 public:
    Finisher(const TypeContext& context, FunctionId id, const BodyTypes& types, FinishedTypes& finished, Function& target)
        : terms_(context.terms), module_(context.module), source_(context.module[id]), types_(types), finished_(finished),
          target_(target) {
        for (const auto& [pattern, term] : types.record_patterns) records_[pattern] = terms_[term].decl;
    }

    void finish() {
        for (size_t i = 0; i < target_.values.size(); ++i)
            if (TermId term = types_.values[i]; term.valid())
                target_.values[i].type = finished_.fill(source_.values[i].type, term);
        target_.result = finished_.fill(source_.result, terms_.parts(types_.type).back());
        for (size_t i = 0; i < target_.bindings.size(); ++i) binding(source_.bindings[i], target_.bindings[i]);
    }

 private:
    void binding(const Binding& from, Binding& to) {
        if (from.results.size() != 1 || !types_.values[from.results[0].index].valid()) return;   // in no block
        switch (from.form) {
        case Form::record: to.decl = terms_[types_.values[from.results[0].index]].decl; break;
        case Form::update: to.decl = terms_[types_.values[from.args[0].index]].decl; break;
        case Form::field: {
            to.decl = terms_[types_.values[from.args[0].index]].decl;
            if (!to.decl.valid()) break;                 // open: a scheme that is not ground
            const std::vector<std::string>& fields = module_[to.decl].constructors[0].field_names;
            to.index = uint32_t(std::find(fields.begin(), fields.end(), from.names[0]) - fields.begin());
            break;
        }
        case Form::match:
            for (size_t i = 0; i < from.arms.size(); ++i) pattern(from.arms[i].pattern, to.arms[i].pattern);
            break;
        default: break;
        }
        for (Attribute& attribute : to.attributes) dtype_variable(attribute);
    }

    void pattern(const Pattern& from, Pattern& to) {
        if (from.kind == Pattern::Kind::record)
            if (auto it = records_.find(&from); it != records_.end()) to.decl = it->second;
        for (size_t i = 0; i < from.parts.size(); ++i) pattern(from.parts[i], to.parts[i]);
    }

    // cast(%x, t): once t is known the attribute is its dtype.
    void dtype_variable(Attribute& attribute) {
        const TypeId* type = std::get_if<TypeId>(&attribute.value);
        if (!type || !type->valid()) return;
        WrittenTypes written = types_.written;           // a copy: the variable is there already
        TermId term = written.term(*type);
        if (terms_[term].kind == TermKind::tensor) term = terms_.part(term, 0);
        if (terms_[term].kind == TermKind::dtype) attribute.value = terms_[term].dtype;
    }

    const Terms& terms_;
    const Module& module_;
    const Function& source_;
    const BodyTypes& types_;
    FinishedTypes& finished_;
    Function& target_;
    std::unordered_map<const Pattern*, DeclId> records_;
};
} // namespace

void finish_body(const TypeContext& context, FunctionId id, const BodyTypes& types, FinishedTypes& finished,
                 Function& target) {
    Finisher(context, id, types, finished, target).finish();
}
} // namespace nereus
