#include "generator/judge.h"
#include "driver/pipeline.h"
#include "driver/random_inputs_testing.h"
#include "exe/artefact.h"
#include "generator/nudge.h"
#include "generator/outcome.h"
#include "generator/refusal.h"
#include "generator/rounding.h"
#include "generator/shape_reads.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "library/library.h"
#include "ops/registry.h"
#include "value/compare.h"
#include "value/json.h"
#include "vm/context.h"
#include "vm/run_once.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace nereus::gen {
namespace {
struct Way { std::string name; Module module; };         // to interpret
constexpr size_t most_steps_of_a_stage = 4 * most_steps; // checks are steps too; a stage that needs more multiplies the work

constexpr size_t most_bindings = 20'000;                 // of a reference form
size_t binding_count(const Module& module) {
    size_t count = 0;
    for (const Function& f : module.functions) count += f.bindings.size();
    return count;
}

// Numbers of f32 that go on as f64 keep the precision they had.
bool casts_f32(const Module& module) {
    for (const Function& f : module.functions)
        for (const Binding& b : f.bindings)
            if (b.form == Form::op && b.op->name == "cast" && module.types[f[b.args[0]].type].element.dtype == DType::f32) return true;
    return false;
}

class Judge {
 public:
    explicit Judge(const Case& c) : case_(c) {}
    Verdict run() {
        if (prepare()) calls();
        return std::move(verdict_);
    }

 private:
    bool found(std::string kind, std::string what) {
        if (!verdict_.finding) verdict_.finding = Finding{std::move(kind), std::move(what), made_, inputs_json()};
        return false;
    }
    // What the compiler may refuse though it is well typed.
    static bool is_limitation(const Error& error) {
        static constexpr std::string_view beginnings[] = {
            // the reference form of gradients knows only the functions inside, and cells from outside by themselves
            "this function comes from outside of the code that is differentiated",
            "grad: a structure with cells comes from outside of what is differentiated",
            // what they run again or forwards is code that does nothing but compute
            "checkpoint: what is run again prints", "checkpoint: what is run again has a ",
            "jvp: the product form does not take a ",
        };
        return error.code == Code::unsupported &&
               std::any_of(std::begin(beginnings), std::end(beginnings), [&](std::string_view known) { return error.message.starts_with(known); });
    }
    bool refused(const Error& error) {
        // numbers written of numbers, as -3 and 1 - 2, need not fit an unsigned or narrow dtype
        const bool unfit = error.code == Code::type && error.message.find(" does not fit ") != error.message.npos;
        if (unfit || is_limitation(error) || (error.code == Code::shape && (only_fails() || always_fails_there(error)))) {
            verdict_.refused = true;
            return false;
        }
        std::string where;
        size_t line = 0;
        for (int i = 1; i < error.where.line; ++i) line = case_.text.find('\n', line) + 1;
        if (error.where.known()) where = "\n  " + case_.text.substr(line, case_.text.find('\n', line) - line);
        return found((error.code == Code::internal ? "internal: " : "refused: ") + scrubbed(error.message),
                     std::string(code_name(error.code)) + ": " + error.message + where);
    }

    bool round_trip(const Module& module, const char* when) {
        std::string once = print(module);
        Result<Module> again = parse("dump.nr", once, all_ops());
        if (!again) return found("dump is not read", std::string(when) + ": " + again.error().message + "\n" + once);
        std::string twice = print(*again);
        if (once == twice) return true;
        size_t at = 0;
        while (at < once.size() && at < twice.size() && once[at] == twice[at]) ++at;
        size_t line = once.rfind('\n', at) + 1;
        return found("print and parse differ", std::string(when) + ":\n" + once.substr(line, 300) + "\n---\n" + twice.substr(line, 300));
    }

