// vm/assembled.h - programs in text, loaded and ready to run, for the tests of this room.
#pragma once
#include "exe/text.h"
#include "vm/context.h"

namespace nereus {
// An entry "f" for function 0, whose parameters and results are all i64; more than one result come as a tuple.
inline std::string integer_entry(int params, int results) {
    std::string types = "type 0 {dtype: i64}\ntype 1 {kind: tuple, fields: [[",
                entry = "entry 0 {name: \"f\", params: [";
    auto repeat = [](int count, std::string_view what) {
        std::string out;
        for (int i = 0; i < count; ++i) out += (i > 0 ? ", " : "") + std::string(what);
        return out;
    };
    types += repeat(results, "0") + "]]}\n";
    entry += repeat(params, "{name: \"x\"}") + "], param_leaves: [" + repeat(params, "{kind: number}") +
             "], result_type: " + (results == 1 ? "0" : "1") + ", result_leaves: [" +
             repeat(results, "{kind: number}") + "]}\n";
    return types + entry;
}

class Assembled {
 public:
    explicit Assembled(std::string_view text, ContextOptions options = {}, std::span<const Kernel> library = {}) {
        Result<Executable> exe = assemble(text);
        if (!exe) fail(exe.error());
        Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(*exe), library);
        if (!loaded) fail(loaded.error());
        program = *loaded;
        restart(std::move(options));
    }
    void restart(ContextOptions options) {
        Result<std::unique_ptr<Context>> made = Context::make(program, std::move(options));
        if (!made) fail(made.error());
        context = std::move(*made);
    }
    const EntryInfo& entry() const { return program->exe().entries[0]; }
    Result<Value> run(std::initializer_list<Value> args) {
        return context->run(entry(), std::span(args.begin(), args.size()));
    }
    // The one integer that an integer entry gives.
    Result<int64_t> number(std::initializer_list<int64_t> args) {
        std::vector<Value> values;
        for (int64_t arg : args) values.push_back(Value::tensor(HostTensor::scalar(arg)));
        Value result = TRY(context->run(entry(), values));
        return result.tensor().as_i64(0);
    }
    const Stats& stats() const { return context->stats(); }

    std::shared_ptr<const LoadedExecutable> program;
    std::unique_ptr<Context> context;

 private:
    [[noreturn]] static void fail(const Error& error) {
        invariant_failed(error.message.c_str(), std::source_location::current());
    }
};
} // namespace nereus
