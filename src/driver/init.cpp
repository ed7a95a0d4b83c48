#include "driver/init.h"
#include "pass/constant_part.h"
#include "pass/passes.h"

namespace nereus {
namespace {
constexpr int64_t most_bytes = int64_t(16) << 20;     // an executable is to be handed around

// Nothing: it fails.
std::optional<std::vector<HostTensor>> values_of(Module init, const CompileOptions& options, size_t count) {
    Result<Executable> exe = compile_rest(std::move(init), CompileOptions{.checked = options.checked}, nullptr);
    Result<Value> given = exe ? options.run_init(std::move(*exe)) : exe.error();
    if (!given) return std::nullopt;
    std::vector<HostTensor> tensors;
    if (count == 1) tensors.push_back(given->tensor());
    else for (const Value& value : given->children()) tensors.push_back(value.tensor());
    return tensors;
}
} // namespace

Result<Module> init_stage(Module m, StageContext& c) {
    if (!c.options.run_init) return m;
    for (bool failing : {true, false}) {
        ConstantPart part = constant_part(m, failing, most_bytes);
        if (part.places.empty()) return m;
        std::optional<std::vector<HostTensor>> values = values_of(std::move(part.program), c.options, part.places.size());
        if (values) return dead_code(with_constants(std::move(m), part.places, *values));
    }
    return m;
}
} // namespace nereus
