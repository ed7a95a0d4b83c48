#include "vm/run_once.h"
#include "vm/context.h"

namespace nereus {
Result<Value> run_once(Executable executable, std::span<const Kernel> library) {
    std::unique_ptr<Context> context = TRY(Context::make(TRY(LoadedExecutable::load(std::move(executable), library))));
    return context->run(context->program().exe().entries[0], {});
}
} // namespace nereus
