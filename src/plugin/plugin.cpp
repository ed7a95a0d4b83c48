#include "plugin/plugin.h"
#include <algorithm>
#include <deque>
#include <mutex>

namespace nereus {
namespace {
struct Table {
    std::mutex mutex;
    std::deque<PluginOp> ops;                // never moved, never let go
};
Table& table() {
    static Table made;
    return made;
}

Error refused(const std::string& name, const std::string& why) { return Error{Code::usage, "operator '" + name + "' from outside: " + why}; }
std::string text_of(const char* text) { return text ? text : ""; }

Result<std::vector<PluginInput>> parse_inputs(const std::string& name, std::string_view list) {
    std::vector<PluginInput> out;
    auto trimmed = [](std::string_view part) {
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        return std::string(part);
    };
    while (!list.empty()) {
        const std::string_view one = list.substr(0, list.find(','));
        const size_t equals = one.find('=');
        PluginInput input{trimmed(one.substr(0, equals)), {}};
        if (equals != one.npos) input.otherwise = trimmed(one.substr(equals + 1));
        if (!is_plain_name(input.name)) return refused(name, "'" + input.name + "' is no name of an input");
        for (const PluginInput& other : out)
            if (other.name == input.name) return refused(name, "input '" + input.name + "' is there twice");
        out.push_back(std::move(input));
        list.remove_prefix(std::min(one.size() + 1, list.size()));
    }
    return out;
}

Result<PluginOp> read_op(const nereus_plugin_op& op) {
    if (op.struct_size < sizeof op) return Error{Code::usage, "an operator from outside: struct_size is not that of nereus_plugin_op"};
    PluginOp made{.name = text_of(op.name), .doc = text_of(op.doc), .types = text_of(op.types), .inputs = {}, .attributes = {},
                  .onnx_domain = text_of(op.onnx_domain), .onnx_name = text_of(op.onnx_name), .onnx_since = op.onnx_since, .described = op, .texts = {}};
    if (!is_plain_name(made.name) || !(made.name[0] >= 'a' && made.name[0] <= 'z'))
        return refused(made.name, "a name has lower-case letters, digits and _, and begins with a letter");
    if (!op.infer || !op.kernel) return refused(made.name, "infer and kernel must be there");
    if (made.types.empty()) return refused(made.name, "types must be there, as in \"float a: a -> a\"");
    const size_t gives = std::min(made.types.rfind("->"), made.types.size());
    made.outputs += size_t(std::count(made.types.begin() + std::ptrdiff_t(gives), made.types.end(), ','));
    made.inputs = TRY(parse_inputs(made.name, text_of(op.inputs)));
    if (made.inputs.size() > most_plugin_inputs) return refused(made.name, "it has more than " + std::to_string(most_plugin_inputs) + " inputs");
    Result<PluginAttributes> attributes = parse_attributes(text_of(op.attributes));
    if (!attributes) return refused(made.name, attributes.error().message);
    made.attributes = std::move(*attributes);
    return made;
}
} // namespace

Status add_plugin_op(const nereus_plugin_op& op) {
    PluginOp made = TRY(read_op(op));
    Table& all = table();
    std::scoped_lock lock(all.mutex);
    for (const PluginOp& other : all.ops) {
        if (other.name == made.name) return refused(made.name, "an operator of this name is registered already");
        if (!made.onnx_name.empty() && other.onnx_name == made.onnx_name && other.onnx_domain == made.onnx_domain && other.onnx_since == made.onnx_since)
            return refused(made.name, "'" + other.name + "' is " + made.onnx_domain + "." + made.onnx_name + " of that version already");
    }
    PluginOp& kept = all.ops.emplace_back(std::move(made));
    nereus_plugin_op& d = kept.described;                // its texts are ours from here on
    const char** const texts[] = {&d.name, &d.doc, &d.inputs, &d.attributes, &d.types, &d.onnx_domain, &d.onnx_name};
    kept.texts.reserve(std::size(texts));
    for (const char** text : texts)
        if (*text) *text = kept.texts.emplace_back(*text).c_str();
    return {};
}

std::vector<const PluginOp*> plugin_ops() {
    Table& all = table();
    std::scoped_lock lock(all.mutex);
    std::vector<const PluginOp*> out;
    for (const PluginOp& op : all.ops) out.push_back(&op);
    return out;
}

const PluginOp* find_plugin_op(std::string_view name) {
    Table& all = table();
    std::scoped_lock lock(all.mutex);
    for (const PluginOp& op : all.ops)
        if (op.name == name) return &op;
    return nullptr;
}
} // namespace nereus
