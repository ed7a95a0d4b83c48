#include "import/text_writer.h"
#include "import/node_text.h"
#include "import/node_title.h"
#include "import/offered.h"
#include "import/versions.h"
#include "text/lexer.h"
#include <algorithm>
#include <cctype>
#include <charconv>

namespace nereus::onnx {
namespace {
bool is_cast_to_i32(const Node& node) {
    return node.op_type == "Cast" && std::ranges::any_of(node.attributes, [](const Attribute& a) {
               const int64_t* to = std::get_if<int64_t>(&a.value);
               return a.name == "to" && to && *to == int64_t(ElemType::int32);
           });
}

constexpr int deepest = 64;                            // graphs in graphs, calls in calls; the language takes far fewer loops
constexpr size_t most_nodes = 1'000'000;               // functions that call functions may double them at each step

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct TypeRow { ElemType type; std::string_view name; };
constexpr TypeRow types[] = {
    {ElemType::boolean, "bool"}, {ElemType::int8, "i8"},      {ElemType::int16, "i16"},   {ElemType::int32, "i32"},
    {ElemType::int64, "i64"},    {ElemType::uint8, "u8"},     {ElemType::uint16, "u16"},  {ElemType::uint32, "u32"},
    {ElemType::uint64, "u64"},   {ElemType::float16, "f16"},  {ElemType::bfloat16, "bf16"}, {ElemType::float32, "f32"},
    {ElemType::float64, "f64"},
    {ElemType::float8e4m3fn, "f8e4m3fn"},
    {ElemType::float8e4m3fnuz, "f8e4m3fnuz"},
    {ElemType::float8e5m2, "f8e5m2"},
    {ElemType::float8e5m2fnuz, "f8e5m2fnuz"},
    {ElemType::float8e8m0, "f8e8m0"},
    {ElemType::float4e2m1, "f4e2m1"},
    {ElemType::int4, "i4"},
    {ElemType::uint4, "u4"},
    {ElemType::int2, "i2"},
    {ElemType::uint2, "u2"},
    {ElemType::string, "str"},
};
} // namespace

std::string_view dtype_text(ElemType type) {
    for (const TypeRow& row : types)
        if (row.type == type) return row.name;
    return {};
}

std::string Names::fresh(std::string_view wish, std::string_view otherwise) {
    std::string name;
    for (char c : wish.substr(0, 60)) {
        const bool stays = is_letter(c) || is_digit(c);
        if (stays || (!name.empty() && name.back() != '_')) name += stays ? c : '_';
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty() || !std::islower(static_cast<unsigned char>(name[0]))) name = std::string(otherwise) + (name.empty() ? "" : "_" + name);
    auto [it, is_new] = used_.try_emplace(name, 1);
    while (!is_new) {                                  // name_2 may be a name of its own
        std::string next = name + "_" + std::to_string(++it->second);
        if (used_.try_emplace(next, 1).second) return next;
    }
    return name;
}

std::string TextWriter::bounded(std::string size) {
    if (casts_to_i32_) facts_ += (facts_.empty() ? " where " : ", ") + size + " < 2147483648";
    return size;
}
// What exporters write for a size that they do not name: it may stand for several.
bool is_placeholder(std::string_view param) {
    return param == "None" || param == "none" || std::ranges::none_of(param, [](unsigned char c) { return std::isalpha(c) || c >= 0x80; });
}
std::string TextWriter::dim_text(const Dim& dim) {
    if (options_.symbolic) return bounded(dims_.fresh("d", "d"));
    if (const int64_t* number = std::get_if<int64_t>(&dim); number && *number >= 0) return std::to_string(*number);
    const std::string_view* param = std::get_if<std::string_view>(&dim);
    if (!param || is_placeholder(*param)) return bounded(dims_.fresh("d", "d"));
    if (options_.apart) {
        std::string size = dims_.fresh(*param, "d");
        if (is_keyword(size)) size = dims_.fresh("d_" + size, "d");
        dim_names_.try_emplace(*param, size);          // the first is the one that --dim gives
        return bounded(std::move(size));
    }
    auto expression = size_expressions_.find(*param);
    if (expression == size_expressions_.end()) return size_name(*param);
    return bounded(expression->second.text([&](std::string_view name) { return size_name(name); }));
}
std::string TextWriter::size_name(std::string_view param) {
    auto [it, is_new] = dim_names_.try_emplace(param);
    if (!is_new) return it->second;
    std::string name = dims_.fresh(param, "d");
    if (is_keyword(name)) name = dims_.fresh("d_" + name, "d");
    it->second = bounded(std::move(name));
    return it->second;
}

// Elements of a sequence may differ in the sizes that the file has one name for.
static bool is_in_sequence(const TypeInfo& type) {
    return std::ranges::any_of(type.layers, [](const TypeLayer& layer) { return layer.kind == TypeLayer::Kind::sequence; });
}
Result<std::string> TextWriter::type_text(const TypeInfo& type) {
    std::string before, after;
    for (const TypeLayer& layer : type.layers) {
        if (layer.kind == TypeLayer::Kind::map) {
            const std::string_view key = dtype_text(layer.key), value = dtype_text(type.elem);
            if (&layer != &type.layers.back() || type.leaf != TypeInfo::Leaf::tensor || key.empty() || value.empty() || (type.shape && !type.shape->empty()))
                return Error{Code::unsupported, "it is a map to something other than one number or text"};
            const std::string size = is_in_sequence(type) ? "?" : bounded(dims_.fresh("keys", "d"));
            return before + "(Tensor[(" + size + "), " + std::string(key) + "], Tensor[(" + size + "), " + std::string(value) + "])" + after;
        }
        before += layer.kind == TypeLayer::Kind::sequence ? "Seq[" : "Option[";
        after += "]";
    }
    if (type.leaf != TypeInfo::Leaf::tensor) return Error{Code::unsupported, "its type is not that of a tensor"};
    const std::string_view dtype = dtype_text(type.elem);
    if (dtype.empty()) return Error{Code::unsupported, "its elements are " + std::string(onnx_type_name(type.elem))};
    return before + "Tensor[" + (is_in_sequence(type) ? rank_text(type) : shape_text(type)) + ", " + std::string(dtype) + "]" + after;
}
std::string TextWriter::rank_text(const TypeInfo& type) const {
    if (!type.shape || options_.unranked) return "..";
    std::string out = "(";
    for (size_t i = 0; i < type.shape->size(); ++i) out += i ? ", ?" : "?";
    return out + ")";
}
std::string TextWriter::shape_text(const TypeInfo& type) {
    if (!type.shape || options_.unranked || (options_.apart && type.shape->empty())) return "..";
    std::string out = "(";
    for (const Dim& dim : *type.shape) out += (out.size() > 1 ? ", " : "") + dim_text(dim);
    return out + ")";
}

const TextWriter::Known* TextWriter::find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (auto it = scope->find(name); it != scope->end() && (!it->second.text.empty() || it->second.is_absent)) return &it->second;
        if (scope->is_function) break;
    }
    return nullptr;
}
std::string TextWriter::look_up(std::string_view name) {
    if (const Known* known = find(name)) return known->text;
    if (missing_) missing_ = Error{Code::name, "nothing gives '" + std::string(name) + "', which a node reads"};
    return "%" + std::string(name);
}
const TensorData* TextWriter::constant(std::string_view name) const {
    const Known* known = find(name);
    return known ? known->constant : nullptr;
}
const Node* TextWriter::producer(std::string_view name) const {
    const Known* known = find(name);
    return known ? known->producer : nullptr;
}
const TypeInfo* TextWriter::type(std::string_view name) const {
    const Known* known = find(name);
    return known ? known->type : nullptr;
}
const TypeInfo* TextWriter::declared(std::string_view name) const {
    auto it = scopes_.back().find(name);
    return it == scopes_.back().end() ? nullptr : it->second.type;
}
bool TextWriter::is_absent(std::string_view name) const {
    const Known* known = find(name);
    return known && known->is_absent;
}
std::string TextWriter::bind(std::string_view name) { return scopes_.back()[name].text = "%" + values_.fresh(name, "v"); }

