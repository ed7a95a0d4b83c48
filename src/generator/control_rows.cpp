// Choices and loops, of any type.
#include "generator/generator.h"

namespace nereus::gen {
namespace {
bool any_type(const Generator& g, const Type& want) { return g.can_bind() && want.kind != Kind::param && want.ranked; }
bool is_stacked(const Generator& g, const Type& want) { return any_type(g, want) && want.kind == Kind::tensor && !want.dims.empty(); }

Expr choice(Generator& g, const Type& want, int depth) {
    Expr condition = g.expr(truth(), depth);
    return make(Construct::choice, want, "if ($0) #0 else #1", {std::move(condition)}, {g.block(want, depth), g.block(want, depth)});
}

// The condition speaks of the very sizes that the arms have.
bool has_open_size(const Generator& g, const Type& want) { return is_stacked(g, want) && want.dims[0].any(); }
Expr choice_by_size(Generator& g, const Type& want, int depth) {
    Type one = want, other = want;
    one.dims[0] = g.known_dim(), other.dims[0] = g.known_dim();
    static constexpr const char* signs[] = {" == ", " <= ", " < ", " != "};
    std::string condition = one.dims[0].expression() + signs[g.chance(50) ? 0 : g.below(4)] + other.dims[0].expression();
    return make(Construct::choice, want, "if (" + condition + ") #0 else #1", {}, {g.block(one, depth), g.block(other, depth)});
}

// How often a loop goes round: seldom.
Expr trips(Generator& g, int depth) {
    if (g.chance(20)) return make(Construct::leaf, whole(), std::to_string(g.below(4)));
    if (g.chance(25)) return make(Construct::leaf, whole(), g.known_dim().expression());
    std::string count = "mod($0, " + std::to_string(2 + g.below(3)) + ")";
    if (g.chance(15)) count = "(" + count + " - 1)";     // none at all
    return make(Construct::arithmetic, whole(), count, {g.expr(whole(), depth)});
}
Var state(Generator& g, const Type& type) {
    Var var{g.new_name("s"), type};
    var.type = g.with_known_dims(type, var.name);
    return var;
}
// A state keeps the sizes that were asked for; those it does not know may change from trip to trip.
Expr loop(Generator& g, const Type& want, int depth) {
    Expr count = trips(g, depth);
    Var i{g.new_name("i"), whole()}, s = state(g, want);
    if (g.chance(60)) {
        std::vector<Expr> args = {std::move(count), g.expr(want, depth)};
        return make(Construct::loop, want, "for " + i.name + " in $0, (" + s.name + " = $1) #0", std::move(args), {g.block(want, depth, std::vector{i, s})});
    }
    Type second = forget_variables(g.some_type(1));
    Var t = state(g, second);
    std::vector<Expr> args = {std::move(count), g.expr(want, depth), g.expr(second, depth)};
    Block body = g.block(tuple({want, second}), depth, std::vector{i, s, t});
    return make(Construct::loop, want, "(for " + i.name + " in $0, (" + s.name + " = $1, " + t.name + " = $2) #0).0", std::move(args), {std::move(body)});
}
Expr while_loop(Generator& g, const Type& want, int depth) {
    Var k{g.new_name("k"), whole()}, s = state(g, want);
    std::string limit = std::to_string(1 + g.below(4));
    std::vector<Expr> args = {g.expr(want, depth), g.unbound(truth(), depth, std::vector{k, s})};
    Block body = g.block(want, depth, std::vector{k, s});
    std::string last = g.new_name("w");
    body.statements.push_back({Construct::leaf, last + " = $0", body.result});
    body.result = make(Construct::tuple, tuple({want, whole()}), "(" + last + ", " + k.name + " + 1)");
    std::string condition = g.chance(60) ? k.name + " < " + limit : k.name + " < " + limit + " && $1";
    return make(Construct::while_loop, want, "(while (" + s.name + " = $0, " + k.name + " = 0) (" + condition + ") #0).0", std::move(args), {std::move(body)});
}
// All that a loop yields, stacked.
Expr stacked(Generator& g, const Type& want, int depth) {
    Type type = want, element = want;
    element.dims.erase(element.dims.begin());
    for (size_t i = 1; i < type.dims.size(); ++i)
        if (type.dims[i].any()) type.dims[i] = element.dims[i - 1] = g.known_dim();
    Expr count = type.dims[0].any() ? trips(g, depth) : make(Construct::leaf, whole(), type.dims[0].expression());
    Var i{g.new_name("i"), whole()};
    bool carried = g.chance(60);
    Type second = carried ? forget_variables(g.some_type(1)) : tuple({});
    Var s = state(g, second);
    std::vector<Expr> args = {std::move(count)};
    if (carried) args.push_back(g.expr(second, depth));
    std::vector<Var> more = {i};
    if (carried) more.push_back(s);
    Block body = g.block(tuple({element, second}), depth, more);
    std::string pair = g.new_name("w");
    body.statements.push_back({Construct::leaf, pair + " = $0", body.result});
    bool first = g.chance(20);               // another yield, before or after
    Statement other{Construct::leaf, "yield $0", make(Construct::leaf, whole(), i.name + " * 2")};
    int yields = 1;
    if (first) body.statements.push_back(other), ++yields;
    body.statements.push_back({Construct::yield, "yield $0", make(Construct::leaf, element, pair + ".0")});
    if (!first && g.chance(20)) body.statements.push_back(other), ++yields;
    body.result = carried ? make(Construct::leaf, second, pair + ".1") : make(Construct::leaf, second, "()");
    std::string states = carried ? "(" + s.name + " = $1)" : "()";
    std::string form = "for " + i.name + " in $0, " + states + " #0";
    if (carried || yields > 1) form = "(" + form + ")." + std::to_string(int(carried) + int(first));
    return make(Construct::yield, type, form, std::move(args), {std::move(body)});
}

// A loop over tensors that are named right before it and nowhere else: their memory is the loop's to use, and no more of it.
bool is_computed(const Generator& g, const Type& want) {
    return g.can_bind() && want.is_tensor(DType::f64) && want.ranked && !want.dims.empty() && !has_any(want);
}
// A loop inside begins with such a tensor, and on the next trip again: it may not change it.
Expr nested_steps(Generator& g, const Type& want, std::vector<Expr> operands) {
    Var s{g.new_name("s"), want};
    Block body{{}, make(Construct::arithmetic, want, "tanh($0 * 0.5 + $1)", {use(s), std::move(operands[1])})};
    return make(Construct::loop, want, "for " + g.new_name("i") + " in 2, (" + s.name + " = $0) #0", {std::move(operands[0])}, {std::move(body)});
}
Expr recurrence(Generator& g, const Type& want, int depth) {
    auto computed = [&](const char* form) { return g.bound(make(Construct::arithmetic, want, form, {g.expr(want, depth + 1)})); };
    const Var a = computed("tanh($0 * 0.5)"), b = computed("($0 + 0.25)");
    const std::string held = g.chance(50) ? "[$3][0]" : g.chance(50) ? "{one = $3, two = $3}.two" : "$3";
    Var s{g.new_name("s"), want}, t{g.new_name("s"), want}, u{g.new_name("s"), want};
    static constexpr const char* steps[] = {"tanh($0 * 0.5 + $1)", "($0 * $1)", "tanh($1 - $0)", "($1 * 0.5)", "tanh($0)"};
    std::vector<Var> near = {s, t, u, a, b};
    Block body;
    auto step = [&](const Var& first) {
        std::vector<Expr> operands = {use(first), use(near[g.below(near.size())])};
        Expr made = g.chance(25) ? nested_steps(g, want, std::move(operands)) : make(Construct::arithmetic, want, steps[g.below(5)], std::move(operands));
        near.push_back({g.new_name("w"), want});
        body.statements.push_back({Construct::arithmetic, near.back().name + " = $0", std::move(made)});
        return near.back();
    };
    Var x = step(s), y = step(g.chance(50) ? a : x), z = step(g.chance(50) ? b : t);
    body.result = make(Construct::tuple, tuple({want, want, want}), "($0, $1, $2)",
                       {use(g.chance(70) ? z : x), use(g.chance(60) ? y : s), use(g.chance(60) ? u : g.chance(50) ? t : x)});
    std::vector<Expr> args = {trips(g, depth), use(g.chance(50) ? a : b), g.expr(want, depth + 1), g.expr(want, depth + 1)};
    Var done = g.bound(make(Construct::loop, tuple({want, want, want}),
                            "for " + g.new_name("i") + " in $0, (" + s.name + " = $1, " + t.name + " = $2, " + u.name + " = " + held + ") #0",
                            std::move(args), {std::move(body)}));
    g.forget(a), g.forget(b);
    return make(Construct::loop, want, "(" + done.name + ".0 + " + done.name + (g.chance(50) ? ".1)" : ".1 - " + done.name + ".2)"));
}

Type matched_type(Generator& g) {
    switch (g.below(8)) {
    case 0: return whole();
    case 1: return truth();
    case 2: return tuple({data("List", {forget_variables(g.some_type(2))}), g.chance(50) ? whole() : truth()});
    default: {
        const Declared& decl = declared()[g.below(declared().size())];
        std::vector<Type> args;
        for (size_t i = 0; i < decl.params.size(); ++i) args.push_back(forget_variables(g.some_type(2)));
        std::vector<Dim> dims;
        for (size_t i = 0; i < decl.dims.size(); ++i) dims.push_back(g.known_dim());
        return data(decl.name, std::move(args), std::move(dims));
    }
    }
}
// What can be taken apart twice.
Type deep_type(Generator& g) {
    Type inner = g.chance(50) ? data("Option", {forget_variables(g.some_type(2))}) : g.chance(50) ? whole() : tuple({truth(), forget_variables(g.some_type(2))});
    return g.chance(40) ? data("List", {inner}) : g.chance(50) ? data("Tree", {inner}) : g.chance(50)   ? data("Option", {inner}) : data("Form");
}
// One arm with a guard or a nested pattern, at times; then arms that leave nothing out.
Expr match_of(Generator& g, const Type& type, const Type& want, int depth, bool nests) {
    std::vector<Expr> args = {g.expr(type, depth)};
    std::vector<Block> blocks;
    std::string form = "match ($0) {";
    bool guarded = false;
    auto arm = [&](const Generator::Pattern& p, bool guard) {
        form += "\n  " + p.text;
        if (guard) {
            form += " if $" + std::to_string(args.size());
            args.push_back(g.unbound(truth(), depth, p.vars));
            guarded = true;
        }
        form += " => #" + std::to_string(blocks.size()) + ",";
        blocks.push_back(g.block(want, depth, p.vars));
    };
    if (g.chance(35)) arm(g.pattern(type, 0, g.can_refute(type)), true);
    if (type.kind != Kind::data || declaration_of(type).constructors.size() == 1) {
        if (g.can_refute(type)) arm(g.pattern(type, 0, true), false);
        if (type.is_scalar(DType::boolean)) {            // the other one
            form.clear();
            return make(Construct::match, want, "match ($0) {\n  true => #0,\n  false => #1,\n}", {args[0]}, {g.block(want, depth), g.block(want, depth)});
        }
        arm(g.pattern(type, type.kind == Kind::tuple ? 9 : 0, false), false);
    } else {
        for (const Constructor& c : declaration_of(type).constructors) {
            std::vector<Type> fields = fields_of(type, c);
            auto parts = [&](bool refutable) {
                Generator::Pattern made{c.name + (fields.empty() ? "" : "("), {}};
                size_t must = fields.size();
                for (size_t i = 0; i < fields.size(); ++i)
                    if (refutable && g.can_refute(fields[i])) must = i;
                for (size_t i = 0; i < fields.size(); ++i) {
                    Generator::Pattern p = g.pattern(fields[i], refutable ? 1 : 9, i == must);
                    made.text += (i ? ", " : "") + p.text;
                    made.vars.insert(made.vars.end(), p.vars.begin(), p.vars.end());
                }
                if (!fields.empty()) made.text += ")";
                return made;
            };
            bool nested = false;
            for (const Type& f : fields) nested = nested || g.can_refute(f);
            if (nested && (nests || g.chance(30))) arm(parts(true), g.chance(20));
            else if (g.chance(15)) arm(parts(false), true);
            arm(parts(false), false);
        }
    }
    return make(nests ? Construct::nested : guarded ? Construct::guard : Construct::match, want, form + "\n}", std::move(args), std::move(blocks));
}
Expr match(Generator& g, const Type& want, int depth) { return match_of(g, matched_type(g), want, depth, false); }
Expr nested_match(Generator& g, const Type& want, int depth) { return match_of(g, deep_type(g), want, depth, true); }
} // namespace

std::span<const Row> control_rows() {
    static constexpr Row rows[] = {
    //   construct               weight  smooth  can          make
        {Construct::choice,      6,      true,   any_type,    choice},
        {Construct::choice,      3,      true,   has_open_size, choice_by_size},
        {Construct::match,       6,      true,   any_type,    match},
        {Construct::guard,       1,      true,   any_type,    match},
        {Construct::nested,      2,      true,   any_type,    nested_match},
        {Construct::loop,        6,      true,   any_type,    loop},
        {Construct::loop,        10,     true,   is_computed, recurrence},
        {Construct::while_loop,  3,      true,   any_type,    while_loop},
        {Construct::yield,       5,      true,   is_stacked,  stacked},
    };
    return rows;
}
} // namespace nereus::gen
