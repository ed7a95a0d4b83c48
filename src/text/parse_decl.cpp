#include "text/parse_decl.h"
#include "base/suggest.h"
#include "text/habits.h"
#include <algorithm>

namespace nereus {
namespace {
bool begins_item(const Cursor& cursor) {
    auto is_item = [](const Token& t) {
        return Cursor::is(t, "def") || Cursor::is(t, "type") || Cursor::is(t, "import");
    };
    return is_item(cursor.peek()) || (cursor.at_word("prelude") && is_item(cursor.peek(1)));
}
bool begins_vjp(const Cursor& cursor) { return cursor.at("with") || (cursor.at_word("vjp") && cursor.at("=", 1)); }
constexpr std::string_view vjp_form = "a gradient of one's own is stated as `with vjp = (@forward, @backward)`";
Error twice(std::string_view what, const Token& name, Span first) {
    Error error{Code::name, std::string(what) + " " + describe(name) + " is declared twice", name.span};
    error.notes.push_back(Note{first, "first declared here"});
    return error;
}
} // namespace

// ---- names

Status Declarations::collect(const SourceFile& file, std::vector<ImportItem>& imports) {
    Cursor cursor(file.tokens);
    while (!cursor.at_kind(TokenKind::end)) {
        bool from_prelude = file.from_prelude;
        if (cursor.at_word("prelude") && (cursor.at("def", 1) || cursor.at("type", 1))) {
            cursor.take();
            from_prelude = true;
        }
        if (cursor.accept("import")) {
            Token path = TRY(cursor.expect_kind(TokenKind::text, "a file name in quotes"));
            imports.push_back(ImportItem{std::string(path.text), path.span});
        } else if (cursor.at("type")) {
            TRY(collect_type(cursor, from_prelude, file));
        } else if (cursor.at("def")) {
            TRY(collect_function(cursor, from_prelude, file));
        } else {
            bool value = cursor.at_kind(TokenKind::value);
            return cursor.expected("`def`, `type` or `import`", value                ? "bindings stand inside a function: `def @main() { … }`"
                                                                : cursor.at("fn")    ? habit("function")
                                                                : begins_vjp(cursor) ? "it stands before the body: `def @f(%x) with vjp = (@forward, @backward) { … }`"
                                                                                     : "");
        }
    }
    return {};
}

Status Declarations::collect_type(Cursor& cursor, bool from_prelude, const SourceFile& file) {
    cursor.take();
    Token name = TRY(cursor.expect_kind(TokenKind::type_name, "the name of a type (with a capital)"));
    if (name.text == "Tensor" || name.text == "Ref" || name.text == "Seq")
        return Error{Code::name, describe(name) + " is a type of the language", name.span};
    DeclId id(program_.module.decls.size());
    auto [known, is_new] = program_.space(from_prelude).types.emplace(name.text, id);
    if (!is_new) return twice("type", name, program_.module[known->second].span);
    program_.module.decls.push_back(
        TypeDecl{.name = std::string(name.text), .from_prelude = from_prelude, .span = name.span});
    TypeItem item{id, &file.tokens, cursor.position(), 0, from_prelude};
    if (cursor.at("[")) cursor.jump(cursor.peek().partner + 1);
    TRY(cursor.expect("="));
    item.body = cursor.position();
    types_.push_back(item);
    while (!cursor.at_kind(TokenKind::end) && !begins_item(cursor)) {
        bool opens = cursor.at("(") || cursor.at("[") || cursor.at("{");
        cursor.jump(opens ? cursor.peek().partner + 1 : cursor.position() + 1);
    }
    return {};
}

Status Declarations::collect_function(Cursor& cursor, bool from_prelude, const SourceFile& file) {
    FunctionItem item;
    item.tokens = &file.tokens;
    item.header = cursor.position();
    item.from_prelude = from_prelude;
    item.id = FunctionId(program_.module.functions.size());
    cursor.take();
    Token name = TRY(cursor.expect_kind(TokenKind::function, "the name of a function (with an `@`)"));
    auto [known, is_new] = program_.space(from_prelude).functions.emplace(name.text, item.id);
    if (!is_new) return twice("function", name, program_.module[known->second].span);
    if (from_prelude && program_.ops.find(name.text))
        return Error{Code::name, "the prelude's " + describe(name) + " has the name of an operator", name.span};
    while (!cursor.at("{")) {
        if (cursor.at_kind(TokenKind::end) || begins_item(cursor))
            return cursor.expected("`{` and the body of the function");
        bool opens = cursor.at("(") || cursor.at("[");
        cursor.jump(opens ? cursor.peek().partner + 1 : cursor.position() + 1);
    }
    item.body = cursor.position();
    cursor.jump(cursor.peek().partner + 1);
    Function function{.name = std::string(name.text)};
    function.result = program_.module.types.hole();
    function.from_prelude = from_prelude;
    function.span = name.span;
    program_.module.functions.push_back(std::move(function));
    functions_.push_back(std::move(item));
    return {};
}

// ---- type parameters

// [a, n: dim, t: dtype, ..s]; a kind that is not written is left open.
Status Declarations::type_params(Cursor& cursor, NameScope& names, std::vector<std::string_view>& order) {
    Once once;
    if (!cursor.accept("[")) return {};
    return cursor.list("]", [&]() -> Status {
        std::optional<TypeParam::Kind> kind;
        if (cursor.accept("..")) kind = TypeParam::Kind::shape;
        Token name = TRY(cursor.expect_kind(TokenKind::name, "a lower-case name"));
        TRY(once.add("parameter", name));
        if (dtype_from_name(name.text) || name.text == "_")
            return Error{Code::name, describe(name) + " cannot name a parameter", name.span};
        if (!kind && cursor.accept(":")) {
            const Token& word = cursor.take();
            if (word.text == "dim") kind = TypeParam::Kind::dim;
            else if (word.text == "dtype") kind = TypeParam::Kind::dtype;
            else if (word.text == "type") kind = TypeParam::Kind::type;
            else if (word.text == "shape") kind = TypeParam::Kind::shape;
            else return Error{Code::parse, "expected `dim` or `dtype` but found " + describe(word), word.span};
        }
        NameEntry entry{kind, {}, name.span};
        if (kind) entry.param = make_param(program_.module, name.text, *kind);
        names.add(name.text, entry);
        order.push_back(name.text);
        return {};
    });
}

Status Declarations::resolve_types() {
    std::vector<NameScope> names(types_.size());
    std::vector<std::vector<std::string_view>> order(types_.size());
    for (size_t i = 0; i < types_.size(); ++i) {
        Cursor cursor(*types_[i].tokens, types_[i].params);
        TRY(type_params(cursor, names[i], order[i]));
        if (!cursor.at("=")) return cursor.expected("`=`");
        for (std::string_view name : order[i])
            program_.module.decls[types_[i].id.index].params.push_back(names[i].find(name)->param);
    }
    // A kind may follow from another declaration's; each round settles what is known by now. Chains of more rounds than
    // these are not written by people, and the rest is said to be types.
    bool changed = true;
    for (int round = 0; changed && round < 16; ++round) {
        changed = false;
        for (size_t i = 0; i < types_.size(); ++i) {
            std::vector<TypeParam>& params = program_.module.decls[types_[i].id.index].params;
            auto open = [](const TypeParam& p) { return !p.var.valid() && !p.dim.valid(); };
            if (std::none_of(params.begin(), params.end(), open)) continue;
            TRY(type_body(types_[i], names[i], true));
            for (size_t k = 0; k < params.size(); ++k) {
                NameEntry* entry = names[i].find(order[i][k]);
                if (!open(params[k]) || !entry->kind) continue;
                params[k] = entry->param = make_param(program_.module, order[i][k], *entry->kind);
                changed = true;
            }
        }
    }
    for (size_t i = 0; i < types_.size(); ++i)
        for (size_t k = 0; k < order[i].size(); ++k) {
            NameEntry* entry = names[i].find(order[i][k]);
            if (entry->kind) continue;
            entry->kind = TypeParam::Kind::type;
            entry->param = make_param(program_.module, order[i][k], TypeParam::Kind::type);
            program_.module.decls[types_[i].id.index].params[k] = entry->param;
        }
    for (size_t i = 0; i < types_.size(); ++i) TRY(type_body(types_[i], names[i], false));
    return {};
}

// ---- constructors and fields

// While collecting, only the kinds of parameters are found; nothing is declared.
Status Declarations::type_body(const TypeItem& item, NameScope& names, bool collecting) {
    Cursor cursor(*item.tokens, item.body);
    TypeParser types(cursor, program_, names, item.from_prelude);
    types.unknown = collecting ? TypeParser::Unknown::collect : TypeParser::Unknown::reject;
    types.declares = program_.module[item.id].name;
    std::vector<Constructor> made;
    bool is_record = cursor.at("{");
    if (is_record) {
        cursor.take();
        Constructor record;
        Once once;
        TRY(cursor.list("}", [&]() -> Status {
            Token field = TRY(cursor.expect_kind(TokenKind::name, "a field"));
            TRY(once.add("field", field));
            TRY(cursor.expect(":"));
            record.field_names.emplace_back(field.text);
            record.fields.push_back(TRY(types.type()));
            return {};
        }));
        if (record.fields.empty()) return Error{Code::parse, "a record needs a field", cursor.last_span()};
        made.push_back(std::move(record));
    } else {
        cursor.accept("|");
        do {
            Token name = TRY(cursor.expect_kind(TokenKind::type_name, "a constructor"));
            Constructor constructor{.name = std::string(name.text)};
            size_t mark = names.mark();
            TRY(constructor_dims(cursor, names, collecting ? nullptr : &constructor));
            if (cursor.accept("(")) {
                TRY(cursor.list(")", [&]() -> Status {
                    constructor.fields.push_back(TRY(types.type()));
                    return {};
                }));
            }
            names.leave(mark);
            if (!collecting) {
                ConstructorRef ref{item.id, uint32_t(made.size())};
                auto [known, is_new] = program_.space(item.from_prelude).constructors.emplace(name.text, ref);
                if (!is_new) return twice("constructor", name, constructor_spans_[known->first]);
                constructor_spans_[known->first] = name.span;
            }
            made.push_back(std::move(constructor));
        } while (cursor.accept("|"));
    }
    if (!cursor.at_kind(TokenKind::end) && !begins_item(cursor))
        return cursor.expected(is_record ? "the next declaration" : "`|` or the next declaration");
    if (collecting) return {};
    TypeDecl& decl = program_.module.decls[item.id.index];
    decl.constructors = std::move(made);
    decl.is_record = is_record;
    return {};
}

Status Declarations::constructor_dims(Cursor& cursor, NameScope& names, Constructor* into) {
    if (!cursor.accept("[")) return {};
    Once once;
    return cursor.list("]", [&]() -> Status {
        Token name = TRY(cursor.expect_kind(TokenKind::name, "a name for a dim"));
        TRY(once.add("dim", name));
        NameEntry entry{TypeParam::Kind::dim, {}, name.span};
        if (into) {
            entry.param = make_param(program_.module, name.text, TypeParam::Kind::dim);
            into->dims.push_back(entry.param.dim);
        }
        names.add(name.text, entry);
        return {};
    });
}

// ---- signatures

Status Declarations::resolve_signatures() {
    for (FunctionItem& item : functions_) TRY(signature(item));
    return {};
}

// No function gives a tensor of whatever size its caller would like.
Status Declarations::not_a_size_of(const Function& function, TypeId result, const NameEntry& entry) {
    if (entry.announced || entry.kind != TypeParam::Kind::dim) return {};
    const Type& type = program_.module.types[result];
    for (Dim d : type.shape.dims) {
        if (!d.valid()) continue;
        const std::vector<Sym> symbols = program_.module.dims.symbols_of(d);
        if (std::find(symbols.begin(), symbols.end(), entry.param.dim) == symbols.end()) continue;
        const std::string name = program_.module.dims.symbol(entry.param.dim).name;
        const bool value = std::ranges::any_of(function.params, [&](ValueId param) { return function[param].name == name; });
        return Error{Code::name, "the size `" + name + "` of the result is in no parameter", entry.span,
                     value ? "`%" + name + "` is a value, `" + name + "` a size: write `?`, and `nereus dump --signatures` shows what is found"
                           : "`new " + name + "` is a size that the function chooses; `?` leaves it to be found"};
    }
    if (type.kind == TypeKind::tuple)
        for (TypeId part : std::vector<TypeId>(type.parts)) TRY(not_a_size_of(function, part, entry));
    return {};
}

Status Declarations::signature(FunctionItem& item) {
    Cursor cursor(*item.tokens, item.header + 2);
    Function& function = program_.module[item.id];
    std::vector<std::string_view> order;
    TRY(type_params(cursor, item.names, order));
    TypeParser types(cursor, program_, item.names, item.from_prelude);
    types.unknown = TypeParser::Unknown::quantify;
    TRY(cursor.expect("(", cursor.at("<") ? "parameters for types are written `def @f[t: dtype](…)`, and mostly not at all" : ""));
    Once once;
    TRY(cursor.list(")", [&]() -> Status {
        Token name = TRY(cursor.expect_kind(TokenKind::value, "a parameter", cursor.at("(") ? "a parameter is one name: take it apart inside, `(%a, %b) = %p`" : ""));
        TRY(once.add("parameter", name));
        TypeId type = program_.module.types.hole();
        if (cursor.accept(":")) type = TRY(types.type());
        ValueId value = function.add_value(std::string(name.text), type, name.span);
        if (cursor.accept("{")) {                        // {= n}, as the printer writes it
            TRY(cursor.expect("="));
            types.may_introduce = true;
            function[value].known = TRY(types.dim());
            types.may_introduce = false;
            TRY(cursor.expect("}"));
        }
        function.params.push_back(value);
        item.params.push_back(name.text);
        return {};
    }));
    types.introduced.clear();
    if (cursor.accept("->")) {
        const size_t before = item.names.mark();
        types.may_introduce = true;
        types.introduces = SymKind::fresh;
        function.result = TRY(types.type());
        types.may_introduce = false;
        item.announced = std::exchange(types.introduced, {});
        for (const NamedSym& symbol : item.announced) item.names.find(symbol.name)->announced = true;
        const bool hidden = (*item.tokens)[item.body + 1].text == "symbols";           // a dump: they may come from nowhere else
        for (std::string_view name : item.names.since(before))
            if (!hidden) TRY(not_a_size_of(function, function.result, *item.names.find(name)));
    }
    if (cursor.accept("where")) {
        types.unknown = TypeParser::Unknown::reject;
        do {
            if (cursor.at("{") || cursor.at("with")) break;
            function.where.push_back(TRY(types.fact()));
        } while (cursor.accept(","));
    }
    TRY(vjp(cursor, item));
    if (cursor.position() != item.body)
        return cursor.expected("`{` and the body of the function", cursor.at("=")                               ? "a function is written `def @f(%x) { … }`"
                                                                   : begins_vjp(cursor)                         ? vjp_form
                                                                   : cursor.at("&&") && !function.where.empty() ? "facts are separated by `,`: `where n >= 2, n <= 5`"
                                                                                                                : "");
    for (std::string_view name : order) {
        NameEntry* entry = item.names.find(name);
        if (!entry->kind) {
            entry->kind = TypeParam::Kind::type;
            entry->param = make_param(program_.module, name, TypeParam::Kind::type);
        }
        function.type_params.push_back(entry->param);
    }
    return {};
}

// with vjp = (@f, @g)
Status Declarations::vjp(Cursor& cursor, FunctionItem& item) {
    if (!cursor.accept("with")) return {};
    if (!cursor.accept_word("vjp")) return cursor.expected("`vjp`", vjp_form);
    TRY(cursor.expect("=", vjp_form));
    TRY(cursor.expect("(", vjp_form));
    const ProgramNames::Space& space = program_.space(item.from_prelude);
    auto name = [&]() -> Result<FunctionId> {
        Token token = TRY(cursor.expect_kind(TokenKind::function, "a function", cursor.at_kind(TokenKind::name) ? "" : vjp_form));
        auto found = space.functions.find(token.text);
        if (found != space.functions.end()) return found->second;
        std::vector<std::string_view> known;
        for (const auto& [name, id] : space.functions)
            if (id != item.id) known.push_back(name);    // nobody means the function whose gradient it is
        return Error{Code::name, "unknown function " + describe(token), token.span, did_you_mean("@", token.text, known)};
    };
    Function& function = program_.module[item.id];
    function.vjp_forward = TRY(name());
    TRY(cursor.expect(",", vjp_form));
    function.vjp_backward = TRY(name());
    cursor.accept(",");
    return cursor.expect(")");
}
} // namespace nereus
