#include "cli/against_eval.h"
#include "cli/against_onnxruntime.h"
#include "cli/commands.h"
#include "cli/names_apart.h"
#include "cli/strict.h"
#include "run/progress.h"
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <random>

namespace nereus {
namespace {
namespace fs = std::filesystem;
constexpr std::string_view help_text =
    "nereus check PATH...\n"
    "Runs models on recorded inputs and compares what they give. A path is a folder with model.onnx and data, or a folder of such\n"
    "folders. A line for each, then the count; exit 0 only if all passed. The data are values of ONNX by place, as in\n"
    "test_data_set_0/input_0.pb and output_0.pb, or arrays by name in cases/NAME/in_*.npy and out_*.npy, with a check.json:\n"
    "\n"
    "  {\"inputs\": {\"x\": \"in_x\"}, \"outputs\": {\"y\": \"out_y\"},    files without .npy, by names of the model\n"
    "   \"rtol\": 1e-3, \"atol\": 1e-5,                        floats differ by at most atol + rtol * |expected|\n"
    "   \"l2\": 0.01, \"unordered\": true}                    or as vectors by that part (counted apart); rows in any order, in\n"
    "                                                       all outputs the same\n"
    "\n"
    "  nereus check models                          # every model below, as recorded\n"
    "  nereus check models/silero-vad --symbolic    # compiled once for all sizes, before its data is opened\n"
    "\n"
    "nereus check --against=eval PATH...\n"
    "Compares compiled models, or one MODEL.onnx, with the interpreter at random small sizes and values; recorded cases serve\n"
    "as examples of what a model takes. Where they differ, the first node that does is looked for, and a model of it is written.\n"
    "\n"
    "nereus check --against=onnxruntime PATH...\n"
    "Compares them with onnxruntime, which --python runs in a process of its own, on the inputs of recorded cases, else on random\n"
    "ones. A line says the greatest difference of each output, with --bisect another one that of each node.\n"
    "\n";
constexpr FlagSpec flags[] = {
    {"symbolic", false, "every size of an input is a symbol of its own; all models are compiled before any data is opened"},
    {"unranked", false, "nothing is known of the inputs' shapes, not even their ranks"},
    {"rtol", true, "R floats differ by at most A + R * |expected| (what check.json says, else 1e-3)"},
    {"atol", true, "A (what check.json says, else 1e-5)"},
    {"target", true, "CPU x86-64-v2, x86-64-v3, x86-64-v4 or host (host)"},
    {"checked", false, "kernels assert that they stay inside their buffers"},
    strict_flag,
    {"names", true, "apart: sizes of one name may differ; without it a model is compiled again where they do"},
    {"artefact", false, "each model is saved and run by nereus-run, which lies beside this program"},
    {"against", true, "WHOM eval: instead of recorded outputs, the interpreter's at random inputs; or onnxruntime"},
    {"python", true, "PYTHON an interpreter that has onnxruntime (python3)"},
    {"bisect", false, "with --against=onnxruntime: the difference of every node, and which is the first to be far off"},
    {"runs", true, "N inputs to compare, of each model (10)"},
    {"seconds", true, "S of CPU after which a model gets no other input (60)"},
    {"seed", true, "N of the random inputs (a new one each time; it is printed)"},
    {"differences", true, "FOLDER where models of what differs go (differences)"},
    {"help", false, "this text"},
};

std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || !(value >= 0)) return std::nullopt;
    return value;
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

// One line per model, then the count. Below it, on a terminal, how far they are.
class Lines {
 public:
    Lines(Progress& progress, size_t models) : progress_(progress), models_(models) {}
    void begin(const std::string& name) { progress_.show(name, int64_t(passed_ + failed_), int64_t(models_)); }
    void input(const std::string& name, int64_t done, int64_t of) {
        progress_.show(name + ", input " + std::to_string(done + 1) + " of " + std::to_string(of), int64_t(passed_ + failed_), int64_t(models_));
    }
    void passed(const std::string& name, const std::string& note = {}, bool by_l2 = false) {
        ++passed_;
        by_l2_ += by_l2;
        progress_.clear();
        std::printf("%s %s%s\n", by_l2 ? "ok (l2)" : "ok     ", name.c_str(), note.empty() ? "" : (": " + note).c_str());
        std::fflush(stdout);
    }
    void failed(const std::string& name, const std::string& why) {
        ++failed_;
        progress_.clear();
        std::printf("FAILED  %s: %s\n", name.c_str(), one_line(why).c_str());
        std::fflush(stdout);
    }
    int end() const {
        if (by_l2_ > 0) std::printf("%zu of those that passed did by l2 alone\n", by_l2_);
        std::printf("%zu passed, %zu failed\n", passed_, failed_);
        return failed_ > 0;
    }

