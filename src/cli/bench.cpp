#include "cli/argument_sets.h"
#include "cli/json_object.h"
#include "cli/latency.h"
#include "cli/launch_table.h"
#include "cli/names_apart.h"
#include "cli/on_request.h"
#include "cli/work.h"
#include "run/progress.h"
#include "run/sources.h"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <thread>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus bench PROGRAM.nr|MODEL.onnx|PROGRAM.nrx [flags]\n"
    "Compiles or loads it once, then calls it and prints how long calls take. Arguments come from --cases, --inputs and --input;\n"
    "those that none of them gives are random (integers 0 or 1). Several sets of arguments take turns. Before calls are timed,\n"
    "every set is called twice in every thread; the very first call is first_ms.\n"
    "\n"
    "  nereus bench encoder.onnx --dim batch=1 --dim seq=128\n"
    "  nereus bench encoder.onnx --shapes ids:1x16 --shapes ids:1x128 --seconds 5     # two shapes take turns\n"
    "  nereus bench models/silero-vad/model.onnx --cases models/silero-vad --count 100 --json\n"
    "  nereus bench mlp.nrx --dim n=8 --concurrency 2\n"
    "  nereus bench encoder.onnx --dim batch=1 --dim seq=128 --launches --count 10    # where the time goes\n"
    "  echo 0 10 | nereus bench mlp.nrx --dim n=8 --on-request                        # calls when it is told to: others can take turns\n"
    "\n"
    "compile_ms is 0 of an artefact; load_ms is reading the file and making it ready; peak_bytes is the most that a call used\n"
    "beside weights. Percentiles are of single calls, in ms. compiles counts how often machine code was made.\n"
    "\n"
    "--launches: --count calls of every set (1), after a first one; GFLOP/s and GB/s by what loop functions and sizes say; way: vectors (elementwise), rows and\n"
    "columns (folds), tiles, dots and blocks (contractions), pass, library, and lanes: one point at a time.\n"
    "\n"
    "--on-request: a line of JSON tells the sets of arguments, then each line 'SET COUNT' of stdin is answered by a line with the ms\n"
    "of so many calls of that set, the first of them 0. Nothing is called before.\n"
    "\n";

std::optional<std::string> names_differ(const ReadyProgram& program, const std::vector<ArgumentSet>& sets) {
    if (!program.source.file) return std::nullopt;
    for (const ArgumentSet& set : sets)
        if (std::optional<std::string> differ = names_differ(*program.source.file, program.source.inputs, set.values)) return differ;
    return std::nullopt;
}

struct Plan {
    int64_t count = 0;                           // timed calls in all; 0: as many as fit
    double seconds = 0;
    int64_t at_a_time = 1;                       // calls, each in a thread of its own
    int64_t threads = 1;                         // of one call
};
struct Measured {
    double first_ms = 0, wall_ms = 0;
    int64_t peak_bytes = 0;
    std::vector<std::vector<double>> calls;      // ms, by set
};

// What all threads share while they call.
class Measurement {
 public:
    Measurement(const ReadyProgram& program, const std::vector<ArgumentSet>& sets, const Plan& plan) : program_(program), sets_(sets), plan_(plan) {
        measured_.calls.resize(sets.size());
    }
    Result<Measured> run() {
        std::vector<std::unique_ptr<Context>> contexts;
        for (int64_t i = 0; i < plan_.at_a_time; ++i) contexts.push_back(TRY(Context::make(program_.loaded, {.threads = int(plan_.threads)})));
        Progress progress("measuring");
        for (size_t i = 0; i < contexts.size(); ++i)
            for (size_t set = 0; set < 2 * sets_.size(); ++set) {
                progress.show("first calls", int64_t(i * 2 * sets_.size() + set), int64_t(contexts.size() * 2 * sets_.size()));
                const double ms = TRY(call(*contexts[i], set % sets_.size()));
                if (i == 0 && set == 0) measured_.first_ms = ms;
            }
        const Stopwatch wall;
        std::vector<std::thread> others;
        for (size_t i = 1; i < contexts.size(); ++i) others.emplace_back([&, i] { work(*contexts[i], wall, nullptr); });
        work(*contexts[0], wall, &progress);
        for (std::thread& each : others) each.join();
        measured_.wall_ms = wall.ms();
        if (error_) return std::move(*error_);
        return std::move(measured_);
    }

