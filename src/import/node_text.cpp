#include "import/node_text.h"
#include "import/text_writer.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace nereus::onnx {
std::string real_text(double value, bool single) {
    if (std::isnan(value)) return "(0.0 / 0.0)";
    if (std::isinf(value)) return value > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)";
    char buffer[40];
    std::to_chars_result end = single ? std::to_chars(buffer, buffer + sizeof buffer, float(value)) : std::to_chars(buffer, buffer + sizeof buffer, value);
    std::string text(buffer, end.ptr);
    if (text.find_first_of(".e") == text.npos) text += ".0";
    return value < 0 ? "(" + text + ")" : text;
}
std::string integer_text(int64_t value) { return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value); }
std::string vector_text(std::span<const int64_t> values) {
    if (values.empty()) return "iota(0)";
    std::string out = "tensor([";
    for (size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
    return out + "])";
}

namespace {
std::string quoted(std::string_view text) {
    constexpr char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (char c : text) {
        const unsigned byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') out += '\\';
        if (byte < 0x20 || byte == 0x7f) out += std::string("\\x") + digits[byte / 16] + digits[byte % 16];
        else out += c;
    }
    return out + '"';
}
} // namespace
std::string text_text(std::string_view text) { return "tensor(" + quoted(text) + ")"; }
std::string texts_text(std::span<const std::string_view> texts) {
    if (texts.empty()) return "tensor([], shape=[0], kind=\"texts\")";
    std::string out;
    for (std::string_view text : texts) out += (out.empty() ? "tensor([" : ", ") + quoted(text);
    return out + "])";
}

namespace {
std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}
struct Spec { std::string_view name; std::optional<std::string_view> otherwise; };
// "x, b=0.0": the parts of a row's list. Texts that stand for what is left out have no comma.
std::vector<Spec> specs_of(std::string_view list) {
    std::vector<Spec> out;
    for (; !list.empty();) {
        const size_t end = std::min(list.find(','), list.size()), equals = list.find('=');
        const std::string_view one = list.substr(0, end);
        if (equals < end) out.push_back({trimmed(one.substr(0, equals)), trimmed(one.substr(equals + 1))});
        else out.push_back({trimmed(one), std::nullopt});
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return out;
}
} // namespace

NodeText::NodeText(TextWriter& writer, const Node& node, const OpRow& row, int64_t version)
    : writer_(writer), node_(node), call_(writer.call()), row_(row), version_(version) {}
bool NodeText::has(size_t i) const { return i < node_.inputs.size() && !node_.inputs[i].empty() && !writer_.is_absent(node_.inputs[i]); }
std::string NodeText::in(size_t i) {
    if (!has(i)) {
        refuse("input " + std::to_string(i) + " is left out");
        return "()";
    }
    return writer_.look_up(node_.inputs[i]);
}
const Attribute* NodeText::attribute(std::string_view name) const {
    for (const Attribute& a : node_.attributes) {
        if (a.name != name) continue;
        if (a.ref_name.empty()) return &a;
        if (!call_) return nullptr;
        if (const Attribute* given = call_->node.attribute(a.ref_name)) return given;
        for (const Attribute& otherwise : call_->function.default_attributes)
            if (otherwise.name == a.ref_name) return &otherwise;
    }
    return nullptr;
}
int64_t NodeText::integer(std::string_view name, int64_t otherwise) {
    const Attribute* a = attribute(name);
    if (!a) return otherwise;
    if (const int64_t* value = std::get_if<int64_t>(&a->value)) return *value;
    refuse("attribute '" + std::string(name) + "' is not an integer");
    return otherwise;
}
ElemType NodeText::elem_type(std::string_view name, ElemType otherwise) {
    const Result<ElemType> type = elem_type_of_number(integer(name, int(otherwise)));
    if (type) return *type;
    refuse("attribute '" + std::string(name) + "': " + type.error().message);
    return otherwise;
}
double NodeText::real(std::string_view name, double otherwise) {
    const Attribute* a = attribute(name);
    if (!a) return otherwise;
    if (const float* value = std::get_if<float>(&a->value)) return *value;
    refuse("attribute '" + std::string(name) + "' is not a number");
    return otherwise;
}
std::string_view NodeText::word(std::string_view name, std::string_view otherwise) {
    const Attribute* a = attribute(name);
    if (!a) return otherwise;
    if (const std::string_view* value = std::get_if<std::string_view>(&a->value)) return *value;
    refuse("attribute '" + std::string(name) + "' is not a text");
    return otherwise;
}
std::optional<std::vector<int64_t>> NodeText::integers(std::string_view name) {
    const Attribute* a = attribute(name);
    if (!a) return std::nullopt;
    if (const auto* values = std::get_if<std::vector<int64_t>>(&a->value)) return *values;
    refuse("attribute '" + std::string(name) + "' is not a list of integers");
    return std::nullopt;
}
std::optional<std::vector<float>> NodeText::reals(std::string_view name) {
    const Attribute* a = attribute(name);
    if (!a) return std::nullopt;
    if (const auto* values = std::get_if<std::vector<float>>(&a->value)) return *values;
    refuse("attribute '" + std::string(name) + "' is not a list of numbers");
    return std::nullopt;
}
std::optional<std::vector<std::string_view>> NodeText::words(std::string_view name) {
    const Attribute* a = attribute(name);
    if (!a) return std::nullopt;
    if (const auto* values = std::get_if<std::vector<std::string_view>>(&a->value)) return *values;
    refuse("attribute '" + std::string(name) + "' is not a list of texts");
    return std::nullopt;
}
const TensorData* NodeText::tensor(std::string_view name) {
    const Attribute* a = attribute(name);
    if (!a) return nullptr;
    if (const auto* values = std::get_if<std::vector<TensorData>>(&a->value); values && values->size() == 1) return &(*values)[0];
    refuse("attribute '" + std::string(name) + "' is not a tensor");
    return nullptr;
}
std::optional<GraphId> NodeText::graph(std::string_view name) {
    const Attribute* a = attribute(name);
    const auto* graphs = a ? std::get_if<std::vector<GraphId>>(&a->value) : nullptr;
    if (graphs && graphs->size() == 1) return (*graphs)[0];
    refuse("attribute '" + std::string(name) + "' is not a graph");
    return std::nullopt;
}
std::optional<ElemType> NodeText::input_type(size_t i) const {
    const TypeInfo* type = has(i) ? writer_.type(node_.inputs[i]) : nullptr;
    if (type) return type->elem;
    const TensorData* data = has(i) ? writer_.constant(node_.inputs[i]) : nullptr;
    return data ? std::optional(data->type) : std::nullopt;
}
std::optional<ElemType> NodeText::output_type(size_t i) const {
    const TypeInfo* type = wants(i) ? writer_.declared(node_.outputs[i]) : nullptr;
    return type ? std::optional(type->elem) : std::nullopt;
}
ElemType NodeText::takes(GraphId graph) const {
    const Graph& inner = writer_.model()[graph];
    return inner.inputs.empty() ? ElemType::undefined : inner.inputs[0].type.elem;
}
namespace {
template <class T> std::vector<int64_t> widened(const TensorData& data) {
    std::vector<T> values(data.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), data.bytes.data(), values.size() * sizeof(T));
    return {values.begin(), values.end()};
}
std::optional<std::vector<int64_t>> integers_in(const TensorData& data) {
    if (data.dims.size() > 1) return std::nullopt;
    if (data.type == ElemType::int32) return widened<int32_t>(data);
    if (data.type == ElemType::int64) return widened<int64_t>(data);
    return std::nullopt;
}
} // namespace
std::optional<std::vector<int64_t>> NodeText::constant_integers(size_t i) const { return has(i) ? constant_integers(node_.inputs[i]) : std::nullopt; }
std::optional<std::vector<int64_t>> NodeText::constant_integers(std::string_view name) const {
    int looks = 1000;                                  // lists of lists of lists may have any number of elements
    return constant_integers(name, 0, looks);
}
std::optional<std::vector<int64_t>> NodeText::constant_integers(std::string_view name, int depth, int& looks) const {
    constexpr int deepest = 8;                         // of what is looked through; files may go round in circles
    constexpr size_t most = 1 << 16;                   // elements of lists that are put together: a file may name one a million times
    constexpr std::string_view same_elements[] = {"Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Flatten"};
    if (const TensorData* data = writer_.constant(name)) return integers_in(*data);
    const Node* from = producer(name);
    if (!from || from == &node_ || depth == deepest || --looks < 0) return std::nullopt;
    if (from->op_type == "Constant") {
        for (const Attribute& a : from->attributes) {
            if (const auto* values = std::get_if<std::vector<int64_t>>(&a.value); values && a.name == "value_ints") return *values;
            if (const auto* value = std::get_if<int64_t>(&a.value); value && a.name == "value_int") return std::vector<int64_t>{*value};
        }
        return std::nullopt;
    }
    if (std::ranges::find(same_elements, from->op_type) != std::end(same_elements) && !from->inputs.empty()) {
        std::optional<std::vector<int64_t>> values = constant_integers(from->inputs[0], depth + 1, looks);
        if (from->op_type != "Cast" || !values) return values;
        const bool fits = std::ranges::all_of(*values, [](int64_t value) { return value == int32_t(value); });
        for (const Attribute& a : from->attributes)
            if (const auto* to = std::get_if<int64_t>(&a.value); to && a.name == "to" && (*to == int64_t(ElemType::int64) || (*to == int64_t(ElemType::int32) && fits))) return values;
        return std::nullopt;
    }
    if (from->op_type != "Concat") return std::nullopt;
    std::vector<int64_t> all;
    for (std::string_view part : from->inputs) {
        std::optional<std::vector<int64_t>> values = constant_integers(part, depth + 1, looks);
        if (!values || all.size() + values->size() > most) return std::nullopt;
        all.insert(all.end(), values->begin(), values->end());
    }
    return all;
}
std::optional<std::vector<double>> NodeText::constant_reals(size_t i) const {
    const TensorData* data = has(i) ? writer_.constant(node_.inputs[i]) : nullptr;
    if (!data || data->type != ElemType::float32 || data->dims.size() > 1) return std::nullopt;
    std::vector<float> values(data->bytes.size() / sizeof(float));
    if (!values.empty()) std::memcpy(values.data(), data->bytes.data(), values.size() * sizeof(float));
    return std::vector<double>(values.begin(), values.end());
}
const Node* NodeText::producer(std::string_view name) const { return writer_.producer(name); }
const Graph& NodeText::operator[](GraphId graph) const { return writer_.model()[graph]; }
std::string NodeText::value(std::string_view name) { return writer_.look_up(name); }
bool NodeText::decided_by_elements(size_t i) const {
    int looks = 1000;
    return has(i) && decided_by_elements(node_.inputs[i], 0, looks);
}
bool NodeText::decided_by_elements(std::string_view name, int depth, int& looks) const {
    constexpr int deepest = 32;
    constexpr std::string_view sizes[] = {"Shape", "Size", "Constant"}, choices[] = {"Where", "Max", "Min"};
    constexpr std::string_view arithmetic[] = {"Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Concat", "Slice", "Gather", "Split",
                                               "Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Floor", "Ceil", "Sqrt", "ReduceProd", "ConstantOfShape"};
    constexpr std::string_view of_the_first[] = {"Unsqueeze", "Squeeze", "Reshape", "Slice", "Gather", "Split", "ReduceProd"};
    auto is_among = [](const auto& names, std::string_view op) { return std::ranges::find(names, op) != std::end(names); };
    if (writer_.constant(name)) return false;
    const std::vector<ValueInfo>& inputs = writer_.model().main().inputs;
    const TypeInfo* type = writer_.type(name);
    if (std::ranges::any_of(inputs, [&](const ValueInfo& input) { return &input.type == type; })) return true;
    const Node* from = producer(name);
    if (!from || from == &node_ || depth == deepest || --looks < 0 || is_among(sizes, from->op_type)) return false;
    const bool chooses = is_among(choices, from->op_type);
    if (!chooses && !is_among(arithmetic, from->op_type)) return true;
    const size_t first = from->op_type == "Where" ? 1 : 0;
    for (size_t i = first; i < (is_among(of_the_first, from->op_type) ? 1 : from->inputs.size()); ++i) {
        if (from->inputs[i].empty()) continue;
        const std::optional<std::vector<int64_t>> known = chooses ? constant_integers(from->inputs[i]) : std::nullopt;
        if (known && std::ranges::any_of(*known, [](int64_t size) { return size < 1; })) return true;
        if (decided_by_elements(from->inputs[i], depth + 1, looks)) return true;
    }
    return false;
}
namespace {
bool is_a(const TypeInfo* type, TypeLayer::Kind kind) { return type && !type->layers.empty() && type->layers[0].kind == kind; }
} // namespace
bool NodeText::is_optional(size_t i) const {
    if (!has(i)) return false;
    const Node* from = producer(node_.inputs[i]);
    return is_a(writer_.type(node_.inputs[i]), TypeLayer::Kind::optional) || (from && from->op_type == "Optional");
}
bool NodeText::is_sequence(size_t i) const {
    constexpr std::string_view makers[] = {"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SplitToSequence", "SequenceMap"};
    if (!has(i)) return false;
    const Node* from = producer(node_.inputs[i]);
    return is_a(writer_.type(node_.inputs[i]), TypeLayer::Kind::sequence) || (from && std::ranges::find(makers, from->op_type) != std::end(makers));
}

