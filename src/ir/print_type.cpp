#include "ir/print_type.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereus {
namespace {
constexpr char mark_begin = '\x01', mark_end = '\x02';

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view relation_text(Relation relation) {
    switch (relation) {
    case Relation::equal: return "==";
    case Relation::not_equal: return "!=";
    case Relation::less: return "<";
    case Relation::less_equal: return "<=";
    case Relation::greater: return ">";
    case Relation::greater_equal: return ">=";
    case Relation::compatible: return "compatible";
    }
    return "==";
}
std::string_view kind_text(SymKind kind) {
    constexpr std::string_view names[] = {"size", "late", "join", "host", "counter", "unknown", "fresh"};
    return names[int(kind)];
}
std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
    return out;
}
} // namespace

ModuleNames::ModuleNames(const Module& module) {
    for (std::string_view word :
         {"def",  "else", "false", "fn",    "for",  "if",    "import", "in",  "match",   "new",
          "true", "type", "where", "while", "with", "yield", "inf",    "nan", "prelude", "_"})
        reserved.insert(std::string(word));
    for (int i = 0; i < dtype_count; ++i) reserved.insert(std::string(dtype_name(DType(i))));
    for (const Function& function : module.functions)    // a dim in scope would hide them
        if (function.from_prelude) reserved.insert(function.name);
    for (const TypeDecl& decl : module.decls) {
        if (decl.from_prelude) continue;
        own_types.insert(decl.name);
        for (const Constructor& constructor : decl.constructors) own_constructors.insert(constructor.name);
    }
}

// ---- names

std::string TypePrinter::unique(std::string_view wanted) {
    std::string name;
    for (char c : wanted) name += is_word(c) ? c : '_';
    if (name.empty() || !(name[0] >= 'a' && name[0] <= 'z')) name = "d" + name;
    std::string base = name;
    for (int i = 1; module_names_->reserved.contains(name) || !used_.insert(name).second; ++i)
        name = base + "_" + std::to_string(i);
    return name;
}

std::string TypePrinter::variable(VarId var) {
    auto [it, is_new] = var_names_.try_emplace(var.index);
    if (is_new) {
        it->second = unique(m_->vars[var.index].name);
        mentioned_vars.push_back(var);
        if (quantifies && m_->vars[var.index].kind != VarKind::dtype) quantified_vars.insert(var.index);
    }
    return it->second;
}

std::string TypePrinter::plain(Sym sym) {
    introduced.insert(sym.index);
    if (mentions[sym.index]++ == 0) mentioned.push_back(sym);
    return name_of(sym);
}

const std::string& TypePrinter::name_of(Sym sym) {
    auto [it, is_new] = symbol_names_.try_emplace(sym.index);
    if (is_new) {
        it->second = unique(m_->dims.symbol(sym).name);
        named_.push_back(sym);
    }
    return it->second;
}

void TypePrinter::forget(size_t mark) {
    for (; named_.size() > mark; named_.pop_back()) {
        const uint32_t sym = named_.back().index;
        used_.erase(symbol_names_.at(sym));
        symbol_names_.erase(sym);
        introduced.erase(sym);
    }
}

std::string TypePrinter::introduce(Sym sym) {
    SymKind kind = m_->dims.symbol(sym).kind;
    redefined.erase(sym.index);
    introductions.push_back(sym);
    return (usual == kind ? "new " : "new " + std::string(kind_text(kind)) + " ") + plain(sym);
}

std::string TypePrinter::symbol(Sym sym) {
    SymKind kind = m_->dims.symbol(sym).kind;
    if (kind == SymKind::unknown && !definable.contains(sym.index)) {
        if (mentions[sym.index]++ == 0) mentioned.push_back(sym);
        if (counts && counts->contains(sym.index) && counts->at(sym.index) == 1) return "?";
        int& number = unknown_numbers_[sym.index];
        if (number == 0) number = int(unknown_numbers_.size());
        return "?" + std::to_string(number);
    }
    bool is_new = redefined.contains(sym.index) || (writes_new && !introduced.contains(sym.index));
    // a size that is written in a signature for the first time is quantified by that
    if (is_new && kind == SymKind::size && (quantifies || usual != SymKind::late) && !redefined.contains(sym.index)) {
        is_new = false;
        if (quantifies) quantified.insert(sym.index);
    } else if (is_new && !definable.contains(sym.index)) {
        quantified.erase(sym.index);                     // elsewhere too: the header must declare it
    }
    return is_new ? introduce(sym) : plain(sym);
}

