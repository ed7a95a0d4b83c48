// Functions: those that every program may use, those written for one program, closures, calls of all of them.
#include "generator/generator.h"
#include <map>

namespace nereus::gen {
namespace {
Type a() { return {.kind = Kind::param, .name = "a"}; }
Type b() { return {.kind = Kind::param, .name = "b"}; }
Type c() { return {.kind = Kind::param, .name = "c"}; }
Type list(Type t) { return data("List", {std::move(t)}); }
Type tree(Type t) { return data("Tree", {std::move(t)}); }
struct Shared { Signature signature; const char* header; const char* body; };
// Polymorphic, and so written once and for all; a program has those that it calls.
const std::vector<Shared>& shared() {
    constexpr Construct polymorphic = Construct::polymorphic, higher_order = Construct::higher_order, mutual = Construct::mutual;
    static const std::vector<Shared> all = {
        {{polymorphic, "id", {a()}, a(), {}}, "def @id(%p)", "%p"},
        {{polymorphic, "second", {a(), b()}, b(), {}}, "def @second(%p, %q)", "%q"},
        {{polymorphic, "swap", {tuple({a(), b()})}, tuple({b(), a()}), {}}, "def @swap(%p)", "(%p.1, %p.0)"},
        {{polymorphic, "head", {list(a()), a()}, a(), {}}, "def @head(%l: List[a], %d: a)", "match (%l) { Nil => %d, Cons(%h, _) => %h }"},
        {{polymorphic, "count", {list(a())}, whole(), {}}, "def @count(%l: List[a]) -> i64", "match (%l) { Nil => 0, Cons(_, %t) => 1 + @count(%t) }"},
        {{polymorphic, "append", {list(a()), list(a())}, list(a()), {}}, "def @append(%l: List[a], %r: List[a]) -> List[a]",
         "match (%l) { Nil => %r, Cons(%h, %t) => Cons(%h, @append(%t, %r)) }"},
        {{polymorphic, "reverse", {list(a()), list(a())}, list(a()), {}}, "def @reverse(%l: List[a], %done: List[a]) -> List[a]",
         "match (%l) { Nil => %done, Cons(%h, %t) => @reverse(%t, Cons(%h, %done)) }"},
        {{polymorphic, "nothing", {whole()}, data("Option", {a()}), {}}, "def @nothing(%k: i64) -> Option[a]", "None"},
        {{polymorphic, "empty", {truth()}, list(a()), {}}, "def @empty(%c: bool) -> List[a]", "if (%c) { Nil } else { @empty(true) }"},
        {{polymorphic, "leaves", {tree(a())}, list(a()), {}}, "def @leaves(%t: Tree[a]) -> List[a]",
         "match (%t) { Leaf(%v) => Cons(%v, Nil), Node(%l, %r) => @append(@leaves(%l), @leaves(%r)) }"},
        {{polymorphic, "items", {list(a()), a()}, seq(a()), {}}, "def @items(%l: List[a], %first: a)",
         "(while (%s = [%first], %r = %l) (match (%r) { Nil => false, Cons(_, _) => true }) { match (%r) { Nil => (%s, %r), Cons(%h, %t) => (push(%s, %h), %t) } }).0"},
        {{higher_order, "map", {fn({a()}, b()), list(a())}, list(b()), {}}, "def @map(%f: fn(a) -> b, %l: List[a]) -> List[b]",
         "match (%l) { Nil => Nil, Cons(%h, %t) => Cons(%f(%h), @map(%f, %t)) }"},
        {{higher_order, "fold", {fn({b(), a()}, b()), b(), list(a())}, b(), {}}, "def @fold(%f: fn(b, a) -> b, %z: b, %l: List[a]) -> b",
         "match (%l) { Nil => %z, Cons(%h, %t) => @fold(%f, %f(%z, %h), %t) }"},
        {{higher_order, "map_tree", {fn({a()}, b()), tree(a())}, tree(b()), {}}, "def @map_tree(%f: fn(a) -> b, %t: Tree[a]) -> Tree[b]",
         "match (%t) { Leaf(%v) => Leaf(%f(%v)), Node(%l, %r) => Node(@map_tree(%f, %l), @map_tree(%f, %r)) }"},
        {{higher_order, "fold_tree", {fn({a()}, b()), fn({b(), b()}, b()), tree(a())}, b(), {}},
         "def @fold_tree(%f: fn(a) -> b, %g: fn(b, b) -> b, %t: Tree[a]) -> b",
         "match (%t) { Leaf(%v) => %f(%v), Node(%l, %r) => %g(@fold_tree(%f, %g, %l), @fold_tree(%f, %g, %r)) }"},
        {{higher_order, "twice", {fn({a()}, a()), a()}, a(), {}}, "def @twice(%f: fn(a) -> a, %v: a)", "%f(%f(%v))"},
        {{higher_order, "compose", {fn({b()}, c()), fn({a()}, b())}, fn({a()}, c()), {}}, "def @compose(%f: fn(b) -> c, %g: fn(a) -> b)",
         "fn(%v: a) { %f(%g(%v)) }"},
        {{higher_order, "map_option", {fn({a()}, b()), data("Option", {a()})}, data("Option", {b()}), {}},
         "def @map_option(%f: fn(a) -> b, %o: Option[a]) -> Option[b]", "match (%o) { None => None, Some(%v) => Some(%f(%v)) }"},
        {{mutual, "weigh", {fn({a()}, whole()), data("Rose", {a()})}, whole(), {}}, "def @weigh(%f: fn(a) -> i64, %r: Rose[a]) -> i64",
         "match (%r) { Rose(%v, %rest) => %f(%v) + @weigh_all(%f, %rest) }"},
        {{mutual, "weigh_all", {fn({a()}, whole()), list(data("Rose", {a()}))}, whole(), {}}, "def @weigh_all(%f: fn(a) -> i64, %l: List[Rose[a]]) -> i64",
         "match (%l) { Nil => 0, Cons(%h, %t) => @weigh(%f, %h) + @weigh_all(%f, %t) }"},
        {{mutual, "map_rose", {fn({a()}, b()), data("Rose", {a()})}, data("Rose", {b()}), {}}, "def @map_rose(%f: fn(a) -> b, %r: Rose[a]) -> Rose[b]",
         "match (%r) { Rose(%v, %rest) => Rose(%f(%v), @map_roses(%f, %rest)) }"},
        {{mutual, "map_roses", {fn({a()}, b()), list(data("Rose", {a()}))}, list(data("Rose", {b()})), {}},
         "def @map_roses(%f: fn(a) -> b, %l: List[Rose[a]]) -> List[Rose[b]]",
         "match (%l) { Nil => Nil, Cons(%h, %t) => Cons(@map_rose(%f, %h), @map_roses(%f, %t)) }"},
    };
    return all;
}

// Named by single rows: of any rank, or with rules of their own for gradients.
struct Named { const char *name, *header, *body; };
constexpr Named named[] = {
    {"alike", "def @alike(%p: Tensor[..s, f64], %q: Tensor[..s, f64]) -> Tensor[..s, f64]", "tanh(%p) * 0.5 + %q"},
    {"cubed", "def @cubed(%x) with vjp = (@cubed_there, @cubed_back)", "%x * %x * %x"},
    {"cubed_there", "def @cubed_there(%x)", "(%x * %x * %x, %x)"},
    {"cubed_back", "def @cubed_back(%x, %d)", "3.0 * %d * %x * %x"},
    {"damped", "def @damped(%x, %y) with vjp = (@damped_there, @damped_back)", "%x * tanh(%y)"},
    {"damped_there", "def @damped_there(%x, %y)", "(%x * tanh(%y), (%x, tanh(%y)))"},
    {"damped_back", "def @damped_back(%r, %d)", "(%d * %r.1, %d * %r.0 * (1.0 - %r.1 * %r.1))"},
};

// What stands for the parameters of types and the sizes of a signature in one call.
struct Instance {
    std::map<std::string, Type> types = {};
    std::map<std::string, Dim> dims = {};

