// infer/shapes_control.cpp - if and match: each arm is walked under its own facts; where they meet, sizes that differ
// become join symbols.
//
// Per direct leaf: equal stays; else one arm's expression that every other arm proves equal to its own *under its own
// facts* stays (`if (n == m) {x + y} else {x}` keeps n); else the tuple of expressions names a join symbol: the same
// tuple the same symbol, an affine image a*j + b of a tuple already named that image.
#include "infer/shapes_walk.h"
#include "ir/shown_names.h"
#include <algorithm>

namespace nereus {
namespace {
class ArmJoin : public Join {
 public:
    struct Named { std::vector<Dim> tuple; Sym symbol; bool extent = false; };
    std::vector<Named> named;
    std::vector<const Shape*> unlike;                    // the first leaf whose ranks differ

    ArmJoin(Program& program, Knowledge& know, const std::vector<Knowledge::Log>& logs, std::function<bool(Dim)> visible)
        : Join(program.abstracts), program_(program), know_(know), logs_(logs), visible_(std::move(visible)) {}

 protected:
    bool in_scope(Dim d) override { return visible_(d); }
    Dim extent(const std::vector<Dim>& arms, const Path&) override { return leaf(arms, true); }
    Dim number(const std::vector<Dim>& arms, const Path&) override { return leaf(arms, false); }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path&) override {
        if (unlike.empty()) unlike = arms;
        return Shape{{}, false, program_.module.add_var("s", VarKind::shape)};
    }
    void merge_cells(const std::vector<uint32_t>& cells, AbsId content) override {
        for (uint32_t cell : cells) program_.widen_cell(cell, content);
    }

 private:
    Dim leaf(const std::vector<Dim>& arms, bool is_extent) {
        auto [it, is_new] = done_.try_emplace(arms);
        if (is_new) it->second = decide(arms);
        if (std::optional<Sym> s = program_.module.dims.as_symbol(it->second); s && is_extent)
            for (Named& n : named) n.extent = n.extent || n.symbol == *s;
        return it->second;
    }

    Dim decide(const std::vector<Dim>& arms) {
        for (size_t i = 0; i < arms.size(); ++i)
            if (arms[i].valid() && visible_(arms[i]) && agreed(arms[i], arms)) return arms[i];
        for (const Named& n : named)
            if (std::optional<Dim> image = affine(arms, n)) return *image;
        Sym s = program_.module.dims.new_symbol("j", SymKind::join);
        named.push_back({arms, s});
        return program_.module.dims.of(s);
    }

    bool agreed(Dim candidate, const std::vector<Dim>& arms) {
        for (size_t j = 0; j < arms.size(); ++j) {
            if (!arms[j].valid() || arms[j] == candidate) continue;
            know_.push();
            know_.assume(logs_[j]);
            bool same = know_.equal(candidate, arms[j]);
            know_.pop();
            if (!same) return false;
        }
        return true;
    }

    std::optional<Dim> affine(const std::vector<Dim>& arms, const Named& n) {
        Dims& dims = program_.module.dims;
        std::vector<size_t> there;
        for (size_t i = 0; i < arms.size(); ++i) {
            if (arms[i].valid() != n.tuple[i].valid()) return std::nullopt;
            if (arms[i].valid()) there.push_back(i);
        }
        if (there.size() < 2) return std::nullopt;
        const Polynomial from = dims.polynomial(dims.sub(n.tuple[there[0]], n.tuple[there[1]]));
        const Polynomial to = dims.polynomial(dims.sub(arms[there[0]], arms[there[1]]));
        if (from.empty() || to.empty() || to[0].coefficient % from[0].coefficient != 0) return std::nullopt;
        int64_t a = to[0].coefficient / from[0].coefficient;
        Dim b = dims.sub(arms[there[0]], dims.scale(n.tuple[there[0]], a));
        if (!visible_(b)) return std::nullopt;
        for (size_t i : there)
            if (dims.add(dims.scale(n.tuple[i], a), b) != arms[i]) return std::nullopt;
        return dims.add(dims.scale(dims.of(n.symbol), a), b);
    }

    Program& program_;
    Knowledge& know_;
    const std::vector<Knowledge::Log>& logs_;
    std::function<bool(Dim)> visible_;
    std::map<std::vector<Dim>, Dim> done_;
};
} // namespace

