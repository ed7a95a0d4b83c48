// A gradient that a plug-in writes, operator by operator.
#include "ops/outside.h"
#include "ops/registry.h"

namespace nereus {
namespace {
class Written {
 public:
    Written(Gradient& gradient, const OutsideOp& op)
        : gradient_(gradient), op_(op), attributes_(op.attributes(gradient.binding().attributes)) {}

    void run() {
        if (!op_.plugin->described.gradient) {
            refuse("its plug-in has none");
            return;
        }
        nereus_plugin_gradient call{sizeof call, this, attributes_view(attributes_), int32_t(op_.plugin->inputs.size()), int32_t(op_.outputs.size()),
                                    dtype, wanted, input, output, adjoint, number, operate, part, contribute, fail};
        if (op_.plugin->described.gradient(&call, op_.plugin->described.user) != 0) refuse("the plug-in gave no reason");
    }

 private:
    static Written& self(nereus_plugin_gradient* call) { return *static_cast<Written*>(call->self); }
    nereus_plugin_result refuse(const std::string& why) {
        if (!gradient_.refusal) gradient_.refuse(why);
        return 1;
    }
    nereus_plugin_value handle(ValueId value) {
        values_.push_back(value);
        return nereus_plugin_value(values_.size() - 1);
    }
    bool valid(nereus_plugin_value value) {
        if (value >= 0 && size_t(value) < values_.size()) return true;
        refuse("the plug-in used a value that it was not given");
        return false;
    }
    bool below(int32_t i, int32_t count, const char* what) {
        if (i >= 0 && i < count) return true;
        refuse("the plug-in asked for " + std::string(what) + " " + std::to_string(i) + " of " + std::to_string(count));
        return false;
    }

    static int32_t dtype(nereus_plugin_gradient* call, nereus_plugin_value value) {
        return self(call).valid(value) ? int32_t(self(call).gradient_.dtype(self(call).values_[size_t(value)])) : -1;
    }
    static int32_t wanted(nereus_plugin_gradient* call, int32_t i) {
        return self(call).below(i, call->input_count, "input") && self(call).gradient_.wanted(size_t(i));
    }
    static nereus_plugin_value input(nereus_plugin_gradient* call, int32_t i) {
        Written& w = self(call);
        return w.below(i, call->input_count, "input") ? w.handle(w.gradient_.arg(size_t(i))) : -1;
    }
    static nereus_plugin_value output(nereus_plugin_gradient* call, int32_t i) {
        Written& w = self(call);
        return w.below(i, call->output_count, "output") ? w.handle(w.gradient_.result(size_t(i))) : -1;
    }
    static nereus_plugin_value adjoint(nereus_plugin_gradient* call, int32_t i) {
        Written& w = self(call);
        return w.below(i, call->output_count, "output") ? w.handle(w.gradient_.adjoint(size_t(i))) : -1;
    }
    static nereus_plugin_value number(nereus_plugin_gradient* call, double value, int32_t dtype) {
        Written& w = self(call);
        if (dtype < 0 || dtype >= dtype_count || is_storage(DType(dtype))) return w.refuse("the plug-in wants a number of dtype " + std::to_string(dtype)), -1;
        return w.handle(w.gradient_.number(value, DType(dtype)));
    }
    static nereus_plugin_value operate(nereus_plugin_gradient* call, const char* name, const nereus_plugin_value* operands, int32_t count, const char* attributes) {
        Written& w = self(call);
        const OpDef* op = all_ops().find(name ? name : "");
        if (!op || op->builtin != Builtin::none) return w.refuse("there is no operator '" + std::string(name ? name : "") + "'"), -1;
        std::vector<Gradient::Operand> given;
        size_t least = 0, most = 0;
        bool list = false;
        for (const OpParam& param : op->params) {
            if (is_attribute(param.kind)) continue;
            ++most, least += !param.optional;
            list |= param.kind == ParamKind::values;
        }
        std::vector<ValueId> values;
        for (int32_t i = 0; i < count; ++i) {
            if (!w.valid(operands[i])) return -1;
            values.push_back(w.values_[size_t(operands[i])]);
        }
        if (list) given.emplace_back(std::move(values), true);           // concat: all that there are
        else given.assign(values.begin(), values.end());
        if (given.size() < least || given.size() > most)
            return w.refuse("'" + std::string(name) + "' has " + std::to_string(given.size()) + " operands, expected " + std::to_string(most)), -1;
        Result<AttributeList> read = w.read_attributes(*op, attributes ? attributes : "");
        if (!read) return w.refuse("'" + std::string(name) + "': " + read.error().message), -1;
        return w.handle(w.gradient_.op(name, std::move(given), std::move(*read)));
    }
    Result<AttributeList> read_attributes(const OpDef& op, std::string_view text) {
        AttributeList out;
        for (PluginAttribute& given : TRY(parse_attributes(text))) {
            const OpParam* param = nullptr;
            for (const OpParam& p : op.params)
                if (p.name == given.name && is_attribute(p.kind)) param = &p;
            if (!param) return Error{Code::name, "there is no attribute '" + given.name + "'"};
            Attribute made{.name = given.name, .value = int64_t(0)};
            std::visit([&](auto& value) { made.value = value; }, given.value);
            if (param->kind == ParamKind::dtype) {
                const std::string* word = std::get_if<std::string>(&given.value);
                std::optional<DType> named = word ? dtype_from_name(*word) : std::nullopt;
                if (!named) return Error{Code::type, "attribute '" + given.name + "' is a dtype in quotes"};
                made.value = *named;
            }
            constexpr int wanted[] = {0, 2, 1, 3, 3};                    // integer, integers, boolean, dtype, text
            if (int(given.value.index()) != wanted[int(param->kind) - int(ParamKind::integer)])
                return Error{Code::type, "attribute '" + given.name + "' is of another kind"};
            out.push_back(std::move(made));
        }
        return out;
    }
    static nereus_plugin_value part(nereus_plugin_gradient* call, nereus_plugin_value tuple, int32_t index) {
        Written& w = self(call);
        return w.valid(tuple) && index >= 0 ? w.handle(w.gradient_.project(w.values_[size_t(tuple)], size_t(index))) : -1;
    }
    static nereus_plugin_result contribute(nereus_plugin_gradient* call, int32_t i, nereus_plugin_value adjoint) {
        Written& w = self(call);
        if (!w.below(i, call->input_count, "input") || !w.valid(adjoint)) return 1;
        w.gradient_.contribute(size_t(i), w.values_[size_t(adjoint)]);
        return 0;
    }
    static nereus_plugin_result fail(nereus_plugin_gradient* call, const char* message) { return self(call).refuse(message ? message : "the plug-in gave no reason"); }

    Gradient& gradient_;
    const OutsideOp& op_;
    PluginAttributes attributes_;
    std::vector<ValueId> values_;            // by handle
};
} // namespace

void outside_gradient(Gradient& gradient) { Written(gradient, outside(*gradient.binding().op)).run(); }
} // namespace nereus
