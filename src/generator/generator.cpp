#include "generator/generator.h"
#include "base/invariant.h"
#include <algorithm>
#include <utility>

namespace nereus::gen {
Expr make(Construct what, Type type, std::string form, std::vector<Expr> args, std::vector<Block> blocks) {
    return {what, std::move(type), std::move(form), std::move(args), std::move(blocks)};
}
Expr use(const Var& var) { return {Construct::leaf, var.type, var.name}; }

namespace {
constexpr int deepest = 5;                   // expressions in each other before only leaves are written

const std::vector<const Row*>& all_rows() {
    static const std::vector<const Row*> all = [] {
        std::vector<const Row*> rows;
        for (std::span<const Row> part : {number_rows(), tensor_rows(), container_rows(), control_rows(), function_rows(), gradient_rows()})
            for (const Row& row : part) rows.push_back(&row);
        return rows;
    }();
    return all;
}
} // namespace

Generator::Generator(const Options& options) : options_(options), random_(options.seed) { budget_ = options.budget; }

std::string Generator::new_name(const char* stem) { return "%" + std::string(stem) + std::to_string(++names_); }

std::optional<Expr> Generator::variable(const Type& want) {
    std::vector<const Var*> fitting;
    for (const Var& var : vars_)
        if (fits(var.type, want)) fitting.push_back(&var);
    if (fitting.empty()) return std::nullopt;
    size_t recent = std::min<size_t>(fitting.size(), chance(70) ? 4 : fitting.size());
    return use(*fitting[fitting.size() - 1 - below(recent)]);
}

Expr Generator::literal(const Type& want) {
    switch (want.kind) {
    case Kind::tensor: {
        Expr number = make(Construct::leaf, scalar(want.dtype), "");
        static constexpr const char* reals[] = {"0.5", "2.0", "(-0.75)", "1.25", "0.3", "(-1.5)"};
        static constexpr const char* wholes[] = {"0", "1", "2", "3", "(-1)", "5"};
        if (want.dtype == DType::boolean) number.form = chance(50) ? "true" : "false";
        else number.form = is_float(want.dtype) ? reals[below(6)] : wholes[below(is_unsigned(want.dtype) ? 4 : 6)];
        if (want.dims.empty()) return number;            // a tensor of any rank too
        std::string sizes;
        Type type = want;
        for (Dim& d : type.dims) {
            if (d.any()) d = Dim{.number = int64_t(below(4))};
            sizes += (sizes.empty() ? "" : ", ") + d.expression();
        }
        return make(Construct::leaf, type, "full([" + sizes + "], $0)", {number});
    }
    case Kind::tuple: {
        std::vector<Expr> items;
        std::string form;
        for (const Type& part : want.parts) {
            form += (items.empty() ? "($" : ", $") + std::to_string(items.size());
            items.push_back(leaf(part));
        }
        form = items.empty() ? "()" : form + ")";
        return make(Construct::leaf, want, form, std::move(items));
    }
    case Kind::data: {
        const Declared& decl = declaration_of(want);
        const Constructor& least = decl.constructors[0];
        std::vector<Expr> fields;
        std::string form;
        Type known = want;
        for (Dim& d : known.dims)
            if (d.any()) d = Dim{.number = 2};
        for (Type type : fields_of(known, least)) {
            if (!decl.bound.empty()) type = tensor(DType::f64, {Dim{.number = 2}});
            std::string hole = "$" + std::to_string(fields.size());
            if (decl.is_record()) form += (fields.empty() ? "{" : ", ") + decl.field_names[fields.size()] + " = " + hole;
            else form += (fields.empty() ? "(" : ", ") + hole;
            fields.push_back(decl.is_record() || !decl.bound.empty() ? literal(type) : leaf(type));
        }
        if (decl.is_record()) return make(Construct::leaf, known, form + "}", std::move(fields));
        form = fields.empty() ? least.name : least.name + form + ")";
        return make(Construct::leaf, known, form, std::move(fields));
    }
    case Kind::seq: return make(Construct::leaf, want, "[$0]", {leaf(want.parts[0])});
    case Kind::ref: return make(Construct::leaf, want, "ref($0)", {leaf(want.parts[0])});
    case Kind::fn: {
        std::string params;
        for (size_t i = 0; i + 1 < want.parts.size(); ++i)
            params += (i ? ", " : "") + new_name("a") + ": " + to_text(want.parts[i]);
        return make(Construct::leaf, want, "fn(" + params + ") #0", {}, {Block{{}, leaf(want.parts.back())}});
    }
    case Kind::param: break;
    }
    invariant(false, "a type parameter has no values");
    return {};
}

Expr Generator::leaf(const Type& want) {
    if (std::optional<Expr> known = variable(want)) return *known;
    return literal(want);
}

Expr Generator::run(const Row& row, const Type& want, int depth) {
    Construct before = std::exchange(making_, row.what);
    bool outer = row.what == options_.outer;
    inner_seen_ += inside_outer_ > 0 && row.what == options_.inner;
    inside_outer_ += outer;
    --budget_;
    Expr made = row.make(*this, want, depth + 1);
    inside_outer_ -= outer;
    making_ = before;
    return made;
}

// An arm that has such a statement.
Expr Generator::with_statement(Construct what, int depth) {
    const std::vector<Var> outside = vars_;
    Expr condition = leaf(truth());
    Block made;
    std::vector<Statement>* before = std::exchange(out_, &made.statements);
    Statement statement = what == Construct::effect ? effect_statement(depth + 1) : pattern_statement(depth + 1);
    if (!statement.form.empty()) made.statements.push_back(std::move(statement));
    made.result = leaf(whole());
    vars_ = outside;
    out_ = before;
    return make(Construct::choice, whole(), "if ($0) #0 else #1", {std::move(condition)}, {std::move(made), Block{{}, leaf(whole())}});
}

std::optional<Expr> Generator::forced(Construct what, int depth) {
    if (what == Construct::effect || what == Construct::pattern) {
        if (!can_bind()) return std::nullopt;
        inner_seen_ += inside_outer_ > 0;
        return with_statement(what, depth);
    }
    const Dim known = known_dim();
    std::vector<Type> types = {
        real(), whole(), truth(), tensor(DType::f64, {{}}), tensor(DType::f64, {known}), tensor(DType::f64, {known, known_dim()}),
        tensor(DType::i64, {{}}), tensor(DType::boolean, {known}), tuple({real(), whole()}), data("List", {real()}), data("Tree", {real()}),
        data("Box", {real()}), data("Layer", {}, {known}), data("Form"), seq(real()), ref(real()), fn({real()}, real()), tuple({real(), tensor(DType::f64, {{}})}),
    };
    for (const Signature& s : signatures_)
        if (s.what == what && !holds(s.result, Kind::param)) types.push_back(forget_dims(s.result));
    std::vector<std::pair<const Row*, const Type*>> able;
    for (const Row* row : all_rows())
        for (const Type& type : types)
            if (row->what == what && allows(*row) && row->can(*this, type)) able.push_back({row, &type});
    if (able.empty()) return std::nullopt;
    auto [row, type] = able[below(able.size())];
    return run(*row, *type, depth);
}

std::optional<Expr> Generator::with_inner(const Type& want, int depth) {
    Expr base = leaf(want);
    std::optional<Expr> inner = forced(options_.inner, depth);
    if (!inner) return std::nullopt;
    Type type = inner->type;
    if (type.kind == Kind::tensor && type.ranked && want.kind == Kind::tensor && want.dtype != DType::boolean && (!options_.smooth || !want.is_float() || type.dtype == DType::f64)) {
        std::string number = type.dtype == DType::boolean ? "cast($1, i64)" : "$1";        // one number that depends on it
        if (!type.dims.empty()) number = "sum(" + number + ")";
        return make(Construct::arithmetic, want, "($0 + cast(" + number + ", " + std::string(dtype_name(want.dtype)) + "))", {std::move(base), std::move(*inner)});
    }
    return make(Construct::tuple, want, "($0, $1).0", {std::move(base), std::move(*inner)});
}

Expr Generator::expr(const Type& want, int depth) {
    bool looking = options_.inner != Construct::leaf && inside_outer_ > 0 && inner_seen_ < 2;
    if (looking && chance(depth > deepest ? 80 : 40) && want.ranked)
        if (std::optional<Expr> made = with_inner(want, depth)) return *made;
    if (budget_ <= 0 || depth > deepest) return leaf(want);
    if (chance(looking ? 5 : (options_.narrow ? 30 : 15) + 10 * depth))
        if (std::optional<Expr> known = variable(want)) return *known;
    int total = 0;
    std::vector<std::pair<int, const Row*>> able;
    for (const Row* row : all_rows()) {
        if (!allows(*row) || !row->can(*this, want)) continue;
        int weight = row->weight;
        if (row->what == options_.outer) weight *= 12;
        if (row->what == options_.inner && inside_outer_ > 0) weight *= 20;
        able.push_back({total += weight, row});
    }
    if (able.empty()) return leaf(want);
    int at = int(below(uint64_t(total)));
    const Row* row = std::find_if(able.begin(), able.end(), [&](const auto& r) { return at < r.first; })->second;
    return run(*row, want, depth);
}

Type Generator::with_known_dims(const Type& type, const std::string& variable) const {
    Type known = type;
    if (type.kind == Kind::tensor)
        for (size_t i = 0; i < known.dims.size(); ++i)
            if (known.dims[i].any()) known.dims[i].text = "shape_of(" + variable + ")[" + std::to_string(i) + "]";
    if (type.kind == Kind::data && type.name == "Layer" && type.dims[0].any())
        known.dims[0].text = "shape_of(" + variable + ".b)[0]";
    return known;
}

Var Generator::bound(Expr e) {
    if (e.args.empty() && e.form.starts_with("%") && !has_any(e.type)) return {e.form, e.type};
    invariant(can_bind(), "a row that binds says so");
    Var var{new_name("v"), e.type};
    var.type = with_known_dims(e.type, var.name);
    out_->push_back({making_, var.name + " = $0", std::move(e)});
    vars_.push_back(var);
    return var;
}

void Generator::forget(const Var& var) {
    std::erase_if(vars_, [&](const Var& known) { return known.name == var.name; });
}

Var Generator::stated(Expr e) {
    Var var{new_name("v"), with_known_dims(e.type, "%v" + std::to_string(names_))};
    out_->push_back({making_, var.name + ": " + to_text(e.type) + " = $0", std::move(e)});
    vars_.push_back(var);
    return var;
}

Block Generator::block(const Type& want, int depth, std::span<const Var> more) {
    const std::vector<Var> outside = vars_;
    std::vector<Statement>* before = out_;
    Block made;
    out_ = &made.statements;
    vars_.insert(vars_.end(), more.begin(), more.end());
    statements(depth, int(below(depth < 2 ? 4 : depth < 4 ? 3 : 2)));
    made.result = expr(want, depth);
    vars_ = outside;
    out_ = before;
    return made;
}

Block Generator::differentiated_block(const Type& want, int depth, std::span<const Var> more) {
    ++in_gradient_;
    gradient_work_ += 1 << (2 * in_gradient_);
    Block made = block(want, depth, more);
    --in_gradient_;
    return made;
}

Block Generator::own_block(const Type& want, int depth, std::span<const Var> more, int gradients) {
    const std::vector<Var> outside = vars_;
    std::vector<std::string> sizes = std::exchange(sizes_, {});
    std::erase_if(vars_, [](const Var& var) { return holds(var.type, Kind::ref) || holds(var.type, Kind::fn); });
    for (Var& var : vars_) var.type = with_known_dims(forget_names(var.type), var.name);
    ++alone_, in_gradient_ += gradients;
    if (gradients > 0) gradient_work_ += 1 << (2 * in_gradient_);
    Block made = block(want, depth, more);
    --alone_, in_gradient_ -= gradients;
    vars_ = outside;
    sizes_ = std::move(sizes);
    return made;
}

Expr Generator::unbound(const Type& want, int depth, std::span<const Var> more) {
    size_t outside = vars_.size();
    std::vector<Statement>* before = out_;
    out_ = nullptr;
    vars_.insert(vars_.end(), more.begin(), more.end());
    Expr made = expr(want, std::max(depth, deepest - 1));
    vars_.resize(outside);
    out_ = before;
    return made;
}

// Types

Dim Generator::known_dim() {
    if (options_.narrow && !sizes_.empty() && chance(75)) return Dim{.text = sizes_[0]};
    if (!sizes_.empty() && chance(10)) {                 // arithmetic of sizes
        const std::string &a = sizes_[below(sizes_.size())], &b = sizes_[below(sizes_.size())];
        switch (below(4)) {
        case 0: return Dim{.text = "(" + a + " + 1)"};
        case 1: return Dim{.text = "(2 * " + a + ")"};
        case 2: return Dim{.text = "(" + a + " // 2)"};
        default: return Dim{.text = "(" + a + " + " + b + ")"};
        }
    }
    if (!sizes_.empty() && chance(45)) return Dim{.text = sizes_[below(sizes_.size())]};
    if (chance(60)) {
        const Var* chosen = nullptr;
        int seen = 0;
        for (const Var& var : vars_)
            if (var.type.kind == Kind::tensor && !var.type.dims.empty() && below(uint64_t(++seen)) == 0) chosen = &var;
        if (chosen) return chosen->type.dims[below(chosen->type.dims.size())];
    }
    return Dim{.number = int64_t(1 + below(3))};
}

Type Generator::some_tensor(DType dtype, bool known) {
    static constexpr int ranks[] = {0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3};
    Type type = scalar(dtype);
    for (int rank = ranks[below(std::size(ranks))]; rank > 0; --rank)
        type.dims.push_back(known || chance(70) ? known_dim() : any_dim());
    return type;
}

DType Generator::some_integer() {
    static constexpr DType dtypes[] = {DType::i32, DType::i8, DType::i16, DType::u8, DType::u16, DType::u32, DType::u64};
    return dtypes[below(std::size(dtypes))];
}

Type Generator::narrow_type(int depth) {
    const Type vector = tensor(DType::f64, {known_dim()});
    auto part = [&] { return forget_variables(vector); };
    switch (below(depth > 0 ? 8 : 14)) {
    case 0: case 1: case 2: case 3: return vector;
    case 4: return tensor(DType::f64, {known_dim(), known_dim()});
    case 5: case 6: return real();
    case 7: return whole();
    case 8: return tuple({part(), part()});
    case 9: return data("Pair", {part()});
    case 10: return data("List", {part()});
    case 11: return seq(part());
    case 12: return ref(part());
    default: return fn({part()}, part());
    }
}

Type Generator::some_type(int depth) {
    auto part = [&] { return forget_variables(some_type(depth + 1)); };
    if (options_.narrow && chance(75)) return narrow_type(depth);
    switch (below(depth > 1 ? 10 : 24)) {
    case 0: case 1: case 2: case 3: case 4: case 5: return some_tensor(DType::f64, false);
    case 6: return scalar(DType::i64);
    case 7: return scalar(DType::f64);
    case 8: return options_.smooth || chance(50) ? scalar(DType::boolean) : some_tensor(DType::i64, false);
    case 9: return options_.smooth || chance(70) ? some_tensor(DType::f64, true) : some_tensor(chance(70) ? DType::f32 : some_integer(), false);
    case 10: case 11: return tuple({part(), part()});
    case 12: case 13: return data("List", {part()});
    case 14: return data("Tree", {part()});
    case 15: return data("Option", {part()});
    case 16: return chance(50) ? data("Form") : data("Rose", {part()});
    case 17: return data("Vec");
    case 18: return data(chance(50) ? "Box" : "Pair", {part()});
    case 19: return data("Layer", {}, {chance(60) ? known_dim() : any_dim()});
    case 20: return seq(part());
    case 21: return ref(part());
    default: return fn({part()}, part());
    }
}

Type Generator::outside_type(int depth) {
    for (;;) {
        Type type = some_type(depth);
        if (!holds(type, Kind::ref) && !holds(type, Kind::fn)) return type;
    }
}

// Patterns

bool Generator::can_refute(const Type& type) const {
    if (type.is_scalar(DType::i64) || type.is_scalar(DType::boolean)) return true;
    if (type.kind == Kind::tuple) return std::any_of(type.parts.begin(), type.parts.end(), [&](const Type& t) { return can_refute(t); });
    return type.kind == Kind::data && declaration_of(type).constructors.size() > 1;
}

Generator::Pattern Generator::pattern(const Type& type, int depth, bool refutable) {
    Pattern made;
    auto items = [&](const std::vector<Type>& types, const char* separator, const std::vector<std::string>& names) {
        std::string text;
        size_t must = types.size();          // the item that must be able to fail
        if (refutable)
            for (size_t i = 0; i < types.size(); ++i)
                if (can_refute(types[i]) && (must == types.size() || chance(50))) must = i;
        std::vector<std::string> texts;
        for (size_t i = 0; i < types.size(); ++i) {
            Pattern item = pattern(types[i], depth + 1, i == must);
            texts.push_back((names.empty() ? "" : names[i] + " = ") + item.text);
            made.vars.insert(made.vars.end(), item.vars.begin(), item.vars.end());
        }
        if (!names.empty() && chance(50)) std::reverse(texts.begin(), texts.end());      // fields go by name
        for (const std::string& item : texts) text += (text.empty() ? "" : separator) + item;
        return text;
    };
    if (refutable && type.is_scalar(DType::i64)) return {std::to_string(below(3)), {}};
    if (refutable && type.is_scalar(DType::boolean)) return {chance(50) ? "true" : "false", {}};
    bool open = refutable || (depth < 2 && chance(50));
    if (type.kind == Kind::tuple && open && !type.parts.empty()) {
        made.text = "(" + items(type.parts, ", ", {}) + ")";
        return made;
    }
    if (type.kind == Kind::data && open) {
        const Declared& decl = declaration_of(type);
        if (refutable || decl.constructors.size() == 1) {
            const Constructor& chosen = decl.constructors[below(decl.constructors.size())];
            std::vector<Type> fields = fields_of(type, chosen);
            refutable = false;               // the constructor can fail already
            std::string inside = items(fields, ", ", decl.field_names);
            made.text = decl.is_record() ? "{" + inside + "}" : chosen.name + (fields.empty() ? "" : "(" + inside + ")");
            // fields that share a size brought by the value
            if (!decl.bound.empty() && made.vars.size() == 2 && made.vars[0].type.kind == Kind::tensor) made.vars[1].type = made.vars[0].type;
            return made;
        }
    }
    if (chance(15)) return {"_", {}};
    Var var{new_name("p"), type};
    var.type = with_known_dims(type, var.name);
    made.text = var.name;
    made.vars = {var};
    return made;
}

// Statements

void Generator::statements(int depth, int count) {
    for (int i = 0; i < count && budget_ > 0; ++i) {
        Statement made = statement(depth);
        if (!made.form.empty()) out_->push_back(std::move(made));
    }
}

Statement Generator::statement(int depth) {
    auto wants = [&](Construct what) { return chance(40) && (options_.outer == what || (options_.inner == what && inside_outer_ > 0)); };
    if (wants(Construct::pattern)) return pattern_statement(depth);
    if (wants(Construct::effect)) return effect_statement(depth);
    switch (below(12)) {
    case 0: return pattern_statement(depth);
    case 1: case 2: {                                    // a new content for a cell
        std::vector<Var> cells;
        for (const Var& var : vars_)
            if (var.type.kind == Kind::ref) cells.push_back(var);
        if (cells.empty()) break;
        const Var& cell = cells[below(cells.size())];
        return {Construct::cell, "write(" + cell.name + ", $0)", expr(cell.type.parts[0], depth)};
    }
    case 3: return chance(70) ? Statement{} : effect_statement(depth);
    default: break;
    }
    Type type = some_type();
    Expr value = expr(type, depth);
    Var var{new_name("v"), value.type};
    // a name that is bound already means something else from here on: not that of a tensor, which sizes may mention
    if (Var& old = vars_[below(vars_.size())]; chance(10) && old.name.starts_with("%v") && (old.type.kind != Kind::tensor || old.type.dims.empty()) && old.type.ranked &&
                                               !(old.type.kind == Kind::data && !old.type.dims.empty())) {
        var.name = old.name;
        vars_.erase(vars_.begin() + (&old - vars_.data()));
    }
    var.type = with_known_dims(value.type, var.name);
    vars_.push_back(var);
    bool states = chance(25) || holds(type, Kind::fn) || type.kind == Kind::data || type.kind == Kind::seq;
    return {Construct::leaf, var.name + (states ? ": " + to_text(value.type) : "") + " = $0", std::move(value)};
}

// A tuple or a record taken apart.
Statement Generator::pattern_statement(int depth) {
    Type type = chance(40)   ? tuple({some_type(1), some_type(1)})
                : chance(40) ? data(chance(50) ? "Box" : "Pair", {forget_variables(some_type(1))})
                : chance(50) ? data("Layer", {}, {known_dim()}) : data("Vec");
    bool outer = options_.outer == Construct::pattern;
    inside_outer_ += outer;
    Expr value = expr(type, depth);
    inside_outer_ -= outer;
    Pattern parts = pattern(value.type, 0, false);
    if (parts.text == "_") return {};
    vars_.insert(vars_.end(), parts.vars.begin(), parts.vars.end());
    return {Construct::pattern, parts.text + " = $0", std::move(value)};
}

Statement Generator::effect_statement(int depth) {
    if (alone_ > 0 && in_gradient_ > 0) return {};
    bool outer = options_.outer == Construct::effect;
    inside_outer_ += outer;
    Expr number = expr(whole(), depth);
    inside_outer_ -= outer;
    if (chance(50)) return {Construct::effect, "print(\"p\", $0)", std::move(number)};
    return {Construct::effect, chance(90) ? "assert(mod($0, 7) >= 0, \"kept\")" : "assert($0 < 9, \"nine\")", std::move(number)};
}

// Programs

void Generator::write_main() {
    sizes_ = {"n", "m"};
    vars_ = {{"%x", tensor(DType::f64, {Dim{.text = "n"}})}, {"%y", tensor(DType::f64, {Dim{.text = "m"}})},
             {"%k", scalar(DType::i64)}, {"%c", scalar(DType::boolean)}, {"%s", scalar(DType::f64)}};
    for (int i = int(below(4)); i > 0; --i) {
        Var var{new_name("in"), forget_variables(outside_type())};
        if (options_.smooth && holds_float(var.type) && !is_differentiable(var.type)) continue;
        vars_.push_back(var);
    }
    if (!options_.smooth && chance(15)) vars_.push_back({new_name("in"), {.dtype = DType::f64, .ranked = false}});
    std::string params, names;
    for (Var& var : vars_) {
        params += (params.empty() ? "" : ", ") + var.name + ": " + to_text(var.type);
        names += (names.empty() ? "" : ", ") + var.name;
        var.type = with_known_dims(var.type, var.name);
    }
    Function main{Construct::leaf, "main", "def @main(" + params + ")", {}};
    if (options_.smooth) {
        Function loss{Construct::gradient, "loss", "def @loss(" + params + ") -> f64", {}};
        out_ = &loss.body.statements;
        ++in_gradient_;
        statements(0, int(below(3)));
        write_outer();
        statements(0, int(below(3)));
        Expr result = expr(real(), 0);
        std::vector<Expr> terms = {std::move(result)};
        std::string form = "$0";             // what was made last counts too
        for (auto var = vars_.rbegin(); var != vars_.rend() && terms.size() < 4; ++var)
            if (var->type.is_tensor(DType::f64) && var->type.ranked && chance(50)) {
                form += (var->type.dims.empty() ? " + tanh($" : " + sum($") + std::to_string(terms.size()) + ")";
                terms.push_back(use(*var));
            }
        loss.body.result = make(Construct::arithmetic, real(), form, std::move(terms));
        --in_gradient_;
        out_ = nullptr;
        program_.functions.push_back(std::move(loss));
        main.body.result = make(Construct::gradient, {}, "value_and_grad(@loss)(" + names + ")");
        program_.functions.push_back(std::move(main));
        return;
    }
    out_ = &main.body.statements;
    statements(0, 1 + int(below(3)));
    write_outer();
    statements(0, 1 + int(below(3)));
    std::vector<Expr> results;
    std::string form;
    for (int i = 1 + int(below(3)); i > 0; --i) {
        form += (results.empty() ? "($" : ", $") + std::to_string(results.size());
        results.push_back(expr(outside_type(), 1));
    }
    for (auto var = vars_.rbegin(); var != vars_.rend() && results.size() < 5; ++var)      // nothing made is quite unused
        if (!holds(var->type, Kind::ref) && !holds(var->type, Kind::fn) && chance(options_.narrow ? 45 : 30)) {
            form += ", $" + std::to_string(results.size());
            results.push_back(use(*var));
        }
    main.body.result = results.size() == 1 ? Expr(results[0]) : make(Construct::tuple, {}, form + ")", std::move(results));
    program_.functions.push_back(std::move(main));
}

// What the program is about, so that it is there.
void Generator::write_outer() {
    if (options_.outer == Construct::pattern) out_->push_back(pattern_statement(0));
    if (options_.outer == Construct::effect) out_->push_back(effect_statement(0));
    if (out_->size() > 0 && out_->back().form.empty()) out_->pop_back();
    if (std::optional<Expr> made = forced(options_.outer, 1)) bound(std::move(*made));
}

Program Generator::program() {
    write_functions();
    write_main();
    drop_unused_functions(program_);
    return std::move(program_);
}
} // namespace nereus::gen
