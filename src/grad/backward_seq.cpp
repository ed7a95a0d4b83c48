// grad/backward_seq.cpp - operators on Seq: elements of the adjoint are handed to what was put in, and added to where
// something was read.
#include "grad/backward.h"

namespace nereus {
ValueId Backward::length(ValueId seq) {
    if (auto it = shapes_.find(seq); it != shapes_.end()) return it->second;
    TypeId integer = module_.types.scalar(DType::i64);
    ValueId made = behind(seq, [&] { return w_.builtin("length", {seq}, integer); });
    return shapes_[seq] = made;
}

// The element's adjoint, as that of v.
Status Backward::hand_element(ValueId v, ValueId held) {
    if (!active(v)) return {};
    Leaves leaves;
    Place at = place(v);
    TRY(structures_.release(w_, plain(v), held, [&](size_t i) { return zero(at.root, at.offset + i); }, leaves));
    return contribute(v, leaves);
}

Status Backward::sequence(const Binding& b) {
    ValueId result = b.results[0];
    if (b.form == Form::seq) {
        ValueId all = take(result)[0];
        for (size_t i = 0; i < b.args.size(); ++i)
            if (active(b.args[i])) TRY(hand_element(b.args[i], TRY(structures_.item(w_, all, w_.number(double(i), DType::i64)))));
        return {};
    }
    ValueId s = b.args[0];
    if (b.op->builtin == Builtin::seq_get) {
        TypeId element = module_.types[plain(s)].parts[0];
        ValueId held = structures_.held(w_, element, take(result)), so_far = leaf(s, 0);
        if (!so_far.valid()) so_far = structures_.zero(w_, types_.held(plain(s)));
        ValueId sum = TRY(structures_.add_at(w_, so_far, length(s), b.args[1], held));
        leaf(s, 0) = sum;
        return {};
    }
    bool push = b.op->builtin == Builtin::push;
    ValueId all = take(result)[0], i = push ? length(s) : b.args[1], v = b.args[push ? 1 : 2];
    if (active(v)) TRY(hand_element(v, TRY(structures_.item(w_, all, i))));
    return active(s) ? contribute(s, 0, TRY(structures_.without(w_, all, i))) : Status();
}
} // namespace nereus
