// cli/model_cases.h - recorded inputs and outputs of a model, in a folder beside it, and whether what was found is right:
//   test_data_set_N/input_M.pb, output_M.pb           values of ONNX by place: of the inputs without a default, or, if there are
//                                                     more files, of the first inputs
//   cases/NAME/in_*.npy, out_*.npy and check.json     tensors by name; check.json says which file is whose, and how near
#pragma once
#include "base/result.h"
#include "import/onnx_model.h"
#include "value/compare.h"
#include <filesystem>
#include <map>

namespace nereus {
// How near an output must be to the expected one.
struct Nearness {
    Tolerance tolerance = {.rtol = 1e-3, .atol = 1e-5};
    std::optional<double> l2;                // far elements are forgiven if |found - expected| <= l2 * |expected|, as vectors
    bool unordered = false;                  // rows may be permuted, in all outputs alike
};
struct CaseRule {
    Nearness near;
    std::map<std::string, std::string> inputs, outputs;          // file names without .npy, by names of the model
};
Result<CaseRule> parse_case_rule(std::string_view json);

struct ModelCase { std::vector<Value> inputs, expected; };

// The inputs that input_0.pb and so on of a folder are for.
std::vector<std::string> inputs_by_place(const std::filesystem::path& folder, const onnx::Graph& graph);

class ModelCases {
 public:
    // Of the folder they are beside, or where it is given itself, of the folder cases, of one case, of one test_data_set_N.
    static Result<ModelCases> open(const std::filesystem::path& folder);
    const Nearness& near() const { return rule_.near; }
    const std::vector<std::filesystem::path>& folders() const { return folders_; }         // one per case
    // Inputs whose default some case replaces. Looks at names of files only.
    std::vector<std::string> replaced(const onnx::Graph& graph) const;
    // Of the model's inputs and outputs with these names; an input that the case does not give is its default.
    Result<ModelCase> read(const std::filesystem::path& folder, const onnx::ModelFile& model, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) const;

 private:
    CaseRule rule_;
    bool by_name_ = false;
    std::vector<std::filesystem::path> folders_;
};

struct Verdict {
    bool by_l2 = false;                      // right as vectors, though elements are far from theirs
    std::optional<Difference> difference;    // wrong: the first, its path beginning with the output
};
Verdict judge(const std::vector<Value>& found, const std::vector<Value>& expected, const std::vector<std::string>& outputs, const Nearness& near);
} // namespace nereus
