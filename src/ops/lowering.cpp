#include "ops/lowering.h"
#include "ops/storage_lower.h"
#include "tensor/element.h"
#include <algorithm>

namespace nereus {
std::span<const ValueId> OpLowering::args(size_t param) const {
    size_t begin = 0;
    for (size_t i = 0; i < param; ++i) begin += binding_.groups[i].count;
    return std::span(binding_.args).subspan(begin, binding_.groups[param].count);
}
bool is_number_type(const Type& type) {
    return type.kind == TypeKind::tensor && type.shape.ranked && type.shape.dims.empty() && type.element.dtype &&
           is_host_number(*type.element.dtype);
}
Dim OpLowering::size(ValueId v) {
    invariant(known(v).valid(), "the shapes stage gives every size a dim");
    return known(v);
}
int64_t OpLowering::integer(std::string_view name) const {
    const Attribute* found = find_attribute(binding_, name);
    if (found) return std::get<int64_t>(found->value);
    for (const OpParam& param : binding_.op->params)
        if (param.name == name) return param.otherwise;
    return 0;
}
bool OpLowering::boolean(std::string_view name) const {
    const Attribute* found = find_attribute(binding_, name);
    if (found) return std::get<bool>(found->value);
    for (const OpParam& param : binding_.op->params)
        if (param.name == name) return param.otherwise != 0;
    return false;
}
std::vector<int64_t> OpLowering::integers(std::string_view name) const {
    const Attribute* found = find_attribute(binding_, name);
    return found ? std::get<std::vector<int64_t>>(found->value) : std::vector<int64_t>();
}

std::string_view OpLowering::text(std::string_view name, std::string_view otherwise) const {
    const Attribute* found = find_attribute(binding_, name);
    return found ? std::string_view(std::get<std::string>(found->value)) : otherwise;
}

std::vector<Stride> dense_strides(Dims& dims, std::span<const Dim> extents) {
    std::vector<Stride> strides(extents.size());
    Dim step = dims.constant(1);
    for (size_t i = extents.size(); i-- > 0;) {
        strides[i].step = step;
        step = dims.mul(step, extents[i]);
    }
    return strides;
}

std::vector<Stride> broadcast_strides(Dims& dims, std::span<const Dim> operand, std::span<const Dim> over) {
    std::vector<Stride> strides(over.size(), Stride{dims.constant(0), {}});
    std::vector<Stride> dense = dense_strides(dims, operand);
    size_t missing = over.size() - operand.size();
    for (size_t i = 0; i < operand.size(); ++i) {
        if (dims.constant_value(operand[i]) == 1) continue;
        strides[missing + i] = dense[i];
        if (operand[i] != over[missing + i]) strides[missing + i].one = operand[i];
    }
    return strides;
}

loop::GroupId KernelWriter::group(std::string name, loop::Role role, std::vector<Dim> extents, bool axis) {
    spec_.groups.push_back({std::move(extents), {}});
    return builder_.group(std::move(name), role, axis);
}

loop::BufferId KernelWriter::open(ValueId value, const std::vector<Along>& along, bool out) {
    for (const Opened& opened : opened_)
        if (opened.value == value && opened.along == along) return opened.buffer;
    std::string name = (out ? "y" : "x") + std::to_string(opened_.size());
    const DType dtype = loop_dtype(op_.dtype(value));
    loop::BufferId buffer = out ? builder_.output(name, dtype) : builder_.input(name, dtype);
    for (const Along& a : along) spec_.groups[a.group.index].strides.emplace_back(buffer.index, a.strides);
    spec_.buffers.push_back(value);
    opened_.push_back({value, along, buffer});
    return buffer;
}

loop::ExprId KernelWriter::read(ValueId operand, std::vector<Along> along, std::vector<loop::Indirect> at) {
    DType dtype = op_.dtype(operand);
    if (const Literal* literal = op_.literal(operand); literal && !literal->is_tensor && is_storage(dtype))       // a zero that a gradient begins with
        return builder_.bits(DType::u8, int64_t(word_of(dtype, literal->integers[0])));
    if (const Literal* literal = op_.literal(operand); literal && !literal->is_tensor)
        return literal->kind == Literal::Kind::real ? builder_.number(dtype, literal->reals[0])
                                                    : builder_.integer(dtype, literal->integers[0]);
    if (Dim dim = op_.immediate_dim(operand); dim.valid()) return builder_.cast(builder_.read(size(dim)), dtype);
    if (op_.is_number(operand)) {
        spec_.scalars.push_back({{}, operand});
        return builder_.read(builder_.scalar("s" + std::to_string(spec_.scalars.size() - 1), dtype));
    }
    std::vector<loop::GroupId> groups;
    for (const Along& a : along) groups.push_back(a.group);
    return builder_.load(open(operand, along, false), std::move(groups), std::move(at));
}

loop::BufferId KernelWriter::output(ValueId result, const std::vector<Along>& along) { return open(result, along, true); }

void KernelWriter::store(ValueId result, std::vector<Along> along, loop::ExprId value, std::vector<loop::Indirect> at) {
    std::vector<loop::GroupId> groups;
    for (const Along& a : along) groups.push_back(a.group);
    loop::BufferId buffer = open(result, along, true);
    builder_.store(buffer, std::move(groups), value, std::move(at));
}

loop::ScalarId KernelWriter::size(Dim dim) {
    spec_.scalars.push_back({dim, {}});
    return builder_.scalar("s" + std::to_string(spec_.scalars.size() - 1), DType::i64);
}

loop::Indirect KernelWriter::at(loop::ExprId index, Dim stride, Dim extent) {
    loop::ScalarId step = size(stride), limit = size(extent);
    return loop::Indirect{index, step, limit};
}
loop::Indirect KernelWriter::offset(Dim index, Dim stride, Dim extent) {
    loop::ExprId constant = builder_.read(size(index));
    return at(constant, stride, extent);
}

Status KernelWriter::finish() {
    spec_.kernel = TRY(std::move(builder_).finish());
    for (LaunchSpec::Group& group : spec_.groups)
        std::sort(group.strides.begin(), group.strides.end(), [](auto& a, auto& b) { return a.first < b.first; });
    return op_.launch(std::move(spec_));
}

Status lower_map(OpLowering& op, std::string_view name, const ElementFn& value) {
    KernelWriter kernel(op, std::string(name));
    ValueId result = op.result();
    const std::vector<Dim> over = op.shape(result);
    loop::GroupId g = kernel.group("g", loop::Role::parallel, over);
    std::vector<loop::ExprId> operands;
    for (ValueId arg : op.binding().args)
        operands.push_back(kernel.read(arg, {{g, broadcast_strides(op.dims(), op.shape(arg), over)}}));
    loop::ExprId e = value(kernel.builder(), operands, op.dtype(result));
    kernel.store(result, {{g, dense_strides(op.dims(), over)}}, e);
    return kernel.finish();
}
} // namespace nereus
