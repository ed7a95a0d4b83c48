// driver/canonical_testing.h - straight-line code as text that says nothing of names and of the order of independent
// bindings: values are numbered as a walk from the results meets them, operands first.
#pragma once
#include "ir/op.h"
#include "ir/print.h"
#include "pass/function_edit.h"
#include <cmath>
#include <map>

namespace nereus {
class CanonicalText {
 public:
    CanonicalText(const Module& module, const Function& function) : m_(module), f_(function) {
        for (BindingId at : f_[f_.body].bindings) definition_[f_[at].results[0]] = at;
        for (size_t i = 0; i < f_.params.size(); ++i) names_[f_.params[i]] = "p" + std::to_string(i);
    }
    // Bindings that have no use are written where the walk has not met them, in their order: only effects are left there.
    std::string text() {
        std::string end = "give";
        for (ValueId result : f_[f_.body].results) end += " " + name(result);
        for (BindingId at : f_[f_.body].bindings)
            if (!is_immediate(f_[at])) name(f_[at].results[0]);
        return text_ + end + "\n";
    }

 private:
    std::string name(ValueId v) {
        if (auto it = names_.find(v); it != names_.end()) return it->second;
        const Binding& b = f_[definition_.at(v)];
        const std::string own = is_immediate(b) ? constant(v, b) : line(v, b);
        return names_[v] = own;
    }
    std::string constant(ValueId v, const Binding& b) {
        if (b.form == Form::dim) return m_.dims.to_string(b.dim);
        std::string text = "const";
        for (int64_t i : b.literal.shape) text += " x" + std::to_string(i);
        for (int64_t i : b.literal.integers) text += " " + std::to_string(i);
        for (double d : b.literal.reals) text += " " + std::to_string(d) + (d == 0 && std::signbit(d) ? " (negative)" : "");
        return "{" + text + b.literal.text + ": " + to_string(m_, f_[v].type) + "}";
    }
    std::string line(ValueId v, const Binding& b) {
        std::string made = b.form == Form::op ? std::string(b.op->name) : "form " + std::to_string(int(b.form));
        for (ValueId arg : b.args) made += " " + name(arg);
        for (const ArgGroup& group : b.groups) made += (group.list ? " list" : " one") + std::to_string(group.count);
        for (const Attribute& a : b.attributes) made += " " + a.name + "=" + shown(a);
        if (b.form == Form::project || b.form == Form::construct) made += " #" + std::to_string(b.index);
        for (const std::string& field : b.names) made += " ." + field;
        if (b.function.valid()) made += " @" + m_[b.function].name;
        if (b.fact.left.valid()) made += " " + m_.dims.to_string(b.fact.left) + " and " + m_.dims.to_string(b.fact.right);
        made += " : " + to_string(m_, f_[v].type);
        const std::string own = "v" + std::to_string(next_++);
        text_ += own + " = " + made + "\n";
        return own;
    }
    std::string shown(const Attribute& a) const {
        if (const int64_t* v = std::get_if<int64_t>(&a.value)) return std::to_string(*v);
        if (const double* v = std::get_if<double>(&a.value)) return std::to_string(*v);
        if (const bool* v = std::get_if<bool>(&a.value)) return *v ? "true" : "false";
        if (const std::string* v = std::get_if<std::string>(&a.value)) return *v;
        if (const DType* v = std::get_if<DType>(&a.value)) return std::string(dtype_name(*v));
        if (const TypeId* v = std::get_if<TypeId>(&a.value)) return to_string(m_, *v);
        if (const Dim* v = std::get_if<Dim>(&a.value)) return m_.dims.to_string(*v);
        std::string all;
        for (int64_t i : std::get<std::vector<int64_t>>(a.value)) all += std::to_string(i) + ",";
        return all;
    }

    const Module& m_;
    const Function& f_;
    std::map<ValueId, BindingId> definition_;
    std::map<ValueId, std::string> names_;
    std::string text_;
    int next_ = 0;
};
} // namespace nereus
