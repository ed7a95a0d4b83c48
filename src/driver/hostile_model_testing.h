// driver/hostile_model_testing.h - a model that anybody may have made, as far as machine code: whatever is wrong with it is an
// error that says so. What it makes compiled code do is not run.
#pragma once
#include "driver/compile.h"
#include "driver/model.h"
#include "import/read_model.h"

namespace nereus {
enum class Reached { nothing, model, text, shapes, code };
struct HostileOutcome { Reached reached; std::string mistake; };       // of ours; empty: none

inline HostileOutcome take_hostile_model(std::span<const std::byte> bytes, bool symbolic, bool compiles) {
    constexpr int64_t most_compiled = 300;               // bindings: machine code takes its time
    auto end = [](Reached reached, const Error& error) -> HostileOutcome {
        if (error.code == Code::internal) return {reached, "an error of ours: " + error.message};
        return {reached, error.message.empty() ? "an error that says nothing" : ""};
    };
    Result<onnx::ModelFile> file = onnx::read_model(bytes);
    if (!file) return end(Reached::nothing, file.error());
    Result<ModelModule> model = parse_model(*file, {.symbolic = symbolic}, "hostile.onnx");
    if (!model) return end(Reached::model, model.error());
    const CompileOptions options;
    Result<Module> shaped = run_until(model->module, "shapes", options);
    if (!shaped) return end(Reached::text, shaped.error());
    int64_t bindings = 0;
    for (const Function& f : shaped->functions) bindings += int64_t(f.bindings.size());
    if (!compiles || bindings > most_compiled) return {Reached::shapes, ""};
    Result<Executable> made = compile(std::move(model->module), options);
    return made ? HostileOutcome{Reached::code, ""} : end(Reached::shapes, made.error());
}
} // namespace nereus
