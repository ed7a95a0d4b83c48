#include "import/versions.h"
#include "import/op_attributes.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
constexpr int64_t first_with_opsets = 3, newest_ir = 13;         // versions of the form of files
constexpr int64_t most = 1000;                         // versions grow by a few a year: a number above is damage

bool is_own(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

Status check_form(const ModelFile& model, std::vector<ModelNote>& out_notes) {
    const std::string version = std::to_string(model.ir_version);
    const std::string newest = std::to_string(newest_ir);
    if (model.ir_version < 0 || model.ir_version > most)
        return Error{Code::unsupported, "it says that its IR version is " + version + ", the newest is " + newest};
    if (model.ir_version > newest_ir)
        out_notes.push_back({"unknown_version", "its IR version is " + version + ", the newest that is known is " + newest,
                             "what it has beyond that is not looked at"});
    const bool says_opset =
        std::ranges::any_of(model.opset_imports, [](const OpsetImport& import) { return is_own(import.domain); });
    const bool needs_it = std::ranges::any_of(model.graphs, [](const Graph& graph) {
        return std::ranges::any_of(graph.nodes, [](const Node& node) { return is_own(node.domain); });
    });
    if (says_opset || !needs_it) return {};
    if (model.ir_version >= first_with_opsets)
        return Error{Code::unsupported, "it does not say of which version its operators are: opset_import has no ai.onnx", {},
                     "files of IR version " + std::to_string(first_with_opsets) + " and newer say it"};
    out_notes.push_back({"unknown_version", "it does not say of which version its operators are",
                         "they are taken as they are in 1"});
    return {};
}
} // namespace

int64_t version_of(std::string_view domain, const ModelFile& model, const Function* function) {
    if (domain == "ai.onnx") domain = "";
    for (const OpsetImport& import : function ? function->opset_imports : model.opset_imports)
        if (import.domain == domain || (domain.empty() && import.domain == "ai.onnx")) return import.version;
    return 1;
}

Status check_versions(const ModelFile& model, std::vector<ModelNote>& out_notes) {
    TRY(check_form(model, out_notes));
    for (const OpsetImport& import : model.opset_imports) {
        const std::optional<int64_t> newest = newest_version(import.domain);
        if (!newest) continue;
        const std::string domain(import.domain.empty() ? "ai.onnx" : import.domain), last = std::to_string(*newest);
        const std::string what = "it is of version " + std::to_string(import.version) + " of " + domain;
        if (import.version < 1 || import.version > most)
            return Error{Code::unsupported, what + ", versions go from 1 to " + last};
        if (import.version > *newest)
            out_notes.push_back({"unknown_version", what + ", the newest that is known is " + last,
                                 "its operators are taken as they are in " + last});
    }
    return {};
}
} // namespace nereus::onnx
