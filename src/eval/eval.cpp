#include "eval/eval.h"
#include "eval/door.h"

namespace nereus {
Result<Value> eval(const Module& module, FunctionId entry, std::span<const Value> args,
                   const EvalOptions& options) {
    const Function& function = module[entry];
    if (args.size() != function.params.size())
        return Error{Code::usage, "@" + function.name + " takes " + std::to_string(function.params.size()) +
                                      " arguments, found " + std::to_string(args.size())};
    Machine machine(module, options);
    std::vector<Datum> inside;
    for (size_t i = 0; i < args.size(); ++i) {
        const ValueInfo& param = function[function.params[i]];
        Result<Datum> value = come_in(machine, module, args[i], param.type);
        if (!value) {
            Error error = std::move(value).error();
            error.message = "argument %" + param.name + error.message;
            error.where = function.span;
            return error;
        }
        inside.push_back(std::move(value).take());
    }
    Result<Datum> result = machine.run(entry, std::move(inside));
    if (result) return go_out(module, *result);
    Error error = std::move(result).error();
    if (error.code == Code::memory && options.memory_limit > 0)
        error.message = "out of memory: the limit is " + std::to_string(options.memory_limit) + " bytes";
    return error;
}
} // namespace nereus