 private:
    Result<double> call(Context& context, size_t set) {
        const Stopwatch watch;
        Result<Value> result = context.run(program_.entry(), sets_[set].values);
        const double ms = watch.ms();
        if (!result) return result.error();
        std::lock_guard lock(mutex_);
        measured_.peak_bytes = std::max(measured_.peak_bytes, context.stats().peak_bytes);
        return ms;
    }
    void work(Context& context, const Stopwatch& wall, Progress* progress) {
        std::vector<std::vector<double>> own(sets_.size());
        while (!failed_) {
            const int64_t number = next_.fetch_add(1);
            if (plan_.count > 0 ? number >= plan_.count : wall.ms() >= plan_.seconds * 1e3 && number >= std::ssize(sets_)) break;
            Result<double> ms = call(context, size_t(number) % sets_.size());
            if (!ms) {
                std::lock_guard lock(mutex_);
                failed_ = true, error_ = std::move(ms).error();
                break;
            }
            own[size_t(number) % sets_.size()].push_back(*ms);
            if (progress && plan_.count > 0) progress->show("calls", number, plan_.count);
            else if (progress) progress->show("seconds", int64_t(wall.ms() / 1e3), int64_t(plan_.seconds));
        }
        std::lock_guard lock(mutex_);
        for (size_t i = 0; i < own.size(); ++i) measured_.calls[i].insert(measured_.calls[i].end(), own[i].begin(), own[i].end());
    }

    const ReadyProgram& program_;
    const std::vector<ArgumentSet>& sets_;
    const Plan& plan_;
    std::mutex mutex_;
    std::atomic<int64_t> next_ = 0;
    std::atomic<bool> failed_ = false;
    std::optional<Error> error_;
    Measured measured_;
};

Result<Plan> plan_of(const Arguments& arguments) {
    Plan plan{.count = TRY(arguments.whole("count", 1, 0)), .seconds = 1, .at_a_time = TRY(arguments.whole("concurrency", 1, 1))};
    if (arguments.has("count") && arguments.has("seconds")) return Error{Code::usage, "--count and --seconds both say how long to measure"};
    if (arguments.has("seconds")) {
        const std::string text = arguments.value("seconds");
        const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), plan.seconds);
        if (failed != std::errc() || end != text.data() + text.size() || !(plan.seconds > 0) || plan.seconds > 1e6)
            return Error{Code::usage, "--seconds takes a number above 0, not '" + text + "'"};
    }
    plan.threads = TRY(thread_count(arguments));
    return plan;
}

void add_latency(JsonObject& json, const Latency& latency) {
    json.add("min", latency.min).add("mean", latency.mean).add("p50", latency.p50).add("p90", latency.p90).add("p99", latency.p99);
}
std::string json_text(const std::string& path, const ReadyProgram& program, const std::vector<ArgumentSet>& sets, const Plan& plan, const Measured& measured) {
    std::vector<double> all;
    std::string shapes;
    for (size_t i = 0; i < sets.size(); ++i) {
        all.insert(all.end(), measured.calls[i].begin(), measured.calls[i].end());
        JsonObject one;
        one.add("name", sets[i].name).add("calls", std::ssize(measured.calls[i]));
        add_latency(one, latency_of(measured.calls[i]));
        shapes += (shapes.empty() ? "" : ", ") + one.text();
    }
    JsonObject json;
    json.add("model", path).add("unit", "ms").add("calls", std::ssize(all)).add("concurrency", plan.at_a_time).add("threads", plan.threads);
    add_latency(json, latency_of(all));
    json.add("calls_per_second", measured.wall_ms > 0 ? double(all.size()) / measured.wall_ms * 1e3 : 0.0);
    json.add("compile_ms", program.compile_ms).add("load_ms", program.load_ms).add("first_ms", measured.first_ms);
    json.add("peak_bytes", measured.peak_bytes).add("weights_bytes", program.weights_bytes()).add("compiles", program.compiles_now());
    json.add_raw("shapes", "[" + shapes + "]");
    return json.text() + "\n";
}

