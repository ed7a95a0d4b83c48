#include "driver/compile.h"
#include "base/file.h"
#include "codegen/codegen.h"
#include "driver/pipeline.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "ops/registry.h"

namespace nereus {
Result<Module> parse_program(const std::string& path, std::vector<SourceText>* out_sources) {
    ParseInput input;
    input.path = path;
    input.text = TRY(read_file(path));
    input.load = [](const std::string& imported) { return read_file(imported); };
    return parse(std::move(input), all_ops(), out_sources);
}

Result<Module> run_until(Module m, std::string_view last, const CompileOptions& options, CompileReport* report) {
    CompileReport own;
    StageContext context{options, report ? *report : own};
    if (last == "parse") return m;
    for (const Stage& stage : pipeline()) {
        m = TRY(stage.run(std::move(m), context));
        if (Status sound = verify(m); !sound) {
            Error error = std::move(sound).error();
            error.message = "after stage " + std::string(stage.name) + ": " + error.message;
            return error;
        }
        if (stage.name == last) break;
    }
    return m;
}

Result<Lowered> lower_program(Module parsed, const CompileOptions& options, CompileReport* report) {
    return lower(TRY(run_until(std::move(parsed), "", options, report)));
}

Result<Executable> compile(Module parsed, const CompileOptions& options, CompileReport* report) {
    Target target = TRY(target_named(options.target));
    Module module = TRY(run_until(std::move(parsed), "", options, report));
    const Function typed = module.functions[0];
    Lowered lowered = TRY(lower(std::move(module)));     // kernels before memory: their buffers decide what is planned
    KernelCode code;
    for (const loop::Function& kernel : lowered.kernels) code.kernels.push_back(TRY(loop::schedule(kernel, target.machine)));
    MachineCode machine = TRY(codegen(code.kernels, target, CodegenOptions{options.checked}));
    code.offsets.assign(machine.entries.begin(), machine.entries.end());
    code.blob = std::move(machine.blob);
    code.target = machine.level <= 2 ? "x86-64-v2" : machine.level == 3 ? "x86-64-v3" : "x86-64-v4";
    code.checked = options.checked;
    if (report) {
        report->kernels = int64_t(lowered.kernels.size());
        report->launches = int64_t(lowered.launches.size());
    }
    Storage storage = plan_storage(lowered);
    return emit(lowered, storage, std::move(code), FunctionId(0), typed);
}
} // namespace nereus
