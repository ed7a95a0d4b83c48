#include "cli/check_nan.h"
#include "cli/dynamism.h"
#include "cli/program_inputs.h"
#include "cli/ready_program.h"
#include "import/host_data.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace nereus {
namespace {
struct BadElements {
    int64_t nans = 0, infinite = 0;
    bool any() const { return nans + infinite > 0; }
    BadElements& operator+=(const BadElements& other) { return nans += other.nans, infinite += other.infinite, *this; }
};
std::string text_of(const BadElements& bad) { return std::to_string(bad.nans) + " NaN and " + std::to_string(bad.infinite) + " infinite"; }

bool is_computed_float(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64; }

BadElements count_in(const Value& value) {
    BadElements bad;
    if (!value.is(Value::Kind::tensor)) {
        for (const Value& child : value.children()) bad += count_in(child);
        return bad;
    }
    const HostTensor& tensor = value.tensor();
    if (!is_computed_float(tensor.dtype())) return bad;
    for (int64_t i = 0; i < tensor.count(); ++i) {
        const double element = tensor.as_f64(i);
        bad.nans += std::isnan(element), bad.infinite += std::isinf(element);
    }
    return bad;
}

// All that nodes of the main graph give, in order.
std::vector<std::string> values_of(const onnx::ModelFile& file) {
    std::vector<std::string> names;
    for (const onnx::Node& node : file.main().nodes)
        for (std::string_view output : node.outputs)
            if (!output.empty()) names.emplace_back(output);
    return names;
}
// Which of them are tensors of floats: found by compiling as far as types with all of them as outputs.
std::optional<std::vector<std::string>> floats_of(const std::string& path, const CompileOptions& options, int* out_exit) {
    std::optional<SourceProgram> program = load_program(path, out_exit);
    if (!program) return std::nullopt;
    const std::vector<std::string> names = values_of(*program->file);
    const size_t own = program->outputs.size();
    program = load_program(path, out_exit, {.taps = names});
    if (!program) return std::nullopt;
    Result<Module> typed = run_until(std::move(program->module), "specialise", options);
    if (!typed) {
        *out_exit = fail(typed.error(), program->sources);
        return std::nullopt;
    }
    const Function& main = (*typed)[typed->find_id(options.entry)];
    const std::vector<TypeId> parts = typed->types[main[main[main.body].results[0]].type].parts;
    std::vector<std::string> floats;
    for (size_t i = 0; i < names.size(); ++i) {
        const Type& type = typed->types[parts[own + i]];
        if (type.kind == TypeKind::tensor && type.element.dtype && is_computed_float(*type.element.dtype)) floats.push_back(names[i]);
    }
    return floats;
}

// What a node reads: its inputs, and what graphs inside it take from around them.
void reads_of(const onnx::ModelFile& file, const onnx::Node& node, std::vector<std::string_view>& out, int depth = 0) {
    constexpr int deepest = 64;                                  // as the text of models allows
    out.insert(out.end(), node.inputs.begin(), node.inputs.end());
    for (const onnx::Attribute& a : node.attributes)
        if (const auto* graphs = std::get_if<std::vector<onnx::GraphId>>(&a.value); graphs && depth < deepest)
            for (onnx::GraphId graph : *graphs)
                for (const onnx::Node& inner : file[graph].nodes) reads_of(file, inner, out, depth + 1);
}

class Blame {
 public:
    explicit Blame(const onnx::ModelFile& file) : file_(file) {
        for (const onnx::TensorData& data : file.main().initializers) weights_.emplace(data.name, &data);
    }
    void know(std::string_view name, BadElements bad) { known_[name] = bad; }
    // What the first node made that its inputs did not have; nothing: no node did.
    std::optional<std::string> first() {
        for (const onnx::Node& node : file_.main().nodes) {
            if (node.op_type == "Constant" || node.op_type == "ConstantOfShape") continue;       // the file says so
            BadElements given;
            std::vector<std::string_view> reads;
            bool counted = false;
            for (std::string_view output : node.outputs) {
                const BadElements made = of(output);
                if (!made.any()) continue;
                if (!std::exchange(counted, true)) {
                    reads_of(file_, node, reads);
                    for (std::string_view name : reads) given += of(name);
                }
                const bool new_nan = made.nans > 0 && given.nans == 0, new_infinity = made.infinite > 0 && !given.any();
                if (new_nan || new_infinity)
                    return node_text(node) + " makes the first: '" + std::string(output) + "' holds " + text_of(made) + ", what it reads " + text_of(given);
            }
        }
        return std::nullopt;
    }