 private:
    Progress& progress_;
    size_t models_, passed_ = 0, failed_ = 0, by_l2_ = 0;
};

std::string said_of(const std::string& note, size_t by_l2) {
    std::string said = note;
    if (by_l2 > 0) said += (note.empty() ? "" : "; ") + std::to_string(by_l2) + (by_l2 == 1 ? " case is right as a vector only" : " cases are right as vectors only");
    return said;
}

int check_recorded(const std::vector<ModelPlace>& places, const HowToCompile& how, Progress& progress, const std::function<void(Nearness&)>& adjust, const fs::path& runner) {
    Result<ScratchFolder> scratch = ScratchFolder::make();
    if (!scratch) return fail(scratch.error());
    std::vector<std::unique_ptr<RecordedCheck>> checks;
    std::vector<Status> compiled;
    auto compile_one = [&](const ModelPlace& place) {
        checks.push_back(std::make_unique<RecordedCheck>());
        compiled.push_back(checks.back()->compile_model(place, how));
    };
    if (how.text.symbolic) {
        size_t done = 0;
        for (const ModelPlace& place : places) {
            progress.show(place.name(), std::ssize(checks), std::ssize(places));
            compile_one(place);
            done += bool(compiled.back());
            if (compiled.back()) compiled.back() = checks.back()->set_aside(scratch->path() / (std::to_string(checks.size()) + ".nrx"));
        }
        progress.clear();
        std::printf("compiles=%zu\n", done);
    }
    Lines lines(progress, places.size());
    for (size_t i = 0; i < places.size(); ++i) {
        lines.begin(places[i].name());
        if (!how.text.symbolic) compile_one(places[i]), lines.begin(places[i].name());      // which stage it was at is over
        Result<size_t> done = compiled[i] ? checks[i]->run(places[i], adjust, runner, scratch->path()) : Result<size_t>(compiled[i].error());
        const std::string note = checks[i]->note();
        checks[i].reset();
        if (!done) lines.failed(places[i].name(), (compiled[i] ? "" : "not compiled: ") + done.error().message);
        else lines.passed(places[i].name(), said_of(note, *done), *done > 0);
    }
    return lines.end();
}

int check_against(const std::vector<ModelPlace>& places, AgainstEval against, Progress& progress) {
    std::printf("seed %llu\n", static_cast<unsigned long long>(against.seed));
    Lines lines(progress, places.size());
    for (const ModelPlace& place : places) {
        lines.begin(place.name());
        against.progress = [&](int64_t done) { lines.input(place.name(), done, against.runs); };
        Result<AgainstTally> tally = check_against_eval(place, against);
        if (!tally || !tally->difference.empty()) {
            lines.failed(place.name(), tally ? tally->difference : tally.error().message);
            continue;
        }
        std::string note = std::to_string(tally->compared) + " inputs";
        if (tally->refused) note += ", " + std::to_string(tally->refused) + " refused";
        if (tally->by_l2) note += ", " + std::to_string(tally->by_l2) + " right as vectors only";
        if (tally->by_rounding) note += ", " + std::to_string(tally->by_rounding) + " that rounding decides";
        lines.passed(place.name(), note);
    }
    return lines.end();
}

std::string differences_text(const std::vector<ValueDifference>& values) {
    std::string text;
    char number[40];
    for (const ValueDifference& one : values) {
        std::snprintf(number, sizeof number, "%.3g", one.greatest);
        text += (text.empty() ? "'" : ", '") + one.name + "' " + number;
    }
    return text;
}

int check_against(const std::vector<ModelPlace>& places, const AgainstOnnxRuntime& against, Progress& progress) {
    Lines lines(progress, places.size());
    for (const ModelPlace& place : places) {
        lines.begin(place.name());
        const Result<OnnxRuntimeTally> tally = check_against_onnxruntime(place, against);
        if (!tally) {
            lines.failed(place.name(), tally.error().message);
            continue;
        }
        std::string note = std::to_string(tally->compared) + (tally->compared == 1 ? " input" : " inputs");
        if (tally->refused) note += ", " + std::to_string(tally->refused) + " refused";
        note += ", differences at most " + differences_text(tally->outputs);
        if (tally->difference.empty()) lines.passed(place.name(), note);
        else lines.failed(place.name(), tally->difference + "; " + note);
        for (const ValueDifference& node : tally->nodes)
            std::printf("        %-12.3g %s%s\n", node.greatest, node.node.c_str(), node.is_near ? "" : ": far off");
    }
    return lines.end();
}
} // namespace