std::string TextWriter::weight(const TensorData& data, std::string_view stem) {
    auto [it, is_new] = weight_names_.try_emplace(&data);
    if (is_new) {
        weights_.push_back({values_.fresh(stem, "w"), &data});
        it->second = "%" + weights_.back().parameter;
    }
    return it->second;
}

// Made when it is needed: however large it says it is, reading it costs what the file holds.
std::string TextWriter::dense(const SparseTensor& sparse) {
    return "onnx_dense(" + weight(sparse.values, "values") + ", " + weight(sparse.indices, "indices") + ", " + vector_text(sparse.dims) + ")";
}

// A weight that is in no file.
std::string TextWriter::table(ElemType type, std::vector<int64_t> dims, std::vector<std::byte> bytes, std::string_view stem) {
    if (!tables_.storage) tables_.storage = std::make_shared<Storage>();
    tables_.storage->packed.push_back(std::move(bytes));
    tables_.all.push_back({.name = stem, .type = type, .dims = std::move(dims), .bytes = tables_.storage->packed.back()});
    const std::string text = weight(tables_.all.back(), stem);
    weights_.back().made = true;
    return text;
}

// Behind the line stands the node that it was written for: errors show the line.
void TextWriter::line(const std::string& statement) { out_ += std::string(2 * size_t(indent_), ' ') + statement + label_ + "\n"; }

