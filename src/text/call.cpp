// text/call.cpp - calls: arguments are matched to an operator's parameters as its definition declares them.
#include "text/habits.h"
#include "text/lexer.h"
#include "text/parse_body.h"
#include "base/suggest.h"
#include <algorithm>

namespace nereus {
namespace {
bool takes_arguments(const OpParam& param) { return !is_attribute(param.kind); }
std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }
std::string counted(size_t n, std::string_view noun) {
    return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}
// The parameter that someone meant by `name=`; all of them if none is near.
std::string parameter_like(const OpDef& op, std::string_view name) {
    std::vector<std::string_view> known;
    std::string all;
    for (const OpParam& param : op.params) {
        if (param.kind == ParamKind::dtype && name == "dtype") return "did you mean " + quoted(param.name) + "?";
        known.push_back(param.name);
        all += (all.empty() ? "" : ", ") + quoted(param.name);
    }
    std::string meant = did_you_mean("", name, known);
    return meant.empty() && !all.empty() ? "its parameters are " + all : meant;
}
} // namespace

// How a function is called that somebody gave a named argument.
std::string BodyParser::without_names(FunctionId id) const {
    const Function& callee = module_[id];
    if (std::string_view along = callee.from_prelude ? axis_habit(callee.name) : ""; !along.empty()) return std::string(along);
    std::string params;
    for (ValueId param : callee.params) params += (params.empty() ? "" : ", ") + callee[param].name;
    return "arguments are given in order: `" + std::string(callee.from_prelude ? "" : "@") + callee.name + "(" + params + ")`";
}

Result<std::vector<Operand>> BodyParser::arguments(std::string_view callee, FunctionId function) {
    cursor_.take();
    Layout layout(*this, false);
    std::vector<Operand> args;
    TRY(cursor_.list(")", [&]() -> Status {
        if (cursor_.at_kind(TokenKind::name) && cursor_.at("=", 1))
            return Error{Code::name, std::string(callee) + " takes no named arguments", cursor_.peek().span,
                         function.valid() ? without_names(function) : ""};
        args.push_back(TRY(expression()));
        return {};
    }));
    return args;
}

Result<Operand> BodyParser::call_function(FunctionId id, const Token& name, std::string_view shown) {
    std::vector<Operand> args = TRY(arguments(shown, id));
    Span span = join(name.span, cursor_.last_span());
    size_t expected = module_[id].params.size();
    if (args.size() != expected) {
        Error error{Code::type,
                    std::string(shown) + " takes " + counted(expected, "argument") + ", " +
                        std::to_string(args.size()) + (args.size() == 1 ? " is given" : " are given"),
                    span};
        error.notes.push_back(Note{module_[id].span, "it is declared here"});
        return error;
    }
    return emit_.emit(Binding{.form = Form::call, .args = emit_.use_all(args), .function = id}, span);
}

Result<Operand> BodyParser::call_named(const Token& name) {
    if (name.text == "max" || name.text == "min") return extremum(name);
    if (name.text == "mod" || name.text == "bcast") return dim_function(name);
    if (name.text == "tensor") return tensor_literal(name);
    if (const OpDef* op = program_.ops.find(name.text)) return call_op(*op, name);
    auto found = program_.prelude.functions.find(name.text);
    if (found != program_.prelude.functions.end()) return call_function(found->second, name, describe(name));
    if (name.text == "check") return check_call(name);
    if (name.text == "weight") return weight_literal(name);
    if (name.text == "rank" || name.text == "size") return shape_function(name);
    Error error = unknown_name(name);
    error.message = "unknown operator " + describe(name);
    return error;
}

// ---- words of the grammar

// One argument: the reduction of that name. Several: elementwise, pairwise; on dims the function of dims.
Result<Operand> BodyParser::extremum(const Token& name) {
    if (!(cursor_.at("[", 1) || cursor_.at(")", 1) || cursor_.at("=", 2))) {
        cursor_.take();
        Layout layout(*this, false);
        Operand first = TRY(expression());
        bool several = cursor_.at(",") && !cursor_.at(")", 1) && !cursor_.at("[", 1) && !cursor_.at("=", 2);
        if (!several) {
            const OpDef* op = program_.ops.find(name.text);
            return op ? call_op(*op, name, {first}) : unknown_name(name);
        }
        std::string_view op = name.text == "max" ? "maximum" : "minimum";
        cursor_.take();
        TRY(cursor_.list(")", [&]() -> Status {
            Operand next = TRY(expression());
            Span span = join(name.span, next.span);
            std::optional<Operand> folded;
            if (first.is_constant() && next.is_constant()) folded = TRY(fold(op, first, next, span));
            first = folded ? *folded : TRY(emit_op(op, {first, next}, span));
            return {};
        }));
        first.span = join(name.span, cursor_.last_span());
        return first;
    }
    const OpDef* op = program_.ops.find(name.text);
    return op ? call_op(*op, name) : unknown_name(name);
}