    // Extends so that `pattern` becomes something that fits `want`; false: it cannot.
    bool match(const Type& pattern, const Type& want, const std::vector<std::string>& free) {
        if (pattern.kind == Kind::param) return types.emplace(pattern.name, want).first->second == want;
        if (pattern.kind != want.kind || pattern.dtype != want.dtype || pattern.ranked != want.ranked || pattern.name != want.name) return false;
        if (pattern.dims.size() != want.dims.size() || pattern.parts.size() != want.parts.size()) return false;
        for (size_t i = 0; i < pattern.dims.size(); ++i) {
            const Dim& p = pattern.dims[i];
            if (want.dims[i].any()) continue;
            bool named = std::find(free.begin(), free.end(), p.text) != free.end();
            if (named ? dims.emplace(p.text, want.dims[i]).first->second != want.dims[i] : p != want.dims[i]) return false;
        }
        for (size_t i = 0; i < pattern.parts.size(); ++i)
            if (!match(pattern.parts[i], want.parts[i], free)) return false;
        return true;
    }
    Type instantiate(Type type) const {
        if (type.kind == Kind::param) return types.at(type.name);
        for (Dim& d : type.dims)
            if (auto found = dims.find(d.text); !d.text.empty() && found != dims.end()) d = found->second;
        for (Type& part : type.parts) part = instantiate(std::move(part));
        return type;
    }
};

bool can_call(const Signature& s, Construct what, const Type& want) {
    return s.what == what && Instance().match(s.result, want, s.dims);
}
template <Construct what> bool has_function(const Generator& g, const Type& want) {
    if (want.kind == Kind::param || !want.ranked || !g.can_bind()) return false;
    for (const Signature& s : g.signatures())
        if (can_call(s, what, want)) return true;
    return false;
}
template <Construct what> Expr call(Generator& g, const Type& want, int depth) {
    std::vector<const Signature*> able;
    for (const Signature& s : g.signatures())
        if (can_call(s, what, want)) able.push_back(&s);
    const Signature s = *able[g.below(able.size())];
    Instance instance;
    instance.match(s.result, want, s.dims);
    for (const char* name : {"a", "b", "c"})
        if (!instance.types.contains(name)) instance.types.emplace(name, forget_variables(g.some_type(2)));
    for (const std::string& d : s.dims)
        if (!instance.dims.contains(d)) instance.dims.emplace(d, g.known_dim());
    std::vector<Expr> args;
    std::string form = "@" + s.name + "(";
    for (const Type& param : s.params) {
        form += (args.empty() ? "$" : ", $") + std::to_string(args.size());
        Type type = instance.instantiate(param);
        bool again = !args.empty() && args.back().form.starts_with("%") && fits(args.back().type, type) && g.chance(40);
        args.push_back(again ? Expr(args.back()) : g.expr(type, depth));         // one value as two arguments
    }
    return make(what, instance.instantiate(s.result), form + ")", std::move(args));
}

std::pair<std::string, std::vector<Var>> params_of(Generator& g, const Type& type) {
    std::string text;
    std::vector<Var> vars;
    for (size_t i = 0; i + 1 < type.parts.size(); ++i) {
        Var var{g.new_name("a"), type.parts[i]};
        text += (i ? ", " : "") + var.name + ": " + to_text(var.type);
        var.type = g.with_known_dims(var.type, var.name);
        vars.push_back(std::move(var));
    }
    return {text, vars};
}
bool is_fn(const Generator& g, const Type& want) { return g.can_bind() && want.kind == Kind::fn; }
Expr closure(Generator& g, const Type& want, int depth) {
    auto [params, vars] = params_of(g, want);
    return make(Construct::closure, want, "fn(" + params + ") #0", {}, {g.block(want.parts.back(), depth, vars)});
}
// One of several functions that a container holds.
Expr held_closure(Generator& g, const Type& want, int depth) {
    Type argument = forget_variables(g.some_type(2)), f = fn({argument}, want);
    bool box = g.chance(40);
    Var held = g.bound(box ? make(Construct::record, data("Box", {f}), "{val = $0, tag = 0}", {g.expr(f, depth)})
                           : make(Construct::seq, seq(f), "[$0, $1]", {g.expr(f, depth), g.expr(f, depth)}));
    std::string form = box ? "($0.val)($1)" : "($0[mod($2, 2)])($1)";
    std::vector<Expr> args = {use(held), g.expr(argument, depth)};
    if (!box) args.push_back(g.expr(whole(), depth));
    return make(Construct::held_closure, want, form, std::move(args));
}
// One function at two types that only its results tell.
Expr unlike(Generator& g, const Type&, int depth) {
    Var one = g.stated(make(Construct::polymorphic, data("Option", {real()}), "@nothing($0)", {g.expr(whole(), depth)}));
    g.stated(make(Construct::polymorphic, data("Option", {forget_variables(g.some_type(1))}), "@nothing($0)", {g.expr(whole(), depth)}));
    std::string p = g.new_name("p");
    return make(Construct::polymorphic, real(), "(match ($0) { None => 0.5, Some(" + p + ") => " + p + " })", {use(one)});
}
bool is_unlike(const Generator& g, const Type& want) { return g.can_bind() && want.is_scalar(DType::f64); }
bool can_be_result(const Generator& g, const Type& want) { return g.can_bind() && want.kind != Kind::param && want.ranked && forget_variables(want) == want; }
Expr called_value(Generator& g, const Type& want, int depth) {
    std::vector<Var> able;
    for (const Var& var : g.vars())
        if (var.type.kind == Kind::fn && fits(var.type.parts.back(), want)) able.push_back(var);
    Var f;
    if (!able.empty() && g.chance(80)) f = able[g.below(able.size())];
    else f = g.bound(fn({forget_variables(g.some_type(1))}, want), depth);
    std::vector<Expr> args = {use(f)};
    std::string form = "$0(";
    for (size_t i = 0; i + 1 < f.type.parts.size(); ++i) {
        form += (i ? ", $" : "$") + std::to_string(args.size());
        args.push_back(g.expr(f.type.parts[i], depth));
    }
    return make(Construct::higher_order, f.type.parts.back(), form + ")", std::move(args));
}
} // namespace

// Writes the functions of one program.
struct FunctionWriter {
    Generator& g;

