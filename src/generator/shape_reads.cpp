#include "generator/shape_reads.h"
#include "pass/passes.h"

namespace nereus::gen {
Result<Module> without_shape_reads(Module module) {
    for (Function& f : module.functions)
        for (Binding& b : f.bindings) {
            bool computes = b.form == Form::op || b.form == Form::index;
            if (!computes || b.results.size() != 1 || !b.defines.empty() || !f[b.results[0]].known.valid()) continue;
            Binding size{.form = Form::dim};
            size.dim = f[b.results[0]].known, size.results = b.results, size.span = b.span;
            b = std::move(size);
        }
    return dead_code(std::move(module));
}
} // namespace nereus::gen