// mod, bcast: of dims and integers a constant, else the operator.
Result<Operand> BodyParser::dim_function(const Token& name) {
    std::vector<Operand> args = TRY(arguments(describe(name)));
    Span span = join(name.span, cursor_.last_span());
    if (args.size() < 2 || (name.text == "mod" && args.size() > 2))
        return Error{Code::type, describe(name) + " takes 2 arguments, " + std::to_string(args.size()) +
                                     (args.size() == 1 ? " is given" : " are given"), span};
    for (size_t i = 1; i < args.size(); ++i) {
        std::optional<Operand> folded;
        if (args[0].is_constant() && args[i].is_constant()) folded = TRY(fold(name.text, args[0], args[i], span));
        args[0] = folded ? *folded : TRY(emit_op(name.text, {args[0], args[i]}, span));
    }
    return args[0];
}

// rank(s), size(s) of a shape variable.
Result<Operand> BodyParser::shape_function(const Token& name) {
    cursor_.take();
    NameEntry* entry = cursor_.at_kind(TokenKind::name) ? names_.find(cursor_.peek().text) : nullptr;
    if (!entry || entry->kind != TypeParam::Kind::shape || !cursor_.at(")", 1)) {
        Error error = unknown_name(name);
        error.message = "unknown operator " + describe(name);
        return error;
    }
    cursor_.take(), cursor_.take();
    uint32_t shape = entry->param.var.index;
    return emit_.constant(name.text == "rank" ? module_.dims.rank_of(shape) : module_.dims.size_of(shape), name.span);
}

// check(n == m); check(%x): that %x has the type which is written for the result; check(%x, %y; axes=a + 256 b): and that
// from its axis a on it has the sizes of %y from axis b on.
Result<Operand> BodyParser::check_call(const Token& name) {
    cursor_.take();
    Layout layout(*this, false);
    Binding binding{.form = Form::check};
    if (cursor_.at_kind(TokenKind::value)) {
        binding.args = {emit_.use(TRY(expression()))};
        if (cursor_.accept(",")) binding.args.push_back(emit_.use(TRY(expression())));
    } else {
        types_.unknown = TypeParser::Unknown::reject;
        types_.may_introduce = false;
        binding.fact = TRY(types_.fact());
    }
    if (cursor_.accept(";")) binding.attributes = TRY(attributes());
    TRY(cursor_.expect(")"));
    return emit_.emit(std::move(binding), join(name.span, cursor_.last_span()));
}

// ---- operators

Result<Operand> BodyParser::call_op(const OpDef& op, const Token& name, std::vector<Operand> first) {
    std::vector<Slot> slots(op.params.size());
    AttributeList extra;
    Layout layout(*this, false);
    if (first.empty()) {
        cursor_.take();
    } else {                                             // the first argument is read
        if (slots.empty()) return Error{Code::type, describe(name) + " takes no arguments", name.span};
        slots[0].given = true;
        slots[0].operands = std::move(first);
        if (!cursor_.at(")") && !cursor_.at(";")) TRY(cursor_.expect(","));
    }
    TRY(op_arguments(op, name, slots, extra));
    Binding binding = TRY(op_binding(op, name, slots, std::move(extra)));
    return emit_.emit(std::move(binding), join(name.span, cursor_.last_span()));
}