    bool prepare() {
        Result<Module> parsed = parse("p.nr", case_.text, all_ops());
        if (!parsed) return refused(parsed.error());
        if (!round_trip(*parsed, "after parse")) return false;
        // forms that are gone after the stage grad, and that eval does not know
        static constexpr const char* expanded[] = {"grad(", "vjp(", "jvp(", "checkpoint(", "_leaves(", "zeros_like("};
        bool derives = std::any_of(std::begin(expanded), std::end(expanded), [&](const char* form) { return case_.text.find(form) != std::string::npos; });
        CompileOptions options;
        CompileReport report;
        StageContext context{options, report};
        Module module = *parsed;
        bool interpreted = false;
        for (const Stage& stage : pipeline()) {
            Result<Module> next = stage.run(std::move(module), context);
            if (!next) return refused(next.error());
            module = std::move(*next);
            if (Status sound = verify(module); !sound) return found("not sound after " + std::string(stage.name), sound.error().message);
            if (stage.name == "shapes" && !round_trip(module, "after shapes")) return false;
            interpreted = interpreted || stage.name == (derives ? "grad" : "specialise");
            if (interpreted) ways_.push_back({std::string(stage.name), module});
            if (stage.name == (derives ? "grad" : "specialise") && !with_known_done(module, stage.name)) return false;
        }
        options.run_init = [](Executable exe) { return run_once(std::move(exe), library()); };
        Result<Executable> exe = compile(*parsed, options);
        if (!exe) return refused(exe.error());
        Result<std::vector<std::byte>> bytes = save(*exe);
        if (!bytes) return refused(bytes.error());
        Result<Executable> again = load(*bytes);
        if (!again) return found("artefact is not loaded", again.error().message);
        compiled_ = context_of(std::move(*exe));
        artefact_ = context_of(std::move(*again));
        if (!compiled_ || !artefact_) return false;
        if (case_.text.find("f32") != std::string::npos || casts_f32(ways_[0].module)) precision_ = Precision::f32;
        if (case_.text.find("def @loss(") != std::string::npos) {
            options.entry = "loss";
            Result<Module> loss = run_until(*parsed, "grad", options);
            if (!loss) return refused(loss.error());
            loss_ = std::move(*loss);
            // the gradient by the reference form, whichever form the program itself gets
            std::string by_closures = case_.text;
            const std::string call = "value_and_grad(@loss)";
            if (size_t at = by_closures.find(call); at != std::string::npos) by_closures.replace(at, call.size(), "value_and_grad(@loss, mode=\"closures\")");
            Result<Module> reference = parse("p.nr", by_closures, all_ops());
            options.entry = "main";
            reference = reference ? run_until(std::move(*reference), "grad", options) : std::move(reference).error();
            if (!reference) return refused(reference.error());
            if (binding_count(*reference) > most_bindings) {         // nested derivatives by closures: minutes, for one comparison
                ++verdict_.too_long;
                return true;
            }
            Result<Module> known_done = find_pass("partial_evaluation")->pass(*reference);
            for (Result<Module>* m : {&reference, &known_done}) {
                if (*m) *m = infer_shapes(std::move(**m), FunctionId(0), nullptr);
                if (!*m) return refused(m->error());
            }
            reference_ = std::move(*reference);
            reference_known_ = std::move(*known_done);
        }
        return true;
    }
    // partial_evaluation after this stage: to interpret as it is, and after the stages that follow.
    bool with_known_done(Module module, std::string_view after) {
        const Stage& pass = *find_pass("partial_evaluation");
        CompileOptions options;
        CompileReport report;
        StageContext context{options, report};
        bool begun = false;
        for (const Stage& stage : pipeline()) {
            if (!begun && stage.name != after) continue;
            Result<Module> next = begun ? stage.run(std::move(module), context) : pass.run(std::move(module), context);
            const std::string name = begun ? std::string(stage.name) + " with partial_evaluation" : std::string(pass.name);
            if (!next && next.error().code == Code::internal) return found("refused after partial_evaluation: " + scrubbed(next.error().message), next.error().message);
            if (!next) {                                 // right if it could only fail
                known_refused_ = next.error().message;
                return true;
            }
            module = std::move(*next);
            if (Status sound = verify(module); !sound) return found("not sound after " + name, sound.error().message);
            if (!begun) ways_.push_back({name, module});
            begun = true;
        }
        known_done_ = std::move(module);
        return true;
    }
    std::unique_ptr<Context> context_of(Executable exe) {
        Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(exe), library());
        if (!loaded) {
            found("executable is not loaded", loaded.error().message);
            return nullptr;
        }
        ContextOptions options;
        options.memory_limit = int64_t(1) << 28;
        options.print = [this](std::string_view line) { prints_.push_back(without_newline(line)); };
        return std::move(*Context::make(std::move(*loaded), std::move(options)));
    }