int check_command(Words words) {
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) return std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout), 0;
    if (arguments->rest.empty()) return fail(Error{Code::usage, "expected folders with models", {}, "nereus check --help"});
    if (Status named = check_names_flag(*arguments); !named) return fail(named.error());
    Progress progress("checking");
    HowToCompile how{{.symbolic = arguments->has("symbolic"), .apart = arguments->has("names"), .unranked = arguments->has("unranked")}, compile_options(*arguments), arguments->has("strict")};
    std::optional<double> rtol, atol, seconds;
    for (auto [flag, value] : {std::pair("rtol", &rtol), std::pair("atol", &atol), std::pair("seconds", &seconds)})
        if (arguments->has(flag)) {
            *value = number_in(arguments->value(flag));
            if (!*value) return fail(Error{Code::usage, "--" + std::string(flag) + " takes a number from 0 on, found '" + std::string(arguments->value(flag)) + "'", {}, "nereus check --help"});
        }
    auto adjust = [&](Nearness& near) {
        near.tolerance.rtol = rtol.value_or(near.tolerance.rtol);
        near.tolerance.atol = atol.value_or(near.tolerance.atol);
    };
    const std::string whom = arguments->value("against");
    if (arguments->has("against") && whom != "eval" && whom != "onnxruntime")
        return fail(Error{
            Code::usage, "--against knows eval and onnxruntime, found '" + whom + "'", {}, "nereus check --help"});
    for (const char* flag : {"python", "bisect"})
        if (arguments->has(flag) && whom != "onnxruntime")
            return fail(Error{
                Code::usage, "--" + std::string(flag) + " goes with --against=onnxruntime", {}, "nereus check --help"});
    if (arguments->has("against") && arguments->has("artefact")) return fail(Error{Code::usage, "--artefact and --against exclude each other", {}, "nereus check --help"});
    Result<std::vector<ModelPlace>> places = models_in(arguments->rest);
    if (!places) return fail(places.error());
    if (places->size() == 1) how.options.progress = progress.reporter();         // its stages; of several, how many are done
    if (!arguments->has("against")) {
        std::error_code failed;
        const fs::path runner = arguments->has("artefact") ? fs::read_symlink("/proc/self/exe", failed).parent_path() / "nereus-run" : fs::path();
        return check_recorded(*places, how, progress, adjust, runner);
    }
    Result<int64_t> runs = arguments->whole("runs", 1, 10), seed = arguments->whole("seed", 0, int64_t(std::random_device()()));
    if (!runs) return fail(runs.error());
    if (!seed) return fail(seed.error());
    if (whom == "onnxruntime")
        return check_against(
            *places,
            {how, arguments->value("python", "python3"), uint64_t(*seed), *runs, arguments->has("bisect"), adjust},
            progress);
    return check_against(*places, {how, uint64_t(*seed), *runs, seconds.value_or(60), adjust, arguments->value("differences", "differences")}, progress);
}
} // namespace nereus
