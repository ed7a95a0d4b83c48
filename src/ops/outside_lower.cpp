// Launches of operators from outside: all buffers dense, their extents as scalars, one task (plugin/kernel.cpp).
#include "ops/library_call.h"
#include "ops/outside.h"

namespace nereus {
namespace {
// Numbers and literals lie in registers and in code; a plug-in wants an address.
Result<ValueId> in_memory(OpLowering& l, ValueId v) {
    if (!l.shape(v).empty() || !(l.is_number(v) || l.literal(v) || l.immediate_dim(v).valid())) return v;
    const Dim one = l.dims().constant(1);
    ValueId to = l.temporary(l.dtype(v), {one});
    KernelWriter k(l, "store");
    loop::GroupId g = k.group("g", loop::Role::parallel, {one});
    k.store(to, {{g, {{one}}}}, k.read(v, {}));
    TRY(k.finish());
    return to;
}

struct Operand { ValueId value; std::vector<Dim> extents; bool out; };

Status launch(OpLowering& l, const OutsideOp& op, std::span<const Operand> operands, std::span<const Sym> late) {
    std::vector<int32_t> ranks;
    for (const Operand& operand : operands) ranks.push_back(int32_t(operand.extents.size()));
    LibraryCall call(l, plugin_kernel_name(*op.plugin, op.attributes(l.binding().attributes), ranks, !late.empty()));
    call.group("once", loop::Role::parallel, {});
    for (size_t i = 0; i < operands.size(); ++i) {
        call.buffer("b" + std::to_string(i), operands[i].value, operands[i].out, {});
        for (Dim extent : operands[i].extents) call.scalar("s", extent);
    }
    for (Sym symbol : late) call.gives_late(symbol);
    return call.launch();
}
} // namespace

Status lower_outside(OpLowering& l) {
    const OutsideOp& op = outside(*l.binding().op);
    std::vector<Operand> operands;
    for (size_t i = 0; i < op.plugin->inputs.size(); ++i)
        operands.push_back({TRY(in_memory(l, l.arg(i))), l.shape(l.arg(i)), false});
    std::vector<Sym> late;
    for (Sym symbol : l.binding().defines)
        if (l.dims().symbol(symbol).kind == SymKind::late) late.push_back(symbol);
    if (!late.empty()) {
        std::vector<OutsideInput> inputs;
        for (size_t i = 0; i < operands.size(); ++i) inputs.push_back({l.dtype(l.arg(i)), operands[i].extents});
        const std::vector<Dim> most = TRY(outside_bounds(op, op.attributes(l.binding().attributes), std::move(inputs), late, l.dims()));
        TRY(launch(l, op, operands, late));
        for (size_t i = 0; i < late.size(); ++i) {       // sizes that were computed from them rely on it
            const Dim size = l.dims().of(late[i]);
            l.check(l.dims().constant(0), Relation::less_equal, size, "the plug-in measured a size of {1}");
            l.check(size, Relation::less_equal, most[i], "the plug-in measured a size of {0}, expected at most {1}");
        }
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) operands.push_back({l.result(i), l.shape(l.result(i)), true});
    return launch(l, op, operands, {});
}
} // namespace nereus
