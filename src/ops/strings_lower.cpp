// Texts are made and read by kernels of the library, element by element: library/strings.cpp.
#include "ops/library_call.h"
#include "ops/lowers.h"
#include "ops/strings.h"

namespace nereus {
namespace {
// What is in no buffer gets one.
Result<ValueId> in_memory(OpLowering& l, ValueId v) {
    const Literal* literal = l.literal(v);
    if (is_text(l.dtype(v)) || (!l.is_number(v) && (!literal || literal->is_tensor) && !l.immediate_dim(v).valid())) return v;
    const ValueId held = l.temporary(l.dtype(v), {l.dims().constant(1)});
    KernelWriter k(l, "number");
    const loop::GroupId g = k.group("g", loop::Role::parallel, {});
    const loop::ExprId number = k.read(v, {{g, {}}});
    k.store(held, {{g, {}}}, number);
    TRY(k.finish());
    return held;
}

Status each_element(OpLowering& l, std::string name, std::vector<int64_t> scalars = {}) {
    Dims& dims = l.dims();
    const std::vector<Dim> over = l.shape(l.result());
    std::vector<ValueId> operands;
    for (ValueId arg : l.binding().args) operands.push_back(TRY(in_memory(l, arg)));
    LibraryCall call(l, std::move(name));
    const uint32_t g = call.group("g", loop::Role::parallel, over);
    for (size_t i = 0; i < operands.size(); ++i) {
        const ValueId arg = l.binding().args[i];
        const std::vector<Dim> from = operands[i] == arg ? l.shape(arg) : std::vector<Dim>();
        call.buffer("x" + std::to_string(i), operands[i], false, {{g, broadcast_strides(dims, from, over)}});
    }
    call.buffer("y", l.result(), true, {{g, dense_strides(dims, over)}});
    for (size_t i = 0; i < scalars.size(); ++i) call.scalar("s" + std::to_string(i), dims.constant(scalars[i]));
    return call.launch();
}
} // namespace

Status lower_str_concat(OpLowering& l) { return each_element(l, "str_concat"); }
Status lower_str_lower(OpLowering& l) { return each_element(l, "str_lower"); }
Status lower_str_upper(OpLowering& l) { return each_element(l, "str_upper"); }
Status lower_str_match(OpLowering& l) { return each_element(l, "str_match"); }
Status lower_str_count(OpLowering& l) { return each_element(l, "str_count", {l.integer("limit")}); }
Status lower_str_part(OpLowering& l) { return each_element(l, "str_part", {l.integer("limit")}); }

// One task: each text is compared with all the others.
Status lower_str_order(OpLowering& l) {
    Dims& dims = l.dims();
    const std::vector<Dim> shape = l.shape(l.arg(0));
    const ValueId scratch = l.temporary(DType::i64, {dims.product(shape)});
    LibraryCall call(l, "str_order");
    call.group("one", loop::Role::parallel, {dims.constant(1)});
    const uint32_t g = call.group("g", loop::Role::sequential, shape);
    call.buffer("x", l.arg(0), false, {{g, dense_strides(dims, shape)}});
    call.buffer("y", l.result(), true, {{g, dense_strides(dims, shape)}});
    call.buffer("scratch", scratch, true, {});
    return call.launch();
}

Status lower_cast_texts(OpLowering& l) {
    const DType from = l.dtype(l.arg(0)), to = l.dtype(l.result());
    if (is_text(to)) return each_element(l, "str_from_" + std::string(dtype_name(from)), {int64_t(from)});
    const Rounding round = *rounding_from_name(l.text("round", rounding_names[0]));
    return each_element(l, "str_to_" + std::string(dtype_name(to)), {int64_t(to), l.boolean("saturate"), int64_t(round)});
}
} // namespace nereus