std::string NodeText::named(std::string_view stem, const std::string& expression) {
    std::string name = writer_.temporary(stem);
    writer_.line(name + " = " + expression);
    return name;
}
std::string NodeText::fresh(std::string_view stem) { return writer_.temporary(stem); }
void NodeText::line(const std::string& statement) { writer_.line(statement); }
void NodeText::give(const std::string& expression) {
    std::string targets;
    for (size_t i = 0; i < node_.outputs.size(); ++i) targets += (i ? ", " : "") + (wants(i) ? writer_.bind(node_.outputs[i]) : "_");
    if (node_.outputs.size() != 1) targets = "(" + targets + ")";
    writer_.line(targets + " = " + expression);
}
void NodeText::give_each(const std::vector<std::string>& expressions) {
    for (size_t i = 0; i < node_.outputs.size(); ++i) {
        if (!wants(i)) continue;
        if (i >= expressions.size()) return refuse("it has " + std::to_string(node_.outputs.size()) + " outputs, expected at most " + std::to_string(expressions.size()));
        writer_.line(writer_.bind(node_.outputs[i]) + " = " + expressions[i]);
    }
}
void NodeText::know_output(const TensorData& data) { writer_.know_constant(node_.outputs[0], &data); }
std::string NodeText::weight(const TensorData& data, std::string_view stem) { return writer_.weight(data, stem); }
std::string NodeText::dense(std::string_view name) {
    const Attribute* a = attribute(name);
    const auto* values = a ? std::get_if<std::vector<SparseTensor>>(&a->value) : nullptr;
    if (values && values->size() == 1) return writer_.dense(values->front());
    refuse("attribute '" + std::string(name) + "' is not a sparse tensor");
    return "()";
}

