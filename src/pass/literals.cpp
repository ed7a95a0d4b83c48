#include "pass/literals.h"
#include "tensor/text_tensor.h"
#include <algorithm>
#include <cmath>

namespace nereus {
namespace {
template <class T> Status fill(HostTensor& to, const Literal& from) {
    std::span<T> out = TRY(to.mutable_data<T>());
    for (size_t i = 0; i < out.size(); ++i) out[i] = from.kind == Literal::Kind::real ? element_cast<T>(from.reals[i]) : element_cast<T>(from.integers[i]);
    return {};
}
} // namespace

std::optional<HostTensor> tensor_of(const Literal& literal, DType dtype) {
    if (literal.kind == Literal::Kind::unit || literal.kind == Literal::Kind::text) return std::nullopt;
    if (literal.kind == Literal::Kind::given) return *literal.given;
    if (literal.kind == Literal::Kind::texts) {
        Result<HostTensor> texts = text_tensor(literal.shape, literal.texts);
        return texts ? std::optional(std::move(*texts)) : std::nullopt;
    }
    Result<HostTensor> tensor = HostTensor::make(dtype, literal.is_tensor ? literal.shape : Extents());
    if (!tensor) return std::nullopt;
    Status filled = with_type(dtype, [&](auto zero) { return fill<decltype(zero)>(*tensor, literal); });
    return filled ? std::optional(std::move(*tensor)) : std::nullopt;
}

std::optional<Literal> literal_of(const HostTensor& tensor) {
    if (tensor.count() == 0 || is_storage(tensor.dtype())) return std::nullopt;
    Literal literal;
    if (is_text(tensor.dtype())) {
        literal.kind = Literal::Kind::texts, literal.is_tensor = true, literal.shape = tensor.shape();
        for (std::string_view text : texts_of(tensor)) literal.texts.emplace_back(text);
        return literal;
    }
    literal.kind = is_float(tensor.dtype())             ? Literal::Kind::real
                   : tensor.dtype() == DType::boolean ? Literal::Kind::boolean
                                                      : Literal::Kind::integer;
    literal.is_tensor = tensor.rank() > 0;
    if (literal.is_tensor) literal.shape = tensor.shape();
    for (int64_t i = 0; i < tensor.count(); ++i) {
        if (tensor.dtype() == DType::u64 && tensor.as_i64(i) < 0) return std::nullopt;        // no literal says so much
        if (literal.kind != Literal::Kind::real) literal.integers.push_back(tensor.as_i64(i));
        else if (std::isfinite(tensor.as_f64(i))) literal.reals.push_back(tensor.as_f64(i));
        else return std::nullopt;
    }
    return literal;
}

Literal given_literal(HostTensor tensor, std::string name) {
    Literal literal;
    literal.kind = Literal::Kind::given;
    literal.is_tensor = true, literal.shape = tensor.shape(), literal.text = std::move(name);
    literal.given = std::make_shared<const HostTensor>(std::move(tensor));
    return literal;
}

std::optional<HostTensor> run_operator(const Binding& b, const std::vector<HostTensor>& args) {
    const OpDef& op = *b.op;
    if (!op.eval) return std::nullopt;
    EvalArgs given{.op = op, .tensors = {}, .sizes = {}, .present = {}, .attributes = b.attributes};
    given.tensors.resize(op.params.size());
    given.sizes.resize(op.params.size());
    given.present.resize(op.params.size());
    size_t group = 0, next = 0;
    for (size_t i = 0; i < op.params.size(); ++i) {
        const OpParam& param = op.params[i];
        if (is_attribute(param.kind)) {
            given.present[i] = find_attribute(b, param.name) != nullptr;
            continue;
        }
        const ArgGroup form = b.groups[group++];
        given.present[i] = form.list || form.count > 0;
        for (uint32_t k = 0; k < form.count; ++k) {
            const HostTensor& arg = args[next++];
            if (param.kind == ParamKind::size || param.kind == ParamKind::sizes)
                for (int64_t e = 0; e < arg.count(); ++e) given.sizes[i].push_back(arg.as_i64(e));
            else given.tensors[i].push_back(arg);
        }
    }
    Result<std::vector<HostTensor>> made = op.eval(given);
    if (!made || made->size() != 1) return std::nullopt;
    Result<HostTensor> held = holding(std::move((*made)[0]));
    return held ? std::optional(std::move(*held)) : std::nullopt;
}
} // namespace nereus