AbsId Walk::join_values(const std::vector<ArmEnd>& arms, uint32_t scope, Span span, std::vector<Sym>& out_symbols,
                        std::vector<std::vector<Dim>>& out_handed) {
    std::vector<Knowledge::Log> logs;
    std::vector<AbsId> values;
    for (const ArmEnd& arm : arms) logs.push_back(arm.log), values.push_back(arm.abs);
    ArmJoin join(program_, know_, logs, [&](Dim d) { return visible(d, scope); });
    AbsId joined = join(values);
    if (audible_) program_.warn_of_ranks(span, "the arms", join.unlike);
    Dims& dims = module_.dims;
    out_handed.assign(arms.size(), {});
    for (const ArmJoin::Named& n : join.named) {
        out_symbols.push_back(n.symbol);
        std::vector<Dim> there;
        for (size_t j = 0; j < arms.size(); ++j) {       // an arm that never gets here hands over anything
            out_handed[j].push_back(n.tuple[j].valid() ? n.tuple[j] : dims.constant(0));
            if (n.tuple[j].valid()) there.push_back(n.tuple[j]);
        }
        Dim s = dims.of(n.symbol);
        if (n.extent) know_.add_extent(n.symbol), know_.assume(dims.constant(0), Relation::less_equal, s);
        bool bounds = std::all_of(there.begin(), there.end(), [&](Dim d) {
            return visible(d, scope) && (n.extent || know_.exact(d, DType::i64));
        });
        if (!bounds) continue;
        know_.assume(dims.min(there), Relation::less_equal, s);
        know_.assume(s, Relation::less_equal, dims.max(there));
        if (!audible_) continue;
        program_.report.bounds.push_back({s, Relation::greater_equal, dims.min(there), {}});
        program_.report.bounds.push_back({s, Relation::less_equal, dims.max(there), {}});
    }
    return joined;
}

Walk::Made Walk::join_arms(const Binding& b, Binding out, std::vector<ArmEnd>& arms, uint32_t scope) {
    std::vector<std::vector<Dim>> handed;
    AbsId joined = join_values(arms, scope, b.span, out.defines, handed);
    TypeId skeleton = skeleton_of(b);
    for (size_t j = 0; audible_ && j < arms.size(); ++j) {
        Block& block = out_[arms[j].block];
        block.dims = handed[j];
        block.results = {arms[j].value};
        if (abstracts_.is_bottom(arms[j].abs) && arms[j].value.valid()) out_[arms[j].value].type = type(joined, skeleton);
    }
    Made made{joined, {}};
    made.value = emit(std::move(out), joined, skeleton, in_[b.results[0]].name, b.span);
    return made;
}

// Closes a block that never gets to its end, with a match that has no arms: later stages need not find out why. The
// value stands for what would have come.
ValueId Walk::dead_end(AbsId like, TypeId skeleton) {
    if (!audible_) return {};
    defines_.clear();
    Span span = current_ ? current_->span : in_.span;
    Literal unit{.kind = Literal::Kind::unit};
    ValueId subject = emit({.form = Form::literal, .literal = unit}, abstracts_.unit(), module_.types.unit(), "", span);
    return emit({.form = Form::match, .args = {subject}}, like, skeleton, "", span);
}

// Facts that contradict each other: nothing gets to the end, if something came to the beginning.
Walk::ArmEnd Walk::arm_end(const Binding& b, BlockId in, bool ends, bool reached) {
    if (!ends || refuted_ || (reached && know_.facts.contradictory()))
        return {.abs = abstracts_.bottom(), .block = at_, .value = dead_end(abstracts_.bottom(), skeleton_of(b))};
    Made result = made(in_[in].results[0]);
    return {.abs = result.abs, .block = at_, .value = result.value};
}

// Whether it can be left out where its result is known: calls may write what others see.
bool Walk::only_computes(BlockId id) const {
    return std::ranges::all_of(in_[id].bindings, [&](BindingId binding) {
        const Binding& b = in_[binding];
        const bool acts = b.form == Form::call || b.form == Form::apply || (b.form == Form::op && b.op->effect > Effect::may_fail);
        return !acts && std::ranges::all_of(b.blocks, [&](BlockId inner) { return only_computes(inner); });
    });
}

