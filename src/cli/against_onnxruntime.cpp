#include "cli/against_onnxruntime.h"
#include "base/file.h"
#include "cli/child_process.h"
#include "cli/random_cases.h"
#include "import/node_title.h"
#include "import/read_model.h"
#include "import/write_model.h"
#include "library/library.h"
#include "value/npz.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace nereus {
namespace {
namespace fs = std::filesystem;

// Arguments: the model, the folder of in0.npz and so on, how many there are. An input that it refuses gives no out.npz.
constexpr const char* script = R"(
import sys
try:
    import numpy, onnxruntime
except ImportError as error:
    sys.exit(f"{sys.executable} has no onnxruntime to compare with: {error}")
model, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
try:
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
except Exception as error:
    sys.exit(f"onnxruntime does not take the model: {error}")
inputs = {port.name for port in session.get_inputs()}
for i in range(count):
    given = numpy.load(f"{folder}/in{i}.npz")
    values = {name: given[name].astype(object) if given[name].dtype.kind == "U" else given[name] for name in given if name in inputs}
    try:
        found = session.run(None, values)
        if all(isinstance(value, numpy.ndarray) for value in found):
            numpy.savez(f"{folder}/out{i}.npz", **{str(k): value for k, value in enumerate(found)})
    except Exception:
        pass
)";

struct CompiledModel {
    std::vector<std::string> inputs, outputs;
    std::shared_ptr<const LoadedExecutable> loaded;
};
Result<CompiledModel> compile_model(const onnx::ModelFile& file, const HowToCompile& how, const std::string& path) {
    ModelModule model = TRY(parse_model(file, how.text, path));
    CompiledModel made{std::move(model.inputs), std::move(model.outputs), nullptr};
    made.loaded = TRY(LoadedExecutable::load(TRY(compile(std::move(model.module), how.options)), library()));
    return made;
}

struct Cases { Nearness near; std::vector<std::vector<Value>> inputs; };
Result<Cases> cases_of(const ModelPlace& place, const onnx::ModelFile& file, const std::vector<std::string>& inputs,
                       const AgainstOnnxRuntime& against) {
    Cases cases;
    if (const Result<ModelCases> recorded = ModelCases::open(place.folder); recorded && !place.folder.empty()) {
        cases.near = recorded->near();
        for (const fs::path& one : recorded->folders())
            cases.inputs.push_back(TRY(recorded->read(one, file, inputs, {})).inputs);
    }
    against.adjust(cases.near);
    if (!cases.inputs.empty()) return cases;
    RandomCases random = TRY(RandomCases::make(file.main(), inputs, {}, against.seed));
    for (int64_t i = 0; i < against.runs; ++i)
        if (Result<std::vector<Value>> one = random.next(int(i))) cases.inputs.push_back(std::move(*one));
    return cases;
}

double greatest_difference(const Value& found, const Value& expected) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (!found.is(Value::Kind::tensor) || !expected.is(Value::Kind::tensor)) return infinite;
    const HostTensor &a = found.tensor(), &b = expected.tensor();
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return infinite;
    if (is_text(a.dtype())) return compare(found, expected, {}) ? infinite : 0;
    double greatest = 0;
    for (int64_t i = 0; i < a.count(); ++i) {
        const double x = a.as_f64(i), y = b.as_f64(i);
        const bool are_equal = x == y || (std::isnan(x) && std::isnan(y));
        const double apart = are_equal ? 0 : std::abs(x - y);
        greatest = std::max(greatest, std::isnan(apart) ? infinite : apart);
    }
    return greatest;
}

// The model with every value of its main graph as an output, too.
struct Tapped { onnx::ModelFile file; std::vector<std::string> names, nodes; };
Tapped with_all_values(const onnx::ModelFile& file) {
    Tapped tapped{file, {}, {}};
    std::set<std::string_view> is_output;
    for (const onnx::ValueInfo& output : file.main().outputs) is_output.insert(output.name);
    for (const onnx::Node& node : file.main().nodes)
        for (std::string_view name : node.outputs) {
            if (name.empty()) continue;
            tapped.names.emplace_back(name);
            tapped.nodes.push_back(onnx::node_title(node));
            if (is_output.insert(name).second)
                tapped.file.graphs[0].outputs.push_back({.name = name, .type = {}, .metadata_props = {}});
        }
    return tapped;
}
} // namespace

