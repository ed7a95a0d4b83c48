#include "driver/pipeline.h"
#include "grad/grad.h"
#include "grad/leaves.h"
#include "infer/specialise.h"
#include "pass/passes.h"

namespace nereus {
namespace {
Result<Module> specialise_stage(Module m, StageContext& c) {
    FunctionId entry = m.find_id(c.options.entry);
    if (!entry.valid()) {
        std::string names;
        for (const Function& f : m.functions)
            if (!f.from_prelude) names += (names.empty() ? "@" : ", @") + f.name;
        return Error{Code::name, "there is no function @" + c.options.entry + " in this program", {},
                     names.empty() ? "the program defines no function" : "choose one with --entry: " + names};
    }
    return expand_leaves(TRY(specialise(std::move(m), entry)));
}
Result<Module> grad_stage(Module m, StageContext&) { return grad(std::move(m)); }
Result<Module> shapes_stage(Module m, StageContext& c) { return infer_shapes(std::move(m), FunctionId(0), &c.report.shapes); }

constexpr Stage stages[] = {
    {"specialise", specialise_stage, "types first: shapes and kernels want one dtype and structure per value"},
    {"grad", grad_stage, "types tell what has an adjoint; what it writes needs shapes like all other code"},
    {"shapes", shapes_stage, "before anything looks at sizes; the entry is the first function from here on"},
    {"dead_code", dead_code, "chains that only computed shapes are known by now and need not run"},
};
} // namespace

std::span<const Stage> pipeline() { return stages; }
} // namespace nereus
