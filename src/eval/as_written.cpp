#include "eval/as_written.h"

namespace nereus {
namespace {
EvalOptions silent(EvalOptions options) {                // its lines have been printed
    options.print = [](std::string_view) {};
    return options;
}
} // namespace

Result<Value> eval(const AsWritten& program, FunctionId entry, std::span<const Value> args, EvalOptions options) {
    bool guessed = false;
    options.guessed_size = &guessed;
    Result<Value> value = eval(program.written, entry, args, options);
    if (value && !guessed) return value;
    Result<Value> again = eval(program.shaped, entry, args, silent(options));
    if (value) return again;
    return again ? std::move(value) : std::move(again);
}

Result<Value> eval_or_refuse(const AsWritten& program, FunctionId entry, std::span<const Value> args,
                             EvalOptions options) {
    Result<Value> value = eval(program, entry, args, options);
    if (!value) return value;
    Result<Value> again = eval(program.shaped, entry, args, silent(options));
    return again ? std::move(value) : std::move(again);
}
} // namespace nereus
