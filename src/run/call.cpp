#include "run/call.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/suggest.h"
#include "run/profile.h"
#include "run/sources.h"
#include "tensor/npy.h"
#include "value/input_spec.h"
#include "value/npz.h"
#include "value/text.h"
#include "vm/workers.h"
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

namespace nereus {
std::span<const FlagSpec> call_flags() {
    static constexpr FlagSpec flags[] = {
        {"inputs", true,
         "FILE arguments by parameter name: JSON, one object or a list of them; or an .npz of paths p.w"},
        {"input", true,
         "x=SPEC one argument: x=2x3xf32=random, x=@x.npy, x=@p.npz, x=@p.npz:path, x=3xi64=1,2,3, x=f32=2.5, x=2xstr=yes,no"},
        {"save", true,
         "PATH the result goes there, not to stdout: an .npz with an array per tensor, named by its path, that of a model by its output; an .npy, of one tensor; a folder, with a file each"},
        {"output", true, "NAME of a model: only this output; may be given several times"},
        {"json", false,
         "results as JSON, on one line: a value, of a model with several outputs an object of them by name; or a list where the inputs were one"},
        {"seed", true, "N seed of random inputs"},
        {"each", false, "time and peak memory of every call, on stderr"},
        {"peak", false,
         "memory of every call, on stderr: predicted (an upper bound where elements decide, nothing for a `while` that grows) and measured"},
        {"stats", false, "counters of all calls, on stderr; resident memory of the process, and how long loading took"},
        {"threads", true, "N that a call may use, its own with them: results are the same bit for bit (1)"},
        {"memory-limit", true, "BYTES a call that needs more fails"},
        {"memory", true, "MODE planned; to compare with: none (every buffer apart), pool (allocated on use) (planned)"},
        {"profile", false, "where the time went, on stderr: kernels by place, the longest first"},
        {"trace", true, "FILE a line for every frame, kernel, touched buffer and object (vm/trace.h)"},
    };
    return flags;
}

Result<int64_t> thread_count(const Arguments& arguments) {
    const int64_t threads = TRY(arguments.whole("threads", 1, 1));
    if (threads > most_threads) return Error{Code::usage, "--threads is at most " + std::to_string(most_threads) + ", not " + std::to_string(threads)};
    return threads;
}

namespace {
// The file is a record by parameter name.
Result<Inputs> read_npz_inputs(const std::string& path) {
    const Value whole = TRY(read_npz(path));
    if (!whole.is(Value::Kind::record))
        return Error{Code::value, "'" + path + "': npz: a " + std::string(kind_name(whole.kind())) + " is no set of arguments by name", {}, "give it to one parameter with --input x=@" + path};
    Inputs inputs;
    NamedValues& call = inputs.calls.emplace_back();
    for (size_t i = 0; i < whole.children().size(); ++i) call.push_back({whole.field_names()[i], whole.children()[i]});
    return inputs;
}

Result<Inputs> with_single_inputs(const Arguments& arguments, Inputs inputs) {
    uint64_t seed = uint64_t(TRY(arguments.whole("seed", 0, 0)));
    for (const std::string& spec : arguments.values("input")) {
        Field field = TRY(parse_input_spec(spec, seed));
        for (NamedValues& call : inputs.calls) {
            for (const Field& given : call)
                if (given.name == field.name) return Error{Code::usage, "argument %" + field.name + " is given twice"};
            call.push_back(field);
        }
    }
    return inputs;
}
} // namespace

void name_parameters(Arguments& arguments, const std::map<std::string, std::string>& parameters) {
    auto inputs = arguments.flags.find("input");
    if (inputs == arguments.flags.end()) return;
    for (std::string& input : inputs->second) {
        size_t longest = 0;                                // names of models may have any sign, '=' too
        for (const auto& [name, parameter] : parameters)
            if (input.starts_with(name + "=")) longest = std::max(longest, name.size());
        if (auto it = parameters.find(input.substr(0, longest)); it != parameters.end())
            input = it->second + input.substr(longest);
    }
}

Result<Inputs> read_inputs(const Arguments& arguments, const ScalarTypes& scalars) {
    Inputs inputs;
    if (arguments.has("inputs")) {
        std::string path = arguments.value("inputs");
        if (path.ends_with(".npz")) return with_single_inputs(arguments, TRY(read_npz_inputs(path)));
        std::string text = TRY(read_file(path));
        std::string folder = std::filesystem::path(path).parent_path().string();
        Result<Inputs> read = read_inputs_json(text, folder.empty() ? "." : folder, scalars);
        if (!read) {
            Error error = std::move(read).error();
            error.message = path + ": " + error.message;
            return error;
        }
        inputs = std::move(*read);
    } else {
        inputs.calls.emplace_back();
    }
    return with_single_inputs(arguments, std::move(inputs));
}

ScalarTypes scalars_of(const Executable& exe) {
    return [&exe](std::string_view parameter) -> std::optional<DType> {
        for (const DoorParam& param : exe.entries[0].params) {
            const DoorType& type = exe.door_types[param.type];
            const bool is_scalar = type.kind == DoorType::Kind::tensor && type.axes.empty();
            if ((param.name == parameter || param.model_name == parameter) && is_scalar) return type.dtype;
        }
        return std::nullopt;
    };
}

namespace {
// How a command ends that could not begin.
int failed(const Error& error) {
    std::fputs(plain_error(error).c_str(), stderr);
    return exit_code(error);
}

int usage(std::string what) {
    return failed(Error{Code::usage, std::move(what)});
}

Status has_parameter(std::span<const std::string> params, const std::string& name) {
    if (std::find(params.begin(), params.end(), name) != params.end()) return {};
    std::string all;
    for (const std::string& param : params) all += (all.empty() ? "%" : ", %") + param;
    return Error{Code::usage, "the entry point has no parameter %" + name, {}, all.empty() ? "it has none" : "it has " + all};
}
} // namespace

Result<std::vector<Value>> order_inputs(std::span<const std::string> params, const NamedValues& named) {
    std::vector<Value> ordered;
    for (const Field& field : named) TRY(has_parameter(params, field.name));   // before what is missing: it may be the same one, misspelt
    for (const std::string& param : params) {
        const Field* found = nullptr;
        for (const Field& field : named)
            if (field.name == param) {
                if (found) return Error{Code::usage, "argument %" + param + " is given twice"};
                found = &field;
            }
        if (!found) return Error{Code::usage, "argument %" + param + " is missing", {}, "give it with --input " + param + "=... or in --inputs"};
        ordered.push_back(found->value);
    }
    return ordered;
}

namespace {
// What a model gives, by its names; of a program: nothing.
std::vector<Field> by_output(const Value& result, std::span<const std::string> outputs) {
    if (outputs.size() == 1) return {{outputs[0], result}};
    std::vector<Field> named;
    for (size_t i = 0; i < outputs.size(); ++i) named.push_back({outputs[i], result.children()[i]});
    return named;
}
bool is_folder(const std::string& path) {
    std::error_code failed;
    return path.ends_with('/') || std::filesystem::is_directory(path, failed);
}
// A file each; one that is no tensor is an .npz of its parts.
Status save_in_folder(const std::string& folder, const Value& result, std::span<const std::string> outputs) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) return Error{Code::io, "cannot make the folder '" + folder + "': " + failed.message()};
    std::vector<Field> parts = by_output(result, outputs);
    if (outputs.empty() && result.is(Value::Kind::tuple))
        for (size_t i = 0; i < result.children().size(); ++i)
            parts.push_back({std::to_string(i), result.children()[i]});
    else if (outputs.empty() && result.is(Value::Kind::record))
        for (size_t i = 0; i < result.children().size(); ++i)
            parts.push_back({result.field_names()[i], result.children()[i]});
    else if (outputs.empty()) parts.push_back({"result", result});
    std::set<std::string> taken;                         // names of models may have any sign, files may not
    for (const Field& part : parts) {
        std::string name = part.name;
        std::ranges::replace_if(
            name,
            [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.'; },
            '_');
        while (!taken.insert(name).second) name += '_';
        const std::string path = (std::filesystem::path(folder) / name).string();
        TRY(part.value.is(Value::Kind::tensor) ? write_npy(path + ".npy", part.value.tensor())
                                               : write_npz(path + ".npz", part.value));
    }
    return {};
}
Status save_result(const std::string& path, const Value& result, std::span<const std::string> outputs) {
    if (is_folder(path)) return save_in_folder(path, result, outputs);
    if (path.ends_with(".npz"))
        return outputs.empty() ? write_npz(path, result) : write_npz(path, by_output(result, outputs));
    if (result.is(Value::Kind::tensor)) return write_npy(path, result.tensor());
    Error error{Code::usage, "an .npy holds one tensor, and the result is a " + std::string(kind_name(result.kind()))};
    error.hint = outputs.empty() ? "save it to an .npz or to a folder"
                                 : "pick one with --output, or save to an .npz or to a folder";
    return error;
}

// The outputs that --output names, in this order.
Status check_outputs(std::span<const std::string> wanted, std::span<const std::string> outputs) {
    for (const std::string& name : wanted) {
        if (std::ranges::find(outputs, name) != outputs.end()) continue;
        if (outputs.empty())
            return Error{Code::usage, "--output is about models, and this program has no names for what it gives"};
        std::string all;
        for (const std::string& output : outputs) all += (all.empty() ? "" : ", ") + output;
        std::string hint = did_you_mean("", name, std::vector<std::string_view>(outputs.begin(), outputs.end()));
        return Error{Code::usage, "the model has no output '" + name + "'", {}, hint.empty() ? "it has " + all : hint};
    }
    return {};
}
Value picked(const Value& result, std::span<const std::string> wanted, std::span<const std::string> outputs) {
    std::vector<Value> some;
    const std::vector<Field> named = by_output(result, outputs);
    for (const std::string& name : wanted) some.push_back(std::ranges::find(named, name, &Field::name)->value);
    return some.size() == 1 ? some[0] : Value::tuple(std::move(some));
}
std::string json_of(const Value& result, std::span<const std::string> outputs) {
    if (outputs.size() < 2) return to_json(result);
    std::string out;
    std::set<std::string_view> said;                     // a model may give one value twice
    const std::vector<Field> named = by_output(result, outputs);
    for (const Field& field : named) {
        if (!said.insert(field.name).second) continue;
        out += out.empty() ? "{" : ", ";
        append_json_string(out, field.name);
        out += ": ";
        append_json(out, field.value);
    }
    return out + "}";
}
} // namespace