    // Sizes that are more than a name are not put in at a call.
    static Type forget_arithmetic(Type type) {
        for (Dim& d : type.dims)
            if (d.text.starts_with("(")) d = {};
        for (Type& part : type.parts) part = forget_arithmetic(std::move(part));
        return type;
    }
    // A type in the words of a signature: its own sizes, or any.
    Type of_signature(bool data_only = false) {
        for (;;) {
            Type type = forget_arithmetic(forget_variables(g.some_type(data_only ? 0 : 1)));
            if (type.ranked && (!data_only || type.kind == Kind::data)) return type;
        }
    }
    std::vector<Var> params(size_t count) {
        std::vector<Var> made;
        for (size_t i = 0; i < count; ++i) made.push_back({g.new_name("p"), of_signature()});
        return made;
    }
    std::string header(const std::string& name, const std::vector<Var>& params, const Type& result) {
        std::string text = "def @" + name + "(";
        for (const Var& var : params) text += (text.back() == '(' ? "" : ", ") + var.name + ": " + to_text(var.type);
        return text + ") -> " + to_text(result);
    }
    std::vector<Var> known(std::vector<Var> vars) {
        for (Var& var : vars) var.type = g.with_known_dims(var.type, var.name);
        return vars;
    }
    static std::vector<Type> types(const std::vector<Var>& vars) {
        std::vector<Type> out;
        for (const Var& var : vars) out.push_back(var.type);
        return out;
    }
    std::string call_text(const std::string& name, size_t args) {
        std::string form = "@" + name + "(";
        for (size_t i = 0; i < args; ++i) form += (i ? ", $" : "$") + std::to_string(i);
        return form + ")";
    }

