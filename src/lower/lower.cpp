#include "lower/lower.h"
#include "lower/lower_function.h"
#include "loop/text.h"
#include <bit>

namespace nereus {
namespace {
constexpr size_t most_constants = 64;                    // of one operator
}

uint32_t KernelTable::add(loop::Function kernel, bool library) {
    std::string key = library ? "library " + kernel.name : loop::canonical_text(kernel);
    if (library)
        for (const loop::Buffer& buffer : kernel.buffers) key += " " + std::string(dtype_name(buffer.dtype));
    auto [it, fresh] = seen.emplace(std::move(key), uint32_t(lowered.kernels.size()));
    if (fresh) {
        lowered.kernels.push_back(std::move(kernel));
        lowered.in_library.push_back(library);
    }
    return it->second;
}

bool KernelTable::takes_constant(const OpDef& op, double value) {
    std::set<uint64_t>& known = constants[&op];
    if (known.size() < most_constants) known.insert(std::bit_cast<uint64_t>(value));
    return known.contains(std::bit_cast<uint64_t>(value));
}

Result<Lowered> lower(Module module) {
    Lowered out;
    out.module.dims = module.dims;
    out.module.types = module.types;
    out.module.vars = module.vars;
    out.module.decls = module.decls;
    out.module.sources = module.sources;
    KernelTable kernels{out, {}, {}};
    for (const Function& function : module.functions) {
        Function lowered = TRY(LowerFunction(module, function, out, kernels).run());
        out.module.functions.push_back(std::move(lowered));
    }
    return out;
}
} // namespace nereus