// What a guard or the condition of a while comes to.
Result<Walk::Made> Walk::condition_of(const Block& in, bool ends) {
    AbsId never = abstracts_.bottom();
    if (!ends) return Made{never, dead_end(never, module_.types.scalar(DType::boolean))};
    const ValueInfo& test = in_[in.results[0]];
    return condition_at(made(in.results[0]), is_temporary(test.name) && test.span.known() ? test.span : in.span);
}

// a && b, a || b: a branch to a bool with a constant in one arm.
bool Walk::is_short_circuit(const Binding& b) const {
    auto is_constant = [&](BlockId arm) {
        const std::vector<BindingId>& bindings = in_[arm].bindings;
        return bindings.size() == 1 && in_[bindings[0]].form == Form::literal && in_[bindings[0]].literal.kind == Literal::Kind::boolean;
    };
    return skeleton_of(b) == module_.types.scalar(DType::boolean) && std::any_of(b.blocks.begin(), b.blocks.end(), is_constant);
}

Result<Walk::Made> Walk::branch(const Binding& b) {
    Made chosen_by = TRY(condition_at(made(b.args[0]), place_of(b.args[0], b.span)));
    if (abstracts_.is_bottom(chosen_by.abs)) return chosen_by;
    const ShapedTensor& condition = abstracts_[chosen_by.abs].tensor;
    Condition c = condition.known.kind == Known::Kind::condition ? condition.known.condition : Condition{};
    bool alive[2];
    for (int i = 0; i < 2; ++i) {
        know_.push();
        know_.suppose(i == 0 ? c : negate(c));
        alive[i] = know_.ask(c) != (i == 0 ? Answer::no : Answer::yes) && !know_.facts.contradictory();
        know_.pop();
    }
    Answer decided = know_.ask(c);
    if (decided == Answer::yes) alive[1] = false;
    if (decided == Answer::no) alive[0] = false;
    if (alive[0] != alive[1]) return in_place(b, alive[0] ? 0 : 1);
    Binding out = copy(b);
    if (audible_) out.args[0] = chosen_by.value;
    std::optional<OnlyArm> only;
    if (audible_ && program_.instances[self_].unlike_arms.contains(id_of(b))) {
        audible_ = false;
        Result<std::vector<ArmEnd>> arms = walk_arms(b, c, out);
        if (arms) only = only_arm(b, *arms);
        audible_ = true;
        if (!arms) return std::move(arms).error();
    }
    uint32_t scope = now();
    std::vector<ArmEnd> arms;
    if (!only) arms = TRY(walk_arms(b, c, out));
    if (!only && !audible_) only = only_arm(b, arms);
    if (only) {
        TRY(demand(b, chosen_by, c, *only));
        return in_place(b, only->arm);
    }
    Made result = join_arms(b, std::move(out), arms, scope);
    return with_condition(result, c, arms, scope);
}

// One arm only: its bindings take the place of the branch.
Result<Walk::Made> Walk::in_place(const Binding& b, size_t arm) {
    const BlockId only = b.blocks[arm];
    if (!TRY(block(only))) return Made{abstracts_.bottom(), {}};
    Made result = made(in_[only].results[0]);
    return is_short_circuit(b) ? condition_at(result, place_of(in_[only].results[0], b.span)) : result;
}

Result<std::vector<Walk::ArmEnd>> Walk::walk_arms(const Binding& b, const Condition& c, Binding& out) {
    std::vector<ArmEnd> arms;
    const bool refuted = refuted_, reached = !know_.facts.contradictory();
    for (size_t i = 0; i < 2; ++i) {
        know_.push();
        know_.suppose(i == 0 ? c : negate(c));
        refuted_ = false;
        BlockId outer = open_block();
        Names outer_names = names_;
        bool ends = TRY(block(b.blocks[i]));
        names_ = std::move(outer_names);
        ArmEnd arm = arm_end(b, b.blocks[i], ends, reached);
        if (!abstracts_.is_bottom(arm.abs) && is_short_circuit(b)) {
            Made result = TRY(condition_at({arm.abs, arm.value}, place_of(in_[b.blocks[i]].results[0], b.span)));
            arm.abs = result.abs, arm.value = result.value;
        }
        if (audible_) out.blocks.push_back(at_);
        close_block(outer);
        arm.log = know_.pop();
        arms.push_back(std::move(arm));
    }
    refuted_ = refuted;
    return arms;
}

