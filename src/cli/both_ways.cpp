#include "cli/both_ways.h"
#include "library/library.h"
#include "ops/tolerance.h"
#include <cstring>

namespace nereus {
namespace {
constexpr int nudges = 3;

Result<HostTensor> nudged(const HostTensor& tensor, std::mt19937_64& random) {
    const DType t = tensor.dtype();
    HostTensor made = TRY(HostTensor::make(t, tensor.shape()));
    std::byte* at = TRY(made.mutable_bytes());
    std::uniform_real_distribution<> off(-2 * epsilon(t), 2 * epsilon(t));
    for (int64_t i = 0; i < made.count(); ++i) {
        const uint64_t word = word_of(t, tensor.as_f64(i) * (1 + off(random)));
        std::memcpy(at + i * size_of(t), &word, size_t(size_of(t)));
    }
    return made;
}
Status nudge_weights(Module& module, std::mt19937_64& random) {
    for (Function& f : module.functions)
        for (Binding& b : f.bindings)
            if (b.form == Form::literal && b.literal.given && is_float(b.literal.given->dtype()))
                b.literal.given = std::make_shared<const HostTensor>(TRY(nudged(*b.literal.given, random)));
    return {};
}
} // namespace

// Derivatives are expanded: eval has no rules for them.
Result<AsWritten> as_written(const Module& parsed, const CompileOptions& options, CompileReport* report) {
    AsWritten program{TRY(run_until(parsed, "grad", options)), {}};
    program.shaped = TRY(run_until(parsed, "shapes", options, report));
    return program;
}

Result<BothWays> BothWays::make(const onnx::ModelFile& file, const HowToCompile& how, const std::string& path) {
    BothWays made;
    ModelModule model = TRY(parse_model(file, how.text, path));
    made.inputs_ = std::move(model.inputs), made.outputs_ = std::move(model.outputs);
    made.interpreted_ = TRY(as_written(model.module, how.options));
    made.loaded_ = TRY(LoadedExecutable::load(TRY(compile(std::move(model.module), how.options)), library()));
    made.context_ = TRY(Context::make(made.loaded_));
    return made;
}

Result<std::vector<Value>> BothWays::taken_apart(Result<Value> result) const {
    if (!result) return std::move(result).error();
    if (outputs_.size() == 1) return std::vector<Value>{*result};
    return std::vector<Value>(result->children().begin(), result->children().end());
}
Result<std::vector<Value>> BothWays::compiled(std::span<const Value> args) { return taken_apart(context_->run(loaded_->exe().entries[0], args)); }
Result<std::vector<Value>> BothWays::interpreted(std::span<const Value> args) const { return taken_apart(eval(interpreted_, FunctionId(0), args)); }

bool BothWays::rounding_decides(std::span<const Value> args, const std::vector<Value>& expected, const Nearness& near, std::mt19937_64& random) const {
    for (int i = 0; i < nudges; ++i) {
        AsWritten program = interpreted_;
        if (!nudge_weights(program.written, random)) return false;
        std::vector<Value> others(args.begin(), args.end());
        for (Value& each : others) {
            if (!each.is(Value::Kind::tensor) || !is_float(each.tensor().dtype())) continue;
            Result<HostTensor> moved = nudged(each.tensor(), random);
            if (!moved) return false;
            each = Value::tensor(std::move(*moved));
        }
        Result<std::vector<Value>> found = taken_apart(eval(program, FunctionId(0), others));
        if (found && judge(*found, expected, outputs_, near).difference) return true;
    }
    return false;
}
} // namespace nereus
