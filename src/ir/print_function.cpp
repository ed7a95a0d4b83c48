#include "ir/print_function.h"

namespace nereus {
FunctionPrinter::FunctionPrinter(const Module& module, const ModuleNames& names, const Function& function,
                                 PrintOptions options)
    : m(module), names_(names), f(function), options_(options), types_(module, names) {
    immediates_.resize(f.values.size());
    uses_.resize(f.values.size());
    count_uses();
}

void FunctionPrinter::count_uses() {
    for (const Binding& binding : f.bindings) {
        for (ValueId arg : binding.args) ++uses_[arg.index];
        if (is_immediate(binding) && binding.results.size() == 1) immediates_[binding.results[0].index] = &binding;
        for (Sym sym : binding.defines) types_.definable.insert(sym.index);
        for (const ApplyTarget& target : binding.targets)
            for (const std::vector<Sym>& list : {target.opened, target.chosen})
                for (Sym sym : list) types_.definable.insert(sym.index);
        for (const Arm& arm : binding.arms) {
            std::vector<const Pattern*> rest = {&arm.pattern};
            while (!rest.empty()) {
                const Pattern* next = rest.back();
                rest.pop_back();
                for (Sym sym : next->dims) types_.definable.insert(sym.index);
                for (const Pattern& part : next->parts) rest.push_back(&part);
            }
        }
        if (binding.form == Form::for_ && !binding.blocks.empty() && !f[binding.blocks[0]].params.empty()) {
            Dim known = f[f[binding.blocks[0]].params[0]].known;
            std::optional<Sym> counter = known.valid() ? m.dims.as_symbol(known) : std::nullopt;
            if (counter) types_.definable.insert(counter->index);
        }
    }
    for (const Block& block : f.blocks) {
        for (ValueId result : block.results) ++uses_[result.index];
        for (Sym sym : block.symbols) types_.definable.insert(sym.index);
    }
}

std::string FunctionPrinter::run() {
    TypePrinter fresh = types_;
    print_all({});
    std::vector<TypeParam> extra = undeclared();
    std::unordered_map<uint32_t, int> counts = std::move(types_.mentions);
    types_ = std::move(fresh);
    types_.counts = &counts;
    out_.clear();
    numbers_.clear();
    print_all(extra);
    types_.counts = nullptr;
    return std::move(out_);
}

void FunctionPrinter::print_all(const std::vector<TypeParam>& extra) {
    header(extra);
    types_.writes_new = true;
    types_.usual = SymKind::late;
    types_.own_sizes = true;
    const Block& body = f[f.body];
    out_ += "{\n";
    ++indent_;
    if (!f.symbols.empty()) line("symbols (" + symbols(f.symbols) + ")");
    open_block(body);
    if (!f.result_dims.empty()) line("sizes (" + dims(f.result_dims) + ")");
    close_block(body);
    std::string results;                                 // several only once tuples are taken apart
    for (ValueId result : body.results) results += (results.empty() ? "" : ", ") + arg(result);
    if (!body.results.empty()) line(body.results.size() == 1 ? results : "(" + results + ")");
    --indent_;
    line("}");
}

// What is mentioned inside and neither declared by the signature nor defined anywhere.
std::vector<TypeParam> FunctionPrinter::undeclared() {
    TypePrinter signature(m, names_);
    auto mention = [&](TypeId type) { signature.type(type); };
    for (const TypeParam& param : f.type_params) signature.type_param(param);
    std::vector<VarId> written = signature.mentioned_vars;
    for (ValueId param : f.params) {
        mention(f[param].type);
        if (f[param].known.valid()) signature.dim(f[param].known);
    }
    mention(f.result);
    for (const DimFact& fact : f.where) signature.fact(fact);
    std::vector<TypeParam> extra;
    for (Sym sym : types_.mentioned)
        if (!signature.mentions.contains(sym.index) && !types_.definable.contains(sym.index) &&
            !types_.quantified.contains(sym.index) && m.dims.symbol(sym).kind != SymKind::unknown)
            extra.push_back(TypeParam{TypeParam::Kind::dim, {}, sym});
    std::unordered_set<uint32_t> known;
    for (VarId var : written) known.insert(var.index);
    for (VarId var : signature.mentioned_vars)           // an undeclared dtype is taken for a mistake
        if (m.vars[var.index].kind != VarKind::dtype) known.insert(var.index);
    for (VarId var : types_.mentioned_vars) {
        if (known.contains(var.index) || types_.quantified_vars.contains(var.index)) continue;
        VarKind kind = m.vars[var.index].kind;
        extra.push_back(TypeParam{kind == VarKind::type    ? TypeParam::Kind::type
                                  : kind == VarKind::dtype ? TypeParam::Kind::dtype
                                                           : TypeParam::Kind::shape, var, {}});
    }
    return extra;
}

void FunctionPrinter::header(const std::vector<TypeParam>& extra) {
    std::string text = std::string(f.from_prelude ? "prelude " : "") + "def @" + f.name, list;
    for (const TypeParam& param : f.type_params) list += (list.empty() ? "" : ", ") + types_.type_param(param);
    for (const TypeParam& param : extra) list += (list.empty() ? "" : ", ") + types_.type_param(param);
    if (!list.empty()) text += "[" + list + "]";
    types_.writes_new = true;
    types_.usual = {};
    list.clear();
    for (ValueId param : f.params) list += (list.empty() ? "" : ", ") + declared(param);
    text += "(" + list + ")";
    types_.usual = SymKind::fresh;
    if (f.result != m.types.hole()) text += " -> " + types_.type(f.result);
    list.clear();
    for (const DimFact& fact : f.where) list += (list.empty() ? " where " : ", ") + types_.fact(fact);
    text += list;
    if (f.vjp_forward.valid())
        text += " with vjp = (@" + m[f.vjp_forward].name + ", @" + m[f.vjp_backward].name + ")";
    out_ += text + " ";
}

// ---- blocks

void FunctionPrinter::open_block(const Block& block) {
    if (!block.symbols.empty()) line("symbols (" + symbols(block.symbols) + ")");
    for (BindingId id : block.bindings)
        if (!is_immediate(f[id])) binding(f[id]);
}

void FunctionPrinter::close_block(const Block& block) {
    if (!block.dims.empty()) line("sizes (" + dims(block.dims) + ")");
}

void FunctionPrinter::block(BlockId id) {
    const Block& block = f[id];
    out_ += "{\n";
    ++indent_;
    open_block(block);
    close_block(block);
    if (!block.results.empty()) line(arg(block.results[0]));
    --indent_;
    begin("}");
}

// The states are the block's value; what follows them was yielded.
void FunctionPrinter::loop_block(BlockId id, size_t states) {
    const Block& block = f[id];
    out_ += "{\n";
    ++indent_;
    open_block(block);
    close_block(block);
    for (size_t i = states; i < block.results.size(); ++i) line("yield " + arg(block.results[i]));
    std::string text;
    for (size_t i = 0; i < states && i < block.results.size(); ++i) text += (i ? ", " : "") + arg(block.results[i]);
    line(states == 1 ? text : "(" + text + ")");
    --indent_;
    begin("}");
}

// ---- bindings

bool FunctionPrinter::surface(const Binding& b) const {
    if (options_.generic || b.results.size() != 1 || !b.targets.empty()) return false;
    if (b.form != Form::op && b.form != Form::check && !b.attributes.empty()) return false;
    switch (b.form) {
    case Form::op: return b.blocks.empty() && b.op->name.find('.') == std::string_view::npos;
    case Form::tuple: return b.args.size() >= 2;
    case Form::closure: return false;
    case Form::field: return !b.names.empty();           // lowered: by place
    case Form::match: return !b.args.empty() && b.arms.size() == b.blocks.size();    // lowered: a switch over numbers
    case Form::literal:
    case Form::dim:
    case Form::call:
    case Form::apply:
    case Form::function:
    case Form::construct:
    case Form::project:
    case Form::record:
    case Form::update:
    case Form::index:
    case Form::seq:
    case Form::lambda:
    case Form::if_:
    case Form::for_:
    case Form::while_:
    case Form::check: return true;
    }
    return false;
}

void FunctionPrinter::binding(const Binding& b) {
    if (!surface(b)) return generic_binding(b);
    ValueId result = b.results[0];
    // only what a bare expression means: its type is () and nobody looks at it
    bool bare = uses_[result.index] == 0 && f[result].type == m.types.unit() && b.defines.empty() && b.dims.empty() &&
                !f[result].known.valid();
    begin(bare ? "" : result_text(b) + " = ");
    expression(b);
    out_ += "\n";
    std::string facts;
    for (Sym sym : b.defines)
        for (const DimFact& fact : options_.facts)
            if (m.dims.as_symbol(fact.left) == sym) facts += (facts.empty() ? "# " : ", ") + types_.fact(fact);
    if (!facts.empty()) line(facts);
}

// {= 2*n, new k, dims (n)}
std::string FunctionPrinter::annotation(const Binding& b, const std::vector<Sym>& defines, Dim known) {
    std::string text;
    auto add = [&](const std::string& item) { text += (text.empty() ? " {" : ", ") + item; };
    types_.introductions.clear();
    if (known.valid()) add("= " + types_.dim(known));
    const std::vector<Sym> there = types_.introductions;             // by the number itself
    for (Sym sym : defines)
        if (std::find(there.begin(), there.end(), sym) == there.end()) add(types_.introduce(sym));
    if (!b.dims.empty()) add("dims (" + dims(b.dims) + ")");
    return text.empty() ? text : text + "}";
}

std::string FunctionPrinter::result_text(const Binding& b) {
    const ValueInfo& info = f[b.results[0]];
    std::string text = value(b.results[0]);
    if (info.type == m.types.hole()) return text + annotation(b, b.defines, info.known);
    // Symbols are written where the type first mentions them, if that keeps their order.
    for (Sym sym : b.defines) types_.redefined.insert(sym.index);
    types_.introductions.clear();
    std::string type = types_.type(info.type);
    std::vector<Sym> order = types_.introductions, rest;
    for (Sym sym : b.defines)
        if (types_.redefined.erase(sym.index)) rest.push_back(sym), order.push_back(sym);
    if (order == b.defines) return text + ": " + type + annotation(b, rest, info.known);
    text += annotation(b, b.defines, info.known);
    return text + ": " + types_.type(info.type);
}

void FunctionPrinter::generic_binding(const Binding& b) {
    std::string text;
    for (size_t i = 0; i < b.results.size(); ++i) {
        text += (i ? ", " : "") + value(b.results[i]);
        if (i == 0) text += annotation(b, b.defines, f[b.results[0]].known);
        else if (f[b.results[i]].known.valid()) text += " {= " + types_.dim(f[b.results[i]].known) + "}";
    }
    // the type of a lambda may name type variables of its own, which must be known inside
    bool type_first = b.form == Form::lambda && f[b.results[0]].type != m.types.hole();
    if (type_first) text += ": " + types_.type(f[b.results[0]].type);
    if (!b.results.empty()) text += " = ";
    const size_t names = types_.mark();
    begin(text + (b.form == Form::op ? std::string(b.op->name) : details(b)));
    out_ += "(" + (b.form == Form::op ? op_args(b) : args(b) + extra_attributes(b.attributes)) + ")";
    for (size_t i = 0; i < b.blocks.size(); ++i) {
        const Block& block = f[b.blocks[i]];
        std::string head;
        if (b.form == Form::match && b.arms.empty()) {   // lowered: by number
            out_ += " {case " + std::to_string(i);
        } else if (b.form == Form::match) {
            out_ += " {case " + pattern(b.arms[i].pattern);
            if (b.arms[i].guard.valid()) {
                out_ += " if {";
                generic_block(f[b.arms[i].guard], "");
            }
        } else {
            // the states of a while are seen by both blocks and written before the first
            const Block& owner = b.form == Form::while_ && i == 0 && b.blocks.size() > 1 ? f[b.blocks[1]] : block;
            quantify(b.form == Form::lambda);
            if (!(b.form == Form::while_ && i == 1))
                for (ValueId param : owner.params) head += (head.empty() ? "" : ", ") + declared(param);
            quantify(false);
            out_ += " {";
            if (!head.empty()) head = "(" + head + ")";
        }
        generic_block(block, head);
        if (b.form == Form::lambda) types_.forget(names);
    }
    std::string list;
    bool known = false;
    for (ValueId result : b.results) {
        if (type_first) break;
        known |= f[result].type != m.types.hole();
        list += (list.empty() ? " : " : ", ") + types_.type(f[result].type);
    }
    out_ += (known ? list : "") + "\n";
}

void FunctionPrinter::generic_block(const Block& block, const std::string& head) {
    out_ += head + "\n";
    ++indent_;
    open_block(block);
    close_block(block);
    std::string list;
    for (ValueId result : block.results) list += (list.empty() ? " " : ", ") + arg(result);
    line("=>" + list);
    --indent_;
    begin("}");
}
} // namespace nereus