// A bool that a branch computes, `a && b` above all: the condition it stands for.
Walk::Made Walk::with_condition(Made result, const Condition& c, const std::vector<ArmEnd>& arms, uint32_t scope) {
    const Abs& a = abstracts_[result.abs];
    if (a.kind != AbsKind::tensor || a.tensor.dtype != DType::boolean || !a.tensor.ranked() || a.tensor.rank() > 0) return result;
    Condition of[2];
    for (int i = 0; i < 2; ++i) {
        const Abs& arm = abstracts_[arms[size_t(i)].abs];
        if (arm.kind == AbsKind::tensor && arm.tensor.known.kind == Known::Kind::condition) of[i] = arm.tensor.known.condition;
        if (!visible(of[i], scope)) of[i] = {};
    }
    Condition all = either(both(c, of[0]), both(negate(c), of[1]));
    if (of[1].kind == Condition::Kind::never) all = both(c, of[0]);
    if (of[0].kind == Condition::Kind::always) all = either(c, of[1]);
    if (all.kind == Condition::Kind::unknown) return result;
    ShapedTensor t = a.tensor;
    t.known = {.kind = Known::Kind::condition, .condition = std::move(all)};
    result.abs = abstracts_.tensor(std::move(t));
    return result;
}
bool Walk::visible(const Condition& c, uint32_t scope) const {
    if (c.kind == Condition::Kind::relation) return visible(c.left, scope) && visible(c.right, scope);
    return std::all_of(c.parts.begin(), c.parts.end(), [&](const Condition& part) { return visible(part, scope); });
}

// Binds the variables of a pattern; false: no value can match it.
Result<bool> Walk::open_pattern(const Pattern& p, AbsId subject, std::vector<ValueId>& variables) {
    if (abstracts_.is_bottom(subject)) return false;
    const Abs a = abstracts_[subject];
    switch (p.kind) {
    case Pattern::Kind::wildcard: return true;
    case Pattern::Kind::variable: {
        Made bound = with_number({subject, {}}, in_[p.variable].name);
        env_[p.variable.index] = bound.abs;
        variables.push_back(p.variable);
        return true;
    }
    case Pattern::Kind::literal: {
        if (a.kind != AbsKind::tensor) return true;
        TRY(require_scalar_part(subject));
        Condition c = literal_condition(p.literal, a.tensor);
        if (know_.facts.contradictory()) return true;    // nothing comes here whatever the literal is
        know_.suppose(c);
        return know_.ask(c) != Answer::no && !know_.facts.contradictory();
    }
    case Pattern::Kind::tuple:
        for (size_t i = 0; i < p.parts.size(); ++i)
            if (!TRY(open_pattern(p.parts[i], a.parts[i], variables))) return false;
        return true;
    case Pattern::Kind::constructor: case Pattern::Kind::record: {
        const Constructor& constructor = module_[a.decl].constructors[p.constructor];
        Names names = names_of(subject);
        open_constructor(constructor, names);
        for (size_t i = 0; i < p.dims.size() && i < constructor.dims.size(); ++i)
            names_.dims[p.dims[i]] = names.dims[constructor.dims[i]];
        std::vector<AbsId> values;
        for (size_t i = 0; i < constructor.fields.size(); ++i) {
            values.push_back(field_value(a.decl, p.constructor, i, names));
            if (abstracts_.is_bottom(values.back())) return false;               // nobody can have filled it: no such object
        }
        for (size_t at = 0; at < p.parts.size(); ++at) {                         // variables in the order of the pattern
            size_t field = p.kind == Pattern::Kind::record ? field_index(a.decl, p.fields[at]) : at;
            if (!TRY(open_pattern(p.parts[at], values[field], variables))) return false;
        }
        return true;
    }
    }
    return true;
}

Condition Walk::literal_condition(const Literal& literal, const ShapedTensor& subject) {
    if (literal.kind == Literal::Kind::boolean) {
        Condition c = subject.known.kind == Known::Kind::condition ? subject.known.condition : Condition{};
        return literal.integers[0] ? c : negate(c);
    }
    Dim number = number_of(subject);
    if (literal.kind != Literal::Kind::integer || !number.valid() || !exact(number, subject.dtype)) return {};
    return {.kind = Condition::Kind::relation, .left = number, .right = module_.dims.constant(literal.integers[0])};
}

