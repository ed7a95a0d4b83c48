// Values whose rank is known when they arrive are objects; what kernels need of their shapes is read off them.
#include "emit/function.h"
#include "exe/extents.h"

namespace nereus {
void EmitFunction::define_variable(const Type& type, Reg object) {
    if (type.shape.ranked || !type.shape.tail.valid() || variables_.contains(type.shape.tail.index)) return;
    ShapeVariable variable{fresh(), fresh()};
    uint32_t before = uint32_t(type.shape.dims.size());
    put(Opcode::tensor_rank, variable.rank, object);
    if (before > 0) {
        Reg rest = fresh();
        put(Opcode::sub, rest, variable.rank, constant(before));
        variable.rank = rest;
    }
    put(Opcode::tensor_rest, variable.size, object, before);
    variables_.emplace(type.shape.tail.index, variable);
    if (!scopes_.empty()) scopes_.back().variables.push_back(type.shape.tail.index);
}

void EmitFunction::unranked(const Binding& b, LowOp op) {
    std::vector<Reg> temporary;
    auto as_object = [&](ValueId v) {                    // what is kept elsewhere is copied: only its shape is looked at
        if (kept(v) == Kept::object) return object(v);
        temporary.push_back(take_object(v));
        return temporary.back();
    };
    auto attribute = [&](std::string_view name) { return std::get<int64_t>(find_attribute(b, name)->value); };
    switch (op) {
    case LowOp::open: {
        Reg x = as_object(b.args[0]);
        uint32_t count = uint32_t(attribute("count"));
        auto read = [&](size_t symbol, Opcode opcode, uint32_t axis) {
            Reg reg = fresh();
            put(opcode, reg, x, axis);
            define(b.defines[symbol], reg);
        };
        switch (Opened(attribute("how"))) {
        case Opened::flat: read(0, Opcode::tensor_rest, 0); break;
        case Opened::padded:
            for (uint32_t i = 0; i < count; ++i) read(i, Opcode::tensor_dim_back, count - 1 - i);
            break;
        case Opened::front:
            for (uint32_t i = 0; i < count; ++i) read(i, Opcode::tensor_dim, i);
            read(count, Opcode::tensor_rest, count);
            break;
        case Opened::back:
            read(0, Opcode::tensor_before, count);
            for (uint32_t i = 0; i < count; ++i) read(i + 1, Opcode::tensor_dim_back, count - 1 - i);
            break;
        }
        break;
    }
    case LowOp::rank: {
        Reg reg = fresh();
        put(Opcode::tensor_rank, reg, as_object(b.args[0]));
        define(b.defines[0], reg);
        break;
    }
    case LowOp::make: {
        std::vector<uint32_t> registers, parts;
        const std::vector<int64_t>& codes = std::get<std::vector<int64_t>>(find_attribute(b, "parts")->value);
        size_t next_dim = 0, next_value = 0;
        for (size_t i = 0; i < codes.size(); ++i) {
            parts.push_back(uint32_t(codes[i]));
            switch (ExtentPart(codes[i])) {
            case ExtentPart::number: case ExtentPart::last: registers.push_back(dim(b.dims[next_dim++])); break;
            case ExtentPart::unless:
                registers.push_back(dim(b.dims[next_dim++]));
                registers.push_back(dim(b.dims[next_dim++]));
                break;
            case ExtentPart::tail: case ExtentPart::head:
                parts.push_back(uint32_t(codes[++i]));
                registers.push_back(as_object(b.args[next_value++]));
                break;
            case ExtentPart::elements: case ExtentPart::ones: case ExtentPart::without: {
                ValueId vector = b.args[next_value++];
                registers.push_back(address(vector));
                registers.push_back(dim(type(vector).shape.dims[0]));
                if (ExtentPart(codes[i]) == ExtentPart::elements) registers.push_back(dim(b.dims[next_dim++]));
                break;
            }
            }
        }
        Reg reg = fresh();
        put(Opcode::new_shaped, reg, program_.list(registers), program_.list(parts), uint16_t(dtype(b.results[0])));
        bind_object(b.results[0], reg);
        break;
    }
    case LowOp::same_tails: case LowOp::same_but: {
        Reg reg = fresh(), x = as_object(b.args[0]), y = as_object(b.args[1]);
        put(op == LowOp::same_but ? Opcode::tensor_same_but : Opcode::tensor_same, reg, x, y, uint16_t(attribute("axes")));
        bind_number(b.results[0], reg);
        break;
    }
    case LowOp::shape_vector: {
        Reg reg = fresh();
        put(Opcode::tensor_shape, reg, as_object(b.args[0]));
        bind_object(b.results[0], reg);
        break;
    }
    case LowOp::element: {
        const ValueId vector = b.args[0];
        const std::vector<uint32_t> parts = {address(vector), dim(type(vector).shape.dims[0]), dim(b.dims[0]), dim(b.dims[1])};
        Reg reg = fresh();
        put(Opcode::vector_at, reg, program_.list(parts));
        define(b.defines[0], reg);
        break;
    }
    case LowOp::launch: case LowOp::view: case LowOp::numbers: case LowOp::read: case LowOp::tag: case LowOp::bound_dim: case LowOp::concat_seq:
    case LowOp::copy:
        invariant(false, "emit: of known rank");
    }
    for (Reg reg : temporary) put(Opcode::release, reg);
}
} // namespace nereus