// From after the parenthesis to behind the closing one: positional, then named, then `;` and attributes that the
// operator does not declare.
Status BodyParser::op_arguments(const OpDef& op, const Token& name, std::vector<Slot>& slots, AttributeList& extra) {
    size_t position = !slots.empty() && slots[0].given ? 1 : 0;
    bool named = false;
    while (!cursor_.at(")") && !cursor_.at(";")) {
        const Token& start = cursor_.peek();
        size_t index = position;
        if (start.kind == TokenKind::name && cursor_.at("=", 1)) {
            auto it = std::find_if(op.params.begin(), op.params.end(),
                                   [&](const OpParam& p) { return p.name == start.text; });
            if (it == op.params.end()) {
                return Error{Code::name, describe(name) + " has no parameter " + describe(start), start.span,
                             parameter_like(op, start.text)};
            }
            index = size_t(it - op.params.begin());
            if (slots[index].given)
                return Error{Code::name, "parameter " + describe(start) + " is given twice", start.span};
            cursor_.take(), cursor_.take();
            named = true;
        } else if (named) {
            return Error{Code::parse, "a positional argument cannot follow a named one", start.span};
        } else {
            if (index >= slots.size()) {
                // more values than parameters go to a last one that takes several: f("x", %a, %b)
                Slot* last = slots.empty() ? nullptr : &slots.back();
                bool takes_more = last && op.params.back().kind == ParamKind::values && (!last->list || last->spread);
                if (!takes_more)
                    return Error{Code::type,
                                 describe(name) + " takes " + counted(slots.size(), "argument") + ", more are given",
                                 start.span};
                last->operands.push_back(TRY(expression()));
                last->list = last->spread = true;
                if (!cursor_.at(")") && !cursor_.at(";")) TRY(cursor_.expect(","));
                continue;
            }
            ++position;
        }
        TRY(fill(op, op.params[index], slots[index]));
        if (!cursor_.at(")") && !cursor_.at(";")) TRY(cursor_.expect(","));
    }
    if (cursor_.accept(";")) extra = TRY(attributes());
    return cursor_.expect(")");
}

Status BodyParser::fill(const OpDef& op, const OpParam& param, Slot& slot) {
    slot.given = true;
    if (!takes_arguments(param)) return fill_attribute(op, param, slot);
    bool structural = param.kind == ParamKind::values || param.kind == ParamKind::sizes;
    if (structural && cursor_.at("[")) {
        const Token& after = cursor_.token(cursor_.peek().partner + 1);
        if (Cursor::is(after, ",") || Cursor::is(after, ")") || Cursor::is(after, ";")) return fill_list(slot);
    }
    slot.operands.push_back(TRY(expression()));
    return {};
}

Status BodyParser::fill_list(Slot& slot) {
    TRY(cursor_.expect("["));
    Layout layout(*this, false);
    slot.list = true;
    return cursor_.list("]", [&]() -> Status {
        slot.operands.push_back(TRY(expression()));
        return {};
    });
}

Status BodyParser::fill_attribute(const OpDef& op, const OpParam& param, Slot& slot) {
    Attribute attribute{.name = std::string(param.name)};
    const Token& start = cursor_.peek();
    auto wrong = [&](std::string_view what, std::string_view hint = {}) {
        return Error{Code::type, quoted(param.name) + " of " + quoted(op.name) + " must be " + std::string(what),
                     start.span, std::string(hint)};
    };
    if (param.kind == ParamKind::dtype) {
        if (start.kind != TokenKind::name) return wrong("a dtype");
        types_.unknown = TypeParser::Unknown::reject;
        Element element = TRY(types_.element());
        if (element.dtype) attribute.value = *element.dtype;
        else attribute.value = module_.types.tensor(Shape{}, element);               // a dtype variable
    } else if (param.kind == ParamKind::integers) {
        if (!cursor_.at("[")) {
            Error error = wrong("a list of integers");
            error.hint = "write `[…]`";
            return error;
        }
        Slot list;
        TRY(fill_list(list));
        std::vector<int64_t> values;
        for (const Operand& element : list.operands) values.push_back(TRY(integer_constant(element, param.name)));
        attribute.value = std::move(values);
    } else {
        const bool named = Cursor::is(cursor_.token(cursor_.position() - 1), "=");
        Operand operand = TRY(expression());
        if (param.kind == ParamKind::integer) {
            Result<int64_t> number = integer_constant(operand, param.name);
            if (!number && !named && op.name == "concat") {
                Error error = std::move(number).error();
                error.hint = "the parts are one list: `concat([a, b], axis=0)`";
                return error;
            }
            attribute.value = TRY(std::move(number));
        } else {
            bool text = param.kind == ParamKind::text;
            const Literal* literal = operand.is_constant() ? &emit_.constant_of(operand).literal : nullptr;
            if (!literal || literal->is_tensor || emit_.constant_of(operand).is_dim ||
                literal->kind != (text ? Literal::Kind::text : Literal::Kind::boolean))
                return text && op.name == "print" ? wrong("text written in the program", "write `print(\"x\", %x)`")
                                                  : wrong(text ? "text written in the program" : "`true` or `false`");
            if (text) attribute.value = literal->text;
            else attribute.value = literal->integers[0] != 0;
        }
    }
    slot.attribute = std::move(attribute);
    return {};
}

