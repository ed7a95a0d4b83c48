// grad/rewrite_product.cpp - gradients in the product form: which ones, and how they are called. grad(@f) becomes the
// function @f.grad; of a lambda, a function that takes what the lambda captures first. Applying it is a call.
#include "grad/known_functions.h"
#include "grad/product_support.h"
#include "grad/rewrite.h"
#include <algorithm>

namespace nereus {
// Decided before anything is written: a function that only gradients use is not needed any more.
Status Rewrite::plan() {
    for (const Binding& b : source_.bindings) {
        if (b.form != Form::op || b.op->builtin != Builtin::grad) continue;
        Target target = TRY(target_of(b));
        if (target.ready) asked_[&b] = {target.definition, TRY(takes_product(b, *target.definition))};
    }
    return {};
}

Result<bool> Rewrite::takes_product(const Binding& b, const Binding& target) {
    std::string op(b.op->name), mode;
    if (const Attribute* given = find_attribute(b, "mode")) {
        const std::string* text = std::get_if<std::string>(&given->value);
        mode = text ? *text : "";
        if (mode != "closures" && mode != "product")
            return Error{Code::unsupported, op + " has no mode \"" + mode + "\"", b.span,
                         "write mode=\"product\" or mode=\"closures\", or leave it out"};
    }
    if (mode == "closures" && op == "jvp")
        return Error{Code::unsupported, "jvp has no mode \"closures\"", b.span, "write mode=\"product\", or leave it out"};
    if (mode == "closures") return false;
    ProductSupport support(all_);
    std::string obstacle;
    std::vector<TypeId> signature = module_.types[type(b.args[0])].parts;
    bool outer_cells = false;                            // of any kind
    if (target.form == Form::lambda)
        for (ValueId v : captured(target)) {
            if (!all_.products.cells.can_have_twin(type(v))) obstacle = "a structure with cells from outside";
            outer_cells |= shadows_.holds_cell(type(v));
        }
    for (TypeId part : signature) {
        if (shadows_.holds_function(part)) obstacle = function_of_functions;
        if (!all_.products.cells.can_have_twin(part)) obstacle = "a structure with cells from outside";
        outer_cells |= shadows_.holds_cell(part);
    }
    if (all_.products.cells.holds(signature.back())) obstacle = "a cell as a result";
    const bool later = op == "checkpoint" && obstacle.empty() && !outer_cells;       // looked at when all code is there (Products::write_late)
    if (obstacle.empty() && !later)
        obstacle = target.form == Form::function ? TRY(support.obstacle(target.function, b.span))
                                                 : TRY(support.obstacle(source_, target.blocks[0], b.span));
    if (obstacle.empty() && target.form == Form::lambda && !sizes_are_told(target))
        obstacle = "a size that neither a parameter nor a captured value shows";
    if ((op == "checkpoint" || op == "jvp") && obstacle.empty() && outer_cells) obstacle = "a cell from outside";   // it runs twice
    if (op == "checkpoint" && (!obstacle.empty() || support.prints())) return not_run_again(obstacle, b.span);
    if (!obstacle.empty() && (mode == "product" || op == "jvp"))
        return Error{Code::unsupported, op + ": the product form does not take " + obstacle + " yet", b.span, mode.empty() ? "" : "leave out the mode"};
    return obstacle.empty();
}

// Sizes that a value of this type shows, and all that it mentions.
void Rewrite::sizes_of(TypeId id, bool shows, std::set<Sym>& shown, std::set<Sym>& mentioned) const {
    const Type& t = module_.types[id];
    auto look = [&](Dim d) {
        if (std::optional<Sym> s = module_.dims.as_symbol(d); shows && s) shown.insert(*s);
        for (Sym s : module_.dims.symbols_of(d)) mentioned.insert(s);
    };
    for (Dim d : t.shape.dims) look(d);
    for (TypeId part : t.parts) sizes_of(part, shows && t.kind == TypeKind::tuple, shown, mentioned);
    for (const TypeArg& arg : t.args) {
        if (const Dim* d = std::get_if<Dim>(&arg); d && d->valid()) look(*d);
        if (const TypeId* part = std::get_if<TypeId>(&arg)) sizes_of(*part, false, shown, mentioned);
    }
}
std::set<Sym> Rewrite::sizes_mentioned(BlockId block) const {
    std::set<Sym> shown, all;
    for (ValueId param : source_[block].params) sizes_of(source_[param].type, false, shown, all);
    for (BindingId id : source_[block].bindings) {
        const Binding& b = source_[id];
        if (b.form == Form::dim)
            for (Sym s : module_.dims.symbols_of(b.dim)) all.insert(s);
        for (ValueId result : b.results) sizes_of(source_[result].type, false, shown, all);
        for (const Arm& arm : b.arms)
            if (arm.guard.valid()) all.merge(sizes_mentioned(arm.guard));
        for (BlockId inner : b.blocks) all.merge(sizes_mentioned(inner));
    }
    return all;
}

// What it reads from around it, and parameters of the function around it that show the sizes it mentions: as a function of its
// own the lambda would bind them anew, and a size that does not agree would go unnoticed.
std::vector<ValueId> Rewrite::captured(const Binding& lambda) const {
    std::set<ValueId> bound;
    std::vector<ValueId> free;
    free_values(source_, lambda.blocks[0], bound, free);
    std::set<Sym> told, wanted = sizes_mentioned(lambda.blocks[0]);
    for (ValueId v : free) sizes_of(source_[v].type, true, told, wanted);
    for (ValueId param : source_.params) {
        std::set<Sym> shown, ignored;
        sizes_of(source_[param].type, true, shown, ignored);
        auto is_new = [&](Sym s) { return wanted.contains(s) && !told.contains(s); };
        if (std::none_of(shown.begin(), shown.end(), is_new) || shadows_.holds_function(source_[param].type)) continue;
        free.push_back(param);
        told.merge(shown);
    }
    return free;
}

// A size that the lambda alone mentions is shown by its own parameters.
bool Rewrite::sizes_are_told(const Binding& lambda) const {
    std::set<Sym> told, ignored, around, mentioned = sizes_mentioned(lambda.blocks[0]);
    for (ValueId v : captured(lambda)) sizes_of(source_[v].type, true, told, mentioned);
    std::set<ValueId> inside;
    std::function<void(BlockId)> enter = [&](BlockId block) {
        inside.insert(source_[block].params.begin(), source_[block].params.end());
        for (BindingId id : source_[block].bindings) {
            inside.insert(source_[id].results.begin(), source_[id].results.end());
            for (const Arm& arm : source_[id].arms)
                if (arm.guard.valid()) enter(arm.guard);
            for (BlockId inner : source_[id].blocks) enter(inner);
        }
    };
    enter(lambda.blocks[0]);
    for (size_t v = 0; v < source_.values.size(); ++v)
        if (!inside.contains(ValueId(v)) && ValueId(v) != lambda.results[0]) sizes_of(source_.values[v].type, false, ignored, around);
    std::set<Sym> own;
    for (ValueId v : source_[lambda.blocks[0]].params) sizes_of(source_[v].type, true, own, ignored);
    return std::all_of(mentioned.begin(), mentioned.end(),
                       [&](Sym s) { return told.contains(s) || (own.contains(s) && !around.contains(s)); });
}

// True unless every use of it is a gradient in the product form, or a call of what that became.
bool Rewrite::is_used_as_value(ValueId v) const {
    auto expanded = [&](const Binding& b) {
        auto it = asked_.find(&b);
        return it != asked_.end() && it->second.product;
    };
    for (const Binding& b : source_.bindings)
        for (size_t i = 0; i < b.args.size(); ++i)
            if (b.args[i] == v && !(i == 0 && (b.form == Form::apply || expanded(b)))) return true;
            else if (b.args[i] == v && b.form == Form::apply && !products_.contains(v)) return true;
    return std::any_of(source_.blocks.begin(), source_.blocks.end(), [&](const Block& block) {
        return std::find(block.results.begin(), block.results.end(), v) != block.results.end();
    });
}

Status Rewrite::lifted(const Binding& lambda, const std::vector<ValueId>& captured) {
    Function& out = w_.function();
    out.where.clear();
    const Block& block = source_[lambda.blocks[0]];
    for (ValueId v : captured) twins_[v.index].value = w_.param(source_[v].name, type(v));
    for (ValueId v : block.params) twins_[v.index].value = w_.param(source_[v].name, type(v));
    TRY(copy_bindings(lambda.blocks[0]));
    w_.finish(out.body, {value(block.results[0])});
    out.result = shadows_.plain(module_.types[type(lambda)].parts.back());
    return {};
}

Status Rewrite::product(const Binding& b, const Binding& target) {
    expanded_ = true;
    GradientForm form = TRY(form_of(b));
    Expanded made{.function = target.function, .captured = {}};
    if (target.form == Form::lambda) {
        made.captured = captured(target);
        for (int64_t& i : form.wrt) i += int64_t(made.captured.size());
        made.function = all_.structures.new_function(source_.name + ".fn", b.span);
        Function out;
        out.name = module_[made.function].name;
        TRY(Rewrite(all_, source_, out).lifted(target, made.captured));
        module_[made.function] = std::move(out);
    }
    if (form.op == "checkpoint") made.function = TRY(all_.products.checkpointed(made.function, b.span));
    else if (form.op == "jvp") made.function = TRY(all_.products.tangent(made.function, form, b.span));
    else made.function = TRY(all_.products.gradient(made.function, form, b.span));
    ValueId result = b.results[0];
    products_[result] = made;
    if (!is_used_as_value(result)) return {};
    TypeId signature = shadows_.plain(type(b));
    if (made.captured.empty()) {
        twins_[result.index] = {w_.bind(Binding{.form = Form::function, .function = made.function}, signature, name(b)), {}};
        return {};
    }
    std::vector<TypeId> parts = module_.types[signature].parts;
    std::vector<ValueId> params, args;
    for (ValueId v : made.captured) args.push_back(value(v));
    for (size_t i = 0; i + 1 < parts.size(); ++i) params.push_back(w_.value("x" + std::to_string(i), parts[i]));
    args.insert(args.end(), params.begin(), params.end());
    BlockId body = TRY(w_.block(params, [&]() -> Result<std::vector<ValueId>> {
        return std::vector<ValueId>{w_.call(made.function, args, parts.back())};
    }));
    twins_[result.index] = {w_.lambda(params, body, parts.back(), name(b)), {}};
    return {};
}
} // namespace nereus
