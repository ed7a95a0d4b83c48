#include "cli/dynamism.h"
#include "import/node_title.h"
#include "import/op_notes.h"
#include "ir/op.h"
#include <algorithm>
#include <charconv>
#include <set>

namespace nereus {
Dynamism::Dynamism(const Module& shaped, const SourceProgram& program)
    : module_(shaped), main_(shaped.functions[0]), names_(shaped), printer_(shaped, names_), written_(&program.nodes) {
    for (Sym symbol : main_.symbols) printer_.plain(symbol);
    find_lines(program);
    for (ValueId param : main_.params) note_value(param, main_[param].span);
    walk(main_.body);
    for (size_t i = 0; i < program.nodes.size(); ++i)
        if (!program.nodes[i].is_call) nodes_.push_back(look_at(program.nodes[i], int(i)));
    find_symbols(program);
}

// Behind a line stands the node's number. One that opens a block has it where the block ends, at the same indent.
void Dynamism::find_lines(const SourceProgram& program) {
    for (size_t i = 0; i < module_.sources.size() && !program.nodes.empty(); ++i)
        if (module_.sources[i].text.starts_with("def @main(") && source_ < 0) source_ = int32_t(i);
    if (source_ < 0) return;
    std::vector<std::string_view> lines;
    for (std::string_view rest = module_.sources[size_t(source_)].text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        lines.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    number_of_line_.assign(lines.size() + 1, -1);
    std::vector<int> below;                                  // by indent: the nearest number further down
    for (size_t i = lines.size(); i-- > 0;) {
        const size_t indent = std::min(lines[i].find_first_not_of(' '), lines[i].size()), mark = lines[i].rfind("  #");
        if (indent >= below.size()) below.resize(indent + 1, -1);
        int number = -1;
        if (mark != lines[i].npos) std::from_chars(lines[i].data() + mark + 3, lines[i].data() + lines[i].size(), number);
        if (number < 0) number = below[indent];
        else std::fill(below.begin() + std::ptrdiff_t(indent), below.end(), number);
        number_of_line_[i + 1] = number;
        const size_t equals = lines[i].find(" = ");
        for (size_t at = 0; (at = lines[i].find('%', at)) < equals && equals != lines[i].npos; ++at) {
            const size_t last = lines[i].find_first_of(" ,):", at);
            line_of_name_.emplace(lines[i].substr(at + 1, last - at - 1), int32_t(i + 1));
        }
    }
}
int Dynamism::number_at(Span where) const {
    if (where.source != source_ || source_ < 0 || size_t(where.line) >= number_of_line_.size()) return -1;
    return number_of_line_[size_t(where.line)];
}
const onnx::Node* Dynamism::node_at(Span where) const {
    const int number = number_at(where);
    return number < 0 || size_t(number) >= written_->size() ? nullptr : (*written_)[size_t(number)].node;
}

// Whether elements follow from shapes and constants. What control flow brings is taken for data.
void Dynamism::note_origin(const Binding& b) {
    const bool is_plain = b.form == Form::op || b.form == Form::call || b.form == Form::tuple || b.form == Form::project || b.form == Form::index;
    const onnx::Node* node = node_at(b.span);
    const onnx::OpNote* note = node ? onnx::find_note(node->op_type) : nullptr;
    bool follows = is_immediate(b) || (b.form == Form::op && b.op->name == "shape_of") || (note && note->dynamism == 1);
    if (!follows && is_plain) follows = std::ranges::all_of(b.args, [&](ValueId arg) { return from_shapes_.contains(arg); });
    if (follows) from_shapes_.insert(b.results.begin(), b.results.end());
}
// The stage may have tried a value under its own name and kept it under name_1: the place tells whose it is.
void Dynamism::note_value(ValueId id, Span where) {
    const ValueInfo& value = main_[id];
    values_.emplace(value.name, id);
    const size_t end = value.name.find_last_not_of("0123456789");
    if (end == value.name.npos || end + 1 == value.name.size() || value.name[end] != '_') return;
    const std::string name = value.name.substr(0, end);
    auto line = line_of_name_.find(name);
    if (line != line_of_name_.end() && where.source == source_ && line->second == where.line) values_.emplace(name, id);
}
void Dynamism::walk(BlockId block) {
    for (ValueId param : main_[block].params) note_value(param, main_[param].span);
    for (BindingId at : main_[block].bindings) {
        const Binding& b = main_[at];
        for (Sym symbol : b.defines) defined_by_.emplace(symbol, at);
        for (ValueId result : b.results) made_by_.emplace(result, at), note_value(result, b.span);
        for (BlockId nested : b.blocks) walk(nested);
        note_origin(b);
    }
}
const Shape* Dynamism::shape_of(std::string_view value) const {
    auto it = values_.find(value);
    if (it == values_.end()) return nullptr;
    const Type& type = module_.types[main_[it->second].type];
    return type.kind == TypeKind::tensor ? &type.shape : nullptr;
}

std::vector<Sym> Dynamism::symbols_in(TypeId id) const {
    std::set<Sym> found;
    const Type& type = module_.types[id];
    for (Dim dim : type.shape.dims)
        for (Sym symbol : module_.dims.symbols_of(dim)) found.insert(symbol);
    if (type.kind == TypeKind::tuple || type.kind == TypeKind::seq)
        for (TypeId part : type.parts)
            for (Sym symbol : symbols_in(part)) found.insert(symbol);
    return {found.begin(), found.end()};
}

NodeDynamism Dynamism::look_at(const onnx::WrittenNode& written, int number) {
    NodeDynamism out{.node = written.node};
    const onnx::OpNote* note = onnx::find_note(written.node->op_type);
    out.declared = out.compiled = note ? note->dynamism : 2;
    std::set<Sym> of_inputs(main_.symbols.begin(), main_.symbols.end());
    auto value_of = [&](const std::string& name) {
        auto it = values_.find(name);
        return it == values_.end() ? ValueId() : it->second;
    };
    for (const std::string& name : written.inputs)
        if (const ValueId input = value_of(name); input.valid())
            for (Sym symbol : symbols_in(main_[input].type)) of_inputs.insert(symbol);
    const bool any_unranked = std::ranges::any_of(written.inputs, [&](const std::string& name) {
        const Shape* shape = shape_of(name);
        return shape && !shape->ranked;
    });
    bool decides = false;
    for (size_t i = 0; i < written.outputs.size(); ++i) {
        const ValueId output = value_of(written.outputs[i]);
        if (!written.node->outputs[i].empty())
            out.outputs.push_back(
                {std::string(written.node->outputs[i]), output.valid() ? printer_.type(main_[output].type) : ""});
        if (!output.valid()) continue;
        const Type& type = module_.types[main_[output].type];
        if (!out.where.known()) out.where = main_[output].span;
        bool shows = type.kind == TypeKind::tensor && !type.shape.ranked;
        out.unranked |= shows;
        if (out.declared < 3 && any_unranked) continue;          // handed on, not decided
        for (Sym symbol : symbols_in(main_[output].type)) {
            auto definition = defined_by_.find(symbol);
            if (of_inputs.contains(symbol) || definition == defined_by_.end()) continue;
            const bool is_own = number_at(main_[definition->second].span) == number;
            if (!is_own && (out.declared < 3 || module_.dims.symbol(symbol).kind != SymKind::host)) continue;
            shows = true;
            const Binding& by = main_[definition->second];
            const bool follows = std::ranges::all_of(by.args, [&](ValueId arg) { return from_shapes_.contains(arg); });
            out.follows_from = follows && out.follows_from != "elements" ? "shapes" : "elements";
        }
        if (shows && !decides) out.output = written.node->outputs[i], out.type = printer_.type(main_[output].type);
        decides |= shows;
    }
    if (out.declared >= 3 && !decides) out.compiled = 2;
    if (out.declared < 3 && decides) out.compiled = 3;
    if (out.compiled < 3) return out;
    if (out.follows_from.empty()) out.follows_from = "elements";
    for (size_t i = 0; i < written.inputs.size(); ++i) {
        const ValueId input = value_of(written.inputs[i]);
        if (!input.valid()) {                                    // what only told sizes need not be there any more
            if (i > 0 && !written.inputs[i].empty() && out.declared >= 3 && line_of_name_.contains(written.inputs[i])) out.decided_by.emplace_back(written.node->inputs[i]);
            continue;
        }
        const Type& type = module_.types[main_[input].type];
        const bool may_decide = type.kind == TypeKind::tensor && type.element.dtype && !is_float(*type.element.dtype) && (out.compiled == 4 || !type.shape.ranked || type.shape.dims.size() <= 1);
        auto made = made_by_.find(input);
        const bool is_constant = made != made_by_.end() && is_immediate(main_[made->second]);
        if (may_decide && !is_constant) out.decided_by.emplace_back(written.node->inputs[i]);
    }
    return out;
}

void Dynamism::find_symbols(const SourceProgram& program) {
    std::map<std::string, std::string> model_name;
    for (const auto& [name, parameter] : program.parameters) model_name[parameter] = name;
    std::map<std::string, std::string> file_name;            // of symbols that could not keep theirs
    for (const auto& [name, symbol] : program.symbols)
        if (name != symbol) file_name[symbol] = ", '" + name + "' in the file";
    std::set<Sym> seen;
    for (ValueId param : main_.params) {
        const std::string& own = main_[param].name;
        const std::string name = model_name.contains(own) ? model_name[own] : own;
        inputs_.push_back({name, main_[param].type, printer_.type(main_[param].type)});
        const Shape& shape = module_.types[main_[param].type].shape;
        for (size_t axis = 0; axis < shape.dims.size(); ++axis)
            for (Sym symbol : module_.dims.symbols_of(shape.dims[axis]))
                if (seen.insert(symbol).second) symbols_.push_back({printer_.plain(symbol), "input", "axis " + std::to_string(axis) + " of '" + name + "'" + file_name[module_.dims.symbol(symbol).name]});
    }
    for (Sym symbol : main_.symbols)
        if (seen.insert(symbol).second) symbols_.push_back({printer_.plain(symbol), "input", "inside an argument"});
    const std::vector<ValueId>& results = main_[main_.body].results;
    std::vector<TypeId> types;
    if (!results.empty()) {
        const Type& type = module_.types[main_[results[0]].type];
        types = program.outputs.size() == 1 || type.kind != TypeKind::tuple || program.nodes.empty() ? std::vector{main_[results[0]].type} : type.parts;
    }
    for (size_t i = 0; i < types.size(); ++i) outputs_.push_back({i < program.outputs.size() ? program.outputs[i] : "result", types[i], printer_.type(types[i])});
    std::set<Sym> mentioned;
    for (const ValueInfo& value : main_.values)
        for (Sym symbol : symbols_in(value.type)) mentioned.insert(symbol);
    for (const auto& [symbol, at] : defined_by_) {
        if (!mentioned.contains(symbol)) continue;
        const SymKind kind = module_.dims.symbol(symbol).kind;
        const std::string_view what = kind == SymKind::late || kind == SymKind::fresh ? "late" : kind == SymKind::host ? "host" : "join";
        const onnx::Node* node = node_at(main_[at].span);
        symbols_.push_back({printer_.plain(symbol), std::string(what), node ? onnx::node_title(*node) : "line " + std::to_string(main_[at].span.line)});
    }
}
} // namespace nereus