    Outcome execute(Context& context) {
        prints_.clear();
        Result<Value> value = context.run(context.program().exe().entries[0], args_);
        return {std::move(value), std::move(prints_)};
    }
    // Small ones: loops and eval are slow; 0 and 1 are special.
    std::vector<Value> arguments(int call, std::mt19937_64& random) {
        RandomInputs inputs{ways_[0].module, random, [call](std::mt19937_64& r) -> int64_t {
            static constexpr int64_t common[] = {0, 1, 1, 2, 3, 3, 4, 5, 17};
            return call == 0 ? 3 : call == 1 ? int64_t(r() % 2) : common[r() % std::size(common)];
        }};
        return random_arguments(inputs);
    }
    // A program that fails whatever it is given may be refused.
    bool only_fails() {
        std::mt19937_64 random(case_.seed);
        for (int call = 0; call < 8; ++call)
            if (ways_.empty() || interpret(ways_[0].module, arguments(call, random)).value) return false;
        return true;
    }

    // As may one with a part that fails whenever it is reached; an arm takes luck to be reached.
    bool always_fails_there(const Error& error) {
        if (ways_.empty()) return false;
        std::mt19937_64 random(case_.seed);
        std::vector<std::vector<Value>> inputs;
        for (int call = 0; call < 32; ++call) inputs.push_back(arguments(call, random));
        return fails_wherever_reached(ways_[0].module, error, inputs);
    }

    void calls() {
        std::mt19937_64 random(case_.seed);
        int count = case_.only.empty() ? case_.calls : int(case_.only.size());
        for (int call = 0; call < count && !verdict_.finding; ++call) {
            args_ = case_.only.empty() ? arguments(call, random) : case_.only[size_t(call)];
            made_.push_back(args_);
            ++verdict_.calls;
            one_call(random);
        }
    }

    void one_call(std::mt19937_64& random) {
        Outcome expected = interpret(ways_[0].module, args_);
        if (is_too_long(expected)) {
            ++verdict_.too_long;
            return;
        }
        bool unused_failed = false;
        for (size_t i = 1; i < ways_.size(); ++i) {
            Outcome last = interpret(ways_[i].module, args_, most_steps_of_a_stage);
            std::string name = "eval after " + ways_[i].name;
            bool vanished = !expected.value && last.value && ways_[i].name != "shapes" && ways_[i].name != "partial_evaluation";
            if (vanished) {                  // what failed is not used
                expected = std::move(last);
                unused_failed = true;
            }
            // only inferred shapes tell how wide nothing is: what a loop of no trips yields
            else if (ways_[i].name == "shapes" && expected.guessed_size) expected = std::move(last);
            else if (!(ways_[i].name == "partial_evaluation" && expected.guessed_size) && !agrees(name, std::move(last), expected)) return settle(random);
        }
        if (!known_refused_.empty() && expected.value) {
            found("refused after partial_evaluation: " + scrubbed(known_refused_), known_refused_);
            return;
        }
        if (known_refused_.empty()) {                    // what failed may not be used there
            Outcome known_done = interpret(known_done_, args_, most_steps_of_a_stage);
            const bool may_fail = unused_failed && !known_done.value && known_done.value.error().code != Code::internal;
            // shapes may know more there, so that less is guessed
            if ((expected.value || !known_done.value) && !may_fail && !expected.guessed_size && !agrees("eval after all stages with partial_evaluation", std::move(known_done), expected)) return settle(random);
        }
        verdict_.failed += !expected.value;
        Outcome found_value = execute(*compiled_), again = execute(*artefact_);
        if (found_value.value && again.value ? !equal_bitwise(*found_value.value, *again.value)
                                             : found_value.value || again.value || found_value.value.error().message != again.value.error().message) {
            found("artefact differs", "compiled " + text(found_value.value) + ", artefact " + text(again.value));
            return;
        }
        if (found_value.prints != again.prints) found("artefact prints otherwise", "");
        if (compiled_->stats().leaked_objects || artefact_->stats().leaked_objects) found("leaked objects", std::to_string(compiled_->stats().leaked_objects));
        if (!expected.value && found_value.value && !verdict_.finding)
            if (Result<Module> lean = without_shape_reads(ways_.back().module); lean) {
                expected = interpret(*lean, args_, most_steps_of_a_stage);
                unused_failed = bool(expected.value);
            }
        if (!verdict_.finding && !agrees("compiled", std::move(found_value), expected)) return settle(random);
        if (reference_ && !unused_failed && !verdict_.finding && !reference_agrees("reference form", *reference_, expected)) return settle(random);
        if (reference_known_ && !unused_failed && !verdict_.finding &&
            !reference_agrees("reference form with partial_evaluation", *reference_known_, expected)) return settle(random);
        if (loss_ && expected.value && !verdict_.finding) check_gradient(*expected.value, random);
    }