void print_table(const ReadyProgram& program, const std::vector<ArgumentSet>& sets, const Plan& plan, const Measured& measured) {
    std::vector<double> all;
    size_t width = 3;
    for (const ArgumentSet& set : sets) width = std::max(width, std::min<size_t>(set.name.size(), 60));
    auto row = [&](std::string name, const std::vector<double>& calls) {
        const Latency l = latency_of(calls);
        std::printf("%-*s %8zu %9.4f %9.4f %9.4f %9.4f %9.4f\n", int(width), name.substr(0, 60).c_str(), calls.size(), l.min, l.mean, l.p50, l.p90, l.p99);
    };
    std::printf("%-*s %8s %9s %9s %9s %9s %9s\n", int(width), "ms", "calls", "min", "mean", "p50", "p90", "p99");
    for (size_t i = 0; i < sets.size(); ++i) {
        row(sets[i].name, measured.calls[i]);
        all.insert(all.end(), measured.calls[i].begin(), measured.calls[i].end());
    }
    if (sets.size() > 1) row("all", all);
    std::printf("\ncompile_ms %.1f  load_ms %.1f  first_ms %.3f\n", program.compile_ms, program.load_ms, measured.first_ms);
    std::printf("peak_bytes %lld  weights_bytes %lld  compiles %lld\n", static_cast<long long>(measured.peak_bytes), static_cast<long long>(program.weights_bytes()), static_cast<long long>(program.compiles_now()));
    if (plan.at_a_time > 1) std::printf("%lld at a time: %.1f calls per second\n", static_cast<long long>(plan.at_a_time), double(all.size()) / measured.wall_ms * 1e3);
}

// The compile, as --launches knows it.
struct Compiled { Work work; std::vector<loop::Scheduled> kernels; std::vector<bool> in_library; };

// So many calls of every set, each launch measured and counted: what is between launches is slower than it is without that.
Status print_launches(const Arguments& arguments, ReadyProgram& program, const std::vector<ArgumentSet>& sets,
                      Compiled compiled, const Plan& plan) {
    LaunchTable table(std::move(compiled.kernels), std::move(compiled.in_library));
    const Executable& exe = program.exe();
    ContextOptions options{.threads = int(plan.threads)};
    bool is_first = true;                                // call of a set: it makes what later ones find
    options.launched = [&](const LaunchInfo& info, const Launch& launch, int64_t nanoseconds) {
        if (!is_first) table.see(exe, info, launch, nanoseconds);
    };
    const std::unique_ptr<Context> context = TRY(Context::make(program.loaded, options));
    const int64_t count = std::max<int64_t>(plan.count, 1);
    int64_t peak = 0;
    Progress progress("measuring");
    const int64_t all = (count + 1) * std::ssize(sets);
    for (int64_t i = 0; i < all; ++i) {
        progress.show("calls", i, all);
        is_first = i < std::ssize(sets);
        TRY(context->run(program.entry(), sets[size_t(i) % sets.size()].values));
        peak = std::max(peak, context->stats().peak_bytes);
    }
    progress.clear();
    const std::vector<LaunchRow> rows = table.rows(exe, source_texts(exe, program.source.sources));
    if (!arguments.has("json")) return std::fputs(launches_text(rows).c_str(), stdout), Status();
    add_code(compiled.work, exe);
    JsonObject json;
    json.add("model", arguments.rest[0]).add("calls", count * std::ssize(sets)).add("peak_bytes", peak);
    json.add_raw("work", work_json(compiled.work, false))
        .add_raw("sums", sums_json(rows))
        .add_raw("launches", launches_json(rows));
    return std::puts(json.text().c_str()), Status();
}
} // namespace

