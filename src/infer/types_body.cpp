#include "infer/types_body.h"
#include "infer/scheme_use.h"
#include "infer/types_text.h"
#include "infer/types_walk.h"
#include "ir/op.h"
#include <algorithm>

namespace nereus {
TermId TypeWalk::bind_param(ValueId value) {
    TermId& term = types_.values[value.index];
    if (!term.valid()) term = terms_.unknown();
    return term;
}
TermId TypeWalk::bundle(const std::vector<TermId>& parts) { return parts.size() == 1 ? parts[0] : terms_.tuple(parts); }

Deferred TypeWalk::deferred(Deferred::Kind kind, const Binding& b, TermId subject) const {
    Deferred made;
    made.kind = kind, made.subject = subject, made.function = id_, made.binding = &b;
    return made;
}
Status TypeWalk::wait(Deferred deferred) {
    std::vector<Deferred> one;
    one.push_back(std::move(deferred));
    TRY(solve(context_, one));
    for (Deferred& open : one) open_.push_back(std::move(open));
    return {};
}

Blame TypeWalk::blame(Span span, std::string_view what, ValueId value) const {
    const ValueInfo& info = function_[value];
    bool literal = immediate_[value.index];
    bool own_place = literal || is_temporary(info.name) || !span.known();    // a name was bound elsewhere
    return Blame{.span = own_place && info.span.known() ? info.span : span, .what = what,
                 .value = info.name, .literal = literal};
}
Blame TypeWalk::blame_argument(const Binding& b, size_t position, ValueId value, std::string_view owner,
                               std::string_view sigil) const {
    Blame made = blame(b.span, "argument", value);
    made.owner = owner, made.position = position, made.sigil = sigil;
    return made;
}
Blame TypeWalk::blame_block(BlockId id, std::string_view what, size_t position) const {
    const Block& block = function_[id];
    if (block.results.size() != 1) return Blame{.span = block.span, .what = what, .position = position};
    Blame made = blame(block.span, what, block.results[0]);
    made.position = position;
    return made;
}

Status TypeWalk::function() {
    for (ValueId param : function_.params) bind_param(param);
    TermId result = TRY(block(function_.body));
    Blame blamed = blame_block(function_.body, "result");
    blamed.owner = function_.name, blamed.sigil = "@";
    TRY(context_.expect(terms_.parts(types_.type).back(), result, blamed));
    return custom_gradient();
}

Result<TermId> TypeWalk::block(BlockId id) {
    for (BindingId binding : function_[id].bindings) TRY(bind(binding));
    std::vector<TermId> results;
    for (ValueId value : function_[id].results) results.push_back(of(value));
    return bundle(results);
}

Status TypeWalk::bind(BindingId id) {
    const Binding& binding = function_[id];
    TermId found = TRY(infer(id, binding));
    if (binding.results.size() != 1) return {};
    ValueId result = binding.results[0];
    immediate_[result.index] = is_immediate(binding);
    TermId& term = types_.values[result.index];
    if (!term.valid()) {
        term = found;
        return {};
    }
    const ValueInfo& info = function_[result];
    if (info.type == context_.module.types.unit() && unify(terms_, term, found))
        return Error{Code::type, "expected (), found " + context_.text(found), binding.span,
                     "the value of a statement is dropped: give it a name, or write `_ = …`"};
    Blame blamed{.span = info.span.known() ? info.span : binding.span, .what = "", .literal = is_immediate(binding)};
    if (!blamed.literal && !is_temporary(info.name)) blamed.owner = info.name, blamed.sigil = "%";
    return context_.expect(term, found, blamed);
}

Result<TermId> TypeWalk::infer(BindingId id, const Binding& b) {
    switch (b.form) {
    case Form::op: return op(b);
    case Form::literal: types_.literals.push_back(id); return literal(b.literal, b.span);
    case Form::dim: return terms_.tensor(DTypeClass::num);
    case Form::call: return call(id, b);
    case Form::apply: return apply(b);
    case Form::function: return types_.callees[id.index] = context_.instantiate(b.function, b.span, open_);
    case Form::construct: return construct(b);
    case Form::record: case Form::update: return record(b);
    case Form::index: return index(b);
    case Form::seq: return seq(b);
    case Form::lambda: return lambda(b);
    case Form::if_: return if_else(b);
    case Form::match: types_.matches.push_back(id); return match(b);
    case Form::for_: return for_loop(b);
    case Form::while_: return while_loop(b);
    case Form::tuple: {
        std::vector<TermId> parts;
        for (ValueId arg : b.args) parts.push_back(of(arg));
        return terms_.tuple(parts);
    }
    case Form::project: case Form::field: {
        Deferred one = deferred(b.form == Form::field ? Deferred::Kind::field : Deferred::Kind::project, b, of(b.args[0]));
        TermId result = one.result = terms_.unknown();
        TRY(wait(std::move(one)));
        return result;
    }
    case Form::closure: case Form::check: break;         // made by later stages
    }
    const bool check = b.form == Form::check;
    return Error{Code::type, std::string(check ? "`check`" : "`ir.closure`") + " is what a later stage writes: no program has it", b.span,
                 std::string(check ? "a check of your own is `assert(condition, \"message\")`; " : "") +
                     "a dump is to be read: commands take the program that it was made from"};
}

Result<TermId> TypeWalk::literal(const Literal& literal, Span span) {
    switch (literal.kind) {
    case Literal::Kind::integer: return terms_.tensor(DTypeClass::num);
    case Literal::Kind::real: return terms_.tensor(DTypeClass::real);
    case Literal::Kind::boolean: return terms_.tensor(DType::boolean);
    case Literal::Kind::unit: return terms_.tuple({});
    case Literal::Kind::given: return terms_.tensor(literal.given->dtype());
    case Literal::Kind::texts: return terms_.tensor(DType::str);
    case Literal::Kind::text: break;
    }
    return Error{Code::type, "a text is not a value", span, "texts stand in print and assert; as a value, write `tensor(\"…\")`"};
}

Result<TermId> TypeWalk::op(const Binding& b) {
    if (b.op->builtin == Builtin::grad) {
        Deferred one = deferred(Deferred::Kind::grad, b, of(b.args[0]));
        TermId result = one.result = terms_.unknown();
        TRY(wait(std::move(one)));
        return result;
    }
    if (b.op->builtin == Builtin::length) {
        TRY(wait(deferred(Deferred::Kind::length, b, of(b.args[0]))));
        return terms_.tensor(DType::i64);
    }
    OpTypes types = TRY(op_types(context_, b, types_.written));
    for (size_t i = 0; i < b.args.size(); ++i)
        TRY(operand(b, i, types.args[i]));
    if (b.op->builtin == Builtin::leaves && b.args.size() > 1) {
        Deferred one = deferred(Deferred::Kind::leaves, b, of(b.args.back()));
        one.result = types.result, one.parts = {of(b.args[0])};
        TRY(wait(std::move(one)));
    }
    return types.result;
}

// Values in a list are blamed as what they are part of: of full([n, %x], 0.0) both are argument 1.
Status TypeWalk::operand(const Binding& b, size_t at, TermId expected) {
    size_t position = 0, begin = 0;
    bool in_list = false;
    for (const ArgGroup& group : b.groups) {
        if (begin > at) break;
        ++position, begin += group.count, in_list = group.list;
    }
    Blame blamed = blame_argument(b, b.groups.empty() ? at + 1 : position, b.args[at], b.op->name, "");
    if (in_list) blamed.what = "an element of argument";
    Status fits = context_.expect(expected, of(b.args[at]), blamed);
    if (fits) return fits;
    Error error = std::move(fits).error();
    const bool for_a_list = terms_[expected].kind == TermKind::tensor && terms_[of(b.args[at])].kind == TermKind::tuple;
    if (error.hint.empty() && for_a_list) error.hint = "a list is written with brackets, as in [n, 1]";
    const bool compares = b.op->name == "eq" || b.op->name == "ne", structure = terms_[of(b.args[at])].kind != TermKind::tensor;
    if (error.hint.empty() && compares && structure)
        error.hint = std::string("tensors are compared elementwise; structures as a whole: `") + (b.op->name == "eq" ? "" : "!") + "equal(a, b)`";
    return error;
}

Status TypeWalk::count_arguments(Span span, std::string_view sigil, std::string_view name, size_t wanted,
                                 size_t given) const {
    if (wanted == given) return {};
    return context_.error(Blame{.span = span, .what = "", .owner = name, .sigil = sigil},
                          "takes " + std::to_string(wanted) + (wanted == 1 ? " argument, " : " arguments, ") +
                              std::to_string(given) + " given");
}

static std::string call_text(const Function& callee) {
    std::string text;
    for (ValueId param : callee.params) text += (text.empty() ? "" : ", ") + callee[param].name;
    return callee.name + "(" + text + ")";
}

Result<TermId> TypeWalk::call(BindingId id, const Binding& b) {
    const Function& callee = context_.module[b.function];
    std::string_view sigil = callee.from_prelude ? "" : "@";
    TRY(count_arguments(b.span, sigil, callee.name, callee.params.size(), b.args.size()));
    TermId type = context_.instantiate(b.function, b.span, open_);
    types_.callees[id.index] = type;
    for (size_t i = 0; i < b.args.size(); ++i) {
        Blame blamed = blame_argument(b, i + 1, b.args[i], callee.name, sigil);
        Status fits = context_.expect(terms_.part(type, i), of(b.args[i]), blamed);
        if (fits) continue;
        Error error = std::move(fits).error();
        Span declared = callee[callee.params[i]].span;
        if (declared.known() && !callee.from_prelude) error.notes.push_back({declared, "the parameter"});
        std::optional<Clash> clash = unify(terms_, terms_.part(type, i), of(b.args[i]));
        if (b.function == id_ && clash && clash->kind == Clash::Kind::rigid)
            error.hint = "a function calls itself with its own types only, as there is one copy of it per type: a type that holds itself with "
                         "other types can be taken apart step by step, but not by recursion";
        if (callee.from_prelude && error.hint.empty() && error.notes.empty()) error.hint = "it is called as `" + call_text(callee) + "`";
        return error;
    }
    return terms_.parts(type).back();
}

// Errors ask: nothing is kept for them.
const Binding* TypeWalk::definition(ValueId value) const {
    for (const Binding& b : function_.bindings)
        if (std::ranges::count(b.results, value) > 0) return &b;
    return nullptr;
}

// fn(%y: T) { %y }(e), which is what `e: T` is read as.
bool TypeWalk::annotates(const Binding& apply) const {
    const Binding* head = definition(apply.args[0]);
    if (!head || head->form != Form::lambda || !is_temporary(function_[apply.args[0]].name)) return false;
    const Block& body = function_[head->blocks[0]];
    return body.params.size() == 1 && is_temporary(function_[body.params[0]].name) && body.bindings.empty() && body.results == body.params;
}

Result<TermId> TypeWalk::apply(const Binding& b) {
    const std::string& head = function_[b.args[0]].name;
    TermId type = of(b.args[0]);
    std::span<const ValueId> given = std::span(b.args).subspan(1);
    if (terms_.is_unknown(type)) {
        std::vector<TermId> params;
        for (ValueId arg : given) params.push_back(of(arg));
        TermId result = terms_.unknown();
        TRY(context_.expect(terms_.function(std::move(params), result), type, Blame{b.span, "call"}));
        return result;
    }
    if (terms_[type].kind != TermKind::function)
        return context_.error(Blame{.span = b.span, .what = "", .owner = head, .sigil = "%"},
                              "only a function can be called, found " + context_.text(type));
    if (Status fits = count_arguments(b.span, "%", head, terms_[type].count - 1, given.size()); !fits) {
        Error error = std::move(fits).error();
        const Binding* made_by = definition(b.args[0]);
        const std::string_view op = made_by && made_by->form == Form::op ? made_by->op->name : "";
        if (op == "vjp") error.hint = "`vjp(@f)` takes what @f does, then the adjoint of its result: `vjp(@f)(%x, %dy)`";
        if (op == "jvp") error.hint = "`jvp(@f)` takes what @f does, then a tangent of each: `jvp(@f)(%x, %dx)`";
        return error;
    }
    for (size_t i = 0; i < given.size(); ++i) {
        Status fits = context_.expect(terms_.part(type, i), of(given[i]), blame_argument(b, i + 1, given[i], head, "%"));
        if (fits) continue;
        if (annotates(b)) TRY(context_.expect(terms_.part(type, i), of(given[i]), blame(b.span, "the written type", given[i])));
        return std::move(fits).error();
    }
    return terms_.parts(type).back();
}

Result<TermId> TypeWalk::construct(const Binding& b) {
    const Constructor& made = context_.module[b.decl].constructors[b.index];
    TRY(count_arguments(b.span, "", made.name, made.fields.size(), b.args.size()));
    WrittenTypes written(context_.module, terms_);
    TermId type = written.data(b.decl);
    for (size_t i = 0; i < b.args.size(); ++i)
        TRY(context_.expect(written.term(made.fields[i]), of(b.args[i]),
                            blame_argument(b, i + 1, b.args[i], made.name, "")));
    return type;
}

// Fields that name no single record wait for the expected type; a field that no record has is wrong at once.
Result<TermId> TypeWalk::record(const Binding& b) {
    bool is_update = b.form == Form::update;
    TermId type = is_update ? of(b.args[0]) : terms_.unknown();
    if (!is_update) {
        std::vector<DeclId> candidates = context_.records_with(b.names, true, function_.from_prelude);
        if (candidates.empty()) return no_such_record(b.names, b.span);
        if (candidates.size() == 1) type = WrittenTypes(context_.module, terms_).data(candidates[0]);
    }
    Deferred one = deferred(is_update ? Deferred::Kind::update : Deferred::Kind::record, b, type);
    for (size_t i = is_update ? 1 : 0; i < b.args.size(); ++i) one.parts.push_back(of(b.args[i]));
    TRY(wait(std::move(one)));
    return type;
}

static std::string declared_with(std::span<const std::string> fields) {
    std::string text;
    for (const std::string& field : fields) text += (text.empty() ? "" : ", ") + field + ": …";
    return "a record is of a declared type: `type Name = {" + text + "}`";
}

Error TypeWalk::no_such_record(std::span<const std::string> fields, Span span) const {
    std::vector<std::string> known;
    for (const auto& [field, decls] : context_.records) known.push_back(field);
    std::string text;
    for (const std::string& field : fields) {
        if (!context_.records.count(field))
            return Error{Code::name, "no record has a field `" + field + "`" + did_you_mean(field, known), span,
                         did_you_mean(field, known).empty() ? declared_with(fields) : ""};
        text += (text.empty() ? "" : ", ") + field;
    }
    std::string hint = declared_with(fields);
    for (DeclId decl : context_.records_with(fields, false, function_.from_prelude)) {
        hint = "`" + context_.module[decl].name + "` has {";
        for (const std::string& field : context_.module[decl].constructors[0].field_names)
            hint += (hint.back() == '{' ? "" : ", ") + field;
        hint += "}";
    }
    return Error{Code::name, "no record has exactly the fields {" + text + "}", span, hint};
}

Result<TermId> TypeWalk::index(const Binding& b) {
    for (size_t i = 1; i < b.args.size(); ++i) {
        Blame blamed = blame(b.span, "index", b.args[i]);
        blamed.position = i;
        TRY(context_.expect(terms_.tensor(DTypeClass::integer), of(b.args[i]), blamed));
    }
    Deferred one = deferred(Deferred::Kind::index, b, of(b.args[0]));
    TermId result = one.result = terms_.unknown();
    TRY(wait(std::move(one)));
    return result;
}

Result<TermId> TypeWalk::seq(const Binding& b) {
    TermId content = terms_.unknown();
    for (size_t i = 0; i < b.args.size(); ++i) {
        Blame blamed = blame(b.span, "element", b.args[i]);
        blamed.position = i + 1;
        TRY(context_.expect(content, of(b.args[i]), blamed));
    }
    return terms_.seq(content);
}

Result<TermId> TypeWalk::lambda(const Binding& b) {
    std::vector<TermId> params;
    for (ValueId param : function_[b.blocks[0]].params) params.push_back(bind_param(param));
    TermId result = TRY(block(b.blocks[0]));
    return terms_.function(std::move(params), result);
}

// with vjp = (@f, @g): f gives the value and what g needs to turn the value's adjoint into the parameters'.
Status TypeWalk::custom_gradient() {
    if (!function_.vjp_forward.valid()) return {};
    std::vector<TermId> params(terms_.parts(types_.type).begin(), terms_.parts(types_.type).end());
    TermId result = params.back();
    params.pop_back();
    TermId residual = terms_.unknown();
    types_.vjp_forward = context_.instantiate(function_.vjp_forward, function_.span, open_);
    types_.vjp_backward = context_.instantiate(function_.vjp_backward, function_.span, open_);
    auto blamed = [&](FunctionId id) {
        return Blame{.span = function_.span, .what = "vjp", .owner = context_.module[id].name, .sigil = "@"};
    };
    const TermId given = terms_.unknown();
    TRY(context_.expect(terms_.function(params, given), types_.vjp_forward, blamed(function_.vjp_forward)));
    const bool alone = terms_.find(given) == terms_.find(result), open = terms_.is_unknown(given);
    const bool pair = terms_[given].kind == TermKind::tuple && terms_[given].count == 2;
    if (alone || !(open || pair)) {
        Error error = context_.error(blamed(function_.vjp_forward), "it must give (result, saved), found " + (open ? "the result alone" : context_.text(given)),
                                     "saved is what the backward function takes before the result's adjoint: `()` if that needs nothing");
        error.notes.push_back({context_.module[function_.vjp_forward].span, "the function"});
        return error;
    }
    TRY(context_.expect(terms_.tuple(std::vector{result, residual}), given, blamed(function_.vjp_forward)));
    return context_.expect(terms_.function({residual, result}, bundle(params)), types_.vjp_backward,
                           blamed(function_.vjp_backward));
}

BodyTypes read_signature(TypeContext& context, FunctionId id, bool rigid) {
    const Module& module = context.module;
    const Function& function = module[id];
    BodyTypes types(module, context.terms);
    types.values.resize(function.values.size());
    types.callees.resize(function.bindings.size());
    std::vector<TermId> params;
    for (size_t i = 0; i < function.values.size(); ++i) {
        const ValueInfo& value = function.values[i];
        if (value.type.valid() && value.type != module.types.hole()) types.values[i] = types.written.term(value.type);
    }
    for (ValueId param : function.params) {
        TermId& term = types.values[param.index];
        if (!term.valid()) term = context.terms.unknown();
        params.push_back(term);
    }
    types.type = context.terms.function(std::move(params), types.written.term(function.result));
    if (rigid)
        for (VarId var : signature_variables(module, function))
            context.terms.declare(types.written.variable(var), Declared{module.vars[var.index].name, id});
    return types;
}

Status infer_body(TypeContext& context, FunctionId function, BodyTypes& types, std::vector<Deferred>& open) {
    return TypeWalk(context, function, types, open).function();
}
} // namespace nereus