namespace {
template <class T> std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}
} // namespace
std::string NodeText::table(std::string_view stem, std::vector<int64_t> dims, const std::vector<int64_t>& values) {
    return writer_.table(ElemType::int64, std::move(dims), bytes_of(values), stem);
}
std::string NodeText::table(std::string_view stem, std::vector<int64_t> dims, const std::vector<float>& values) {
    return writer_.table(ElemType::float32, std::move(dims), bytes_of(values), stem);
}
std::string NodeText::table(std::string_view stem, std::vector<int64_t> dims, const std::vector<double>& values) {
    return writer_.table(ElemType::float64, std::move(dims), bytes_of(values), stem);
}

std::string NodeText::block(GraphId graph, std::span<const std::string> parameters, const std::function<std::string(const std::vector<std::string>&)>& end) {
    const Graph& inner = writer_.model()[graph];
    if (parameters.size() != inner.inputs.size()) {
        refuse("graph '" + std::string(inner.name) + "' takes " + std::to_string(inner.inputs.size()) + " values, expected " + std::to_string(parameters.size()));
        return "{ () }";
    }
    TextWriter::Inner around = std::exchange(writer_.inner(), {.place = writer_.looks().inside(writer_.inner().place, node_, &inner)});
    Result<std::string> text = writer_.block([&]() -> Result<std::string> {
        TRY(writer_.enter(inner));
        for (size_t i = 0; i < parameters.size(); ++i) {
            const bool is_name = parameters[i].find_first_of("( [.") == std::string::npos;       // what is computed is computed once
            if (is_name) writer_.name(inner.inputs[i].name, parameters[i]);
            else writer_.line(writer_.bind(inner.inputs[i].name) + " = " + parameters[i]);
        }
        TRY(writer_.nodes(inner.nodes));
        writer_.see_all();
        std::vector<std::string> outputs;
        for (const ValueInfo& output : inner.outputs) outputs.push_back(writer_.look_up(output.name));
        return end(outputs);
    });
    writer_.inner() = std::move(around);
    if (text) return *text;
    if (status_) status_ = std::move(text).error();
    return "{ () }";
}

