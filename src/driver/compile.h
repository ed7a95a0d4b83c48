// driver/compile.h - from program text to an executable, all machine code included: nothing is compiled later.
#pragma once
#include "emit/emit.h"
#include "infer/shapes.h"
#include "text/parse.h"
#include "value/value.h"
#include <functional>

namespace nereus {
struct CompileOptions {
    std::string entry = "main";
    std::string target = "host";             // x86-64-v2, x86-64-v3, x86-64-v4 or host
    bool checked = false;                    // kernels assert their bounds; tasks run alone, in random order
    std::vector<std::string> without;        // optimisations of pipeline.h that are left out
    // Runs an executable whose entry takes nothing, on this machine. Empty: what depends on constants only stays in the
    // program. It is handed in because nothing here may use the runtime.
    std::function<Result<Value>(Executable)> run_init = {};
    // Told how far it is: the stage, and how many stages or kernels of it are done. Empty: nobody asks.
    std::function<void(std::string_view stage, int64_t done, int64_t of)> progress = {};
    // Is shown the launches, and how their kernels run, before both become code.
    std::function<void(const Lowered&, std::span<const loop::Scheduled>)> lowered = {};
};

struct StageTime {
    std::string name;
    double milliseconds = 0;                 // of CPU time
    int64_t before = 0, after = 0;           // bindings; 0 where no module comes out
    int64_t most_resident = 0;               // bytes of the process, up to here
};

struct CompileReport {
    ShapeReport shapes;
    int64_t kernels = 0, launches = 0;
    std::vector<StageTime> stages;           // in the order they ran
};

// Both with the prelude.
Result<Module> parse_text(std::string name, std::string text, std::vector<SourceText>* out_sources);
Result<Module> parse_program(const std::string& path, std::vector<SourceText>* out_sources);      // imports from files
// The module after one of the stages of pipeline.h.
Result<Module> run_until(Module parsed, std::string_view stage, const CompileOptions& options, CompileReport* report = nullptr);
Result<Lowered> lower_program(Module parsed, const CompileOptions& options, CompileReport* report = nullptr);
Result<Executable> compile(Module parsed, const CompileOptions& options, CompileReport* report = nullptr);
// The rest of a compile, for a module that has been through the stages of pipeline.h.
Result<Executable> compile_rest(Module module, const CompileOptions& options, CompileReport* report);
int64_t compiles();                          // how often this process has made machine code
} // namespace nereus
