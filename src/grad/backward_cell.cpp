// grad/backward_cell.cpp - cells: what was read from one adds to the adjoint that is kept in it, what was put in takes that
// out and leaves zero. The content stays as forward code left it (cell_adjoints.h).
#include "grad/backward.h"
#include <algorithm>

namespace nereus {
Status Backward::cell(const Binding& b) {
    const bool read = b.op->builtin == Builtin::read, made = b.op->builtin == Builtin::ref;
    ValueId r = made ? b.results[0] : b.args[0], both = read ? b.results[0] : b.args.back();
    TypeId content = module_.types[plain(both)].parts[0];
    const size_t count = types_.count(content);
    if (read) {
        Leaves adjoint = take(both);
        adjoint.resize(count);
        if (std::none_of(adjoint.begin(), adjoint.end(), [](ValueId leaf) { return leaf.valid(); })) return {};
        ValueId held = structures_.held(w_, content, adjoint), now = read_plain(r);
        ValueId sum = TRY(structures_.add_held(w_, content, w_.project(now, 1), held));
        w_.write(r, w_.tuple({w_.project(now, 0), sum}));
        return {};
    }
    ValueId now = read_plain(r), held = w_.project(now, 1);
    if (!made) w_.write(r, w_.tuple({w_.project(now, 0), structures_.zero_held(w_, content)}));
    if (!active(both)) return {};
    Leaves adjoint;
    TRY(structures_.release(w_, content, held, [&](size_t i) { return zero(both, i); }, adjoint));
    for (size_t i = 0; i < count; ++i)                   // the shapes stage does not follow sizes through cells
        if (module_.types[w_.type(adjoint[i])].kind == TypeKind::tensor)
            adjoint[i] = w_.op("broadcast_to", {adjoint[i], shape(primal(both, i))});
    return contribute(both, adjoint);
}
} // namespace nereus