    // The first parameters bring the size p, so that the others may use it; two of one type can be given one value.
    std::vector<Var> sized() {
        g.sizes_ = {"p"};
        std::vector<Var> made;
        for (size_t i = g.chance(40) ? 2 : 1; i > 0; --i) made.push_back({g.new_name("p"), tensor(DType::f64, {Dim{.text = "p"}})});
        return made;
    }
    void finish(Construct what, const std::string& name, const std::vector<Var>& params, const Type& result, Block body) {
        g.program_.functions.push_back({what, name, header(name, params, result), std::move(body)});
    }
    void announce(Construct what, const std::string& name, const std::vector<Var>& params, const Type& result) {
        g.signatures_.push_back({what, name, types(params), result, g.sizes_});
    }
    Block body(const Type& result, const std::vector<Var>& params) {
        g.vars_ = known(params);
        return g.block(result, 1);
    }

    void plain(const std::string& name, Construct what) {
        std::vector<Var> all = sized();
        for (const Var& var : params(g.below(3))) all.push_back(var);
        Type result = of_signature();
        Block made = body(result, all);
        finish(what, name, all, result, std::move(made));
        static constexpr const char* facts[] = {" where p < 40", " where 2*p <= 100, p + 1 > 0", " where p >= 0, p != 7", " where mod(p, 2) <= 1", " where p > 0"};
        if (what == Construct::facts) g.program_.functions.back().header += facts[g.below(g.chance(20) ? 5 : 4)];
        announce(what, name, all, result);
    }
    // The branch of a counted recursion: the rest is named, then used.
    Block step(const std::string& callee, const std::vector<Var>& all, const Type& result, const Var& count) {
        g.vars_ = known(all);
        std::vector<Expr> args;
        Block made;
        g.out_ = &made.statements;
        for (const Var& var : all)
            args.push_back(var.name == count.name ? make(Construct::leaf, whole(), count.name + " - 1") : g.expr(g.with_known_dims(var.type, var.name), 3));
        Var rest{g.new_name("r"), result};
        made.statements.push_back({Construct::leaf, rest.name + " = $0", make(Construct::recursion, result, call_text(callee, all.size()), std::move(args))});
        rest.type = g.with_known_dims(result, rest.name);
        g.vars_.push_back(rest);
        g.out_ = nullptr;
        Block after = g.block(result, 2);
        for (Statement& s : after.statements) made.statements.push_back(std::move(s));
        made.result = std::move(after.result);
        return made;
    }
    Block counted_body(const std::string& callee, const std::vector<Var>& all, const Type& result, const Var& count) {
        g.vars_ = known(all);
        Block base = g.block(result, 2);
        Block more = step(callee, all, result, count);
        Expr condition = make(Construct::compare, scalar(DType::boolean), count.name + " <= 0");
        return {{}, make(Construct::choice, result, "if ($0) #0 else #1", {condition}, {std::move(base), std::move(more)})};
    }
    // Its count is cut down at the door, so that any number may be given.
    void announce_counted(Construct what, const std::string& name, const std::vector<Var>& all, const Type& result) {
        std::string args;
        for (const Var& var : all) args += (args.empty() ? "" : ", ") + (&var == &all.back() ? "mod(" + var.name + ", 4)" : var.name);
        g.program_.functions.push_back({Construct::leaf, name + "_some", header(name + "_some", all, result), {{}, make(Construct::leaf, result, "@" + name + "(" + args + ")")}});
        announce(what, name + "_some", all, result);
    }
    void counted(const std::string& name) {
        std::vector<Var> all = sized();
        for (const Var& var : params(g.below(2))) all.push_back(var);
        all.push_back({g.new_name("p"), whole()});
        Type result = of_signature();
        finish(Construct::recursion, name, all, result, counted_body(name, all, result, all.back()));
        announce_counted(Construct::recursion, name, all, result);
    }
    void mutual(const std::string& name) {
        std::vector<Var> all = sized();
        for (const Var& var : params(g.below(2))) all.push_back(var);
        all.push_back({g.new_name("p"), whole()});
        Type result = of_signature();
        finish(Construct::mutual, name, all, result, counted_body(name + "_other", all, result, all.back()));
        finish(Construct::mutual, name + "_other", all, result, counted_body(name, all, result, all.back()));
        announce_counted(Construct::mutual, name, all, result);
    }
    // Over a structure: one result per part of its own type.
    void structural(const std::string& name) {
        std::vector<Var> all = sized();
        for (const Var& var : params(g.below(2))) all.push_back(var);
        Type element = forget_arithmetic(forget_variables(g.some_type(2)));
        Type over = g.chance(40) ? list(element) : g.chance(60) ? tree(element) : data("Form");
        all.push_back({g.new_name("p"), over});
        Type result = of_signature();
        std::string form = "match ($0) {";
        std::vector<Block> arms;
        for (const Constructor& c : declaration_of(over).constructors) {
            g.vars_ = known(all);
            Block arm;
            std::string parts;
            g.out_ = &arm.statements;
            std::vector<Var> fields;
            for (const Type& field : fields_of(over, c)) {
                Var var{g.new_name("f"), field};
                var.type = g.with_known_dims(field, var.name);
                fields.push_back(var);
                parts += (parts.empty() ? "" : ", ") + var.name;
                g.vars_.push_back(var);
            }
            for (const Var& var : fields) {
                if (var.type != over) continue;
                std::vector<Expr> args;
                for (const Var& param : known(all))
                    args.push_back(param.name == all.back().name ? use(var) : g.chance(70) ? use(param) : g.expr(param.type, 3));
                Var rest{g.new_name("r"), result};
                arm.statements.push_back({Construct::leaf, rest.name + " = $0", make(Construct::recursion, result, call_text(name, all.size()), std::move(args))});
                rest.type = g.with_known_dims(result, rest.name);
                g.vars_.push_back(rest);
            }
            g.out_ = nullptr;
            Block after = g.block(result, 2);
            for (Statement& s : after.statements) arm.statements.push_back(std::move(s));
            arm.result = std::move(after.result);
            form += "\n  " + c.name + (parts.empty() ? "" : "(" + parts + ")") + " => #" + std::to_string(arms.size()) + ",";
            arms.push_back(std::move(arm));
        }
        Expr whole_match = make(Construct::match, result, form + "\n}", {use(all.back())}, std::move(arms));
        finish(Construct::recursion, name, all, result, {{}, std::move(whole_match)});
        announce(Construct::recursion, name, all, result);
    }
};

void Generator::write_function(Construct what) {
    std::string name = "f" + std::to_string(program_.functions.size());
    FunctionWriter writer{*this};
    int before = budget_;
    budget_ = before / 3;                    // each gets a share
    int share = budget_;
    bool outer = what == options_.outer;
    inside_outer_ += outer;
    if (what == Construct::call || what == Construct::facts) writer.plain(name, what);
    else if (what == Construct::mutual) writer.mutual(name);
    else if (chance(50)) writer.counted(name);
    else writer.structural(name);
    inside_outer_ -= outer;
    budget_ = before - (share - budget_);
    vars_.clear();
    sizes_.clear();
}

void Generator::write_functions() {
    for (const Shared& s : shared()) {
        program_.functions.push_back({Construct::leaf, s.signature.name, s.header, {{}, make(Construct::leaf, s.signature.result, s.body)}});
        signatures_.push_back(s.signature);
    }
    for (const Named& f : named) program_.functions.push_back({Construct::leaf, f.name, f.header, {{}, make(Construct::leaf, real(), f.body)}});
    using enum Construct;
    for (Construct what : {call, recursion, mutual, facts})
        if (what != options_.outer && (what == options_.inner || chance(what == facts ? 15 : 35))) write_function(what);
    for (Construct what : {call, recursion, mutual, facts})          // last: it may call the others
        if (what == options_.outer) write_function(what);
}

std::span<const Row> function_rows() {
    using enum Construct;
    static constexpr Row rows[] = {
    //   construct     weight  smooth  can                         make
        {call,         6,      true,   has_function<call>,         gen::call<call>},
        {recursion,    6,      true,   has_function<recursion>,    gen::call<recursion>},
        {mutual,       5,      true,   has_function<mutual>,       gen::call<mutual>},
        {facts,        4,      true,   has_function<facts>,        gen::call<facts>},
        {polymorphic,  4,      true,   has_function<polymorphic>,  gen::call<polymorphic>},
        {polymorphic,  1,      true,   is_unlike,                  unlike},
        {higher_order, 3,      true,   has_function<higher_order>, gen::call<higher_order>},
        {closure,      20,     true,   is_fn,                      gen::closure},
        {higher_order, 3,      true,   can_be_result,              called_value},
        {held_closure, 1,      true,   can_be_result,              gen::held_closure},
    };
    return rows;
}
} // namespace nereus::gen
