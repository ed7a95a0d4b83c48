#include "cli/find_difference.h"
#include "base/file.h"
#include "import/cut_model.h"
#include "import/host_data.h"
#include "import/node_title.h"
#include "import/write_model.h"
#include "tensor/npy.h"
#include "value/json.h"
#include <algorithm>

namespace nereus {
namespace {
namespace fs = std::filesystem;

onnx::ElemType elem_type_of(DType dtype) {
    for (int64_t number = 1;; ++number) {
        Result<onnx::ElemType> type = onnx::elem_type_of_number(number);
        invariant(bool(type), "each dtype is one of ONNX");
        if (onnx::dtype_of(*type) == dtype) return *type;
    }
}

class Search {
 public:
    Search(const onnx::ModelFile& file, const HowToCompile& how, std::span<const Value> args, const Nearness& near, fs::path folder, std::mt19937_64& random)
        : file_(file), how_(how), args_(args), near_(near), folder_(std::move(folder)), random_(random), cutter_(file) {
        how_.text.symbolic = false;                    // sizes of parts have names of their own
    }
    Result<std::optional<FoundDifference>> run() {
        TRY(interpret_all());
        for (size_t node : TRY(wrong_alone()))
            if (std::optional<FoundDifference> found = TRY(shown_by(node, node + 1))) return found;
        BothWays whole = TRY(BothWays::make(file_, how_, "model"));
        const std::vector<Value> expected = TRY(whole.interpreted(args_));
        if (whole.rounding_decides(args_, expected, near_, random_)) return std::optional<FoundDifference>();
        return shortest_run();
    }

 private:
    struct Case { onnx::ModelFile model; std::vector<std::string> inputs, outputs; std::vector<Value> args, expected; std::string what; };

    // What eval has everywhere.
    Status interpret_all() {
        const onnx::ModelFile tapped = cutter_.with_all_outputs();
        ModelModule model = TRY(parse_model(tapped, how_.text, "model"));
        const AsWritten program = TRY(as_written(model.module, how_.options));
        const Value result = TRY(eval(program, FunctionId(0), args_));
        for (size_t i = 0; i < model.outputs.size(); ++i) values_[model.outputs[i]] = model.outputs.size() == 1 ? result : result.children()[i];
        for (size_t i = 0; i < model.inputs.size(); ++i) values_[model.inputs[i]] = args_[i];
        return {};
    }
    // A part may begin with a float, whose rounding is not its own; in a `free` one also with other tensors. Sizes have
    // names by number, so that what was equal is known to be.
    std::optional<onnx::TypeInfo> type_of(std::string_view name, bool free) {
        auto value = values_.find(std::string(name));
        if (value == values_.end() || !value->second.is(Value::Kind::tensor)) return std::nullopt;
        const HostTensor& tensor = value->second.tensor();
        const bool is_input = std::ranges::any_of(file_.main().inputs, [&](const onnx::ValueInfo& each) { return each.name == name; });
        if (!free && !is_input && !is_float(tensor.dtype())) return std::nullopt;
        onnx::TypeInfo type;
        type.leaf = onnx::TypeInfo::Leaf::tensor, type.elem = elem_type_of(tensor.dtype());
        type.shape.emplace();
        for (int64_t size : tensor.shape()) {
            const bool is_number = size == 1 || (!is_float(tensor.dtype()) && tensor.rank() == 1);   // of a vector of sizes the rank follows
            if (is_number) type.shape->push_back(size);
            else type.shape->push_back(std::string_view(size_names_.try_emplace(size, "s" + std::to_string(size)).first->second));
        }
        return type;
    }
    const Value& value_of(std::string name) {
        if (name.ends_with(onnx::ModelCutter::found_mark)) name.resize(name.size() - onnx::ModelCutter::found_mark.size());
        return values_.at(name);
    }
    std::vector<Value> values_of(const std::vector<std::string>& names) {
        std::vector<Value> values;
        for (const std::string& name : names) values.push_back(value_of(name));
        return values;
    }

    // Nodes that are wrong though all that they read is right.
    Result<std::vector<size_t>> wrong_alone() {
        const onnx::ModelFile apart = cutter_.apart([&](std::string_view name) { return type_of(name, false); });
        Result<BothWays> both = BothWays::make(apart, how_, "nodes");
        if (!both) return std::vector<size_t>();       // that is for the runs of nodes to find out
        Result<std::vector<Value>> found = both->compiled(values_of(both->inputs()));
        std::vector<size_t> wrong;
        for (size_t node = 0; node < cutter_.node_count(); ++node)
            for (std::string_view output : apart.main().nodes[node].outputs) {
                auto place = std::ranges::find(both->outputs(), output);
                if (place == both->outputs().end()) continue;
                const size_t i = size_t(place - both->outputs().begin());
                const bool differs = found && judge({(*found)[i]}, {value_of(*place)}, {*place}, near_).difference;
                if (!found || differs) wrong.push_back(node);            // not one value: any of them may be why
            }
        wrong.erase(std::unique(wrong.begin(), wrong.end()), wrong.end());
        return wrong;
    }

