// eval/forms.cpp - the forms that give their value at once: literals, structures, closures, indexing.
#include "eval/machine.h"
#include "ops/registry.h"
#include "tensor/text_tensor.h"
#include <algorithm>

namespace nereus {
namespace {
template <class T, class Number>
Result<HostTensor> filled(DType dtype, const Literal& literal, std::span<const Number> numbers) {
    HostTensor tensor = TRY(HostTensor::make(dtype, literal.is_tensor ? literal.shape : Extents()));
    std::span<T> out = TRY(tensor.mutable_data<T>());
    invariant(out.size() == numbers.size(), "a literal with as many numbers as its shape asks for");
    for (size_t i = 0; i < out.size(); ++i) out[i] = element_cast<T>(numbers[i]);
    return tensor;
}
template <class Number>
Result<HostTensor> filled(DType dtype, const Literal& literal, const std::vector<Number>& numbers) {
    return with_type(dtype, [&](auto zero) { return filled<decltype(zero), Number>(dtype, literal, std::span<const Number>(numbers)); });
}

std::optional<uint32_t> field_index(const TypeDecl& decl, std::string_view name) {
    const std::vector<std::string>& names = decl.constructors[0].field_names;
    auto found = std::ranges::find(names, name);
    return found == names.end() ? std::nullopt : std::optional(uint32_t(found - names.begin()));
}
// The one declared record with exactly these fields; invalid: none.
DeclId record_with(const Module& module, std::span<const std::string> names) {
    for (size_t i = 0; i < module.decls.size(); ++i) {
        const TypeDecl& decl = module.decls[i];
        if (decl.is_record && std::ranges::is_permutation(decl.constructors[0].field_names, names))
            return DeclId(i);
    }
    return {};
}
} // namespace

// As inferred; before that, a literal has no dtype of its own, and the caller's default holds.
std::optional<DType> Machine::dtype_of(ValueId id) const {
    const Type& type = module_.types[function()[id].type];
    if (type.kind != TypeKind::tensor) return std::nullopt;
    return type.element.dtype ? type.element.dtype : top().scope.dtype(type.element.var);
}

Result<Datum> Machine::literal(const Binding& binding) {
    const Literal& literal = binding.literal;
    std::optional<DType> dtype = dtype_of(binding.results[0]);
    switch (literal.kind) {
    case Literal::Kind::unit: return Datum();
    case Literal::Kind::given: return Datum::of(*literal.given);
    case Literal::Kind::boolean: return Datum::of(TRY(filled(DType::boolean, literal, literal.integers)));
    case Literal::Kind::integer:
        return Datum::of(TRY(filled(dtype.value_or(DType::i64), literal, literal.integers)));
    case Literal::Kind::real:
        return Datum::of(TRY(filled(dtype.value_or(DType::f32), literal, literal.reals)));
    case Literal::Kind::texts: return Datum::of(TRY(text_tensor(literal.shape, literal.texts)));
    case Literal::Kind::text: break;
    }
    return Error{Code::unsupported,
                 "text is not a value; it can only be written as an argument of print or assert"};
}

Result<Datum> Machine::simple_form(const Binding& binding) {
    switch (binding.form) {
    case Form::literal: return literal(binding);
    case Form::dim: {
        int64_t size = TRY(top().scope.evaluate(module_.dims, binding.dim));
        Literal number{.kind = Literal::Kind::integer, .integers = {size}};
        return Datum::of(
            TRY(filled(dtype_of(binding.results[0]).value_or(DType::i64), number, number.integers)));
    }
    case Form::function: return Datum::closure(Callee{.function = binding.function}, {});
    case Form::construct: return construct(binding.decl, binding.index, args_from(binding, 0));
    case Form::tuple: return Datum::tuple(args_from(binding, 0));
    case Form::seq: return Datum::seq(args_from(binding, 0));
    case Form::project:
        if (!arg(binding, 0).is(DatumKind::tuple) || binding.index >= arg(binding, 0).items().size())
            return Error{Code::type,
                         name_of(binding.args[0]) + " has no element " + std::to_string(binding.index)};
        return arg(binding, 0).items()[binding.index];
    case Form::field: return field(binding);
    case Form::record: return record(binding);
    case Form::update: return updated(binding);
    case Form::index: return indexed(binding);
    case Form::lambda: return lambda(binding);
    case Form::closure:
        return Datum::closure(Callee{.lifted = true, .lifted_lambda = binding.lambda}, args_from(binding, 0));
    case Form::op:
    case Form::call:
    case Form::apply:
    case Form::if_:
    case Form::match:
    case Form::for_:
    case Form::while_:
    case Form::check: break;
    }
    invariant(false, "a form with blocks or a call");
    return Datum();
}

Result<Datum> Machine::record(const Binding& binding) {
    DeclId id = binding.decl.valid() ? binding.decl : record_with(module_, binding.names);
    if (!id.valid()) return Error{Code::type, "no record has exactly these fields"};
    const std::vector<std::string>& names = module_[id].constructors[0].field_names;
    std::vector<Datum> fields;
    for (const std::string& name : names) {
        auto found = std::ranges::find(binding.names, name);
        if (found == binding.names.end())
            return Error{Code::type, module_[id].name + ": field " + name + " is missing"};
        fields.push_back(arg(binding, size_t(found - binding.names.begin())));
    }
    return construct(id, 0, std::move(fields));
}

Result<Datum> Machine::field(const Binding& binding) {
    const Datum& from = arg(binding, 0);
    if (from.is(DatumKind::data) && module_[from.decl()].is_record)
        if (std::optional<uint32_t> index = field_index(module_[from.decl()], binding.names[0]))
            return from.items()[*index];
    return Error{Code::type, name_of(binding.args[0]) + " has no field " + binding.names[0]};
}

Result<Datum> Machine::updated(const Binding& binding) {
    const Datum& from = arg(binding, 0);
    if (!from.is(DatumKind::data) || !module_[from.decl()].is_record)
        return Error{Code::type, name_of(binding.args[0]) + " is not a record"};
    std::vector<Datum> fields(from.items().begin(), from.items().end());
    for (size_t i = 0; i < binding.names.size(); ++i) {
        std::optional<uint32_t> index = field_index(module_[from.decl()], binding.names[i]);
        if (!index) return Error{Code::type, module_[from.decl()].name + " has no field " + binding.names[i]};
        fields[*index] = arg(binding, i + 1);
    }
    return construct(from.decl(), 0, std::move(fields));
}

// A tensor: the part that the ranges leave, less the axes that single indices drop. A Seq: one item.
Result<Datum> Machine::indexed(const Binding& binding) {
    const Datum& from = arg(binding, 0);
    size_t next = 1;
    auto number = [&]() -> Result<int64_t> {
        ValueId id = binding.args[next++];
        std::optional<int64_t> index = value(id).as_integer();
        return index ? Result<int64_t>(*index)
                     : Error{Code::type, "the index " + name_of(id) + " is not an integer scalar"};
    };
    auto outside = [](int64_t index, size_t axis, int64_t size) {
        return Error{Code::value, "index " + std::to_string(index) + " is out of range for axis " +
                                      std::to_string(axis) + " of size " + std::to_string(size)};
    };
    if (from.is(DatumKind::seq)) {
        if (binding.parts.size() != 1 || binding.parts[0].kind != IndexPart::Kind::at)
            return Error{Code::type, "a Seq takes one index"};
        int64_t index = TRY(number());
        if (index >= 0 && index < int64_t(from.items().size())) return from.items()[size_t(index)];
        return Error{Code::value, "index " + std::to_string(index) + " is out of range for a Seq of length " +
                                      std::to_string(from.items().size())};
    }
    if (!from.is(DatumKind::tensor))
        return Error{Code::type, name_of(binding.args[0]) + " cannot be indexed"};
    HostTensor x = from.tensor();
    if (int64_t(binding.parts.size()) > x.rank())
        return Error{Code::shape, std::to_string(binding.parts.size()) + " indices for a tensor of rank " +
                                      std::to_string(x.rank())};
    std::vector<int64_t> starts, ends;
    Extents kept;
    for (size_t axis = 0; axis < binding.parts.size(); ++axis) {
        IndexPart::Kind kind = binding.parts[axis].kind;
        int64_t size = x.shape()[axis], start = 0, end = size;
        if (kind != IndexPart::Kind::to && kind != IndexPart::Kind::all) start = TRY(number());
        if (kind == IndexPart::Kind::from_to || kind == IndexPart::Kind::to) end = TRY(number());
        if (kind == IndexPart::Kind::at) {
            if (start < 0 || start >= size) return outside(start, axis, size);
            end = start + 1;
        } else {
            kept.push_back(end - start);
        }
        starts.push_back(start), ends.push_back(end);
    }
    kept.insert(kept.end(), x.shape().begin() + int64_t(starts.size()), x.shape().end());
    const OpDef& slice = *all_ops().find("slice");
    AttributeList none;
    EvalArgs args{.op = slice,
                  .tensors = {{x}, {}, {}, {}},
                  .sizes = {{}, starts, ends, {}},
                  .present = {true, true, true, false},
                  .attributes = none};
    std::vector<HostTensor> part = TRY(slice.eval(args));
    part[0] = TRY(holding(std::move(part[0])));
    return Datum::of(TRY(part[0].reshaped(std::move(kept))));
}

Datum Machine::lambda(const Binding& binding) {
    BindingId id(size_t(&binding - function().bindings.data()));
    std::vector<Datum> captured;
    for (ValueId outer : captures_of(top().function, id)) captured.push_back(value(outer));
    return Datum::closure(Callee{.function = top().function, .lambda = id, .scope = top().scope},
                          std::move(captured));
}

// Values that the lambda's blocks mention and do not bind. Recursion is on the nesting of the program.
static void free_values(const Function& function, BlockId id, std::vector<bool>& bound,
                        std::vector<ValueId>& free) {
    const Block& block = function[id];
    auto use = [&](ValueId value) {
        if (!bound[value.index]) bound[value.index] = true, free.push_back(value);
    };
    for (ValueId param : block.params) bound[param.index] = true;
    for (BindingId binding_id : block.bindings) {
        const Binding& binding = function[binding_id];
        for (ValueId arg : binding.args) use(arg);
        if (binding.form == Form::while_) // the condition sees the states, which are the body's
            for (ValueId state : function[binding.blocks[1]].params) bound[state.index] = true;
        for (size_t i = 0; i < binding.arms.size(); ++i)
            for (ValueId variable : function[binding.blocks[i]].params) bound[variable.index] = true;
        for (const Arm& arm : binding.arms)
            if (arm.guard.valid()) free_values(function, arm.guard, bound, free);
        for (BlockId inner : binding.blocks) free_values(function, inner, bound, free);
        for (ValueId result : binding.results) bound[result.index] = true;
    }
    for (ValueId result : block.results) use(result);
}

const std::vector<ValueId>& Machine::captures_of(FunctionId function, BindingId lambda) {
    auto [found, is_new] = captures_.try_emplace(uint64_t(function.index) << 32 | lambda.index);
    if (is_new) {
        std::vector<bool> bound(module_[function].values.size(), false);
        free_values(module_[function], module_[function][lambda].blocks[0], bound, found->second);
    }
    return found->second;
}
} // namespace nereus
