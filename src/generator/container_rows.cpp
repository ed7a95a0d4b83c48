// Structures and what is taken out of them: tuples, records, constructors, Seq, cells.
#include "generator/generator.h"

namespace nereus::gen {
namespace {
bool is_kind(const Type& want, Kind kind) { return want.kind == kind; }
bool any_type(const Generator&, const Type& want) { return want.kind != Kind::param && !(want.kind == Kind::tensor && !want.ranked); }
bool binds_any(const Generator& g, const Type& want) { return g.can_bind() && any_type(g, want); }
bool is_tuple(const Generator&, const Type& want) { return is_kind(want, Kind::tuple); }
bool is_data(const Generator&, const Type& want) { return is_kind(want, Kind::data); }
bool is_record(const Generator&, const Type& want) { return is_kind(want, Kind::data) && declaration_of(want).is_record(); }
bool is_seq(const Generator&, const Type& want) { return is_kind(want, Kind::seq); }
bool binds_seq(const Generator& g, const Type& want) { return g.can_bind() && is_seq(g, want); }
// Sizes that name a variable cannot be said in the type of a container.
bool can_be_held(const Generator& g, const Type& want) { return binds_any(g, want) && forget_variables(want) == want; }

// Not of functions in what is differentiated: gradients lose track of those.
bool has_content(const Generator& g, const Type& want) { return !holds(want, Kind::fn) || (!g.options().smooth && g.gradients_around() == 0); }
bool is_ref(const Generator& g, const Type& want) { return is_kind(want, Kind::ref) && has_content(g, want); }
bool can_be_in_a_cell(const Generator& g, const Type& want) { return can_be_held(g, want) && has_content(g, want); }

std::string holes(const std::vector<Expr>& args, const std::vector<std::string>& names) {
    std::string out;
    for (size_t i = 0; i < args.size(); ++i) out += (i ? ", " : "") + (names.empty() ? "" : names[i] + " = ") + "$" + std::to_string(i);
    return out;
}

std::string holes_backwards(const std::vector<Expr>& args, const std::vector<std::string>& names) {
    std::string out;
    for (size_t i = args.size(); i-- > 0;) out += (out.empty() ? "" : ", ") + names[i] + " = $" + std::to_string(i);
    return out;
}

Expr tuple_of(Generator& g, const Type& want, int depth) {
    std::vector<Expr> items;
    for (const Type& part : want.parts) items.push_back(g.expr(part, depth));
    std::string form = "(" + holes(items, {}) + ")";
    return make(Construct::tuple, want, form, std::move(items));
}
Expr item(Generator& g, const Type& want, int depth) {
    size_t at = g.below(2);
    Type other = g.some_type(1);
    Expr pair = g.expr(at ? tuple({other, want}) : tuple({want, other}), depth);
    return make(Construct::tuple, want, "$0." + std::to_string(at), {std::move(pair)});
}
Expr constructed(Generator& g, const Type& want, int depth) {
    const Declared& decl = declaration_of(want);
    Type type = want;
    if (g.chance(60))
        for (Dim& d : type.dims)
            if (d.any()) d = g.known_dim();
    if (has_any(type) && type.name == "Layer") type.dims[0] = g.known_dim();
    const Constructor& chosen = decl.constructors[g.below(decl.constructors.size())];
    std::vector<Expr> args;
    Dim shared = g.known_dim();
    for (Type field : fields_of(type, chosen)) {
        if (!decl.bound.empty()) field.dims[0] = shared;
        args.push_back(g.expr(field, depth));
    }
    if (decl.is_record()) {
        std::string form = "{" + (g.chance(30) ? holes_backwards(args, decl.field_names) : holes(args, decl.field_names)) + "}";
        return make(Construct::record, type, form, std::move(args));
    }
    std::string form = args.empty() ? chosen.name : chosen.name + "(" + holes(args, {}) + ")";
    return make(Construct::data, type, form, std::move(args));
}
Expr updated_record(Generator& g, const Type& want, int depth) {
    const Declared& decl = declaration_of(want);
    Type type = want;
    if (type.name == "Layer" && type.dims[0].any()) type.dims[0] = g.known_dim();
    size_t field = g.below(decl.field_names.size());
    Type changed = fields_of(type, decl.constructors[0])[field];
    return make(Construct::update, type, "{$0 with " + decl.field_names[field] + " = $1}", {g.expr(type, depth), g.expr(changed, depth)});
}
Expr field(Generator& g, const Type& want, int depth) {
    if (want.is_scalar(DType::i64)) return make(Construct::record, want, "$0.tag", {g.expr(data("Box", {forget_variables(g.some_type(1))}), depth)});
    if (want.is_scalar(DType::boolean) && g.chance(50)) return make(Construct::record, want, "$0.on", {g.expr(data("Layer", {}, {g.known_dim()}), depth)});
    if (want.is_tensor(DType::f64) && want.dims.size() == 1 && g.chance(50)) return make(Construct::record, want, "$0.b", {g.expr(data("Layer", {}, {want.dims[0]}), depth)});
    if (g.chance(50)) return make(Construct::record, want, g.chance(50) ? "$0.one" : "$0.two", {g.expr(data("Pair", {want}), depth)});
    return make(Construct::record, want, "$0.val", {g.expr(data("Box", {want}), depth)});
}

Expr seq_of(Generator& g, const Type& want, int depth) {
    std::vector<Expr> items;
    for (size_t i = 1 + g.below(2); i > 0; --i) items.push_back(g.expr(want.parts[0], depth));
    std::string form = "[" + holes(items, {}) + "]";
    return make(Construct::seq, want, form, std::move(items));
}
Expr pushed(Generator& g, const Type& want, int depth) {
    return make(Construct::seq, want, "push($0, $1)", {g.expr(want, depth), g.expr(want.parts[0], depth)});
}
Expr with_changed_item(Generator& g, const Type& want, int depth) {
    Var s = g.bound(want, depth);
    return make(Construct::seq, want, "set($0, mod($1, length($0)), $2)", {use(s), g.expr(whole(), depth), g.expr(want.parts[0], depth)});
}
Expr item_of_seq(Generator& g, const Type& want, int depth) {
    Var s = g.bound(seq(want), depth);
    return make(Construct::seq, want, "$0[mod($1, length($0))]", {use(s), g.expr(whole(), depth)});
}

Expr new_cell(Generator& g, const Type& want, int depth) { return make(Construct::cell, want, "ref($0)", {g.expr(want.parts[0], depth)}); }
// A cell that is known only through what holds it, written and read there.
Expr held_cell(Generator& g, const Type& want, int depth) {
    bool box = g.chance(50);
    Var held = g.bound(box ? data("Box", {ref(want)}) : seq(ref(want)), depth);
    Expr fresh = g.expr(want, depth);
    Type type = fresh.type;
    static constexpr const char* forms[][2] = {{"(write($0[0], $1), read($0[0])).1", "(read($0[0]), write($0[0], $1)).0"},
                                               {"(write($0.val, $1), read($0.val)).1", "(read($0.val), write($0.val, $1)).0"}};
    return make(Construct::held_cell, fits(type, want) ? want : type, forms[box][g.below(2)], {use(held), std::move(fresh)});
}
// Each tensor of a structure by itself.
bool binds_leaves(const Generator& g, const Type& want) {
    return g.can_bind() && (want.kind == Kind::data || want.kind == Kind::tuple || want.kind == Kind::seq) && holds_float(want) && !holds(want, Kind::fn) &&
           !holds(want, Kind::ref) && !holds(want, Kind::param);
}
Expr mapped_leaves(Generator& g, const Type& want, int depth) {
    Var whole = g.stated(g.expr(want, depth));
    std::string x = g.new_name("a");
    if (g.chance(25)) return make(Construct::leaves, whole.type, "zeros_like($0)", {use(whole)});
    return make(Construct::leaves, whole.type, "map_leaves(fn(" + x + ") { tanh(" + x + ") * 0.5 }, $0, floats=true)", {use(whole)});
}
Expr zipped_leaves(Generator& g, const Type& want, int depth) {
    Var whole = g.stated(g.expr(want, depth));
    std::string x = g.new_name("a"), y = g.new_name("a");
    return make(Construct::leaves, whole.type, "map_leaves(fn(" + x + ", " + y + ") { " + x + " + 0.25 * " + y + " }, $0, $0, floats=true)", {use(whole)});
}
bool binds_real(const Generator& g, const Type& want) { return g.can_bind() && want.is_scalar(DType::f64); }
Expr folded_leaves(Generator& g, const Type&, int depth) {
    Type type = tuple({g.some_tensor(DType::f64, false), g.chance(50) ? data("List", {real()}) : data("Box", {tensor(DType::f64, {{}})})});
    std::string all = g.new_name("a"), x = g.new_name("a");
    return make(Construct::leaves, real(), "fold_leaves(fn(" + all + ", " + x + ") { " + all + " + sum(cast(" + x + ", f64)) }, $0, $1, floats=true)",
                {g.expr(real(), depth), use(g.stated(g.expr(type, depth)))});
}
Expr content(Generator& g, const Type& want, int depth) {
    Expr cell = g.chance(70) ? g.leaf(ref(want)) : g.expr(ref(want), depth);
    return make(Construct::cell, want, "read($0)", {std::move(cell)});
}
} // namespace

std::span<const Row> container_rows() {
    static constexpr Row rows[] = {
    //   construct              weight  smooth  can             make
        {Construct::tuple,      12,     true,   is_tuple,       tuple_of},
        {Construct::tuple,      1,      true,   any_type,       item},
        {Construct::data,       12,     true,   is_data,        constructed},
        {Construct::update,     8,      true,   is_record,      updated_record},
        {Construct::record,     1,      true,   can_be_held,    field},
        {Construct::seq,        8,      true,   is_seq,         seq_of},
        {Construct::seq,        8,      true,   is_seq,         pushed},
        {Construct::seq,        5,      true,   binds_seq,      with_changed_item},
        {Construct::seq,        1,      true,   can_be_held,    item_of_seq},
        {Construct::cell,       8,      true,   is_ref,         new_cell},
        {Construct::cell,       1,      true,   can_be_in_a_cell, content},
        {Construct::held_cell,  1,      true,   can_be_in_a_cell, held_cell},
        {Construct::leaves,     2,      true,   binds_leaves,   mapped_leaves},
        {Construct::leaves,     2,      true,   binds_leaves,   zipped_leaves},
        {Construct::leaves,     1,      true,   binds_real,     folded_leaves},
    };
    return rows;
}
} // namespace nereus::gen