std::string TypePrinter::type_name(DeclId decl) const {
    const TypeDecl& declared = (*m_)[decl];
    bool hidden = declared.from_prelude && module_names_->own_types.contains(declared.name);
    return (hidden ? "prelude." : "") + declared.name;
}

// ---- types

std::string TypePrinter::element(const Element& element) {
    if (element.dtype) return std::string(dtype_name(*element.dtype));
    return element.var.valid() ? variable(element.var) : "?";
}

std::string TypePrinter::shape(const Shape& shape) {
    std::string tail = shape.ranked ? "" : ".." + (shape.tail.valid() ? variable(shape.tail) : "");
    if (shape.dims.empty() && !shape.ranked) return tail;
    std::vector<std::string> parts;
    for (Dim d : shape.dims) parts.push_back(dim(d));
    if (!shape.ranked) parts.push_back(tail);
    return "(" + joined(parts) + ")";
}

std::string TypePrinter::argument(const TypeArg& arg) {
    if (const TypeId* id = std::get_if<TypeId>(&arg)) return type(*id);
    if (const Dim* d = std::get_if<Dim>(&arg)) return dim(*d);
    if (const Element* e = std::get_if<Element>(&arg)) return element(*e);
    return shape(std::get<Shape>(arg));
}

std::string TypePrinter::type(TypeId id) {
    const Type& t = m_->types[id];
    std::vector<std::string> parts;
    switch (t.kind) {
    case TypeKind::hole: return "_";
    case TypeKind::var: return variable(t.var);
    case TypeKind::tensor:
        if (t.shape == Shape{} && (t.element.dtype || t.element.var.valid())) return element(t.element);
        parts = {shape(t.shape)};
        parts.push_back(element(t.element));
        return "Tensor[" + joined(parts) + "]";
    case TypeKind::tuple:
        for (TypeId part : t.parts) parts.push_back(type(part));
        return (parts.size() == 1 ? "tuple(" : "(") + joined(parts) + ")";             // (t) is t
    case TypeKind::function: {
        bool outer_quantifies = std::exchange(quantifies, true), outermost = std::exchange(own_sizes, false);
        const size_t names = mark(), written = introductions.size();
        for (size_t i = 0; i + 1 < t.parts.size(); ++i) parts.push_back(type(t.parts[i]));
        std::string params = "fn(" + joined(parts) + ") -> ";
        bool outer_new = std::exchange(writes_new, true);
        std::optional<SymKind> outer_kind = std::exchange(usual, SymKind::fresh);
        std::string result = type(t.parts.back());
        writes_new = outer_new;
        usual = outer_kind;
        quantifies = outer_quantifies;
        if (outermost) forget(names), introductions.resize(written), own_sizes = true;
        return params + result;
    }
    case TypeKind::ref: return "Ref[" + type(t.parts[0]) + "]";
    case TypeKind::seq: return "Seq[" + type(t.parts[0]) + "]";
    case TypeKind::data:
        for (const TypeArg& arg : t.args) parts.push_back(argument(arg));
        return type_name(t.decl) + (parts.empty() ? "" : "[" + joined(parts) + "]");
    }
    return "_";
}

std::string TypePrinter::type_param(const TypeParam& param) {
    switch (param.kind) {
    case TypeParam::Kind::dim: return plain(param.dim) + ": dim";
    case TypeParam::Kind::dtype: return variable(param.var) + ": dtype";
    case TypeParam::Kind::shape: return ".." + variable(param.var);
    case TypeParam::Kind::type: return variable(param.var);
    }
    return "";
}

std::string TypePrinter::fact(const DimFact& fact) {
    std::string left = dim(fact.left), right = dim(fact.right);
    if (fact.relation == Relation::compatible) return "compatible(" + left + ", " + right + ")";
    return left + " " + std::string(relation_text(fact.relation)) + " " + right;
}

// ---- dims

// Terms and commutative arguments are sorted by text: the order inside Dims depends on which symbol came first.
std::string TypePrinter::dim(Dim dim) {
    if (!dim.valid()) return "?";                        // not inferred yet
    int budget = 20000;                                  // shared parts are printed at each use: stop somewhere
    return unmark(marked(dim, budget), true);
}

std::string TypePrinter::unmark(const std::string& text, bool final) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != mark_begin) {
            out += text[i];
            continue;
        }
        size_t end = text.find(mark_end, i);
        uint32_t index = 0;
        std::from_chars(text.data() + i + 1, text.data() + end, index);
        out += final ? symbol(Sym(index)) : name_of(Sym(index));
        i = end;
    }
    return out;
}