namespace {
// In words for those who know the model and not the program that it became.
Error in_names_of_model(Error error, const std::map<std::string, std::string>& names) {
    if (names.empty()) return error;
    constexpr std::string_view no_parameter = "the entry point has no parameter %";
    if (error.message.starts_with(no_parameter)) error.message = "the model has no input '" + error.message.substr(no_parameter.size()) + "'";
    error.message = with_names(error.message, names), error.hint = with_names(error.hint, names);
    for (const auto& [param, name] : names) {
        const std::string given = "--input " + param + "=";
        if (const size_t at = error.hint.find(given); at != error.hint.npos) return error.hint.replace(at, given.size(), "--input " + name + "="), error;
    }
    return error;
}
} // namespace

int call_all(const Arguments& arguments, std::span<const std::string> params, const CallFn& call,
             const std::function<std::string(const Error&)>& describe, const CallHooks& hooks) {
    Result<Inputs> inputs = hooks.read(arguments, hooks.scalars);
    if (!inputs) return failed(in_names_of_model(inputs.error(), hooks.names));
    for (const std::string& spec : arguments.values("input"))        // of the call and not of its file
        if (Status named = has_parameter(params, spec.substr(0, spec.find('='))); !named)
            return failed(in_names_of_model(named.error(), hooks.names));
    bool json = arguments.has("json");
    const std::string save = arguments.value("save");
    if (!save.empty() && inputs->is_list) return usage("--save takes the result of one call, and the inputs are a list of them");
    if (!arguments.rest.empty() && same_file(arguments.rest[0], save)) return usage("--save names the program itself: '" + save + "'");
    if (!save.empty() && !save.ends_with(".npz") && !save.ends_with(".npy") && !is_folder(save))
        return failed(Error{Code::usage,
                            "--save writes an .npz, an .npy or files in a folder, and '" + save + "' is none of these",
                            {},
                            "--json prints results in another form"});
    const std::vector<std::string> wanted = arguments.values("output");
    if (Status known = check_outputs(wanted, hooks.outputs); !known) return failed(known.error());
    const std::vector<std::string>& outputs = wanted.empty() ? hooks.outputs : wanted;
    int exit = 0;
    std::string out;
    if (json && inputs->is_list) out += "[";
    for (size_t i = 0; i < inputs->calls.size(); ++i) {
        auto one = [&]() -> Result<Value> {
            Result<std::vector<Value>> ordered = order_inputs(params, inputs->calls[i]);
            if (ordered) return call(*ordered);
            Error error = std::move(ordered).error();
            if (arguments.has("inputs")) error.code = Code::value;   // the fault of the file, not of the call
            return error;
        };
        if (hooks.progress) hooks.progress->show("", int64_t(i), inputs->is_list ? std::ssize(inputs->calls) : 0);
        Result<Value> result = one();
        if (hooks.progress) hooks.progress->clear();
        if (result && hooks.finish) result = hooks.finish(std::move(*result));
        if (result && !wanted.empty()) result = picked(*result, wanted, hooks.outputs);
        if (result && !save.empty()) {
            Status saved = save_result(save, *result, outputs);
            if (saved) continue;
            result = saved.error();
        }
        if (json && inputs->is_list && i > 0) out += ", ";
        if (result) {
            out += json ? json_of(*result, outputs) : to_text(*result);
            if (!json || !inputs->is_list) out += "\n";
            if (!json) std::fputs(out.c_str(), stdout), std::fflush(stdout), out.clear();
            continue;
        }
        exit = std::max(exit, exit_code(result.error()));
        Error error = in_names_of_model(std::move(result).error(), hooks.names);
        if (json && inputs->is_list) {
            out += "{\"error\": ";
            append_json_string(out, error.message);
            out += "}";
        }
        if (inputs->is_list) {                           // as many lines as inputs, and what stderr says has its number
            if (!json) std::printf("error: %s\n", error.message.substr(0, error.message.find('\n')).c_str()), std::fflush(stdout);
            error.message = "input " + std::to_string(i + 1) + ": " + error.message;
        }
        std::fputs(describe(error).c_str(), stderr);
    }
    if (json && inputs->is_list) out += "]\n";
    std::fwrite(out.data(), 1, out.size(), stdout);
    return exit;
}

