// eval/op_call.cpp - operators of tensors: arguments by parameter, dtypes against the scheme, one call of the row's eval.
#include "eval/machine.h"
#include "ops/speaker.h"
#include "tensor/text_tensor.h"

namespace nereus {
namespace {
// Element k of a sizes argument in either form.
Result<std::vector<int64_t>> numbers_of(const OpParam& param, const Datum& value) {
    if (value.is(DatumKind::tensor) && value.shape().size() == 1 && is_integer(value.dtype())) {
        HostTensor vector = value.tensor();
        std::vector<int64_t> numbers;
        for (int64_t i = 0; i < vector.count(); ++i) numbers.push_back(vector.as_i64(i));
        return numbers;
    }
    return Error{Code::type, std::string(param.name) + " is neither a list of sizes nor an integer vector"};
}

// The dtypes of the tensors must be what the scheme says; a module that skipped typing gets an error, not undefined
// behaviour in an eval that trusts them.
Status check_dtypes(const Scheme& scheme, const EvalArgs& args) {
    std::vector<std::optional<DType>> found(scheme.dtype_vars.size());
    size_t next = 0;
    for (size_t i = 0; i < args.op.params.size(); ++i) {
        const OpParam& param = args.op.params[i];
        if (param.kind != ParamKind::value && param.kind != ParamKind::values) continue;
        const SchemeType& type = scheme.args[next++].type;
        for (const HostTensor& tensor : args.tensors[i]) {
            DType dtype = tensor.dtype();
            std::string wrong;
            if (type.kind == SchemeType::Kind::dtype && dtype != type.dtype) wrong = dtype_name(type.dtype);
            if (type.kind == SchemeType::Kind::dtype_var) {
                constexpr std::string_view classes[] = {"any dtype", "a number, bool or text", "a number or bool", "a number", "an integer", "a float"};
                const DTypeVar& var = scheme.dtype_vars[type.var];
                std::optional<DType>& first = found[type.var];
                if (!belongs(dtype, var.of)) wrong = classes[int(var.of)];
                else if (first && *first != dtype) wrong = dtype_name(*first);
                first = dtype;
            }
            if (!wrong.empty())
                return Error{Code::type, std::string(param.name) + " is " + std::string(dtype_name(dtype)) +
                                             ", expected " + wrong};
        }
    }
    return {};
}
} // namespace

const Scheme& Machine::scheme_of(const OpDef& op) {
    auto found = schemes_.find(&op);
    if (found != schemes_.end()) return found->second;
    Result<Scheme> scheme = parse_scheme(op.scheme);
    invariant(bool(scheme), "a scheme of the registry that can be read");
    return schemes_.emplace(&op, std::move(scheme).take()).first->second;
}

Result<Datum> Machine::op_call(const Binding& binding) {
    const OpDef& op = *binding.op;
    Result<Datum> result = [&]() -> Result<Datum> {
        if (op.builtin != Builtin::none) return builtin(binding);
        EvalArgs args{.op = op, .attributes = binding.attributes};
        args.tensors.resize(op.params.size());
        args.sizes.resize(op.params.size());
        args.present.resize(op.params.size(), false);
        size_t group = 0, next = 0;
        for (size_t i = 0; i < op.params.size(); ++i) {
            const OpParam& param = op.params[i];
            if (is_attribute(param.kind)) {
                args.present[i] = find_attribute(binding, param.name) != nullptr;
                continue;
            }
            invariant(group < binding.groups.size(), "an operator with a group per argument parameter");
            ArgGroup form = binding.groups[group++];
            args.present[i] = form.list || form.count > 0;
            bool is_size = param.kind == ParamKind::size || param.kind == ParamKind::sizes;
            for (uint32_t k = 0; k < form.count; ++k) {
                ValueId id = binding.args[next++];
                const Datum& given = value(id);
                if (param.kind == ParamKind::sizes && !form.list) args.sizes[i] = TRY(numbers_of(param, given));
                else if (is_size && given.as_integer()) args.sizes[i].push_back(*given.as_integer());
                else if (is_size) return Error{Code::type, name_of(id) + " is not an integer scalar"};
                else if (given.is(DatumKind::tensor)) args.tensors[i].push_back(given.tensor());
                else if (param.kind == ParamKind::values && !form.list && given.is(DatumKind::seq)) {
                    for (const Datum& item : given.items()) {
                        if (!item.is(DatumKind::tensor))
                            return Error{Code::type, name_of(id) + " is not a Seq of tensors"};
                        args.tensors[i].push_back(item.tensor());
                    }
                } else return Error{Code::type, name_of(id) + " is not a tensor"};
            }
            if (!args.present[i] && !param.optional)
                return Error{Code::type, std::string(param.name) + " is missing"};
        }
        return run_op(op, args);
    }();
    if (result) return result;
    Error error = std::move(result).error();
    const bool untyped = error.code == Code::type;       // no typed program gets here
    error.message = (untyped ? speaker(binding) + ": " : speaks_for(binding)) + error.message;
    return error;
}

Result<Datum> Machine::run_op(const OpDef& op, const EvalArgs& args) {
    const Scheme& scheme = scheme_of(op);
    TRY(check_dtypes(scheme, args));
    std::vector<HostTensor> tensors = TRY(op.eval(args));
    for (HostTensor& tensor : tensors) tensor = TRY(holding(std::move(tensor)));       // what it was made of may go
    bool is_tuple = scheme.result.kind == SchemeType::Kind::tuple ||
                    scheme.result.kind == SchemeType::Kind::tuple_of_sizes;
    if (!is_tuple) return Datum::of(std::move(tensors[0]));
    std::vector<Datum> items;
    for (HostTensor& tensor : tensors) items.push_back(Datum::of(std::move(tensor)));
    return Datum::tuple(std::move(items));
}
} // namespace nereus