Result<std::string> TextWriter::block(const std::function<Result<std::string>()>& body) {
    if (depth_ == deepest) return Error{Code::limit, "graphs are nested more than " + std::to_string(deepest) + " deep"};
    std::string outer = std::exchange(out_, {});
    ++indent_, ++depth_;
    scopes_.emplace_back();
    Result<std::string> end = body();
    scopes_.pop_back();
    --indent_, --depth_;
    std::string inner = std::exchange(out_, std::move(outer));
    if (!end) return end;
    return "{\n" + inner + std::string(2 * size_t(indent_ + 1), ' ') + *end + "\n" + std::string(2 * size_t(indent_), ' ') + "}";
}

bool TextWriter::is_given(std::string_view name) const {
    return std::ranges::find(options_.given, name) != options_.given.end() && std::ranges::find(model_.main().inputs, name, &ValueInfo::name) != model_.main().inputs.end();
}
Status TextWriter::enter(const Graph& graph) {
    for (const SparseTensor& sparse : graph.sparse_initializers) {
        const std::string made = dense(sparse);
        line(bind(sparse.values.name) + " = " + made);
    }
    for (const TensorData& data : graph.initializers) {
        if (&graph == &model_.main() && is_given(data.name)) continue;
        name(data.name, weight(data, data.name));
        know_constant(data.name, &data);
    }
    for (const std::vector<ValueInfo>* infos : {&graph.inputs, &graph.outputs, &graph.value_info})
        for (const ValueInfo& info : *infos)
            if (info.type.leaf != TypeInfo::Leaf::none) scopes_.back()[info.name].type = &info.type;
    return {};
}

