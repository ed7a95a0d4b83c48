#include "text/parse_type.h"
#include "text/habits.h"
#include "text/lexer.h"
#include "base/suggest.h"

namespace nereus {
TypeParam make_param(Module& module, std::string_view name, TypeParam::Kind kind) {
    TypeParam param{.kind = kind};
    switch (kind) {
    case TypeParam::Kind::dim: param.dim = module.dims.new_symbol(std::string(name), SymKind::size); break;
    case TypeParam::Kind::type: param.var = module.add_var(std::string(name), VarKind::type); break;
    case TypeParam::Kind::dtype: param.var = module.add_var(std::string(name), VarKind::dtype); break;
    case TypeParam::Kind::shape: param.var = module.add_var(std::string(name), VarKind::shape); break;
    }
    return param;
}

Error TypeParser::unknown_name(const Token& token, TypeParam::Kind kind) {
    std::vector<std::string_view> known;
    if (kind == TypeParam::Kind::dtype || kind == TypeParam::Kind::type)
        for (int i = 0; i < dtype_count; ++i) known.push_back(dtype_name(DType(i)));
    for (std::string_view name : names_.visible())
        if (NameEntry* entry = names_.find(name); !entry->kind || *entry->kind == kind) known.push_back(name);
    std::string hint;
    if (kind == TypeParam::Kind::dtype || kind == TypeParam::Kind::type) hint = habit(token.text);
    if (hint.empty()) hint = did_you_mean("", token.text, known);
    if (hint.empty() && kind == TypeParam::Kind::dtype)
        hint = "a dtype is " + std::string(dtype_choices) + "; a name for any of them is declared: `def @f[t: dtype](…)`";
    if (hint.empty() && kind == TypeParam::Kind::dim) hint = how_to_declare(std::string(token.text));
    return Error{Code::name, "unknown " + std::string(kind_name(kind)) + " " + describe(token), token.span, hint};
}

std::string TypeParser::how_to_declare(const std::string& dim) const {
    if (may_introduce) return "`new " + dim + "` names a size that is first known here";
    if (declares.empty()) return "a size is named in the type of a parameter, as in `%x: Tensor[(" + dim + "), f32]`";
    return "declare it: `type " + std::string(declares) + "[" + dim + ": dim] = …`; a constructor may have sizes of its own, as in `Vec[" +
           dim + "](Tensor[(" + dim + "), f32])`";
}

Result<TypeParam> TypeParser::name_as(const Token& token, TypeParam::Kind kind) {
    NameEntry* entry = names_.find(token.text);
    if (!entry) {
        if (unknown != Unknown::quantify || kind == TypeParam::Kind::dtype) return unknown_name(token, kind);
        TypeParam made = make_param(program_.module, token.text, kind);
        names_.add(token.text, NameEntry{kind, made, token.span});
        return made;
    }
    if (!entry->kind) {
        entry->kind = kind;
        if (unknown != Unknown::collect) entry->param = make_param(program_.module, token.text, kind);
    }
    if (*entry->kind != kind) {
        Error error{Code::name,
                    describe(token) + " is a " + std::string(kind_name(*entry->kind)) + " and cannot stand for a " +
                        std::string(kind_name(kind)),
                    token.span};
        if (entry->span.known()) error.notes.push_back(Note{entry->span, "it is declared here"});
        return error;
    }
    return entry->param;
}

// ---- types

Result<TypeId> TypeParser::type() {
    const Token& token = cursor_.peek();
    if (token.kind == TokenKind::type_name) {
        cursor_.take();
        return token.text == "Tensor" && !cursor_.at(".") ? tensor() : data(token);
    }
    if (token.kind == TokenKind::name) {
        cursor_.take();
        if (token.text == "prelude" && cursor_.at(".")) {
            cursor_.take();
            Token name = TRY(cursor_.expect_kind(TokenKind::type_name, "a type"));
            bool outer = std::exchange(from_prelude_, true);
            Result<TypeId> found = data(name);
            from_prelude_ = outer;
            return found;
        }
        if (token.text == "_") return program_.module.types.hole();
        if (token.text == "tuple" && cursor_.at_touching("(")) return tuple(true);         // dumps: of one part
        if (std::optional<DType> dtype = dtype_from_name(token.text)) return program_.module.types.scalar(*dtype);
        NameEntry* entry = names_.find(token.text);
        if (!entry && is_foreign_dtype(token.text)) return unknown_name(token, TypeParam::Kind::dtype);
        if (entry && entry->kind == TypeParam::Kind::dtype)            // t alone = Tensor[(), t], as f32 alone
            return program_.module.types.tensor(Shape{}, Element{{}, entry->param.var});
        TypeParam param = TRY(name_as(token, TypeParam::Kind::type));
        return unknown == Unknown::collect ? TypeId(0) : program_.module.types.variable(param.var);
    }
    if (cursor_.at("(")) return tuple();
    if (cursor_.at("fn")) return function();
    return cursor_.expected("a type", cursor_.at("[")   ? "write `Seq[f32]`, `List[f32]` or `Tensor[(n), f32]`"
                                      : cursor_.at("{") ? "a record has a name: declare `type Inner = {…}`, and write `Inner` here"
                                                        : "");
}

Result<TypeId> TypeParser::tensor() {
    TRY(cursor_.expect("[", "a tensor type has a shape and a dtype: `Tensor[(n, 4), f32]`"));
    Shape shape = TRY(this->shape());
    TRY(cursor_.expect(",", "a tensor type has a shape and a dtype: `Tensor[(n, 4), f32]`"));
    Element element = TRY(this->element());
    cursor_.accept(",");
    TRY(cursor_.expect("]"));
    return program_.module.types.tensor(std::move(shape), element);
}

Result<TypeId> TypeParser::tuple(bool even_of_one) {
    cursor_.take();
    std::vector<TypeId> parts;
    TRY(cursor_.list(")", [&]() -> Status {
        parts.push_back(TRY(type()));
        return {};
    }));
    return parts.size() == 1 && !even_of_one ? parts[0] : program_.module.types.tuple(std::move(parts));
}

Result<TypeId> TypeParser::function() {
    const Token& word = cursor_.take();
    if (word.depth + ++unbracketed_ > max_nesting)
        return Error{Code::limit, "types nest more than 1000 deep", word.span};
    TRY(cursor_.expect("("));
    Unknown policy = unknown;                            // a function type may be about sizes of its own
    const bool own_names = unknown == Unknown::reject && quantifies_in_functions;
    if (own_names) unknown = Unknown::quantify;
    const size_t names_before = names_.mark(), introduced_before = introduced.size();
    std::vector<TypeId> params;
    TRY(cursor_.list(")", [&]() -> Status {
        params.push_back(TRY(type()));
        return {};
    }));
    TRY(cursor_.expect("->"));
    bool outer = std::exchange(may_introduce, true);     // the function given chooses its result's sizes
    SymKind kind = std::exchange(introduces, SymKind::fresh);
    TypeId result = TRY(type());
    may_introduce = outer;
    introduces = kind;
    unknown = policy;
    if (own_names) forget_sizes(names_before), introduced.resize(introduced_before);
    --unbracketed_;
    return program_.module.types.function(std::move(params), result);
}

// Sizes that a function type of a body is the first to name stand for nothing outside of it; type variables stay.
void TypeParser::forget_sizes(size_t mark) {
    std::vector<std::pair<std::string_view, NameEntry>> kept;
    for (std::string_view name : names_.since(mark))
        if (NameEntry* entry = names_.find(name); entry->kind != TypeParam::Kind::dim) kept.emplace_back(name, *entry);
    names_.leave(mark);
    for (auto& [name, entry] : kept) names_.add(name, entry);
}

Result<DeclId> TypeParser::type_name(const Token& token) {
    DeclId decl = program_.find_type(token.text, from_prelude_);
    if (decl.valid()) return decl;
    std::vector<std::string_view> known = {"Tensor", "Ref", "Seq"};
    for (const auto& [name, id] : program_.own.types) known.push_back(name);
    known.insert(known.end(), program_.prelude_types.begin(), program_.prelude_types.end());
    return Error{Code::name, "unknown type " + describe(token), token.span, did_you_mean("", token.text, known)};
}

Result<TypeId> TypeParser::data(const Token& name) {
    Types& types = program_.module.types;
    DeclId decl = program_.find_type(name.text, from_prelude_);
    if (!decl.valid() && (name.text == "Ref" || name.text == "Seq")) {
        TRY(cursor_.expect("["));
        TypeId content = TRY(type());
        cursor_.accept(",");
        TRY(cursor_.expect("]"));
        return name.text == "Ref" ? types.ref(content) : types.seq(content);
    }
    decl = TRY(type_name(name));
    std::vector<TypeArg> args;
    if (!cursor_.at("[")) {
        const size_t wanted = program_.module[decl].params.size();       // in a function what is left out is inferred
        if (wanted > 0 && !declares.empty() && unknown != Unknown::collect)
            return Error{Code::type, "`" + std::string(name.text) + "` takes " + std::to_string(wanted) +
                                         (wanted == 1 ? " argument" : " arguments") + ", none is given",
                         name.span, "a declaration says all of a type: `" + std::string(name.text) + "[…]`"};
        return types.data(decl, {});
    }
    cursor_.take();
    size_t expected = program_.module[decl].params.size(), given = 0;
    TRY(cursor_.list("]", [&]() -> Status {
        size_t index = given++;
        if (index >= expected)
            return Error{Code::type, "`" + std::string(name.text) + "` takes " + std::to_string(expected) +
                                         (expected == 1 ? " argument" : " arguments") + ", more are given",
                         join(name.span, cursor_.peek().span)};
        if (unknown == Unknown::collect) return skip_argument(decl, index);
        TypeParam::Kind kind = program_.module[decl].params[index].kind;
        args.push_back(TRY(argument(kind)));
        return {};
    }));
    if (given < expected)
        return Error{Code::type,
                     "`" + std::string(name.text) + "` takes " + std::to_string(expected) +
                         (expected == 1 ? " argument, " : " arguments, ") + std::to_string(given) +
                         (given == 1 ? " is given" : " are given"),
                     join(name.span, cursor_.last_span())};
    return types.data(decl, std::move(args));
}

Result<TypeArg> TypeParser::argument(TypeParam::Kind kind) {
    switch (kind) {
    case TypeParam::Kind::type: return TypeArg(TRY(type()));
    case TypeParam::Kind::dim: return TypeArg(TRY(dim()));
    case TypeParam::Kind::dtype: return TypeArg(TRY(element()));
    case TypeParam::Kind::shape: return TypeArg(TRY(shape()));
    }
    return TypeArg(TypeId());
}

// While kinds are collected, an argument is read only if its parameter's kind is known by now. While it is not, the
// parameter has neither variable nor symbol.
Status TypeParser::skip_argument(DeclId decl, size_t index) {
    const TypeParam& param = program_.module[decl].params[index];
    if (param.var.valid() || param.dim.valid()) {
        TRY(argument(param.kind));
        return {};
    }
    while (!cursor_.at(",") && !cursor_.at("]")) {
        if (cursor_.at_kind(TokenKind::end)) return cursor_.expected("`]`");
        const Token& token = cursor_.peek();
        bool opens = cursor_.at("(") || cursor_.at("[") || cursor_.at("{");
        cursor_.jump(opens ? token.partner + 1 : cursor_.position() + 1);
    }
    return {};
}

Result<Element> TypeParser::element() {
    if (cursor_.accept("?")) return Element{};
    Token token = TRY(cursor_.expect_kind(TokenKind::name, "a dtype"));
    if (std::optional<DType> dtype = dtype_from_name(token.text)) return Element{dtype, {}};
    return Element{{}, TRY(name_as(token, TypeParam::Kind::dtype)).var};
}

// ---- shapes and dims

Result<Shape> TypeParser::shape() {
    Shape shape;
    auto tail = [&]() -> Status {
        cursor_.take();
        shape.ranked = false;
        if (cursor_.at_kind(TokenKind::name) && cursor_.peek().touches)
            shape.tail = TRY(name_as(cursor_.take(), TypeParam::Kind::shape)).var;
        return {};
    };
    if (cursor_.at("..")) {
        TRY(tail());
        return shape;
    }
    if (!cursor_.at("(")) {
        Error error = cursor_.expected("a shape");
        error.hint = "a shape is written `(n, 4)`, `..s` or `..`";
        return error;
    }
    cursor_.take();
    TRY(cursor_.list(")", [&]() -> Status {
        if (!shape.ranked) return cursor_.expected("`)` after `..`");
        if (cursor_.at("..")) return tail();
        const Token& start = cursor_.peek();
        Dim size = TRY(dim());
        if (std::optional<int64_t> number = program_.module.dims.constant_value(size); number && *number < 0)
            return Error{Code::shape, "a size is not negative, found " + std::to_string(*number), join(start.span, cursor_.last_span()),
                         "a size that is not known has a name, as in `Tensor[(n), f32]`, or is `?`"};
        shape.dims.push_back(size);
        return {};
    }));
    return shape;
}

Result<Dim> TypeParser::dim() {
    Dims& dims = program_.module.dims;
    Dim sum = TRY(product());
    while (cursor_.at("+") || cursor_.at("-")) {
        bool plus = cursor_.take().text == "+";
        Dim next = TRY(product());
        sum = plus ? dims.add(sum, next) : dims.sub(sum, next);
    }
    return sum;
}

Result<Dim> TypeParser::product() {
    Dims& dims = program_.module.dims;
    Dim product = TRY(atom());
    while (cursor_.at("*") || cursor_.at("//")) {
        bool times = cursor_.take().text == "*";
        Dim next = TRY(atom());
        product = times ? dims.mul(product, next) : dims.floor_div(product, next);
    }
    return product;
}

Result<Dim> TypeParser::atom() {
    Dims& dims = program_.module.dims;
    bool negative = false;
    while (cursor_.accept("-")) negative = !negative;
    const Token& token = cursor_.peek();
    Dim read;
    if (token.kind == TokenKind::integer) {
        cursor_.take();
        uint64_t limit = uint64_t(INT64_MAX) + (negative ? 1 : 0);
        if (token.integer > limit) return Error{Code::parse, "integer does not fit into i64", token.span};
        return dims.constant(negative ? int64_t(0 - token.integer) : int64_t(token.integer));
    }
    if (cursor_.accept("(")) {
        read = TRY(dim());
        TRY(cursor_.expect(")"));
    } else if (cursor_.accept("?")) {
        const Token& name = cursor_.peek();
        bool named = name.touches && (name.kind == TokenKind::name || name.kind == TokenKind::integer);
        std::string_view key(token.text.data(), named ? 1 + name.text.size() : 1);
        if (named) cursor_.take();
        Sym sym = named ? names_.unknowns[key] : Sym();
        if (!sym.valid()) sym = dims.new_symbol("?", SymKind::unknown);
        if (named) names_.unknowns[key] = sym;
        read = dims.of(sym);
    } else if (cursor_.at("new")) {
        bool kind_written = cursor_.peek(2).kind == TokenKind::name;           // as dumps of later stages have it
        if (!may_introduce && !kind_written)
            return Error{Code::parse, "`new` cannot stand here", token.span,
                         "it names a size chosen by the callee and belongs into a result"};
        cursor_.take();
        read = dims.of(TRY(new_symbol()));
    } else if (token.kind == TokenKind::name) {
        cursor_.take();
        read = TRY(cursor_.at_touching("(") ? dim_function(token) : named_dim(token));
    } else {
        return cursor_.expected("a dim");
    }
    return negative ? dims.scale(read, -1) : read;
}

Result<Dim> TypeParser::named_dim(const Token& token) {
    TypeParam param = TRY(name_as(token, TypeParam::Kind::dim));
    Dims& dims = program_.module.dims;
    return unknown == Unknown::collect ? dims.constant(0) : dims.of(param.dim);
}

Result<Dim> TypeParser::dim_function(const Token& name) {
    Dims& dims = program_.module.dims;
    cursor_.take();
    if (name.text == "rank" || name.text == "size") {
        Token variable = TRY(cursor_.expect_kind(TokenKind::name, "a shape variable"));
        TypeParam param = TRY(name_as(variable, TypeParam::Kind::shape));
        TRY(cursor_.expect(")"));
        return name.text == "rank" ? dims.rank_of(param.var.index) : dims.size_of(param.var.index);
    }
    std::vector<Dim> args;
    TRY(cursor_.list(")", [&]() -> Status {
        args.push_back(TRY(dim()));
        return {};
    }));
    if (name.text == "rounded" && args.size() == 2) {    // in dumps: a size that a float held
        std::optional<int64_t> bits = dims.constant_value(args[1]);
        if (bits && *bits > 0 && *bits <= 63) return dims.rounded(args[0], int(*bits));
    }
    bool known = name.text == "min" || name.text == "max" || name.text == "bcast" || name.text == "mod";
    if (!known)
        return Error{Code::name, describe(name) + " is not a function of dims", name.span,
                     "those are `min`, `max`, `mod` and `bcast`"};
    if (args.empty() || (name.text == "mod" && args.size() != 2))
        return Error{Code::parse, describe(name) + (name.text == "mod" ? " takes two dims" : " needs a dim"),
                     name.span};
    if (name.text == "min") return dims.min(args);
    if (name.text == "max") return dims.max(args);
    return name.text == "bcast" ? dims.bcast(args) : dims.mod(args[0], args[1]);
}

Result<Sym> TypeParser::new_symbol() {
    static constexpr std::string_view kinds[] = {"size", "late", "join", "host", "counter", "unknown", "fresh"};
    SymKind kind = introduces;
    Token name = TRY(cursor_.expect_kind(TokenKind::name, "a name after `new`"));
    if (cursor_.at_kind(TokenKind::name)) {
        bool found = false;
        for (size_t i = 0; i < std::size(kinds); ++i)
            if (kinds[i] == name.text) kind = SymKind(i), found = true;
        if (!found) return Error{Code::parse, describe(name) + " is not a kind of symbol", name.span};
        name = cursor_.take();
    }
    Dims& dims = program_.module.dims;
    Sym sym;
    if (announced)
        for (const NamedSym& earlier : *announced)
            if (earlier.name == name.text && dims.symbol(earlier.sym).kind == kind) sym = earlier.sym;
    if (!sym.valid()) sym = dims.new_symbol(std::string(name.text), kind);
    names_.add(name.text, NameEntry{TypeParam::Kind::dim, TypeParam{TypeParam::Kind::dim, {}, sym}, name.span});
    introduced.push_back(NamedSym{name.text, sym});
    return sym;
}

// ---- facts

std::optional<Relation> TypeParser::relation() const {
    if (!cursor_.at_kind(TokenKind::sign)) return {};
    std::string_view sign = cursor_.peek().text;
    if (sign == "==") return Relation::equal;
    if (sign == "!=") return Relation::not_equal;
    if (sign == "<") return Relation::less;
    if (sign == "<=") return Relation::less_equal;
    if (sign == ">") return Relation::greater;
    if (sign == ">=") return Relation::greater_equal;
    return {};
}

Result<DimFact> TypeParser::fact() {
    DimFact fact;
    fact.span = cursor_.peek().span;
    if (cursor_.at_word("compatible") && cursor_.at("(", 1)) {
        cursor_.take(), cursor_.take();
        fact.relation = Relation::compatible;
        fact.left = TRY(dim());
        TRY(cursor_.expect(","));
        fact.right = TRY(dim());
        TRY(cursor_.expect(")"));
    } else {
        fact.left = TRY(dim());
        std::optional<Relation> relation = this->relation();
        if (!relation) return cursor_.expected("a comparison of dims");
        cursor_.take();
        fact.relation = *relation;
        fact.right = TRY(dim());
    }
    fact.span = join(fact.span, cursor_.last_span());
    return fact;
}
} // namespace nereus
