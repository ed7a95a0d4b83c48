#include "cli/argument_sets.h"
#include "cli/model_cases.h"
#include <algorithm>

namespace nereus {
namespace {
std::string shapes_text(std::span<const Value> values, const EntryInfo& entry) {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i) {
        if (!values[i].is(Value::Kind::tensor)) continue;
        std::string sizes;
        for (int64_t extent : values[i].tensor().shape()) sizes += (sizes.empty() ? "" : "x") + std::to_string(extent);
        text += (text.empty() ? "" : ",") + entry.params[i].name + ":" + sizes;
    }
    return text;
}

Result<std::vector<ArgumentSet>> sets_of_cases(const std::string& folder, const ReadyProgram& program) {
    if (!program.source.file)
        return Error{
            Code::usage, "--cases holds inputs of a model, which this is not", {}, "give --inputs or --shapes"};
    const Result<ModelCases> cases = ModelCases::open(folder);
    if (!cases) return Error{cases.error().code, "--cases " + folder + ": " + cases.error().message};
    std::vector<ArgumentSet> sets;
    for (const std::filesystem::path& one : cases->folders())
        sets.push_back(
            {one.filename().string(), TRY(cases->read(one, *program.source.file, program.source.inputs, {})).inputs});
    return sets;
}
} // namespace

Result<std::vector<ArgumentSet>> argument_sets(const Arguments& arguments, const ReadyProgram& program) {
    if (arguments.has("cases")) {
        for (const char* other : {"shapes", "dim", "inputs", "input"})
            if (arguments.has(other))
                return Error{Code::usage, "--cases and --" + std::string(other) + " both say what the arguments are"};
        return sets_of_cases(arguments.value("cases"), program);
    }
    const GivenSizes sizes = TRY(given_sizes(arguments, program.source.parameters, program.source.symbols));
    const Inputs given = TRY(read_program_inputs(arguments, program.source, scalars_of(program.exe())));
    std::vector<std::string> params;
    for (const DoorParam& param : program.entry().params) params.push_back(param.name);
    std::vector<ArgumentSet> sets;
    for (const NamedValues& call :
         TRY(with_random(given, sizes, program.exe(), uint64_t(TRY(arguments.whole("seed", 0, 0))))).calls) {
        std::vector<Value> values = TRY(order_inputs(params, call));
        sets.push_back({shapes_text(values, program.entry()), std::move(values)});
    }
    return sets;
}
} // namespace nereus
