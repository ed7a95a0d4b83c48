#include "cli/model_cases.h"
#include "base/file.h"
#include "import/host_data.h"
#include "tensor/npy.h"
#include "value/json_lexer.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

namespace nereus {
namespace {
namespace fs = std::filesystem;
using Kind = JsonLexer::Kind;

// check.json: an object, of which most is for readers.
class RuleReader {
 public:
    explicit RuleReader(std::string_view text) : lexer_(text) {}
    Result<CaseRule> run() {
        CaseRule rule;
        TRY(expect(TRY(lexer_.next()), Kind::object_begin));
        TRY(members([&](const std::string& key) -> Status {
            if (key == "rtol") return number(rule.near.tolerance.rtol);
            if (key == "atol") return number(rule.near.tolerance.atol);
            if (key == "l2") return number_or_null(rule.near.l2);
            if (key == "unordered") return truth(rule.near.unordered);
            if (key == "inputs") return names(rule.inputs);
            if (key == "outputs") return names(rule.outputs);
            return skip(TRY(lexer_.next()));
        }));
        return rule;
    }

 private:
    Status expect(const JsonLexer::Token& token, Kind kind) {
        if (token.kind == kind) return {};
        return lexer_.error_at(token.start, Code::parse, "expected " + std::string(token_text(kind)) + ", found " + std::string(token_text(token.kind)));
    }
    template <class Each> Status members(const Each& each) {                       // behind the '{'
        for (bool first = true;; first = false) {
            JsonLexer::Token token = TRY(lexer_.next());
            if (token.kind == Kind::object_end) return {};
            if (!first) {
                TRY(expect(token, Kind::comma));
                token = TRY(lexer_.next());
            }
            TRY(expect(token, Kind::string));
            const std::string key(token.text);
            TRY(expect(TRY(lexer_.next()), Kind::colon));
            TRY(each(key));
        }
    }
    Status number_in(const JsonLexer::Token& token, double& out) {
        TRY(expect(token, Kind::number));
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), out);
        if (out >= 0 && std::isfinite(out)) return {};
        return lexer_.error_at(token.start, Code::value, "a tolerance is a number from 0 on, found " + std::string(token.text));
    }
    Status number(double& out) { return number_in(TRY(lexer_.next()), out); }
    Status number_or_null(std::optional<double>& out) {
        const JsonLexer::Token token = TRY(lexer_.next());
        if (token.kind == Kind::word && token.text == "null") return {};
        return number_in(token, out.emplace());
    }
    Status truth(bool& out) {
        const JsonLexer::Token token = TRY(lexer_.next());
        TRY(expect(token, Kind::word));
        out = token.text == "true";
        return {};
    }
    Status names(std::map<std::string, std::string>& out) {
        TRY(expect(TRY(lexer_.next()), Kind::object_begin));
        return members([&](const std::string& key) -> Status {
            const JsonLexer::Token token = TRY(lexer_.next());
            TRY(expect(token, Kind::string));
            if (token.text.find('/') != token.text.npos) return lexer_.error_at(token.start, Code::value, "a name of a file has no '/'");
            out[key] = token.text;
            return {};
        });
    }
    Status skip(const JsonLexer::Token& first) {                                   // a value that begins with this token
        int64_t depth = 0;
        for (JsonLexer::Token token = first;; token = TRY(lexer_.next())) {
            if (token.kind == Kind::end) return expect(token, Kind::object_end);
            depth += token.kind == Kind::object_begin || token.kind == Kind::list_begin;
            depth -= token.kind == Kind::object_end || token.kind == Kind::list_end;
            if (depth <= 0) return {};
        }
    }
    JsonLexer lexer_;
};

std::string place_file(const fs::path& folder, const std::string& stem, size_t place) { return (folder / (stem + std::to_string(place) + ".pb")).string(); }
size_t input_files(const fs::path& folder) {
    std::error_code failed;
    size_t files = 0;
    while (fs::exists(place_file(folder, "input_", files), failed)) ++files;
    return files;
}
Result<Value> default_of(const onnx::ModelFile& model, const std::string& input, const std::string& otherwise) {
    const onnx::TensorData* data = model.main().initializer(input);
    if (!data) return Error{Code::name, otherwise + " for '" + input + "'"};
    return Value::tensor(TRY(onnx::host_tensor(*data, model.storage)));
}

