#include "cli/program_facts.h"
#include "cli/json_object.h"
#include "import/node_title.h"
#include "import/text_writer.h"
#include "ir/op.h"
#include <algorithm>

namespace nereus {
void ProgramFacts::add_model(const SourceProgram& program) {
    const onnx::ModelFile& file = *program.file;
    about = "ONNX";
    for (const onnx::OpsetImport& opset : file.opset_imports)
        about += (&opset == &file.opset_imports[0] ? " of opset " : ", ") + (opset.domain.empty() ? "" : std::string(opset.domain) + " ") + std::to_string(opset.version);
    if (!file.producer_name.empty()) about += ", by " + std::string(file.producer_name) + (file.producer_version.empty() ? "" : " " + std::string(file.producer_version));
    int64_t weights = 0, constants = 0, count = 0;
    for (const onnx::Graph& graph : file.graphs) {
        for (const onnx::TensorData& data : graph.initializers) weights += std::ssize(data.bytes), ++count;
        for (const onnx::Node& node : graph.nodes)
            for (const onnx::Attribute& a : node.attributes)
                if (const auto* tensors = std::get_if<std::vector<onnx::TensorData>>(&a.value); tensors && node.op_type == "Constant")
                    for (const onnx::TensorData& data : *tensors) constants += std::ssize(data.bytes);
    }
    sizes.push_back({"weights", weights});
    sizes.push_back({"constants", constants});
    counts.push_back({"weights", count});
    counts.push_back({"graphs inside", std::ssize(file.graphs) - 1});
    counts.push_back({"functions", std::ssize(file.functions)});
}

namespace {
PortFacts port_of(const NamedType& named, Dynamism& dynamism) {
    PortFacts port{.name = named.name, .type = named.text};
    const Type& type = dynamism.module().types[named.type];
    if (type.kind != TypeKind::tensor) return port;
    port.dtype = dtype_name(*type.element.dtype);
    if (!type.shape.ranked) return port;
    port.shape.emplace();
    for (Dim dim : type.shape.dims) port.shape->push_back(dynamism.dim_text(dim));
    return port;
}
// Operators of a program in the language: one whose result has a size of its own decides it.
void add_operators(ProgramFacts& facts, const Module& module) {
    std::map<std::string_view, OperatorFacts> found;
    for (const Function& function : module.functions)
        for (const Binding& b : function.bindings) {
            if (b.form != Form::op) continue;
            OperatorFacts& op = found[b.op->name];
            const bool takes_sizes = std::ranges::any_of(b.op->params, [](const OpParam& p) { return p.kind == ParamKind::size || p.kind == ParamKind::sizes; });
            op.name = b.op->name;
            op.declared = b.op->name == "shape_of" ? 1 : takes_sizes ? 3 : 2;
            const Type& type = module.types[function[b.results[0]].type];
            const bool decides = std::ranges::any_of(b.defines, [&](Sym symbol) {
                return std::ranges::any_of(type.shape.dims, [&](Dim dim) { return std::ranges::count(module.dims.symbols_of(dim), symbol) > 0; });
            });
            ++op.nodes;
            ++op.compiled[decides ? (takes_sizes ? 3 : 4) : op.declared == 1 ? 1 : 2];
        }
    for (auto& [name, op] : found) facts.operators.push_back(std::move(op));
}
// Inputs that an initializer is the default of. Before version 4 of the format every initializer had to be an input.
void add_defaults(std::vector<PortFacts>& ports, const onnx::ModelFile& file) {
    constexpr int64_t since = 4;
    for (const onnx::ValueInfo& input : file.main().inputs) {
        const onnx::TensorData* data = file.main().initializer(input.name);
        if (!data || file.ir_version < since) continue;
        PortFacts port{.name = std::string(input.name), .type = "Tensor[(", .dtype = std::string(onnx::dtype_text(data->type)), .shape = std::vector<std::string>(), .has_default = true};
        for (size_t i = 0; i < data->dims.size(); ++i) {
            const onnx::Dim declared = input.type.shape && i < input.type.shape->size() ? (*input.type.shape)[i] : onnx::Dim(data->dims[i]);
            const std::string_view* name = std::get_if<std::string_view>(&declared);
            port.shape->push_back(name && !name->empty() ? std::string(*name) : std::to_string(data->dims[i]));
            port.type += (i ? ", " : "") + port.shape->back();
        }
        port.type += "), " + port.dtype + "]";
        ports.push_back(std::move(port));
    }
}
} // namespace

void ProgramFacts::add_shapes(Dynamism& dynamism, const SourceProgram& program) {
    for (const NamedType& each : dynamism.inputs()) inputs.push_back(port_of(each, dynamism));
    if (program.file) add_defaults(inputs, *program.file);
    for (const NamedType& each : dynamism.outputs()) outputs.push_back(port_of(each, dynamism));
    symbols = dynamism.symbols();
    if (!program.file) return add_operators(*this, dynamism.module());
    std::map<std::pair<std::string_view, std::string_view>, OperatorFacts> found;
    for (const NodeDynamism& node : dynamism.nodes()) {
        OperatorFacts& op = found[{node.node->domain, node.node->op_type}];
        op.domain = node.node->domain, op.name = node.node->op_type, op.declared = node.declared;
        ++op.nodes, ++op.compiled[node.compiled];
        nodes.push_back({op.name, std::string(node.node->name), node.compiled, node.outputs});
        if (node.compiled >= 3) decided.push_back({onnx::node_title(*node.node), op.name, std::string(node.node->name), node.compiled, node.output, node.type, node.decided_by});
    }
    for (auto& [key, op] : found) operators.push_back(std::move(op));
}

namespace {
constexpr size_t most_shown = 12;                // of what there may be hundreds; --json has all
std::string and_more(size_t count) { return count > most_shown ? "  … and " + std::to_string(count - most_shown) + " more, which --json lists\n" : ""; }
std::string padded(std::string text, size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
}
std::string right(const std::string& text, size_t width) { return std::string(width - std::min(width, text.size()), ' ') + text; }
// A column as wide as what stands in it, up to a limit.
template <class Rows, class Text> size_t width_of(const Rows& rows, const Text& text) {
    size_t width = 0;
    for (const auto& row : rows) width = std::max(width, text(row).size());
    return std::min<size_t>(width, 48);
}
std::string bytes_text(int64_t bytes) {
    constexpr std::string_view units[] = {"kB", "MB", "GB"};
    char shown[40];
    double number = double(bytes);
    int unit = -1;
    while (number >= 1000 && unit < 2) number /= 1000, ++unit;
    if (unit < 0) return "";
    std::snprintf(shown, sizeof shown, "  (%.1f %s)", number, std::string(units[unit]).c_str());
    return shown;
}
std::string decided_text(const DecidedNode& node) {
    std::string text = std::to_string(node.compiled) + "  " + node.text;
    if (!node.output.empty()) text += ": '" + node.output + "' is " + node.type;
    std::string by;
    for (const std::string& name : node.decided_by) by += (by.empty() ? " '" : ", '") + name + "'";
    if (!by.empty()) text += ", by" + by;
    return text;
}
std::string origin_text(const SymbolOrigin& symbol) {
    if (symbol.kind == "input") return symbol.from;
    return (symbol.kind == "host" ? "a number from " : symbol.kind == "late" ? "known after " : "either way of ") + symbol.from;
}
} // namespace

std::string ProgramFacts::text() const {
    std::string out = path + (about.empty() ? "" : ": " + about) + "\n";
    const size_t names = std::max(width_of(inputs, [](const PortFacts& p) { return p.name; }), width_of(outputs, [](const PortFacts& p) { return p.name; }));
    for (const auto& [title, ports] : {std::pair("inputs", &inputs), std::pair("outputs", &outputs)}) {
        out += std::string("\n") + title + "\n";
        for (const PortFacts& port : *ports) out += "  " + padded(port.name, names) + "  " + port.type + (port.has_default ? ", with a default" : "") + "\n";
    }
    const std::span<const SymbolOrigin> first(symbols.data(), std::min(symbols.size(), most_shown));         // those of inputs come first
    const size_t symbol_names = width_of(first, [](const SymbolOrigin& s) { return s.name; });
    if (!symbols.empty()) out += "\nsymbols\n";
    for (const SymbolOrigin& symbol : first) {
        const std::string from = origin_text(symbol);
        out += "  " + (from.empty() ? symbol.name : padded(symbol.name, symbol_names) + "  " + from) + "\n";
    }
    out += and_more(symbols.size());
    auto op_name = [](const OperatorFacts& op) { return (op.domain.empty() ? "" : op.domain + ".") + op.name; };
    const size_t op_names = std::max<size_t>(width_of(operators, op_name), 7);
    int64_t nodes = 0;
    std::map<int, int64_t> classes;
    if (!operators.empty()) out += "\n" + padded("operators", op_names + 2) + "  nodes  class\n";
    for (const OperatorFacts& op : operators) {
        std::string by_class;
        for (const auto& [number, count] : op.compiled) {
            by_class += (by_class.empty() ? "" : ", ") + std::to_string(number) + (op.compiled.size() > 1 ? " (" + std::to_string(count) + ")" : "");
            classes[number] += count;
        }
        const bool is_demoted = op.declared >= 3 && op.compiled.contains(2);
        nodes += op.nodes;
        out += "  " + padded(op_name(op), op_names) + "  " + right(std::to_string(op.nodes), 5) + "  " + by_class + (is_demoted ? ", else " + std::to_string(op.declared) : "") + "\n";
    }
    if (!operators.empty()) {
        out += "  " + padded("all", op_names) + "  " + right(std::to_string(nodes), 5) + "  ";
        for (const auto& [number, count] : classes) out += (number == classes.begin()->first ? "" : ", ") + std::to_string(number) + " (" + std::to_string(count) + ")";
        out += "\n";
    }
    if (!decided.empty()) out += "\ndecided when it runs\n";
    for (size_t i = 0; i < std::min(decided.size(), most_shown); ++i) out += "  " + decided_text(decided[i]) + "\n";
    out += and_more(decided.size());
    const size_t size_names = std::max(width_of(sizes, [](const NamedNumber& n) { return n.name; }), width_of(counts, [](const NamedNumber& n) { return n.name; }));
    out += "\nbytes\n";
    for (const NamedNumber& size : sizes) out += "  " + padded(size.name, size_names) + "  " + right(std::to_string(size.number), 12) + bytes_text(size.number) + "\n";
    if (!no_peak.empty()) out += "  " + padded("peak of a call", size_names) + "  not predicted: " + no_peak + "\n";
    if (!counts.empty()) out += "\ncounts\n";
    for (const NamedNumber& count : counts)
        if (count.number > 0) out += "  " + padded(count.name, size_names) + "  " + right(std::to_string(count.number), 12) + "\n";
    if (!warnings.empty()) out += "\nwarnings\n";
    for (const LintWarning& warning : warnings) out += "  " + (warning.node.empty() ? "" : warning.node + ": ") + warning.message + "\n    hint: " + warning.hint + "\n";
    return out;
}

std::string ProgramFacts::nodes_text() const {
    const size_t ops = std::max<size_t>(width_of(nodes, [](const NodeFacts& n) { return n.op; }), 8),
                 names = std::max<size_t>(width_of(nodes, [](const NodeFacts& n) { return n.name; }), 4);
    size_t values = 6;
    for (const NodeFacts& node : nodes)
        values = std::max(values, width_of(node.outputs, [](const NodeDynamism::Output& o) { return o.name; }));
    std::string out = "class  " + padded("operator", ops) + "  " + padded("name", names) + "  " +
                      padded("output", values) + "  type\n";
    for (const NodeFacts& node : nodes) {
        std::string left = right(std::to_string(node.compiled), 5) + "  " + padded(node.op, ops) + "  " +
                           padded(node.name, names) + "  ";
        if (node.outputs.empty()) out += left + "\n";
        for (const NodeDynamism::Output& output : node.outputs) {
            out += left + padded(output.name, values) + "  " + (output.type.empty() ? "not needed" : output.type) +
                   "\n";
            left = std::string(left.size(), ' ');
        }
    }
    return out;
}

std::string ProgramFacts::lint_text() const {
    std::string out;
    for (const LintWarning& warning : warnings) out += path + ": " + warning.rule + ": " + (warning.node.empty() ? "" : warning.node + ": ") + warning.message + "; " + warning.hint + "\n";
    return out;
}

namespace {
std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}
bool is_number(const std::string& text) { return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }); }
std::string ports_json(const std::vector<PortFacts>& ports) {
    std::vector<std::string> items;
    for (const PortFacts& port : ports) {
        JsonObject json;
        json.add("name", port.name).add("type", port.type);
        if (!port.dtype.empty()) json.add("dtype", port.dtype);
        if (port.shape) {
            std::vector<std::string> extents;
            for (const std::string& size : *port.shape) extents.push_back(is_number(size) ? size : quoted(size));
            json.add_raw("shape", json_list(extents));
        }
        if (port.has_default) json.add_raw("default", "true");
        items.push_back(json.text());
    }
    return json_list(items);
}
std::string numbers_json(const std::vector<NamedNumber>& numbers) {
    JsonObject json;
    for (const NamedNumber& each : numbers) {
        std::string key = each.name;
        std::ranges::replace(key, ' ', '_');
        json.add(key, each.number);
    }
    return json.text();
}
} // namespace