const std::vector<int>& NodeText::looks_in(GraphId graph) const {
    return writer_.looks().out_of(writer_.looks().inside(writer_.inner().place, node_, &writer_.model()[graph]));
}
std::string NodeText::seen(int number) const {
    auto it = writer_.inner().seen.find(number);
    return it == writer_.inner().seen.end() ? "()" : it->second;
}
void NodeText::pass_on(int number, std::string text) { writer_.inner().seen[number] = std::move(text); }

void NodeText::refuse(std::string why) {
    if (status_) status_ = Error{Code::unsupported, std::move(why)};
}

// $name in the form: an input, or an attribute.
std::string NodeText::filled() {
    const std::vector<Spec> inputs = specs_of(row_.inputs), attributes = specs_of(row_.attributes);
    if (node_.inputs.size() > inputs.size())
        refuse("it has " + std::to_string(node_.inputs.size()) + " inputs, expected at most " + std::to_string(inputs.size()));
    auto part = [&](std::string_view name) -> std::string {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i].name == name) return has(i) || !inputs[i].otherwise ? in(i) : std::string(*inputs[i].otherwise);
        for (const Spec& spec : attributes)
            if (spec.name == name) return attribute_text(name, spec.otherwise);
        invariant(false, "a row names what it does not have");
        return {};
    };
    std::string out;
    for (size_t i = 0; i < row_.form.size(); ++i) {
        if (row_.form[i] != '$') {
            out += row_.form[i];
            continue;
        }
        size_t end = i + 1;
        while (end < row_.form.size() && (std::isalnum(static_cast<unsigned char>(row_.form[end])) || row_.form[end] == '_')) ++end;
        out += part(row_.form.substr(i + 1, end - i - 1));
        i = end - 1;
    }
    return out;
}
std::string NodeText::attribute_text(std::string_view name, std::optional<std::string_view> otherwise) {
    const Attribute* a = attribute(name);
    const bool is_word = otherwise && otherwise->find('|') != otherwise->npos;
    if (is_word) {
        std::string_view rest = *otherwise, value = word(name, otherwise->substr(0, otherwise->find('|')));
        for (int place = 0;; ++place) {
            const size_t end = std::min(rest.find('|'), rest.size());
            if (rest.substr(0, end) == value) return std::to_string(place);
            if (end == rest.size()) break;
            rest.remove_prefix(end + 1);
        }
        refuse("attribute '" + std::string(name) + "' is '" + std::string(value) + "', expected one of " + std::string(*otherwise));
        return "0";
    }
    if (!a) {
        if (!otherwise) refuse("attribute '" + std::string(name) + "' is missing");
        return std::string(otherwise.value_or("()"));
    }
    if (const int64_t* value = std::get_if<int64_t>(&a->value)) return integer_text(*value);
    if (const float* value = std::get_if<float>(&a->value)) return real_text(double(*value), true);
    if (const auto* values = std::get_if<std::vector<int64_t>>(&a->value)) return vector_text(*values);
    refuse("attribute '" + std::string(name) + "' is " + std::string(attribute_type_name(a->type)) + ", which is not expected");
    return "()";
}

Status NodeText::run() {
    if (node_.outputs.empty()) refuse("it gives nothing");
    else if (row_.write) row_.write(*this);
    else give(filled());
    return std::move(status_);
}
} // namespace nereus::onnx