Result<std::vector<Value>> outputs_by_place(const fs::path& folder, const std::vector<onnx::ValueInfo>& ports, const std::vector<std::string>& names) {
    std::vector<Value> values;
    for (size_t i = 0; i < names.size(); ++i) {
        auto port = std::ranges::find(ports, names[i], &onnx::ValueInfo::name);
        values.push_back(TRY(onnx::read_value(place_file(folder, "output_", i), port->type)));
    }
    return values;
}
Result<std::vector<Value>> inputs_by_place(const fs::path& folder, const onnx::ModelFile& model, const std::vector<std::string>& names) {
    const std::vector<onnx::ValueInfo>& ports = model.main().inputs;
    if (const size_t files = input_files(folder); files > ports.size())
        return Error{Code::value, "there are " + std::to_string(files) + " input files, and " + std::to_string(ports.size()) + (ports.size() == 1 ? " input" : " inputs")};
    const std::vector<std::string> placed = nereus::inputs_by_place(folder, model.main());
    std::vector<Value> values;
    for (const std::string& name : names) {
        const auto place = std::ranges::find(placed, name);
        const auto port = std::ranges::find(ports, name, &onnx::ValueInfo::name);
        values.push_back(place == placed.end() ? TRY(default_of(model, name, "there is no input file"))
                                               : TRY(onnx::read_value(place_file(folder, "input_", size_t(place - placed.begin())), port->type)));
    }
    return values;
}
Result<Value> read_named(const fs::path& folder, const std::string& file) { return Value::tensor(TRY(read_npy((folder / (file + ".npy")).string()))); }
Result<std::vector<Value>> inputs_by_name(const fs::path& folder, const std::map<std::string, std::string>& files, const onnx::ModelFile& model, const std::vector<std::string>& names) {
    for (const auto& [name, file] : files)
        if (std::ranges::find(model.main().inputs, name, &onnx::ValueInfo::name) == model.main().inputs.end()) return Error{Code::name, "check.json gives '" + name + "', which is no input"};
    std::vector<Value> values;
    for (const std::string& name : names) {
        auto file = files.find(name);
        values.push_back(file == files.end() ? TRY(default_of(model, name, "check.json names no file")) : TRY(read_named(folder, file->second)));
    }
    return values;
}
Result<std::vector<Value>> outputs_by_name(const fs::path& folder, const std::map<std::string, std::string>& files, const std::vector<std::string>& names) {
    std::vector<Value> values;
    for (const std::string& name : names) {
        auto file = files.find(name);
        if (file == files.end()) return Error{Code::name, "check.json names no file for '" + name + "'"};
        values.push_back(TRY(read_named(folder, file->second)));
    }
    return values;
}

bool is_tensor_of(const Value& value, const Value& like) {
    return value.is(Value::Kind::tensor) && like.is(Value::Kind::tensor) && value.tensor().dtype() == like.tensor().dtype() && value.tensor().shape() == like.tensor().shape();
}
bool is_near_as_vector(const Value& found, const Value& expected, double l2) {
    if (!is_tensor_of(found, expected) || !is_float(found.tensor().dtype())) return false;
    double apart = 0, length = 0;
    for (int64_t i = 0; i < found.tensor().count(); ++i) {
        const double want = expected.tensor().as_f64(i), off = found.tensor().as_f64(i) - want;
        apart += off * off;
        length += want * want;
    }
    return std::sqrt(apart) <= l2 * std::sqrt(length);           // false if either is NaN
}

Value row_of(const HostTensor& tensor, int64_t row) {
    Extents shape(tensor.shape().begin() + 1, tensor.shape().end());
    Result<HostTensor> one = HostTensor::make(tensor.dtype(), std::move(shape));
    Result<std::byte*> to = one ? one->mutable_bytes() : Result<std::byte*>(one.error());
    invariant(bool(to), "a row is no larger than the whole");
    if (one->byte_size() > 0) std::memcpy(*to, tensor.bytes() + row * one->byte_size(), size_t(one->byte_size()));
    return Value::tensor(std::move(*one));
}
// Whether there is an order of the found rows in which all outputs are as expected.
bool same_rows(const std::vector<Value>& found, const std::vector<Value>& expected, const Tolerance& tolerance) {
    int64_t rows = -1;
    for (size_t i = 0; i < found.size(); ++i) {
        if (!is_tensor_of(found[i], expected[i]) || found[i].tensor().rank() == 0) return false;
        if (rows < 0) rows = found[i].tensor().shape()[0];
        if (found[i].tensor().shape()[0] != rows) return false;
    }
    std::vector<bool> taken(size_t(std::max<int64_t>(rows, 0)));
    for (int64_t want = 0; want < rows; ++want) {
        auto is_row = [&](int64_t row) {
            for (size_t i = 0; i < found.size(); ++i)
                if (compare(row_of(found[i].tensor(), row), row_of(expected[i].tensor(), want), tolerance)) return false;
            return true;
        };
        int64_t row = 0;
        while (row < rows && (taken[size_t(row)] || !is_row(row))) ++row;
        if (row == rows) return false;
        taken[size_t(row)] = true;
    }
    return true;
}
} // namespace