Result<OnnxRuntimeTally> check_against_onnxruntime(const ModelPlace& place, const AgainstOnnxRuntime& against) {
    const onnx::ModelFile file = TRY(onnx::read_model(place.file.string()));
    const ScratchFolder scratch = TRY(ScratchFolder::make());
    HowToCompile how = against.how;
    fs::path theirs = place.file;
    Tapped tapped;
    if (against.by_node) {
        tapped = with_all_values(file);
        how.text.taps = tapped.names;
        theirs = scratch.path() / "model.onnx";
        TRY(write_file(theirs.string(), onnx::write_model(tapped.file)));
    }
    const CompiledModel ours = TRY(compile_model(file, how, place.file.string()));
    const size_t own = ours.outputs.size() - tapped.names.size();
    const Cases cases = TRY(cases_of(place, file, ours.inputs, against));
    for (size_t i = 0; i < cases.inputs.size(); ++i) {
        std::vector<Field> fields;
        for (size_t k = 0; k < ours.inputs.size(); ++k) fields.push_back({ours.inputs[k], cases.inputs[i][k]});
        TRY(write_npz((scratch.path() / ("in" + std::to_string(i) + ".npz")).string(), fields));
    }
    TRY(run_child(
        {against.python, "-c", script, theirs.string(), scratch.path().string(), std::to_string(cases.inputs.size())},
        (scratch.path() / "said.txt").string()));

    std::vector<std::string_view> order;                 // of onnxruntime's outputs
    for (const onnx::ValueInfo& output : (against.by_node ? tapped.file : file).main().outputs)
        order.push_back(output.name);
    OnnxRuntimeTally tally;
    for (size_t k = 0; k < own; ++k) tally.outputs.push_back({ours.outputs[k], ""});
    for (size_t k = 0; k < tapped.names.size(); ++k) tally.nodes.push_back({tapped.names[k], tapped.nodes[k]});
    const std::unique_ptr<Context> context = TRY(Context::make(ours.loaded));
    for (size_t i = 0; i < cases.inputs.size(); ++i) {
        const std::string out = (scratch.path() / ("out" + std::to_string(i) + ".npz")).string();
        if (!fs::exists(out)) {
            ++tally.refused;
            continue;
        }
        ++tally.compared;
        std::vector<Field> read = TRY(read_npz_arrays(out));
        const Value result = TRY(context->run(ours.loaded->exe().entries[0], cases.inputs[i]));
        auto compare_one = [&](ValueDifference& one, const Value& found) -> Status {
            const size_t at = size_t(std::ranges::find(order, one.name) - order.begin());
            const auto expected = std::ranges::find(read, std::to_string(at), &Field::name);
            if (expected == read.end()) return Error{Code::value, "onnxruntime gives no '" + one.name + "'"};
            one.greatest = std::max(one.greatest, greatest_difference(found, expected->value));
            const Verdict verdict = judge({found}, {expected->value}, {one.name}, cases.near);
            one.is_near = one.is_near && !verdict.difference;
            if (verdict.difference && one.node.empty() && tally.difference.empty())
                tally.difference = verdict.difference->path + ": " + verdict.difference->what + " (" +
                                   shapes_text(ours.inputs, cases.inputs[i]) + ")";
            return {};
        };
        const bool is_one = ours.outputs.size() == 1;
        for (size_t k = 0; k < own; ++k) TRY(compare_one(tally.outputs[k], is_one ? result : result.children()[k]));
        for (size_t k = 0; k < tally.nodes.size(); ++k) TRY(compare_one(tally.nodes[k], result.children()[own + k]));
    }
    if (tally.compared == 0)
        return Error{
            Code::value, "onnxruntime takes none of the " + std::to_string(cases.inputs.size()) + " inputs", {}, ""};
    const auto first = std::ranges::find(tally.nodes, false, &ValueDifference::is_near);
    if (!tally.difference.empty() && first != tally.nodes.end())
        tally.difference += "; first in " + first->node + ", output '" + first->name + "'";
    return tally;
}
} // namespace nereus