std::string TypePrinter::marked_operand(Dim dim, int& budget) {
    const Polynomial& p = m_->dims.polynomial(dim);
    std::string text = marked(dim, budget);
    bool number = p.empty() || (p.size() == 1 && p[0].factors.empty() && p[0].coefficient >= 0);
    bool one_atom = p.size() == 1 && p[0].coefficient == 1 && p[0].factors.size() == 1 && p[0].factors[0].power == 1;
    if (number || (one_atom && m_->dims.atom(p[0].factors[0].atom).kind != AtomKind::floor_div)) return text;
    return "(" + text + ")";
}

std::string TypePrinter::marked_atom(Atom atom, int& budget) {
    const AtomNode& node = m_->dims.atom(atom);
    if (budget-- < 0) return "?";
    auto call = [&](std::string_view name, bool sorted) {
        std::vector<std::string> args;
        for (Dim arg : node.args) args.push_back(marked(arg, budget));
        if (sorted)
            std::sort(args.begin(), args.end(), [&](const std::string& a, const std::string& b) {
                return unmark(a, false) < unmark(b, false);
            });
        return std::string(name) + "(" + joined(args) + ")";
    };
    switch (node.kind) {
    case AtomKind::symbol: return mark_begin + std::to_string(node.symbol.index) + mark_end;
    case AtomKind::floor_div: {
        std::string left = marked_operand(node.args[0], budget);
        return left + "//" + marked_operand(node.args[1], budget);
    }
    case AtomKind::mod: return call("mod", false);
    case AtomKind::min: return node.args.size() == 1 ? "(" + marked(node.args[0], budget) + ")" : call("min", true);
    case AtomKind::max: return call("max", true);
    case AtomKind::bcast: return call("bcast", true);
    case AtomKind::rounded: return call("rounded", false);
    case AtomKind::rank: return "rank(" + variable(VarId(node.shape)) + ")";
    case AtomKind::size: return "size(" + variable(VarId(node.shape)) + ")";
    }
    return "?";
}

// The term without its sign.
std::string TypePrinter::marked_term(const Term& term, int& budget) {
    bool alone =
        term.factors.size() == 1 && term.factors[0].power == 1 && (term.coefficient == 1 || term.coefficient == -1);
    std::vector<std::string> factors;
    for (const Factor& factor : term.factors)
        for (int32_t i = 0; i < factor.power; ++i) {
            std::string text = marked_atom(factor.atom, budget);
            if (!alone && m_->dims.atom(factor.atom).kind == AtomKind::floor_div) text = "(" + text + ")";
            factors.push_back(std::move(text));
        }
    std::sort(factors.begin(), factors.end(), [&](const std::string& a, const std::string& b) {
        return unmark(a, false) < unmark(b, false);
    });
    uint64_t size = term.coefficient < 0 ? uint64_t(0) - uint64_t(term.coefficient) : uint64_t(term.coefficient);
    std::string out = size != 1 || factors.empty() ? std::to_string(size) : "";
    for (const std::string& factor : factors) out += (out.empty() ? "" : "*") + factor;
    return out;
}

// Highest degree first; the grammar has no sign, so a positive term leads or a zero does.
std::string TypePrinter::marked(Dim dim, int& budget) {
    const Polynomial& p = m_->dims.polynomial(dim);
    if (p.empty()) return "0";
    if (p.size() == 1 && p[0].factors.empty()) return std::to_string(p[0].coefficient);
    struct Row { bool negative; int32_t degree; std::string text, key; };
    std::vector<Row> rows;
    for (const Term& term : p) {
        int32_t degree = 0;
        for (const Factor& factor : term.factors) degree += factor.power;
        std::string text = marked_term(term, budget);
        std::string key = unmark(text, false);
        rows.push_back(Row{term.coefficient < 0, degree, std::move(text), std::move(key)});
    }
    std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
        if (a.degree != b.degree) return a.degree > b.degree;
        return a.key < b.key;
    });
    auto first = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return !row.negative; });
    std::string out = first != rows.end() ? first->text : "0";
    for (auto row = rows.begin(); row != rows.end(); ++row)
        if (row != first) out += (row->negative ? " - " : " + ") + row->text;
    return out;
}

// ---- words

std::string quoted_text(std::string_view text) {
    constexpr char hex[] = "0123456789abcdef";
    std::string out = "\"";
    for (char c : text) {
        if (c == '\n') out += "\\n";
        else if (c == '\t') out += "\\t";
        else if (c == '"' || c == '\\') out += std::string("\\") + c;
        else if (uint8_t(c) < ' ' || c == 127)
            out += std::string("\\x") + hex[uint8_t(c) >> 4] + hex[uint8_t(c) & 15];
        else out += c;
    }
    return out + "\"";
}

std::string real_text(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char buffer[40];
    std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}
} // namespace nereus