// Its nodes are written where the call stands, in a scope that sees the inputs only.
Status TextWriter::call_function(const Function& function, NodeText& node) {
    for (const Call* outer = call_; outer; outer = outer->around)
        if (&outer->function == &function) return Error{Code::unsupported, "function '" + std::string(function.name) + "' calls itself"};
    if (depth_ == deepest) return Error{Code::limit, "calls of functions are nested more than " + std::to_string(deepest) + " deep"};
    Scope scope;
    scope.is_function = true;
    for (size_t i = 0; i < function.inputs.size(); ++i) {
        Known& input = scope[function.inputs[i]];
        if (!node.has(i)) input.is_absent = true;
        else if (const Known* given = find(node.node().inputs[i])) input = *given, input.producer = nullptr;     // whose inputs are names out there
        else input.text = node.in(i);                  // which says that nothing gives it
    }
    const Call call{function, node, call_};
    call_ = &call;
    ++depth_;
    scopes_.push_back(std::move(scope));
    const int around = std::exchange(inner_.place, looks_.inside(inner_.place, node.node(), nullptr));
    Status done = nodes(function.nodes);
    see_all();
    inner_.place = around;
    std::vector<std::string> results;
    for (std::string_view output : function.outputs) results.push_back(done ? look_up(output) : "");
    scopes_.pop_back();
    --depth_;
    call_ = call.around;
    TRY(std::move(done));
    const std::vector<std::string_view>& outputs = node.node().outputs;
    if (outputs.size() > results.size()) return Error{Code::type, "it has " + std::to_string(outputs.size()) + " outputs, the function " + std::to_string(results.size())};
    for (size_t i = 0; i < outputs.size(); ++i)
        if (!outputs[i].empty()) name(outputs[i], results[i]);
    return {};
}

Status TextWriter::gives_new_names(const Node& node) const {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        const std::string_view output = node.outputs[i];
        if (output.empty()) continue;
        auto known = scopes_.back().find(output);
        const bool is_there = known != scopes_.back().end() && !known->second.text.empty();
        if (is_there || std::find(node.outputs.begin(), node.outputs.begin() + std::ptrdiff_t(i), output) != node.outputs.begin() + std::ptrdiff_t(i))
            return Error{Code::name, "it gives '" + std::string(output) + "', which is there already"};
    }
    return {};
}
// The version is that of the operator's domain in the model.
void TextWriter::note_early(const OpRow& row, int64_t version) {
    const std::string op(row.name), since = std::to_string(row.since);
    if (early_.insert(op).second) notes_.push_back({"early_operator", op + " came with version " + since + ", and the model is of version " + std::to_string(version), "it is taken as it is in " + since});
}
Status TextWriter::nodes(std::span<const Node> nodes) {
    const std::string outer = label_;
    for (const Node& node : nodes) {
        const size_t number = written_.size();
        label_ = "  # " + node_title(node) + (options_.numbered ? "  #" + std::to_string(number) : "");
        written_.push_back({.node = &node});
        if (written_.size() > most_nodes) return Error{Code::limit, "more than " + std::to_string(most_nodes) + " nodes, those of functions counted at each call"};
        const int64_t version = version_of(node.domain, model_, call_ ? &call_->function : nullptr);
        const Function* function = function_of(model_, node);
        static constexpr OpRow no_row{};
        const OpRow& row = function ? no_row : *find_row(node.domain, node.op_type, version);
        if (row.since > version) note_early(row, version);
        NodeText text(*this, node, row, std::max<int64_t>(version, row.since));
        Status written = gives_new_names(node);
        if (written) written = function ? call_function(*function, text) : text.run();
        if (written && !missing_) written = missing_.error();
        if (!written) {
            Error error = std::move(written).error();
            error.notes.push_back({{}, node_title(node)});
            return error;
        }
        for (std::string_view output : node.outputs)
            if (!output.empty() && !function) scopes_.back()[output].producer = &node;
        written_[number].is_call = function;
        note_values(number, node);
        count_elements(node);
    }
    label_ = outer;
    return {};
}

// Before the first type is written, as a name may stand alone in a later one.
void TextWriter::find_size_expressions() {
    std::vector<std::string_view> sizes;
    for (const ValueInfo& input : model_.main().inputs) {
        if (constant(input.name) || !input.type.shape || is_in_sequence(input.type)) continue;
        for (const Dim& dim : *input.type.shape)
            if (const std::string_view* param = std::get_if<std::string_view>(&dim); param && !param->empty()) sizes.push_back(*param);
    }
    if (!options_.apart) size_expressions_ = decided_expressions(sizes);
}