std::string ProgramFacts::nodes_json() const {
    std::vector<std::string> items;
    for (const NodeFacts& node : nodes) {
        std::vector<std::string> outputs;
        for (const NodeDynamism::Output& output : node.outputs)
            outputs.push_back(JsonObject().add("name", output.name).add("type", output.type).text());
        items.push_back(JsonObject()
                            .add("op", node.op)
                            .add("name", node.name)
                            .add("class", int64_t(node.compiled))
                            .add_raw("outputs", json_list(outputs))
                            .text());
    }
    return JsonObject().add("path", path).add_raw("nodes", json_list(items)).text() + "\n";
}

std::string ProgramFacts::json() const {
    std::vector<std::string> symbol_items, operator_items, node_items, warning_items;
    for (const SymbolOrigin& symbol : symbols) symbol_items.push_back(JsonObject().add("name", symbol.name).add("kind", symbol.kind).add("from", symbol.from).text());
    for (const OperatorFacts& op : operators) {
        JsonObject classes;
        for (const auto& [number, count] : op.compiled) classes.add(std::to_string(number), count);
        operator_items.push_back(JsonObject().add("domain", op.domain).add("op", op.name).add("nodes", op.nodes).add("class", int64_t(op.declared)).add_raw("compiled", classes.text()).text());
    }
    for (const DecidedNode& node : decided) {
        std::vector<std::string> by;
        for (const std::string& name : node.decided_by) by.push_back(quoted(name));
        node_items.push_back(JsonObject().add("node", node.name).add("op", node.op).add("class", int64_t(node.compiled)).add("output", node.output).add("type", node.type).add_raw("decided_by", json_list(by)).text());
    }
    for (const LintWarning& warning : warnings)
        warning_items.push_back(JsonObject().add("rule", warning.rule).add("node", warning.node).add("message", warning.message).add("hint", warning.hint).text());
    JsonObject json;
    json.add("path", path).add("about", about).add_raw("inputs", ports_json(inputs)).add_raw("outputs", ports_json(outputs));
    json.add_raw("symbols", json_list(symbol_items)).add_raw("operators", json_list(operator_items)).add_raw("decided", json_list(node_items));
    json.add_raw("bytes", numbers_json(sizes)).add_raw("counts", numbers_json(counts)).add_raw("warnings", json_list(warning_items));
    return json.text() + "\n";
}
} // namespace nereus