 private:
    BadElements of(std::string_view name) {
        if (auto it = known_.find(name); it != known_.end()) return it->second;
        auto weight = weights_.find(name);
        if (weight == weights_.end()) return {};
        Result<HostTensor> tensor = onnx::host_tensor(*weight->second, file_.storage);
        return known_[name] = tensor ? count_in(Value::tensor(std::move(*tensor))) : BadElements{};
    }
    const onnx::ModelFile& file_;
    std::map<std::string_view, BadElements> known_;
    std::map<std::string_view, const onnx::TensorData*> weights_;
};

// One call; true: a node is to blame.
Result<bool> look_at(const ReadyProgram& program, const std::vector<std::string>& floats, const std::vector<Value>& args, const std::string& call) {
    std::unique_ptr<Context> context = TRY(Context::make(program.loaded));
    const Value result = TRY(context->run(program.entry(), args));
    Blame blame(*program.source.file);
    std::string given;
    for (size_t i = 0; i < args.size(); ++i) {
        const BadElements bad = count_in(args[i]);
        blame.know(program.source.inputs[i], bad);
        if (bad.any()) given += "\n  input '" + program.source.inputs[i] + "' holds " + text_of(bad);
    }
    const size_t own = result.children().size() - 2 * floats.size();
    for (size_t i = 0; i < floats.size(); ++i) {
        const int64_t nans = int64_t(result.children()[own + 2 * i].tensor().as_f64(0)), not_finite = int64_t(result.children()[own + 2 * i + 1].tensor().as_f64(0));
        blame.know(floats[i], {nans, not_finite - nans});
    }
    const std::optional<std::string> found = blame.first();
    std::printf("%s%s%s\n", call.c_str(), found ? found->c_str() : ("no node makes a NaN or an infinity; looked at " + std::to_string(floats.size()) + " values").c_str(), given.c_str());
    return found.has_value();
}
} // namespace

int check_nan(const std::string& path, Arguments arguments) {
    int exit = 0;
    const std::optional<std::vector<std::string>> floats = floats_of(path, compile_options(arguments), &exit);
    if (!floats) return exit;
    std::optional<ReadyProgram> program = make_ready(path, arguments, &exit, {.counted = *floats, .given = replaced_inputs(path, arguments)});
    if (!program) return exit;
    name_parameters(arguments, program->source.parameters);
    auto look = [&]() -> Result<bool> {
        const GivenSizes sizes = TRY(given_sizes(arguments, program->source.parameters, program->source.symbols));
        Inputs inputs = TRY(read_program_inputs(arguments, program->source));
        if (sizes.any()) inputs = TRY(with_random(inputs, sizes, program->exe(), uint64_t(TRY(arguments.whole("seed", 0, 0)))));
        std::vector<std::string> params;
        for (const DoorParam& param : program->entry().params) params.push_back(param.name);
        bool found = false;
        for (size_t i = 0; i < inputs.calls.size(); ++i)
            found |= TRY(look_at(*program, *floats, TRY(order_inputs(params, inputs.calls[i])), inputs.is_list ? "input " + std::to_string(i + 1) + ": " : ""));
        return found;
    };
    Result<bool> found = look();
    if (!found) return fail(found.error(), program->source.sources);
    return *found ? 1 : 0;
}
} // namespace nereus
