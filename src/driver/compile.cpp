#include "driver/compile.h"
#include "base/file.h"
#include "base/resident.h"
#include "codegen/codegen.h"
#include "codegen/idle_code.h"
#include "driver/pipeline.h"
#include "driver/prelude.h"
#include "driver/weights.h"
#include "library/library.h"
#include "lower/lower.h"
#include "ops/outside.h"
#include "ops/registry.h"
#include "value/inside_folder.h"
#include <algorithm>
#include <filesystem>
#include <malloc.h>
#include <time.h>

namespace nereus {
namespace {
// The time of all our threads on a CPU: what else the machine does is not a stage's doing.
class Stopwatch {
 public:
    double milliseconds() const { return now() - begin_; }

 private:
    static double now() {
        timespec spent = {};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
        return double(spent.tv_sec) * 1e3 + double(spent.tv_nsec) * 1e-6;
    }
    double begin_ = now();
};
} // namespace

Result<Module> parse_text(std::string name, std::string text, std::vector<SourceText>* out_sources) {
    TRY(take_in_plugins());
    Module module = TRY(parse({std::move(name), std::move(text), no_imports(), prelude()}, all_ops(), out_sources));
    TRY(read_weights(module, std::nullopt));
    return module;
}
Result<Module> parse_program(const std::string& path, std::vector<SourceText>* out_sources) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    auto load = [&folder](const std::string& imported) -> Result<std::string> {
        const std::string inside = std::filesystem::path(imported).lexically_relative(folder.empty() ? "." : folder).string();
        return read_file(TRY(inside_folder(folder.string(), inside)));
    };
    TRY(take_in_plugins());
    Module module = TRY(parse({path, TRY(read_file(path)), load, prelude()}, all_ops(), out_sources));
    TRY(read_weights(module, folder.empty() ? "." : folder.string()));
    return module;
}

namespace {
Result<Module> run_stages(Module m, std::string_view last, const CompileOptions& options, CompileReport* report) {
    CompileReport own;
    StageContext context{options, report ? *report : own};
    TRY(check_without(options));
    if (last == "parse") return m;
    int64_t before = report ? count_bindings(m) : 0;
    for (const Stage& stage : pipeline()) {
        if (std::ranges::count(options.without, stage.name) > 0) {
            if (stage.name == last) break;
            continue;
        }
        Stopwatch watch;
        if (options.progress) options.progress(stage.name, &stage - pipeline().data(), std::ssize(pipeline()));
        m = TRY(stage.run(std::move(m), context));
        if (report) {
            report->stages.push_back({std::string(stage.name), watch.milliseconds(), before, count_bindings(m), resident().most});
            before = report->stages.back().after;
        }
        TRY(verified(m, stage));
        if (stage.name == last) break;
    }
    return m;
}
} // namespace

Result<Module> run_until(Module m, std::string_view last, const CompileOptions& options, CompileReport* report) {
    return guarded([&] { return run_stages(std::move(m), last, options, report); });
}

Result<Lowered> lower_program(Module parsed, const CompileOptions& options, CompileReport* report) {
    return guarded([&]() -> Result<Lowered> { return lower(TRY(run_stages(std::move(parsed), "", options, report))); });
}

int64_t compiles() { return codegen_runs(); }

namespace {
// How a launch of a library kernel is bound: by the groups that its buffers name. Tasks divide the first group.
loop::Scheduled library_kernel(const loop::Function& signature) {
    constexpr int64_t target = 1 << 14;                  // elements that are worth a task
    ParamLayout layout;
    layout.groups.resize(signature.groups.size());
    for (const loop::Buffer& buffer : signature.buffers) layout.buffers.push_back(buffer.dtype);
    for (const loop::Access& access : signature.accesses)
        for (loop::GroupId group : access.groups) layout.groups[group.index].buffers.push_back(uint16_t(access.buffer.index));
    layout.scalars = int32_t(signature.scalars.size());
    layout.grid.dims = {{0, 1}};
    for (size_t g = 1; g < layout.groups.size(); ++g) layout.grid.work.push_back(uint16_t(g));
    layout.grid.target = target;
    return {signature, {}, std::move(layout), 0};
}

} // namespace

namespace {
// What stages used is free, and later ones want pieces of other sizes: it goes back to the system where it is worth it.
bool give_memory_back() {
    constexpr size_t worth_it = size_t(16) << 20;
    if (::mallinfo2().fordblks < worth_it) return false;
    ::malloc_trim(0);
    return true;
}
} // namespace

Result<Executable> compile_rest(Module module, const CompileOptions& options, CompileReport* report) {
    Target target = TRY(target_named(options.target));
    const Function typed = module.functions[0];
    auto timed = [&, watch = Stopwatch()](const char* stage) mutable {
        if (report) report->stages.push_back({stage, watch.milliseconds(), 0, 0, resident().most});
        watch = {};
    };
    Lowered lowered = TRY(lower(std::move(module)));     // kernels before memory: their buffers decide what is planned
    timed("lower");
    give_memory_back();
    KernelCode code;
    std::vector<loop::Scheduled> compiled;
    for (size_t i = 0; i < lowered.kernels.size(); ++i) {
        code.kernels.push_back(lowered.in_library[i] ? library_kernel(lowered.kernels[i])
                                                     : TRY(loop::schedule(lowered.kernels[i], target.machine)));
        if (!lowered.in_library[i]) compiled.push_back(code.kernels.back());
    }
    if (options.lowered) options.lowered(lowered, code.kernels);
    const CodegenOptions how{.checked = options.checked, .progress = options.progress ? [&](int64_t done, int64_t of) { options.progress("codegen", done, of); } : std::function<void(int64_t, int64_t)>()};
    MachineCode machine = TRY(codegen(compiled, target, how));
    size_t next = 0;
    for (size_t i = 0; i < lowered.kernels.size(); ++i) {
        std::optional<uint32_t> place = library_index(lowered.kernels[i].name);
        code.offsets.push_back(!lowered.in_library[i] ? machine.entries[next++] : place ? *place : KernelInfo::outside);
    }
    timed("codegen");
    code.blob = std::move(machine.blob);
    code.target = machine.level <= 2 ? "x86-64-v2" : machine.level == 3 ? "x86-64-v3" : "x86-64-v4";
    code.checked = options.checked;
    if (report) {
        report->kernels = int64_t(lowered.kernels.size());
        report->launches = int64_t(lowered.launches.size());
    }
    Storage storage = plan_storage(lowered, FunctionId(0));
    timed("plan");
    give_memory_back();
    Executable made = TRY(emit(lowered, storage, std::move(code), FunctionId(0), typed));
    timed("emit");
    return made;
}

Result<Executable> compile(Module parsed, const CompileOptions& options, CompileReport* report) {
    Result<Executable> made = guarded([&]() -> Result<Executable> {
        TRY(target_named(options.target));
        return compile_rest(TRY(run_stages(std::move(parsed), "", options, report)), options, report);
    });
    if (give_memory_back()) let_compiler_pages_go();
    return made;
}
} // namespace nereus
