// Sizes become code: in the frame where they depend on what happened, in the plan program where the key decides.
#include "emit/dim_writer.h"
#include "emit/function.h"
#include <algorithm>

namespace nereus {
void EmitFunction::define(Sym symbol, Reg reg) {
    if (!symbols_.emplace(symbol, reg).second) return;
    if (!scopes_.empty()) scopes_.back().symbols.push_back(symbol);
}

void EmitFunction::close_scope() {
    for (Sym symbol : scopes_.back().symbols) symbols_.erase(symbol);
    for (Dim d : scopes_.back().dims) dims_.erase(d);
    for (uint32_t variable : scopes_.back().variables) variables_.erase(variable);
    scopes_.pop_back();
}

Reg EmitFunction::dim(Dim d) {
    if (auto it = dims_.find(d); it != dims_.end()) return it->second;
    DimWriter writer{dims(), exe().code, next_register_,
                     [&](Sym s) {
                         auto it = symbols_.find(s);
                         invariant(it != symbols_.end(), "emit: a symbol is used before its definition");
                         return it->second;
                     },
                     [&](int64_t n) { return program_.constant(n); },
                     [&](const AtomNode& atom) {
                         auto it = variables_.find(atom.shape);
                         invariant(it != variables_.end(), "emit: a shape variable is used before its definition");
                         return atom.kind == AtomKind::rank ? it->second.rank : it->second.size;
                     }};
    Reg reg = writer.write(d);
    dims_.emplace(d, reg);
    if (!scopes_.empty()) scopes_.back().dims.push_back(d);
    return reg;
}

bool EmitFunction::at_entry(Dim d) {
    for (Sym s : dims().symbols_of(d))
        if (std::find(function_.symbols.begin(), function_.symbols.end(), s) == function_.symbols.end()) return false;
    return !dims().of_shape(d);
}

IntSource EmitFunction::source(Dim value, Dim one) {
    if (std::optional<int64_t> number = dims().constant_value(value); number && (!one.valid() || *number == 0))
        return {IntSource::Kind::constant, *number};
    if (at_entry(value) && (!one.valid() || at_entry(one))) {
        auto [it, fresh] = plan_numbers_.emplace(PlanNumber{value, one}, int64_t(plan_numbers_.size()));
        return {IntSource::Kind::plan, it->second};      // its register is known when the plan program is written
    }
    return frame_source(value, one);
}

IntSource EmitFunction::frame_source(Dim value, Dim one) {
    if (std::optional<int64_t> number = dims().constant_value(value); number && (!one.valid() || *number == 0))
        return {IntSource::Kind::constant, *number};
    Reg reg = dim(value);
    if (one.valid()) {
        Reg many = fresh(), scaled = fresh();
        put(Opcode::ne, many, dim(one), constant(1));
        put(Opcode::mul, scaled, reg, many);
        reg = scaled;
    }
    return {IntSource::Kind::reg, reg};
}

Dim EmitFunction::byte_size(TypeId id) {
    const Type type = module().types[id];
    Dim bytes = dims().constant(size_of(*type.element.dtype));
    for (Dim d : type.shape.dims) bytes = dims().mul(bytes, d);
    return bytes;
}

// The plan program starts with the key in its first registers and leaves every number the plan needs in one.
void EmitFunction::plan_program() {
    std::vector<Sym> key;
    auto use = [&](Dim d) {
        if (!d.valid()) return;
        for (Sym s : dims().symbols_of(d))
            if (std::find(key.begin(), key.end(), s) == key.end()) key.push_back(s);
    };
    for (auto& [number, index] : plan_numbers_) use(number.value), use(number.one);
    for (Sym s : key) region_.key.push_back(symbols_.at(s));

    Reg next = Reg(key.size());
    region_.plan_begin = uint32_t(exe().code.size());
    DimWriter writer{dims(), exe().code, next, [&](Sym s) { return Reg(std::find(key.begin(), key.end(), s) - key.begin()); },
                     [&](int64_t n) { return program_.constant(n); }};
    writer.total = true;
    std::vector<int64_t> registers(plan_numbers_.size());
    for (auto& [number, index] : plan_numbers_) {
        Reg reg = writer.write(number.value);
        if (number.one.valid()) reg = writer.unless_one(reg, writer.write(number.one));
        registers[size_t(index)] = reg;
    }
    exe().code.push_back({Opcode::leave, 0, 0, program_.list({}), 0});
    region_.plan_registers = next;

    auto fix = [&](IntSource& source) {
        if (source.kind == IntSource::Kind::plan) source.value = registers[size_t(source.value)];
    };
    for (SlotInfo& slot : region_.slots) fix(slot.bytes);
    for (const std::vector<uint32_t>& list : region_.lists)
        for (uint32_t index : list) {
            LaunchInfo& launch = exe().launches[index];
            for (LaunchBuffer& buffer : launch.buffers) fix(buffer.bytes);
            for (IntSource& scalar : launch.scalars) fix(scalar);
            for (LaunchGroup& group : launch.groups) {
                for (IntSource& extent : group.extents) fix(extent);
                for (IntSource& stride : group.strides) fix(stride);
            }
        }
}
} // namespace nereus