    bool agrees(const std::string& name, Outcome outcome, const Outcome& expected) {
        std::optional<Disagreement> other = disagreement(outcome, expected, precision_);
        if (!other) return true;
        deviating_ = std::move(outcome);
        return found(name + other->kind, other->what);
    }
    // It may take many more steps than the program itself.
    bool reference_agrees(const std::string& name, const Module& reference, const Outcome& expected) {
        Outcome outcome = interpret(reference, args_);
        if (!is_too_long(outcome)) return agrees(name, std::move(outcome), expected);
        ++verdict_.too_long;
        return true;
    }
    // What does not agree is no finding if rounding decides.
    void settle(std::mt19937_64& random) {
        if (!rounding_decides(ways_[0].module, args_, deviating_, precision_, random)) return;
        ++verdict_.ill;
        verdict_.finding.reset();
    }

    void check_gradient(const Value& result, std::mt19937_64& random) {
        std::vector<Value> direction;
        for (const Value& arg : args_) direction.push_back(random_direction(arg, random));
        const Value& adjoints = result.children()[1];    // of several parameters a tuple
        double claimed = 0, scale = 1;
        for (size_t i = 0; i < args_.size(); ++i) claimed += dot(args_.size() == 1 ? adjoints : adjoints.children()[i], direction[i], scale);
        if (!std::isfinite(claimed) || scale > 1e6) return;
        constexpr double step = 2.5e-5;
        const double allowed = 1e-6 * scale, rounding = std::numeric_limits<double>::epsilon() * std::fabs(result.children()[0].tensor().as_f64(0));
        if (16 * rounding > step * allowed) return;      // differences drown in it
        std::optional<double> coarse = slope(direction, 4 * step), fine = slope(direction, step);
        if (!coarse || !fine || std::fabs(*coarse - *fine) > allowed) return;        // not smooth enough just here
        ++verdict_.gradients;
        if (std::fabs(*fine - claimed) > 10 * allowed)
            found("gradient is not the difference", "gradient " + std::to_string(claimed) + ", differences " + std::to_string(*fine));
    }
    // By central differences of fourth order.
    std::optional<double> slope(const std::vector<Value>& direction, double h) {
        double sum = 0;
        for (auto [step, weight] : {std::pair{1, 8.0}, {-1, -8.0}, {2, -1.0}, {-2, 1.0}}) {
            std::vector<Value> at;
            for (size_t i = 0; i < args_.size(); ++i) at.push_back(moved_along(args_[i], direction[i], h * step));
            Outcome y = interpret(*loss_, at);
            if (!y.value) return std::nullopt;
            sum += weight * y.value->tensor().as_f64(0);
        }
        return sum / (12 * h);
    }

    static std::string text(const Result<Value>& value) { return value ? to_json(*value) : "fails: " + value.error().message; }
    std::string inputs_json() const {
        std::string out;
        for (const std::vector<Value>& call : made_) out += (out.empty() ? "" : ", ") + call_json(call);
        return made_.size() > 1 ? "[" + out + "]" : out;
    }
    std::string call_json(const std::vector<Value>& call) const {
        const Function& entry = ways_[0].module.functions[0];
        std::string out;
        for (size_t i = 0; i < call.size(); ++i) {
            out += out.empty() ? "{" : ", ";
            append_json_string(out, entry[entry.params[i]].name);
            out += ": " + to_json(call[i]);
        }
        return out.empty() ? "{}" : out + "}";
    }

    const Case& case_;
    Verdict verdict_;
    std::vector<Way> ways_;
    std::unique_ptr<Context> compiled_, artefact_;
    Module known_done_;                      // partial_evaluation, then all other stages
    std::string known_refused_;              // or why there is none
    std::optional<Module> loss_, reference_, reference_known_;
    std::vector<Value> args_;
    std::vector<std::vector<Value>> made_;               // calls, that of args_ last
    std::vector<std::string> prints_;
    Precision precision_ = Precision::f64;
    Outcome deviating_{Value(), {}};         // what did not agree
};
} // namespace

Verdict judge(const Case& c) { return Judge(c).run(); }
} // namespace nereus::gen