Result<Binding> BodyParser::op_binding(const OpDef& op, const Token& name, std::vector<Slot>& slots,
                                       AttributeList extra) {
    Binding binding{.form = Form::op, .op = &op};
    TypeId i64 = module_.types.scalar(DType::i64);
    for (size_t i = 0; i < slots.size(); ++i) {
        const OpParam& param = op.params[i];
        Slot& slot = slots[i];
        if (!slot.given && !param.optional)
            return Error{Code::type, quoted(op.name) + " needs its argument " + quoted(param.name),
                         join(name.span, cursor_.last_span()), std::string(op.doc)};
        if (!takes_arguments(param)) {
            if (slot.attribute) binding.attributes.push_back(std::move(*slot.attribute));
            continue;
        }
        bool sizes = param.kind == ParamKind::size || (param.kind == ParamKind::sizes && slot.list);
        for (const Operand& operand : slot.operands)
            binding.args.push_back(emit_.use(operand, sizes ? i64 : module_.types.hole()));
        binding.groups.push_back(ArgGroup{uint32_t(slot.operands.size()), slot.list});
    }
    for (Attribute& attribute : extra) binding.attributes.push_back(std::move(attribute));
    return binding;
}

// An infix operator or another word of the grammar that stands for an operator.
Result<Operand> BodyParser::emit_op(std::string_view name, const std::vector<Operand>& args, Span span) {
    const OpDef* op = program_.ops.find(name);
    if (!op) return Error{Code::unsupported, "there is no operator " + quoted(name), span};
    Binding binding{.form = Form::op, .op = op};
    size_t next = 0;
    for (const OpParam& param : op->params) {
        if (!takes_arguments(param)) continue;
        uint32_t count = next < args.size() ? 1 : 0;
        if (count) binding.args.push_back(emit_.use(args[next++]));
        binding.groups.push_back(ArgGroup{count, false});
    }
    return emit_.emit(std::move(binding), span);
}

// ---- operators and constructors as values: fn(%0, %1) { add(%0, %1) }

Result<Operand> BodyParser::op_as_function(const OpDef& op, const Token& name) {
    Binding binding{.form = Form::op, .op = &op};
    BlockId body = emit_.open_block();
    for (const OpParam& param : op.params) {
        if (!param.optional && param.kind != ParamKind::value && param.kind != ParamKind::size)
            return Error{Code::type,
                         quoted(op.name) + " needs its " + quoted(param.name) +
                             " and is not a function of values alone",
                         name.span, "write `fn(%x) { " + std::string(op.name) + "(%x, …) }`"};
        if (!takes_arguments(param)) continue;
        binding.groups.push_back(ArgGroup{param.optional ? 0u : 1u, false});
        if (param.optional) continue;
        binding.args.push_back(emit_.new_value(module_.types.hole(), name.span));
    }
    emit_.block().params = binding.args;
    ValueId result = emit_.emit(std::move(binding), name.span).value;
    emit_.block().results = {result};
    emit_.close_block();
    return emit_.emit(Binding{.form = Form::lambda, .blocks = {body}}, name.span);
}

Operand BodyParser::constructor_as_function(ConstructorRef ref, Span span) {
    Binding binding{.form = Form::construct, .decl = ref.decl, .index = ref.index};
    BlockId body = emit_.open_block();
    for (size_t i = 0; i < module_[ref.decl].constructors[ref.index].fields.size(); ++i)
        binding.args.push_back(emit_.new_value(module_.types.hole(), span));
    emit_.block().params = binding.args;
    ValueId result = emit_.emit(std::move(binding), span).value;
    emit_.block().results = {result};
    emit_.close_block();
    return emit_.emit(Binding{.form = Form::lambda, .blocks = {body}}, span);
}
} // namespace nereus
