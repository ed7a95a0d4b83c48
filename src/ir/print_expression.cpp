// ir/print_expression.cpp - the right side of a binding in its surface form, patterns, constants and attributes.
#include "ir/print_function.h"
#include <algorithm>

namespace nereus {
namespace {
bool divides_by_zero(const Dims& dims, Dim d) {
    return std::ranges::any_of(dims.atoms_of(d), [&](Atom a) {
        const AtomNode& node = dims.atom(a);
        return (node.kind == AtomKind::floor_div || node.kind == AtomKind::mod) && dims.constant_value(node.args[1]) == 0;
    });
}

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

std::string_view form_name(Form form) {
    switch (form) {
    case Form::op: return "op";
    case Form::literal: return "ir.literal";
    case Form::dim: return "ir.dim";
    case Form::call: return "ir.call";
    case Form::apply: return "ir.apply";
    case Form::function: return "ir.function";
    case Form::construct: return "ir.construct";
    case Form::tuple: return "ir.tuple";
    case Form::project: return "ir.project";
    case Form::field: return "ir.field";
    case Form::record: return "ir.record";
    case Form::update: return "ir.update";
    case Form::index: return "ir.index";
    case Form::seq: return "ir.seq";
    case Form::lambda: return "ir.lambda";
    case Form::if_: return "ir.if";
    case Form::match: return "ir.match";
    case Form::for_: return "ir.for";
    case Form::while_: return "ir.while";
    case Form::closure: return "ir.closure";
    case Form::check: return "ir.check";
    }
    return "ir";
}

// Whether the value is what the parser makes of the parameter's kind.
bool fits(const Module& m, ParamKind kind, const Attribute& attribute) {
    switch (kind) {
    case ParamKind::integer: return std::holds_alternative<int64_t>(attribute.value);
    case ParamKind::integers: return std::holds_alternative<std::vector<int64_t>>(attribute.value);
    case ParamKind::boolean: return std::holds_alternative<bool>(attribute.value);
    case ParamKind::text: return std::holds_alternative<std::string>(attribute.value);
    case ParamKind::dtype: {
        const TypeId* type = std::get_if<TypeId>(&attribute.value);
        bool variable = type && m.types[*type].kind == TypeKind::tensor && m.types[*type].shape == Shape{} &&
                        m.types[*type].element.var.valid();
        return variable || std::holds_alternative<DType>(attribute.value);
    }
    case ParamKind::value:
    case ParamKind::values:
    case ParamKind::size:
    case ParamKind::sizes: return false;
    }
    return false;
}
} // namespace

// ---- values

std::string FunctionPrinter::value(ValueId id) {
    if (!options_.numbered) return "%" + f[id].name;
    for (ValueId param : f.params)
        if (param == id) return "%" + f[id].name;
    return "%" + std::to_string(numbers_.try_emplace(id.index, numbers_.size()).first->second);
}

std::string FunctionPrinter::declared(ValueId id) {
    std::string text = value(id);
    if (f[id].type != m.types.hole()) text += ": " + types_.type(f[id].type);
    if (f[id].known.valid()) text += " {= " + types_.dim(f[id].known) + "}";
    return text;
}

// A constant says its type where it is known and does not follow from the place or the constant.
std::string FunctionPrinter::arg(ValueId id, bool is_size) {
    const Binding* immediate = immediates_[id.index];
    if (!immediate) return value(id);
    std::string text = immediate->form == Form::dim ? types_.dim(immediate->dim) : literal(immediate->literal);
    const Type& type = m.types[f[id].type];
    bool scalar = type.kind == TypeKind::tensor && type.shape == Shape{};
    bool follows = type.kind == TypeKind::hole || f[id].type == m.types.unit() ||
                   (is_size && type.kind == TypeKind::tensor && type.element.dtype == DType::i64) ||
                   (immediate->form == Form::literal && immediate->literal.kind == Literal::Kind::boolean && scalar);
    // arithmetic that fails is a size only where that is said: the reader takes it for operators
    const bool said = immediate->form == Form::dim && divides_by_zero(m.dims, immediate->dim);
    if (said) text = "= " + text;
    if (!follows) text += ": " + types_.type(f[id].type);
    return follows && !said ? text : "(" + text + ")";
}

std::string FunctionPrinter::head(ValueId id) {
    std::string text = arg(id);
    return immediates_[id.index] && text[0] != '(' ? "(" + text + ")" : text;
}

std::string FunctionPrinter::args(const Binding& b, size_t from) {
    std::string list;
    for (size_t i = from; i < b.args.size(); ++i) {
        bool is_size = (b.form == Form::for_ && i == 0) || (b.form == Form::index && i > 0);
        append(list, arg(b.args[i], is_size));
    }
    return list;
}

std::string FunctionPrinter::dims(const std::vector<Dim>& dims) {
    std::string list;
    for (Dim d : dims) append(list, types_.dim(d));
    return list;
}

std::string FunctionPrinter::symbols(const std::vector<Sym>& symbols) {
    std::string list;
    for (Sym sym : symbols) append(list, types_.symbol(sym));
    return list;
}

// ---- names

std::string FunctionPrinter::function_name(FunctionId id) const {
    const Function& function = m[id];
    bool bare = function.from_prelude && function.name.find('.') == std::string::npos;
    return (bare ? "" : function.from_prelude ? "prelude @" : "@") + function.name;
}

std::string FunctionPrinter::constructor_name(DeclId decl, uint32_t index) const {
    const Constructor& constructor = m[decl].constructors[index];
    bool hidden = m[decl].from_prelude && names_.own_constructors.contains(constructor.name);
    return hidden ? types_.type_name(decl) + "." + constructor.name : constructor.name;
}

std::string FunctionPrinter::fields(const Binding& b, size_t first_arg) {
    std::string list;
    for (size_t i = 0; i < b.names.size(); ++i) append(list, b.names[i] + " = " + arg(b.args[first_arg + i]));
    return list;
}

// ---- expressions

std::string FunctionPrinter::simple_expression(const Binding& b) {
    switch (b.form) {
    case Form::op: return std::string(b.op->name) + "(" + op_args(b) + ")";
    case Form::literal:
    case Form::dim: return arg(b.results[0]);
    case Form::call: return function_name(b.function) + "(" + args(b) + ")";
    case Form::apply: return head(b.args[0]) + "(" + args(b, 1) + ")";
    case Form::function: return function_name(b.function);
    case Form::construct:
        return constructor_name(b.decl, b.index) + (b.args.empty() ? "" : "(" + args(b) + ")");
    case Form::tuple: return "(" + args(b) + ")";
    case Form::project: return head(b.args[0]) + "." + std::to_string(b.index);
    case Form::field: return head(b.args[0]) + "." + b.names[0];
    case Form::record: return (b.decl.valid() ? types_.type_name(b.decl) : "") + "{" + fields(b, 0) + "}";
    case Form::update: return "{" + arg(b.args[0]) + " with " + fields(b, 1) + "}";
    case Form::index: return head(b.args[0]) + "[" + index_parts(b) + "]";
    case Form::seq: return "[" + args(b) + "]";
    case Form::check: {
        std::string inside = b.args.empty() ? types_.fact(b.fact) : args(b);
        return "check(" + inside + extra_attributes(b.attributes) + ")";
    }
    case Form::lambda:
    case Form::if_:
    case Form::match:
    case Form::for_:
    case Form::while_:
    case Form::closure: break;
    }
    return "";
}

std::string FunctionPrinter::index_parts(const Binding& b) {
    std::string list;
    size_t next = 1;
    for (const IndexPart& part : b.parts) {
        using Kind = IndexPart::Kind;
        std::string text;
        if (part.kind == Kind::at || part.kind == Kind::from || part.kind == Kind::from_to)
            text = arg(b.args[next++], true);
        if (part.kind != Kind::at) text += ":";
        if (part.kind == Kind::to || part.kind == Kind::from_to) text += arg(b.args[next++], true);
        append(list, text);
    }
    return list;
}

namespace {
// max(%x, %y) is elementwise: axes in a value are written by name.
bool has_two_meanings(const OpDef& op) { return op.name == "max" || op.name == "min"; }
} // namespace

// In the order of the parameters; by name after one that is left out. An attribute is written by name unless values
// follow it.
std::string FunctionPrinter::op_args(const Binding& b) {
    std::string list;
    size_t next = 0, group = 0;
    bool named = false;
    std::span<const OpParam> params = b.op->params;
    auto is_declared = [&](const Attribute& attribute) {
        return std::any_of(params.begin(), params.end(), [&](const OpParam& param) {
            return param.name == attribute.name && fits(m, param.kind, attribute);
        });
    };
    for (const OpParam& param : params) {
        std::string prefix = std::string(param.name) + "=";
        if (is_attribute(param.kind)) {
            const Attribute* attribute = find_attribute(b, param.name);
            if (!attribute || !fits(m, param.kind, *attribute)) {
                named = true;
                continue;
            }
            named |= next == b.args.size();
            const TypeId* variable = std::get_if<TypeId>(&attribute->value);
            append(list, (named ? prefix : "") + (variable ? types_.type(*variable) : attribute_value(*attribute)));
            continue;
        }
        ArgGroup given = group < b.groups.size() ? b.groups[group++] : ArgGroup{0, false};
        if (given.count == 0 && !given.list) {
            named = true;
            continue;
        }
        bool sizes = param.kind == ParamKind::size || (param.kind == ParamKind::sizes && given.list);
        named |= next > 0 && !given.list && has_two_meanings(*b.op);
        std::string text;
        for (uint32_t i = 0; i < given.count && next < b.args.size(); ++i) append(text, arg(b.args[next++], sizes));
        append(list, (named ? prefix : "") + (given.list ? "[" + text + "]" : text));
    }
    AttributeList extra;
    for (const Attribute& attribute : b.attributes)
        if (!is_declared(attribute)) extra.push_back(attribute);
    return list + extra_attributes(extra);
}

std::string FunctionPrinter::extra_attributes(const AttributeList& attributes) {
    std::string list;
    for (const Attribute& attribute : attributes)
        list += (list.empty() ? "; " : ", ") + attribute.name + "=" + attribute_value(attribute);
    return list;
}

std::string FunctionPrinter::attribute_value(const Attribute& attribute) {
    if (const int64_t* v = std::get_if<int64_t>(&attribute.value)) return std::to_string(*v);
    if (const double* v = std::get_if<double>(&attribute.value)) return real_text(*v);
    if (const bool* v = std::get_if<bool>(&attribute.value)) return *v ? "true" : "false";
    if (const std::string* v = std::get_if<std::string>(&attribute.value)) return quoted_text(*v);
    if (const DType* v = std::get_if<DType>(&attribute.value)) return std::string(dtype_name(*v));
    if (const TypeId* v = std::get_if<TypeId>(&attribute.value)) return "type " + types_.type(*v);
    if (const Dim* v = std::get_if<Dim>(&attribute.value)) return "dim " + types_.dim(*v);
    std::string list;
    for (int64_t v : std::get<std::vector<int64_t>>(attribute.value)) append(list, std::to_string(v));
    return "[" + list + "]";
}

// ir.call<@f>: what the generic form says between its angles.
std::string FunctionPrinter::details(const Binding& b) {
    std::string inside;
    switch (b.form) {
    case Form::call:
    case Form::function: inside = function_name(b.function); break;
    case Form::construct: inside = constructor_name(b.decl, b.index); break;
    case Form::project: inside = std::to_string(b.index); break;
    case Form::closure: inside = std::to_string(b.lambda); break;
    case Form::check: inside = b.args.empty() ? types_.fact(b.fact) : ""; break;
    case Form::record:
    case Form::field:
    case Form::update:
        for (const std::string& name : b.names) append(inside, name);
        if (b.form == Form::record && b.decl.valid()) inside = types_.type_name(b.decl) + ": " + inside;
        if (b.form == Form::field && b.names.empty()) inside = std::to_string(b.index);
        break;
    case Form::index: {
        constexpr std::string_view kinds[] = {"at", "from_to", "from", "to", "all"};
        for (const IndexPart& part : b.parts) append(inside, std::string(kinds[int(part.kind)]));
        break;
    }
    case Form::apply:
        for (const ApplyTarget& target : b.targets) {
            std::string text = std::to_string(target.lambda) + ": " + function_name(target.function);
            text += "[" + symbols(target.opened) + "](";
            text += dims(target.dims) + ")";
            if (!target.chosen.empty() || !target.results.empty()) {
                text += " -> [" + symbols(target.chosen) + "](";
                text += dims(target.results) + ")";
            }
            append(inside, text);
        }
        break;
    case Form::op:
    case Form::literal:
    case Form::dim:
    case Form::tuple:
    case Form::seq:
    case Form::lambda:
    case Form::if_:
    case Form::match:
    case Form::for_:
    case Form::while_: break;
    }
    return std::string(form_name(b.form)) + (inside.empty() ? "" : "<" + inside + ">");
}

// ---- control

void FunctionPrinter::expression(const Binding& b) {
    std::string list;
    switch (b.form) {
    case Form::lambda: {
        const size_t names = types_.mark();
        quantify(true);
        for (ValueId param : f[b.blocks[0]].params) append(list, declared(param));
        quantify(false);
        out_ += "fn(" + list + ") ";
        block(b.blocks[0]);
        return types_.forget(names);
    }
    case Form::if_:
        out_ += "if (" + arg(b.args[0]) + ") ";
        block(b.blocks[0]);
        out_ += " else ";
        return block(b.blocks[1]);
    case Form::match: return match_arms(b);
    case Form::for_:
    case Form::while_: {
        bool counted = b.form == Form::for_;
        BlockId body = b.blocks[counted ? 0 : 1];
        size_t first = counted ? 1 : 0;
        if (counted) {
            std::string counter = declared(f[body].params[0]);
            out_ += "for " + counter + " in " + arg(b.args[0], true) + ", ";
        } else {
            out_ += "while ";
        }
        for (size_t i = first; i < f[body].params.size(); ++i) {
            std::string state = declared(f[body].params[i]);
            append(list, state + " = " + arg(b.args[i]));
        }
        out_ += "(" + list + ") ";
        if (!counted) condition(b.blocks[0], true);
        return loop_block(body, f[body].params.size() - first);
    }
    case Form::op:
    case Form::literal:
    case Form::dim:
    case Form::call:
    case Form::apply:
    case Form::function:
    case Form::construct:
    case Form::tuple:
    case Form::project:
    case Form::field:
    case Form::record:
    case Form::update:
    case Form::index:
    case Form::seq:
    case Form::closure:
    case Form::check: out_ += simple_expression(b);
    }
}

void FunctionPrinter::match_arms(const Binding& b) {
    out_ += "match (" + arg(b.args[0]) + ") {\n";
    ++indent_;
    for (size_t i = 0; i < b.arms.size(); ++i) {
        begin(pattern(b.arms[i].pattern));
        if (b.arms[i].guard.valid()) {
            out_ += " if ";
            condition(b.arms[i].guard, false);
        } else {
            out_ += " ";
        }
        out_ += "=> ";
        block(b.blocks[i]);
        out_ += ",\n";
    }
    --indent_;
    begin("}");
}

bool FunctionPrinter::is_simple(const Block& block) const {
    const Binding* only = nullptr;
    for (BindingId id : block.bindings) {
        if (is_immediate(f[id])) continue;
        if (only) return false;
        only = &f[id];
    }
    if (!block.symbols.empty() || !block.dims.empty() || block.results.size() != 1) return false;
    if (!only) return true;
    bool plain = surface(*only) && only->blocks.empty() && only->results[0] == block.results[0] &&
                 only->defines.empty() && only->dims.empty();
    return plain && f[block.results[0]].type == m.types.hole() && !f[block.results[0]].known.valid() &&
           uses_[block.results[0].index] == 1;
}

// A condition with its own block, followed by a space.
void FunctionPrinter::condition(BlockId id, bool parenthesised) {
    const Block& guard = f[id];
    if (!is_simple(guard)) {
        block(id);
        out_ += " ";
        return;
    }
    const Binding* only = nullptr;
    for (BindingId binding : guard.bindings)
        if (!is_immediate(f[binding])) only = &f[binding];
    std::string text = only ? simple_expression(*only) : arg(guard.results[0]);
    out_ += parenthesised ? "(" + text + ") " : text + " ";
}

// ---- patterns and constants

std::string FunctionPrinter::pattern(const Pattern& p) {
    std::string list;
    switch (p.kind) {
    case Pattern::Kind::wildcard: return "_";
    case Pattern::Kind::variable: return declared(p.variable);
    case Pattern::Kind::literal: return literal(p.literal);
    case Pattern::Kind::constructor: {
        std::string text = constructor_name(p.decl, p.constructor);
        for (Sym sym : p.dims) append(list, types_.plain(sym));
        if (!list.empty()) text += "[" + list + "]";
        list.clear();
        for (const Pattern& part : p.parts) append(list, pattern(part));
        return text + (list.empty() ? "" : "(" + list + ")");
    }
    case Pattern::Kind::tuple:
        for (const Pattern& part : p.parts) append(list, pattern(part));
        return "(" + list + ")";
    case Pattern::Kind::record:
        for (size_t i = 0; i < p.parts.size(); ++i) append(list, p.fields[i] + " = " + pattern(p.parts[i]));
        return (p.decl.valid() ? types_.type_name(p.decl) : "") + "{" + list + "}";
    }
    return "_";
}

std::string FunctionPrinter::literal(const Literal& l) {
    auto element = [&](size_t i) {
        if (l.kind == Literal::Kind::real) return real_text(l.reals[i]);
        if (l.kind == Literal::Kind::boolean) return std::string(l.integers[i] ? "true" : "false");
        if (l.kind == Literal::Kind::texts) return quoted_text(l.texts[i]);
        return std::to_string(l.integers[i]);
    };
    if (l.kind == Literal::Kind::unit) return "()";
    if (l.kind == Literal::Kind::text) return quoted_text(l.text);
    if (l.kind == Literal::Kind::given)                  // without a file: for reading only
        return "weight(" + quoted_text(l.text) + (l.texts.empty() ? "" : ", in=" + quoted_text(l.texts[0])) + ")";
    if (!l.is_tensor) return element(0);
    size_t count = l.kind == Literal::Kind::real ? l.reals.size() : l.kind == Literal::Kind::texts ? l.texts.size() : l.integers.size();
    if (l.shape.empty() && count == 1) return "tensor(" + element(0) + ")";
    if (count == 0) {                                    // nested lists cannot say this
        std::string sizes;
        for (int64_t size : l.shape) append(sizes, std::to_string(size));
        std::string_view kind = l.kind == Literal::Kind::real      ? "real"
                                : l.kind == Literal::Kind::boolean ? "boolean"
                                : l.kind == Literal::Kind::texts   ? "texts"
                                                                   : "integer";
        return "tensor([], shape=[" + sizes + "], kind=\"" + std::string(kind) + "\")";
    }
    std::string text = "tensor(";
    for (size_t i = 0; i < count; ++i) {
        // brackets open and close where an index of an outer axis changes
        size_t opens = 0, closes = 0, stride = 1;
        for (size_t axis = l.shape.size(); axis-- > 0;) {
            stride *= size_t(l.shape[axis]);
            opens += i % stride == 0;
            closes += (i + 1) % stride == 0;
        }
        text += (i ? ", " : "") + std::string(opens, '[') + element(i) + std::string(closes, ']');
    }
    return text + ")";
}
} // namespace nereus
