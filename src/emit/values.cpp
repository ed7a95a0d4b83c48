#include "emit/function.h"
#include "tensor/text_tensor.h"
#include <cstring>

namespace nereus {
namespace {
std::vector<std::byte> literal_bytes(const Literal& literal, DType dtype) {
    bool real = literal.kind == Literal::Kind::real;
    size_t count = real ? literal.reals.size() : literal.integers.size();
    std::vector<std::byte> bytes(count * size_t(size_of(dtype)));
    for (size_t i = 0; i < count; ++i) {
        std::byte* at = bytes.data() + i * size_t(size_of(dtype));
        const uint64_t word = real ? word_of(dtype, literal.reals[i]) : word_of(dtype, literal.integers[i]);
        std::memcpy(at, &word, size_t(size_of(dtype)));
    }
    return bytes;
}
} // namespace

EmitFunction::EmitFunction(EmitProgram& program, const KernelCode& kernels, FunctionId function)
    : program_(program), kernels_(kernels), id_(function), function_(program.module()[function]),
      storage_(program.storage.functions[function.index]), registers_(function_.values.size()),
      in_place_(program.lowered, program.storage, function.index) {
    for (size_t i = 0; i < function_.blocks.size(); ++i) {
        for (ValueId param : function_.blocks[i].params) homes_[param] = uint32_t(i);
        for (BindingId id : function_.blocks[i].bindings)
            for (ValueId result : function_[id].results) homes_[result] = uint32_t(i);
    }
    for (ValueId param : function_.params) homes_[param] = function_.body.index;
}

void EmitFunction::bind_number(ValueId v, Reg reg) {
    registers_[v.index] = reg;
    Dim known = function_[v].known;
    if (!known.valid()) return;
    if (std::optional<Sym> symbol = dims().as_symbol(known); symbol && !defined(*symbol)) define(*symbol, reg);
}

void EmitFunction::bind_object(ValueId v, Reg reg) {
    registers_[v.index] = reg;
    const Type t = type(v);
    if (t.kind == TypeKind::data) read_sizes(v, reg);
    if (t.kind != TypeKind::tensor) return;
    places_[v] = Place{Place::Kind::object, reg, {}, v};
    define_variable(t, reg);
    for (uint32_t axis = 0; axis < t.shape.dims.size(); ++axis)
        if (std::optional<Sym> symbol = dims().as_symbol(t.shape.dims[axis]); symbol && !defined(*symbol)) {
            Reg extent = fresh();
            put(Opcode::tensor_dim, extent, reg, axis);
            define(*symbol, extent);
        }
}

Reg EmitFunction::number(ValueId v) {
    invariant(kept(v) == Kept::number, "emit: not a number");
    return registers_[v.index];
}

Place& EmitFunction::place(ValueId v) {
    auto it = places_.find(v);
    invariant(it != places_.end(), "emit: a tensor without a place");
    return it->second;
}

void EmitFunction::touch(const Place& place, Touch how) {
    for (uint32_t slot : place.slots) {
        if (how == Touch::write && place.kind == Place::Kind::slot) lifetimes_.write(slot, step_);
        else lifetimes_.use(slot, step_);                // by address: perhaps one of several slots, perhaps a part
    }
}

Place EmitFunction::new_slot(IntSource bytes) {
    has_region_ = true;
    uint32_t slot = uint32_t(region_.slots.size());
    region_.slots.push_back(SlotInfo{bytes, 0, 0, {}});
    return Place{Place::Kind::slot, slot, {slot}, {}};
}

Place EmitFunction::target_of(ValueId v) {
    auto it = wanted_.find(v);
    Place target = it != wanted_.end() ? it->second : new_slot(function_[v].type);
    places_[v] = target;
    return target;
}

Reg EmitFunction::address(const Place& place, Touch how) {
    touch(place, how);
    if (place.kind == Place::Kind::reg) return place.index;
    Opcode op = place.kind == Place::Kind::slot     ? Opcode::slot
                : place.kind == Place::Kind::object ? Opcode::tensor_data
                : place.kind == Place::Kind::texts  ? Opcode::texts
                                                    : Opcode::weights;
    Reg reg = fresh();
    put(op, reg, place.index);
    return reg;
}
Reg EmitFunction::address(ValueId v) { return address(place(v)); }

std::vector<uint32_t> EmitFunction::dim_registers(TypeId id) {
    const Type t = module().types[id];
    std::vector<uint32_t> registers;
    for (Dim d : t.shape.dims) registers.push_back(dim(d));
    return registers;
}

Reg EmitFunction::new_tensor_object(TypeId id) {
    uint32_t list = program_.list(dim_registers(id));
    Reg reg = fresh();
    put(Opcode::new_tensor, reg, list, 0, uint16_t(*module().types[id].element.dtype));
    return reg;
}

void EmitFunction::copy_into(const Place& to, ValueId v) {
    Reg bytes = 0;
    if (type(v).shape.ranked) bytes = dim(byte_size(function_[v].type));
    else put(Opcode::tensor_bytes, bytes = fresh(), registers_[v.index]);
    Reg from = kept(v) == Kept::number ? 0 : address(v);
    Reg target = address(to, Touch::write);
    if (kept(v) == Kept::number) put(Opcode::write_scalar, target, number(v), 0, uint16_t(dtype(v)));
    else put(Opcode::copy, target, from, bytes);
}

Reg EmitFunction::object(ValueId v) {
    invariant(kept(v) == Kept::object, "emit: not an object");
    return registers_[v.index];
}

Reg EmitFunction::take_object(ValueId v) {
    switch (kept(v)) {
    case Kept::object:
        if (moving_.erase(v) == 0) put(Opcode::retain, object(v));
        return object(v);
    case Kept::number: {
        Reg reg = fresh();
        put(Opcode::new_scalar, reg, number(v), 0, uint16_t(dtype(v)));
        return reg;
    }
    case Kept::address: {
        Reg reg = new_tensor_object(function_[v].type);
        copy_into(Place{Place::Kind::object, reg, {}, {}}, v);
        return reg;
    }
    case Kept::nothing: break;
    }
    invariant(false, "emit: nothing to take");
    return 0;
}

void EmitFunction::release(ValueId v) { put(Opcode::release, registers_[v.index]); }

// Kernels read literals and dims as constants and scalars, so most of these are never asked for.
void EmitFunction::immediate(const Binding& b) {
    ValueId v = b.results[0];
    const Type t = type(v);
    if (b.form == Form::dim) {
        if (kept(v) == Kept::number) {
            bind_number(v, wrapped(dim(b.dim), *t.element.dtype));
        }
        return;
    }
    if (kept(v) == Kept::number) return bind_number(v, constant(b.literal.integers[0]));
    const DType element = *t.element.dtype;
    if (is_text(element)) {
        const std::vector<std::string_view> written(b.literal.texts.begin(), b.literal.texts.end());
        places_[v] = Place{Place::Kind::texts, program_.texts(b.literal.given ? texts_of(*b.literal.given) : written), {}, {}};
        return;
    }
    const uint32_t at = b.literal.given ? program_.weight(b.literal.given) : program_.weight(HeldBytes::copy_of(literal_bytes(b.literal, element)), element);
    places_[v] = Place{Place::Kind::weights, at, {}, {}};
}
} // namespace nereus
