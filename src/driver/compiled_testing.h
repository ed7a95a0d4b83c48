// driver/compiled_testing.h - an entry of a program file, compiled and loaded, for the tests that run whole programs.
#pragma once
#include "library/library.h"
#include "driver/random_inputs_testing.h"
#include "vm/context.h"

namespace nereus {
struct Compiled {
    Module typed;                            // after types: what eval and random inputs read
    std::shared_ptr<const LoadedExecutable> loaded;      // null: a failure has been reported
    CompileReport report;

    // `file` lies in test/programs
    Compiled(const std::string& file, const std::string& name, const std::string& target = "host") {
        std::vector<SourceText> sources;
        CompileOptions options;
        options.entry = name;
        options.target = target;
        Result<Module> parsed = parse_program(NEREUS_SOURCE_DIR "/test/programs/" + file, &sources);
        Result<Module> module = parsed ? run_until(*parsed, "specialise", options) : parsed.error();
        Result<Executable> exe = module ? compile(*parsed, options, &report) : module.error();
        Result<std::shared_ptr<const LoadedExecutable>> made = exe ? LoadedExecutable::load(std::move(*exe), library()) : exe.error();
        if (!made) {
            ADD_FAILURE() << file << " @" << name << ": " << made.error().message;
            return;
        }
        typed = std::move(*module);
        loaded = std::move(*made);
    }
    const EntryInfo& entry() const { return loaded->exe().entries[0]; }
    std::unique_ptr<Context> context(ContextOptions options = {.memory_limit = int64_t(1) << 30}) const {
        return std::move(*Context::make(loaded, std::move(options)));
    }
};

inline Value number_value(int64_t number) { return Value::tensor(HostTensor::scalar(number)); }
} // namespace nereus
