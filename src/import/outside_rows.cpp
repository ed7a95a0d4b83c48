// Operators of models that plug-ins registered (plugin/plugin.h): a call of the operator under its name in the language.
#include "import/node_text.h"
#include "plugin/plugin.h"
#include <map>
#include <mutex>

namespace nereus::onnx {
namespace {
const PluginOp* find(std::string_view domain, std::string_view name, int64_t version) {
    const PluginOp* found = nullptr;
    for (const PluginOp* op : plugin_ops()) {
        const std::string_view own = op->onnx_domain == "ai.onnx" ? "" : std::string_view(op->onnx_domain);
        if (op->onnx_name == name && own == domain && op->onnx_since <= version && (!found || op->onnx_since > found->onnx_since)) found = op;
    }
    return found;
}

std::string attribute_text(NodeText& n, const PluginAttribute& a) {
    if (const int64_t* number = std::get_if<int64_t>(&a.value)) return integer_text(n.integer(a.name, *number));
    if (const bool* truth = std::get_if<bool>(&a.value)) return n.integer(a.name, *truth) ? "true" : "false";
    PluginAttribute given = a;
    if (std::vector<int64_t>* list = std::get_if<std::vector<int64_t>>(&given.value))
        if (std::optional<std::vector<int64_t>> written = n.integers(a.name)) *list = std::move(*written);
    if (std::string* text = std::get_if<std::string>(&given.value)) *text = std::string(n.word(a.name, *text));
    return attributes_text({given}).substr(a.name.size() + 1);
}

void write_outside(NodeText& n) {
    std::string_view domain = n.node().domain;
    const PluginOp& op = *find(domain == "ai.onnx" ? "" : domain, n.node().op_type, n.version());
    std::string call = op.name + "(";
    size_t next = 0;
    for (const PluginInput& input : op.inputs) {
        call += call.ends_with("(") ? "" : ", ";
        if (!input.otherwise) call += n.in(next++);
        else if (input.otherwise->find_first_of(".e") == std::string::npos) call += integer_text(n.integer(input.name, std::strtoll(input.otherwise->c_str(), nullptr, 10)));
        else call += real_text(n.real(input.name, std::strtod(input.otherwise->c_str(), nullptr)), true);
    }
    if (n.input_count() > next) n.refuse("it has " + std::to_string(n.input_count()) + " inputs, the operator from outside " + std::to_string(next));
    for (const PluginAttribute& a : op.attributes) call += (call.ends_with("(") ? "" : ", ") + a.name + "=" + attribute_text(n, a);
    call += ")";
    if (op.outputs == 1) return n.give_each({call});
    const std::string all = n.named("all", call);
    std::vector<std::string> each;
    for (size_t i = 0; i < op.outputs; ++i) each.push_back(all + "." + std::to_string(i));
    n.give_each(each);
}
} // namespace

const OpRow* outside_row(std::string_view domain, std::string_view name, int64_t version) {
    static std::mutex mutex;
    static std::map<const PluginOp*, OpRow> rows;
    const PluginOp* op = find(domain, name, version);
    if (!op) return nullptr;
    std::scoped_lock lock(mutex);
    return &rows.try_emplace(op, OpRow{op->onnx_name, op->onnx_since, "", "", "", write_outside, op->onnx_domain}).first->second;
}
} // namespace nereus::onnx