namespace {
void print_peak(const Stats& stats, const Result<int64_t>& predicted, bool returned) {
    std::string text = predicted  ? std::to_string(*predicted) + " bytes predicted"
                       : returned ? "not predicted: " + predicted.error().message
                                  : "not predicted, as the call fails";     // its own error says why
    std::fprintf(stderr, "call %ld: peak %s, %ld measured\n", long(stats.calls), text.c_str(), long(stats.peak_bytes));
}
} // namespace

int run_loaded(const Arguments& arguments, std::shared_ptr<const LoadedExecutable> program, std::span<const SourceText> sources, CallHooks hooks) {
    Progress progress("running");
    hooks.progress = &progress;
    hooks.scalars = scalars_of(program->exe());
    ContextOptions options;
    options.print = [&](std::string_view line) { progress.print(line); };
    Result<int64_t> limit = arguments.whole("memory-limit", 1, 0);
    if (!limit) return usage(limit.error().message);
    options.memory_limit = *limit;
    Result<int64_t> threads = thread_count(arguments);
    if (!threads) return usage(threads.error().message);
    options.threads = int(*threads);
    std::string mode = arguments.value("memory", "planned");
    if (mode == "none") options.pack = PackMode::apart;
    else if (mode == "pool") options.pack = PackMode::pool;
    else if (mode != "planned") return usage("--memory is planned, none or pool, not '" + mode + "'");
    std::unique_ptr<FILE, int (*)(FILE*)> trace(nullptr, std::fclose);
    if (std::string path = arguments.value("trace"); !path.empty()) {
        trace.reset(std::fopen(path.c_str(), "w"));
        if (!trace) return usage("cannot write the trace to " + path);
        options.trace = [&](std::string_view line) { std::fprintf(trace.get(), "%.*s\n", int(line.size()), line.data()); };
    }
    options.profile = arguments.has("profile");
    Result<std::unique_ptr<Context>> context = Context::make(program, options);
    if (!context) return failed(context.error());
    const EntryInfo& entry = program->exe().entries[0];
    std::vector<std::string> params;
    for (const DoorParam& param : entry.params) params.push_back(param.name);
    double seconds = 0;
    int exit = call_all(arguments, params, [&](std::span<const Value> args) {
        std::optional<Result<int64_t>> predicted;
        if (arguments.has("peak")) predicted = (*context)->peak(entry, args);
        auto begin = std::chrono::steady_clock::now();
        Result<Value> result = (*context)->run(entry, args);
        std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        seconds += took.count() * 1e-6;
        progress.clear();
        const Stats& s = (*context)->stats();
        if (arguments.has("each")) std::fprintf(stderr, "call %ld: %.1f us, peak %ld bytes\n", long(s.calls), took.count(), long(s.peak_bytes));
        if (predicted) print_peak(s, *predicted, bool(result));
        return result;
    }, [&](const Error& error) { return error.where.known() ? render(error, source_texts(program->exe(), sources)) : plain_error(error); }, hooks);
    if (options.profile) std::fputs(profile_text(**context, seconds, source_texts(program->exe(), sources)).c_str(), stderr);
    if (arguments.has("stats")) {
        const Stats& s = (*context)->stats();
        std::fprintf(stderr, "calls %ld  plan hits %ld  plan misses %ld  region runs %ld  launches %ld  peak bytes %ld  leaked objects %ld\n",
                     long(s.calls), long(s.plan_hits), long(s.plan_misses), long(s.region_runs), long(s.launches), long(s.peak_bytes),
                     long(s.leaked_objects));
    }
    return exit;
}
} // namespace nereus