Result<Walk::Made> Walk::match(const Binding& b) {
    Made subject = made(b.args[0]);
    auto is_number = [](const Arm& arm) { return arm.pattern.kind == Pattern::Kind::literal && arm.pattern.literal.kind != Literal::Kind::unit; };
    if (std::any_of(b.arms.begin(), b.arms.end(), is_number)) subject = TRY(scalar(subject, "what a literal is matched with"));
    if (abstracts_.is_bottom(subject.abs)) return subject;
    uint32_t scope = now();
    Binding out = copy(b);
    if (audible_) out.args[0] = subject.value;
    std::vector<ArmEnd> arms;
    size_t frames = 0;                                   // later arms know that earlier literals did not match
    const bool reached = !know_.facts.contradictory();   // where nothing comes, arms are told apart no more
    const bool refuted = refuted_;
    for (size_t i = 0; i < b.arms.size(); ++i) {
        const Arm& arm = b.arms[i];
        refuted_ = false;
        know_.push();
        defines_.clear();
        std::vector<ValueId> variables;
        Names outer_names = names_;
        bool alive = TRY(open_pattern(arm.pattern, subject.abs, variables));
        std::vector<Sym> opened = std::move(defines_);
        defines_.clear();
        if (alive) {
            Arm emitted{.pattern = arm.pattern};
            std::vector<ValueId> params;
            for (ValueId variable : variables) {
                if (!audible_) break;
                ValueId value = add_value(in_[variable].name, type(abs(variable), in_[variable].type), in_[variable].span);
                const Abs& a = abstracts_[abs(variable)];
                if (a.kind == AbsKind::tensor && a.tensor.dtype == DType::i64) out_[value].known = number_of(a.tensor);
                new_of_[variable.index] = value;
                params.push_back(value);
            }
            if (audible_) rename_variables(emitted.pattern);
            Condition guard;
            if (arm.guard.valid()) {
                BlockId outer = open_block();
                bool ends = TRY(block(arm.guard));
                Made holds = TRY(condition_of(in_[arm.guard], ends));
                const Known& known = abstracts_[holds.abs].tensor.known;
                if (known.kind == Known::Kind::condition) guard = known.condition;
                if (audible_) out_[at_].results = {holds.value};
                emitted.guard = at_;
                close_block(outer);
                know_.suppose(guard);
            }
            const bool acts = arm.guard.valid() && !only_computes(arm.guard);
            if (!reached || acts || !know_.facts.contradictory()) {
                BlockId outer = open_block();
                BlockId own = at_;
                bool ends = TRY(block(b.blocks[i]));
                ArmEnd end = arm_end(b, b.blocks[i], ends, reached);
                if (audible_) {
                    out_[own].params = params;
                    out_[own].symbols = opened;
                    out.blocks.push_back(own);
                    out.arms.push_back(std::move(emitted));
                }
                close_block(outer);
                end.log = know_.pop();
                arms.push_back(std::move(end));
            } else {
                know_.pop();
            }
        } else {
            know_.pop();
        }
        names_ = std::move(outer_names);
        if (arm.pattern.kind == Pattern::Kind::literal && !arm.guard.valid() && abstracts_[subject.abs].kind == AbsKind::tensor) {
            know_.push(), ++frames;
            know_.suppose(negate(literal_condition(arm.pattern.literal, abstracts_[subject.abs].tensor)));
        }
    }
    refuted_ = refuted;
    while (frames-- > 0) know_.pop();
    if (arms.empty()) {
        Made nothing{abstracts_.bottom(), {}};
        nothing.value = emit(std::move(out), nothing.abs, skeleton_of(b), in_[b.results[0]].name, b.span);
        return nothing;
    }
    return join_arms(b, std::move(out), arms, scope);
}

void Walk::rename_variables(Pattern& p) const {
    if (p.kind == Pattern::Kind::variable) p.variable = new_of_[p.variable.index];
    for (Pattern& part : p.parts) rename_variables(part);
}
} // namespace nereus
