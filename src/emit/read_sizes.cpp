// The sizes that the type of an object says by arguments, Cell[n]: read off the object where nobody has told them.
//
// A record shows most of them by a tensor among its fields, and that is a field and an extent. Any other way of holding
// them, a*n + b or elements of a container, is looked for as at the door.
#include "emit/door_types.h"
#include "emit/function.h"
#include "emit/size_solver.h"
#include "ir/instantiate.h"
#include <algorithm>

namespace nereus {
void EmitFunction::read_sizes(ValueId v, Reg object) {
    std::vector<Sym> open;
    auto is_open = [&](Sym s) { return !defined(s) && dims().symbol(s).kind != SymKind::unknown; };
    for (const TypeArg& arg : type(v).args)
        if (const Dim* d = std::get_if<Dim>(&arg); d && d->valid())
            for (Sym s : dims().symbols_of(*d))
                if (is_open(s)) open.push_back(s);
    if (open.empty()) return;
    read_fields(function_[v].type, object);
    std::erase_if(open, [&](Sym s) { return !is_open(s); });
    if (open.empty()) return;
    std::vector<ObservedSize> sizes;
    auto observe = [&](Dim d, uint32_t, bool direct, const std::string&) {
        for (Sym s : dims().symbols_of(d))
            if (!defined(s) && std::ranges::count(open, s) == 0) return int32_t(-1);
        sizes.push_back({d, fresh(), direct});
        return int32_t(sizes.size() - 1);
    };
    Result<uint32_t> looked = DoorTypes(program_, observe, true).add(function_[v].type, "%" + function_[v].name);
    if (!looked) {
        error_ = std::move(looked).error();
        return;
    }
    std::vector<uint32_t> registers;
    for (const ObservedSize& size : sizes) registers.push_back(size.found);
    put(Opcode::observe, *looked, object, program_.list(registers));
    SizeSolver solver{program_,
                      [&](Opcode op, uint32_t x, uint32_t y, uint32_t z, uint16_t more) { put(op, x, y, z, more); },
                      [&] { return fresh(); },
                      [&](Dim d) { return dim(d); },
                      [&](Sym s) { return defined(s); },
                      [&](Sym s, Reg reg) { define(s, reg); },
                      function_[v].span};
    solver.solve(open, sizes);
}

void EmitFunction::read_fields(TypeId id, Reg object) {
    const Type t = program_.module().types[id];
    if (!program_.module()[t.decl].is_record) return;
    const std::vector<TypeId> fields = instantiate_fields(program_.module(), id, 0);
    for (uint32_t i = 0; i < fields.size(); ++i) {
        const Type field = program_.module().types[fields[i]];
        std::optional<Reg> part;                         // borrowed: the object outlives these lines
        for (uint32_t axis = 0; field.kind == TypeKind::tensor && axis < field.shape.dims.size(); ++axis) {
            std::optional<Sym> symbol = dims().as_symbol(field.shape.dims[axis]);
            if (!symbol || defined(*symbol) || dims().symbol(*symbol).kind == SymKind::unknown) continue;
            if (!part) put(Opcode::field, *(part = fresh()), object, i);
            Reg extent = fresh();
            put(Opcode::tensor_dim, extent, *part, axis);
            define(*symbol, extent);
        }
    }
}
} // namespace nereus