Result<CaseRule> parse_case_rule(std::string_view json) { return RuleReader(json).run(); }

static constexpr std::string_view data_set = "test_data_set_";

Result<ModelCases> ModelCases::open(const fs::path& given) {
    ModelCases cases;
    std::error_code failed;
    fs::path folder = fs::absolute(given, failed).lexically_normal(), chosen;
    if (!folder.has_filename()) folder = folder.parent_path();               // written with a slash behind
    if (folder.filename() == "cases" && fs::exists(folder.parent_path() / "check.json", failed)) folder = folder.parent_path();
    else if (folder.parent_path().filename() == "cases") chosen = std::exchange(folder, folder.parent_path().parent_path());
    else if (folder.filename().string().starts_with(data_set)) chosen = std::exchange(folder, folder.parent_path());
    for (int set = 0;; ++set) {
        const fs::path data = folder / (std::string(data_set) + std::to_string(set));
        if (!fs::exists(data, failed)) break;
        if (chosen.empty() || data == chosen) cases.folders_.push_back(data);
    }
    if (!cases.folders_.empty()) return cases;
    cases.by_name_ = true;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cases", failed))
        if (entry.is_directory(failed) && (chosen.empty() || entry.path() == chosen)) cases.folders_.push_back(entry.path());
    std::sort(cases.folders_.begin(), cases.folders_.end());
    if (cases.folders_.empty()) return Error{Code::io, "it has no test data"};
    Result<CaseRule> rule = parse_case_rule(TRY(read_file((folder / "check.json").string())));
    if (!rule) return Error{rule.error().code, "check.json: " + rule.error().message};
    cases.rule_ = std::move(*rule);
    return cases;
}

std::vector<std::string> inputs_by_place(const fs::path& folder, const onnx::Graph& graph) {
    std::vector<std::string> needed, all;
    for (const onnx::ValueInfo& input : graph.inputs) {
        all.emplace_back(input.name);
        if (!graph.initializer(input.name)) needed.emplace_back(input.name);
    }
    const size_t files = input_files(folder);
    if (files <= needed.size()) return needed;
    all.resize(std::min(files, all.size()));
    return all;
}

std::vector<std::string> ModelCases::replaced(const onnx::Graph& graph) const {
    std::vector<std::string> names;
    auto add = [&](const std::string& name) {
        if (graph.initializer(name)) names.push_back(name);
    };
    for (const auto& [name, file] : rule_.inputs) add(name);
    for (const fs::path& folder : folders_)
        if (!by_name_) std::ranges::for_each(inputs_by_place(folder, graph), add);
    return names;
}

Result<ModelCase> ModelCases::read(const fs::path& folder, const onnx::ModelFile& model, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) const {
    if (by_name_) return ModelCase{TRY(inputs_by_name(folder, rule_.inputs, model, inputs)), TRY(outputs_by_name(folder, rule_.outputs, outputs))};
    return ModelCase{TRY(inputs_by_place(folder, model, inputs)), TRY(outputs_by_place(folder, model.main().outputs, outputs))};
}

Verdict judge(const std::vector<Value>& found, const std::vector<Value>& expected, const std::vector<std::string>& outputs, const Nearness& near) {
    Verdict verdict;
    for (size_t i = 0; i < expected.size(); ++i) {
        std::optional<Difference> differs = compare(found[i], expected[i], near.tolerance);
        if (!differs) continue;
        if (near.l2 && is_near_as_vector(found[i], expected[i], *near.l2)) {
            verdict.by_l2 = true;
            continue;
        }
        if (near.unordered && same_rows(found, expected, near.tolerance)) return {};
        differs->path = "output '" + outputs[i] + "'" + (differs->path.empty() ? "" : " at " + differs->path);
        if (const std::string extent = extent_of_difference(found[i], expected[i], near.tolerance); !extent.empty()) differs->what += " (" + extent + ")";
        verdict.difference = std::move(differs);
        return verdict;
    }
    return verdict;
}
} // namespace nereus
