#include "infer/scheme_use.h"
#include "ir/op.h"

namespace nereus {
namespace {
class SchemeUse {
 public:
    SchemeUse(TypeContext& context, const Binding& binding, WrittenTypes& written, const Scheme& scheme)
        : terms_(context.terms), binding_(binding), written_(written), scheme_(scheme) {
        for (const DTypeVar& var : scheme.dtype_vars) dtype_vars_.push_back(terms_.dtype_unknown(var.of));
        for (size_t i = 0; i < scheme.type_vars.size(); ++i) type_vars_.push_back(terms_.unknown());
    }

    Result<OpTypes> types() {
        OpTypes types;
        size_t next_group = 0, next_arg = 0;
        for (const OpParam& param : binding_.op->params) {
            if (is_attribute(param.kind)) continue;
            ArgGroup group = next_group < binding_.groups.size() ? binding_.groups[next_group]
                                                                 : ArgGroup{.count = param.optional ? 0u : 1u};
            ++next_group;
            TermId each;
            if (param.kind == ParamKind::size || param.kind == ParamKind::sizes) {
                if (param.kind == ParamKind::sizes) sizes_ = group;
                each = terms_.tensor(DType::i64);        // scalars of a list, or one vector: ranks are no part of this
            } else {
                each = TRY(type(scheme_.args[next_arg++].type));
                if (param.kind == ParamKind::values && !group.list) each = terms_.seq(each);
            }
            for (uint32_t i = 0; i < group.count; ++i) types.args.push_back(each);
        }
        if (types.args.size() != binding_.args.size())
            return Error{Code::internal, name() + ": arguments do not fit their groups", binding_.span};
        types.result = TRY(type(scheme_.result));
        return types;
    }

 private:
    Result<TermId> type(const SchemeType& type) {
        std::vector<TermId> parts;
        switch (type.kind) {
        case SchemeType::Kind::dtype: return terms_.tensor(type.dtype);
        case SchemeType::Kind::dtype_var: return terms_.tensor(dtype_vars_[type.var]);
        case SchemeType::Kind::dtype_param: return dtype_param(type.param);
        case SchemeType::Kind::type_var: return type_vars_[type.var];
        case SchemeType::Kind::ref: return terms_.ref(TRY(this->type(type.parts[0])));
        case SchemeType::Kind::seq: return terms_.seq(TRY(this->type(type.parts[0])));
        case SchemeType::Kind::tuple: case SchemeType::Kind::function:
            for (const SchemeType& part : type.parts) parts.push_back(TRY(this->type(part)));
            return terms_.composite(type.kind == SchemeType::Kind::tuple ? TermKind::tuple : TermKind::function, parts);
        case SchemeType::Kind::tuple_of_sizes: break;
        }
        if (!sizes_.list)
            return Error{Code::type, name() + " gives as many results as it has sizes, so these must be a list",
                         binding_.span, "write the sizes as [a, b]"};
        for (uint32_t i = 0; i < sizes_.count; ++i) parts.push_back(TRY(this->type(type.parts[0])));
        return terms_.tuple(parts);
    }

    Result<TermId> dtype_param(const std::string& name) {
        if (const Attribute* attribute = find_attribute(binding_, name)) {
            if (const DType* dtype = std::get_if<DType>(&attribute->value)) return terms_.tensor(*dtype);
            if (const TypeId* type = std::get_if<TypeId>(&attribute->value)) return written_.term(*type);
        }
        return Error{Code::type, this->name() + " needs a dtype for `" + name + "`", binding_.span};
    }

    std::string name() const { return std::string(binding_.op->name); }

    Terms& terms_;
    const Binding& binding_;
    WrittenTypes& written_;
    const Scheme& scheme_;
    ArgGroup sizes_;
    std::vector<TermId> dtype_vars_, type_vars_;
};
} // namespace

Result<OpTypes> op_types(TypeContext& context, const Binding& binding, WrittenTypes& written) {
    const Scheme* scheme = TRY(context.scheme_of(*binding.op));
    return SchemeUse(context, binding, written, *scheme).types();
}
} // namespace nereus