    // Nodes first … last - 1 as a model, if it goes wrong.
    std::optional<Case> wrong_case(size_t first, size_t last, bool free) {
        Case made;
        made.model = cutter_.window(first, last, [&](std::string_view name) { return type_of(name, free); });
        Result<BothWays> both = BothWays::make(made.model, how_, "part");
        if (!both) return std::nullopt;
        made.inputs = both->inputs(), made.outputs = both->outputs();
        made.args = values_of(made.inputs), made.expected = values_of(made.outputs);
        Result<std::vector<Value>> found = both->compiled(made.args);
        if (!found) {
            made.what = found.error().message;
            return both->interpreted(made.args) ? std::optional(std::move(made)) : std::nullopt;
        }
        const Verdict verdict = judge(*found, made.expected, made.outputs, near_);
        if (!verdict.difference || both->rounding_decides(made.args, made.expected, near_, random_)) return std::nullopt;
        made.what = verdict.difference->path + ": " + verdict.difference->what;
        return made;
    }
    // As small as it gets.
    std::optional<Case> wrong_case(size_t first, size_t last) {
        std::optional<Case> found = wrong_case(first, last, true);
        return found ? std::move(found) : wrong_case(first, last, false);
    }
    Result<std::optional<FoundDifference>> shown_by(size_t first, size_t last) {
        std::optional<Case> found = wrong_case(first, last);
        if (!found) return std::optional<FoundDifference>();
        TRY(write(*found));
        return std::optional(FoundDifference{label(first, last), found->what, folder_});
    }

    Result<std::optional<FoundDifference>> shortest_run() {
        size_t right = 0, last = cutter_.node_count();
        while (last - right > 1) {                     // nodes up to `right` are right together, those up to `last` are not
            const size_t middle = right + (last - right) / 2;
            (wrong_case(0, middle, false) ? last : right) = middle;
        }
        size_t first = 0, too_late = last;
        while (too_late - first > 1) {
            const size_t middle = first + (too_late - first) / 2;
            (wrong_case(middle, last, false) ? first : too_late) = middle;
        }
        if (std::optional<FoundDifference> found = TRY(shown_by(first, last))) return found;
        return shown_whole();                          // no part of it shows the difference
    }
    Result<std::optional<FoundDifference>> shown_whole() {
        Case whole{file_, {}, {}, std::vector<Value>(args_.begin(), args_.end()), {}, "only the model as a whole differs"};
        ModelModule model = TRY(parse_model(file_, how_.text, "model"));
        whole.inputs = model.inputs, whole.outputs = model.outputs, whole.expected = values_of(model.outputs);
        TRY(write(whole));
        return std::optional(FoundDifference{"all nodes", whole.what, folder_});
    }

    std::string label(size_t first, size_t last) const {
        auto one = [&](size_t i) { return onnx::node_title(file_.main().nodes[i]); };
        const std::string of = " of " + std::to_string(cutter_.node_count());
        if (last - first == 1) return one(first) + ", node " + std::to_string(last) + of;
        return one(first) + " … " + one(last - 1) + ", nodes " + std::to_string(first + 1) + " to " + std::to_string(last) + of;
    }

    Status write(const Case& c) const {
        std::error_code failed;
        fs::remove_all(folder_ / "cases", failed);
        fs::create_directories(folder_ / "cases/found", failed);
        if (failed) return Error{Code::io, "cannot make the folder " + folder_.string() + ": " + failed.message()};
        TRY(write_file((folder_ / "model.onnx").string(), onnx::write_model(c.model)));
        std::string json = "{\"rtol\": " + number(near_.tolerance.rtol) + ", \"atol\": " + number(near_.tolerance.atol);
        if (near_.l2) json += ", \"l2\": " + number(*near_.l2);
        json += std::string(", \"unordered\": ") + (near_.unordered ? "true" : "false") + ", \"reference\": \"nereus run --eval\"";
        TRY(write_values("in_", "inputs", c.inputs, c.args, json));
        TRY(write_values("out_", "outputs", c.outputs, c.expected, json));
        return write_file((folder_ / "check.json").string(), json + "}\n");
    }
    static std::string number(double value) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", value);
        return text;
    }
    Status write_values(const std::string& stem, const std::string& key, const std::vector<std::string>& names, const std::vector<Value>& values, std::string& json) const {
        json += ", \"" + key + "\": {";
        for (size_t i = 0; i < names.size(); ++i) {
            const std::string file = stem + std::to_string(i);
            if (!values[i].is(Value::Kind::tensor)) return Error{Code::unsupported, "'" + names[i] + "' is no tensor, which a case cannot hold"};
            TRY(write_npy((folder_ / "cases/found" / (file + ".npy")).string(), values[i].tensor()));
            json += i ? ", " : "";
            append_json_string(json, names[i]);
            json += ": \"" + file + "\"";
        }
        json += "}";
        return {};
    }

    const onnx::ModelFile& file_;
    HowToCompile how_;
    std::span<const Value> args_;
    const Nearness& near_;
    fs::path folder_;
    std::mt19937_64& random_;
    onnx::ModelCutter cutter_;
    std::map<std::string, Value> values_;
    std::map<int64_t, std::string> size_names_;
};
} // namespace

Result<std::optional<FoundDifference>> find_difference(const onnx::ModelFile& file, const HowToCompile& how, std::span<const Value> args, const Nearness& near, const fs::path& folder,
                                                       std::mt19937_64& random) {
    return Search(file, how, args, near, folder, random).run();
}
} // namespace nereus