Status TextWriter::parameters(ModelText& out, std::string& out_header) {
    const Graph& main = model_.main();
    find_size_expressions();
    Status status;                                     // of the first whose type is not offered; all have names
    for (const ValueInfo& input : main.inputs) {
        if (constant(input.name)) continue;                      // an initializer is its default
        if (auto known = scopes_.back().find(input.name); known != scopes_.back().end() && !known->second.text.empty())
            return Error{Code::name, "two inputs are called '" + std::string(input.name) + "'"};
        const std::string name = bind(input.name);
        Result<std::string> type = type_text(input.type);
        if (!type) {
            if (status) status = Error{Code::unsupported, "input '" + std::string(input.name) + "': " + type.error().message};
            continue;
        }
        out.inputs.push_back({input.name, name.substr(1), &input.type});
        out_header += (out_header.empty() ? "" : ", ") + name + ": " + *type;
    }
    return status;
}

// The nodes around the one that is refused are its notes, innermost first; they stand in front of the message, no more of them
// than say where it is.
static Error with_path(Error error) {
    constexpr size_t shown_inside = 2;
    std::string path;
    for (size_t i = error.notes.size(); i-- > 0;) {
        const bool is_outermost = i + 1 == error.notes.size();
        if (is_outermost || i < shown_inside) path += error.notes[i].text + ": ";
        else if (i == shown_inside) path += "… " + std::to_string(error.notes.size() - shown_inside - 1) + (error.notes.size() > shown_inside + 2 ? " nodes" : " node") + " in between …: ";
    }
    error.message = path + error.message;
    error.notes.clear();
    return error;
}

Result<ModelText> TextWriter::run() {
    const Graph& main = model_.main();
    ModelText out;
    std::string header, result;
    notes_ = model_.notes;
    TRY(check_versions(model_, notes_));
    looks_ = TRY(Looks::make(model_, options_));
    scopes_.emplace_back();
    TRY(enter(main));
    casts_to_i32_ = std::ranges::any_of(model_.graphs, [](const Graph& graph) { return std::ranges::any_of(graph.nodes, is_cast_to_i32); });
    Status types = parameters(out, header);
    TRY(all_offered(model_));
    TRY(std::move(types));
    if (Status written = nodes(main.nodes); !written) return with_path(std::move(written).error());
    for (const ValueInfo& output : main.outputs) {
        if (!find(output.name)) return Error{Code::name, "nothing gives the output '" + std::string(output.name) + "'"};
        const std::string value = look_up(output.name);
        out.outputs.push_back({output.name, value.substr(1), &output.type});
        result += (result.empty() ? "" : ", ") + value;
    }
    TRY(std::move(missing_));
    TRY(add_looks(out));
    for (size_t i = main.outputs.size(); i < out.outputs.size(); ++i) result += ", %" + out.outputs[i].parameter;
    if (main.outputs.empty()) return Error{Code::unsupported, "the model has no output"};
    for (const Weight& weight : weights_) {
        const std::string_view dtype = dtype_text(weight.data->type);
        if (dtype.empty()) return Error{Code::unsupported, "initializer '" + std::string(weight.data->name) + "': its elements are " + std::string(onnx_type_name(weight.data->type))};
        std::string shape;
        for (int64_t size : weight.data->dims) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
        header += (header.empty() ? "%" : ", %") + weight.parameter + ": Tensor[(" + shape + "), " + std::string(dtype) + "]";
    }
    line(out.outputs.size() == 1 ? result : "(" + result + ")");
    out.text = "def @main(" + header + ")" + facts_ + " {\n" + out_ + "}\n";
    out.weights = std::move(weights_);
    out.nodes = std::move(written_);
    out.dims.assign(dim_names_.begin(), dim_names_.end());
    out.tables = std::move(tables_);
    out.notes = std::move(notes_);
    return out;
}

Result<ModelText> write_text(const ModelFile& model, const TextOptions& options) { return TextWriter(model, options).run(); }
} // namespace nereus::onnx