int bench_command(Words words) {
    std::vector<FlagSpec> flags(std::begin(compile_flags), std::end(compile_flags));
    flags.insert(flags.end(), std::begin(size_flags), std::end(size_flags));
    for (FlagSpec flag :
         {FlagSpec{"cases", true, "DIR recorded inputs of a model, as nereus check takes them"},
          FlagSpec{"inputs", true, "FILE arguments, as nereus run takes them"},
          FlagSpec{"input", true, "x=SPEC one argument, as nereus run takes it"},
          FlagSpec{"seed", true, "N seed of random arguments"}, FlagSpec{"count", true, "N so many timed calls in all"},
          FlagSpec{"seconds", true, "S calls for so long (1)"},
          FlagSpec{"concurrency", true, "N so many threads, each with a context of its own, call at a time (1)"},
          FlagSpec{"threads", true, "N that one call may use, its own with them (1)"},
          FlagSpec{"launches", false,
                   "where the time goes: each launch with its arithmetic, bytes and way, the longest first"},
          FlagSpec{"on-request", false, "call when lines of stdin say so, and answer with JSON"},
          FlagSpec{"json", false, "one object on one line"}, FlagSpec{"help", false, "this text"}})
        flags.push_back(flag);
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) return std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout), 0;
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program or model", {}, "nereus bench --help"});
    Result<Plan> plan = plan_of(*arguments);
    if (!plan) return fail(plan.error());
    int exit = 0;
    if (Status named = check_names_flag(*arguments); !named) return fail(named.error());
    const bool launches = arguments->has("launches");
    if (launches && arguments->rest[0].ends_with(".nrx"))
        return fail(Error{Code::usage, "--launches looks at programs and models, and '" + arguments->rest[0] +
                                           "' is compiled already"});
    Compiled compiled;
    auto look = [&](const Lowered& lowered, std::span<const loop::Scheduled> kernels) {
        compiled = {work_of(lowered), {kernels.begin(), kernels.end()}, lowered.in_library};
    };
    onnx::TextOptions how{.given = replaced_inputs(arguments->rest[0], *arguments)};
    auto ready = [&] { return make_ready(arguments->rest[0], *arguments, &exit, how, launches ? decltype(CompileOptions::lowered)(look) : nullptr); };
    std::optional<ReadyProgram> program = ready();
    if (!program) return exit;
    name_parameters(*arguments, program->source.parameters);
    Result<std::vector<ArgumentSet>> sets = argument_sets(*arguments, *program);
    if (!sets) return fail(sets.error());
    if (std::optional<std::string> differ = names_differ(*program, *sets); differ && !arguments->has("names")) {
        std::fputs((arguments->rest[0] + ": note: " + compiled_apart(*differ) + "\n").c_str(), stderr);
        how.apart = true;
        program = ready();
        if (!program) return exit;
    }
    if (arguments->has("on-request")) {
        const Status served = call_on_request(*program, *sets, int(plan->threads));
        return served ? 0 : fail(served.error());
    }
    if (launches) {
        const Status printed = print_launches(*arguments, *program, *sets, std::move(compiled), *plan);
        return printed ? 0 : fail(printed.error(), program->source.sources);
    }
    Result<Measured> measured = Measurement(*program, *sets, *plan).run();
    if (!measured) {
        Error error = std::move(measured).error();
        const bool is_random = !arguments->has("cases") && !arguments->has("inputs");
        if (is_random && error.hint.empty()) error.hint = "arguments that nobody gave are random: --cases, --inputs and --input give real ones";
        return fail(error, program->source.sources);
    }
    if (arguments->has("json")) std::fputs(json_text(arguments->rest[0], *program, *sets, *plan, *measured).c_str(), stdout);
    else print_table(*program, *sets, *plan, *measured);
    return 0;
}
} // namespace nereus
