#include "infer/shapes_program.h"
#include "infer/shapes_walk.h"
#include "ir/shown_names.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr size_t most_skeletons = 8;                     // of one function inside each other; then unknown rank
constexpr size_t most_variants = 32;                     // of one lambda, by what it captures; then by ranks alone
constexpr size_t deepest = 400;                          // instances under analysis at once
constexpr int free_rounds = 20;                          // then what a recursion's containers hold only grows
constexpr int most_rounds = 60, most_restarts = 60;

// Values and dims that a lambda's block takes from around it.
struct Captures {
    const Module& module;
    const Function& function;
    std::set<ValueId> bound, found;
    std::set<Sym> dims;
    std::set<VarId> tails;

    void dim(Dim d) {
        if (!d.valid()) return;
        for (Sym s : module.dims.symbols_of(d))
            if (module.dims.symbol(s).kind != SymKind::unknown) dims.insert(s);
    }
    void type(TypeId id) {
        const Type& t = module.types[id];
        for (Dim d : t.shape.dims) dim(d);
        if (t.kind == TypeKind::tensor && t.shape.tail.valid()) tails.insert(t.shape.tail);
        for (TypeId part : t.parts) type(part);
        for (const TypeArg& arg : t.args) {
            if (const TypeId* inner = std::get_if<TypeId>(&arg)) type(*inner);
            if (const Dim* d = std::get_if<Dim>(&arg)) dim(*d);
            if (const Shape* s = std::get_if<Shape>(&arg))
                for (Dim d : s->dims) dim(d);
        }
    }
    void bind(ValueId v) { bound.insert(v), type(function[v].type); }
    void pattern(const Pattern& p) {
        if (p.variable.valid()) bind(p.variable);
        for (const Pattern& part : p.parts) pattern(part);
    }
    void block(BlockId id) {
        for (ValueId v : function[id].params) bind(v);
        for (BindingId b : function[id].bindings) binding(function[b]);
        found.insert(function[id].results.begin(), function[id].results.end());
    }
    void binding(const Binding& b) {
        found.insert(b.args.begin(), b.args.end());
        if (b.form == Form::dim) dim(b.dim);
        for (const Arm& arm : b.arms) {
            pattern(arm.pattern);
            if (arm.guard.valid()) block(arm.guard);
        }
        if (b.form == Form::while_)
            for (ValueId v : function[b.blocks[1]].params) bind(v);      // the condition sees the states
        for (BlockId inner : b.blocks) block(inner);
        for (ValueId v : b.results) bind(v);
    }
};
} // namespace

Program::Program(Module& m, ShapeReport& r) : module(m), abstracts(m.dims), pool(m), report(r), acts(m) {}

uint32_t Program::code_of(FunctionId function) { return code_of(function, {}, {}); }
uint32_t Program::code_of(FunctionId function, BindingId lambda, const std::map<Sym, Dim>& known) {
    Callable code{.function = function, .lambda = lambda};
    if (lambda.valid()) {
        const Function& f = module[function];
        Captures captures{module, f, {}, {}, {}, {}};
        captures.block(f[lambda].blocks[0]);
        for (ValueId v : captures.found)
            if (!captures.bound.contains(v)) code.captures.push_back(v);
        for (Sym s : captures.dims)
            if (known.contains(s)) code.captured_dims.push_back(s);
    }
    auto [it, is_new] = code_ids_.try_emplace({function, lambda, code.captured_dims}, uint32_t(codes.size()));
    if (is_new) codes.push_back(std::move(code));
    return it->second;
}

bool Program::holds(AbsId value, uint32_t lambda) const {
    const Abs& a = abstracts[value];
    auto inside = [&](AbsId part) { return holds(part, lambda); };
    for (const AbsArg& arg : a.args)
        if (const AbsId* part = std::get_if<AbsId>(&arg); part && inside(*part)) return true;
    for (const Closure& c : a.closures) {
        if (c.code == lambda || codes[c.code].origin == lambda) return true;
        if (std::any_of(c.env.begin(), c.env.end(), inside)) return true;
    }
    return std::any_of(a.parts.begin(), a.parts.end(), inside);
}

uint32_t Program::code_for(uint32_t lambda, const std::vector<AbsId>& captured) {
    const auto known = code_variants_.lower_bound({lambda, ""});
    const size_t count = size_t(std::distance(known, code_variants_.lower_bound({lambda + 1, ""})));
    bool by_ranks = count >= most_variants || std::any_of(captured.begin(), captured.end(), [&](AbsId v) { return holds(v, lambda); });
    auto [it, is_new] = code_variants_.try_emplace({lambda, rank_skeleton(abstracts, captured, !by_ranks)}, lambda);
    if (is_new && count > 0) {                           // the first keeps the lambda's own number
        it->second = uint32_t(codes.size());
        Callable variant = codes[lambda];
        variant.origin = lambda;
        codes.push_back(std::move(variant));
    }
    return it->second;
}

uint32_t Program::instance_of(KeyPlan plan) {
    auto [it, is_new] = by_key_.try_emplace(plan.key, uint32_t(instances.size()));
    if (is_new) {
        plan.actuals.clear(), plan.tail_actuals.clear();
        instances.push_back({.plan = std::move(plan), .summary = {.result = abstracts.bottom()}});
    }
    return it->second;
}

Result<Program::Target> Program::resolve(uint32_t caller, uint32_t code, bool checks, const std::vector<AbsId>& args,
                                         const RangeOf& range, const std::function<bool(Dim, Dim)>& equal) {
    KeyPlan plan = make_key(abstracts, pool, code, args, range);
    plan.key.checks = checks;
    if (auto it = by_key_.find(plan.key); it != by_key_.end()) return Target{it->second, std::move(plan)};
    // An earlier walk may have matched this call to a more general key that was under analysis then.
    uint32_t general = UINT32_MAX;
    if (auto it = instances[caller].resolved.find(plan.key); it != instances[caller].resolved.end()) general = it->second;
    const std::string skeleton = rank_skeleton(abstracts, args, true);
    size_t others = 0;                                   // of other skeletons, under analysis
    uint32_t nearest = UINT32_MAX;
    for (size_t i = stack_.size(); general == UINT32_MAX && i-- > 0;) {
        const Key& key = instances[stack_[i]].plan.key;
        if (key.code != code) continue;
        if (nearest == UINT32_MAX) nearest = stack_[i];
        if (rank_skeleton(abstracts, key.args, true) == skeleton) general = stack_[i];
        else ++others;
    }
    if (general == UINT32_MAX && others >= most_skeletons) general = nearest;
    if (general != UINT32_MAX) {
        Key asked = plan.key;
        plan = generalise(abstracts, pool, module, instances[general].plan, args, range, equal);
        plan.key.checks = checks;
        KeyPlan own = plan;
        uint32_t found = instance_of(std::move(own));
        instances[caller].resolved[asked] = found;
        return Target{found, std::move(plan)};
    }
    KeyPlan own = plan;
    return Target{instance_of(std::move(own)), std::move(plan)};
}

Result<const Summary*> Program::summary(uint32_t id) {
    Instance& instance = instances[id];
    if (instance.state == Instance::State::busy) {
        instance.used_while_busy = true;
        size_t place = size_t(std::find(stack_.begin(), stack_.end(), id) - stack_.begin());
        if (!leaning_.empty()) leaning_.back() = std::min(leaning_.back(), place);
        return &instance.summary;
    }
    bool fresh = instance.state == Instance::State::final ||
                 (instance.state == Instance::State::tentative && instance.epoch == epoch_ && instance.leans_on < stack_.size());
    if (!fresh) TRY(analyse(id));
    if (instances[id].state == Instance::State::tentative && !leaning_.empty())
        leaning_.back() = std::min(leaning_.back(), instances[id].leans_on);
    return &instances[id].summary;
}

Status Program::analyse(uint32_t id) {
    if (stack_.size() >= deepest) {
        const Callable& code = codes[instances[id].plan.key.code];
        return Error{.code = Code::limit, .message = "calls nest too deep to infer shapes", .where = module[code.function].span};
    }
    Instance& instance = instances[id];
    instance.state = Instance::State::busy;
    size_t place = stack_.size();
    stack_.push_back(id), leaning_.push_back(SIZE_MAX);
    Status failed;
    int round = 0;
    for (bool again = true; again && failed; ++round) {
        instance.used_while_busy = false;
        leaning_.back() = SIZE_MAX;
        ++epoch_;
        if (round >= free_rounds) instance.covered = instance.summary.result;
        Result<Summary> next = Walk(*this, id, false).run();
        if (!next) { failed = std::move(next).error(); break; }
        again = instance.used_while_busy && !(next->result == instance.summary.result && next->extent == instance.summary.extent);
        instance.summary = std::move(next).take();
        if (round == most_rounds)
            failed = Error{.code = Code::internal, .message = "the shapes of a recursive function do not settle",
                           .where = module[codes[instance.plan.key.code].function].span};
    }
    report.rounds = std::max<int64_t>(report.rounds, round);
    size_t leans = leaning_.back();
    stack_.pop_back(), leaning_.pop_back();
    bool tentative = leans < place;
    instance.state = tentative ? Instance::State::tentative : Instance::State::final;
    instance.epoch = epoch_, instance.leans_on = leans;
    return failed;
}

FunctionId Program::output_of(uint32_t id, uint32_t caller, Span call, bool certain) {
    Instance& instance = instances[id];
    if (instance.output.valid()) return instance.output;
    instance.output = FunctionId(out.size());
    instance.caller = caller, instance.call = call;
    instance.certain = certain && (caller == UINT32_MAX || instances[caller].certain);
    out.emplace_back();
    to_emit_.push_back(id);
    return instance.output;
}

std::vector<Note> Program::call_path(uint32_t id, Span where) const {
    std::vector<Note> notes;
    for (size_t steps = 0; id != UINT32_MAX && instances[id].caller != UINT32_MAX && steps < 20; ++steps) {
        const Function& f = module[codes[instances[id].plan.key.code].function];
        const Span call = instances[id].call;
        if (call != where) notes.push_back({call, "in " + shown_function(f.name) + ", called here"});
        where = call;                                    // what a stage wrote has the place of what it was written for
        id = instances[id].caller;
    }
    return notes;
}

Status Program::emit(uint32_t id) {
    TRY(summary(id));
    Walk walk(*this, id, true);
    stack_.push_back(id), leaning_.push_back(SIZE_MAX);  // so that recursion is matched as it was under analysis
    Result<Summary> said = walk.run();
    stack_.pop_back(), leaning_.pop_back();
    if (!said) return std::move(said).error();
    Instance& instance = instances[id];
    const Callable code = codes[instance.plan.key.code];
    if (said->result != instance.summary.result)
        return Error{.code = Code::internal, .message = "the last walk of @" + module[code.function].name + " differs from the one before",
                     .where = module[code.function].span};
    symbol_names.resize(out.size());
    symbol_names[instance.output.index] = walk.symbol_names();
    Function f = walk.take();
    std::string base = module[code.function].name;
    if (size_t dot = base.find('.'); dot != std::string::npos) base.resize(dot);
    if (code.lambda.valid()) base += "_fn";
    int uses = name_uses_[base]++;
    f.name = uses == 0 ? base : base + "." + std::to_string(uses);
    report.checks += walk.checks();
    out[instance.output.index] = std::move(f);
    return {};
}

// The entry's own symbols are the key: declared sizes, and the value of each integer scalar.
namespace {
// Does a size in it mention rank(s) or size(s)?
bool mentions_shape(const Module& module, TypeId id) {
    const Type& type = module.types[id];
    auto of_shape = [&](Dim d) { return d.valid() && module.dims.of_shape(d); };
    if (std::any_of(type.shape.dims.begin(), type.shape.dims.end(), of_shape)) return true;
    for (TypeId part : type.parts)
        if (mentions_shape(module, part)) return true;
    for (const TypeArg& arg : type.args) {
        if (const TypeId* part = std::get_if<TypeId>(&arg); part && mentions_shape(module, *part)) return true;
        if (const Dim* d = std::get_if<Dim>(&arg); d && of_shape(*d)) return true;
    }
    return false;
}
Error no_shape_at_the_door(Span where) {
    return {.code = Code::type, .message = "rank and size of a shape cannot be stated of arguments of an entry", .where = where,
            .hint = "state them of a function that it calls"};
}
} // namespace

Result<uint32_t> Program::entry_instance(FunctionId entry) {
    const Function& f = module[entry];
    for (ValueId param : f.params)
        if (mentions_shape(module, f[param].type)) return no_shape_at_the_door(f[param].span);
    for (const DimFact& fact : f.where)
        if (module.dims.of_shape(fact.left) || module.dims.of_shape(fact.right)) return no_shape_at_the_door(fact.span);
    Names names;
    std::vector<AbsId> args;
    Dims& dims = module.dims;
    auto fresh = [&](Sym s) {
        bool named = s.valid() && dims.symbol(s).kind != SymKind::unknown;
        Dim d = dims.of(dims.new_symbol(s.valid() ? dims.symbol(s).name : "n", SymKind::size));
        return named ? names.dims.try_emplace(s, d).first->second : d;
    };
    auto tail = [&] { return module.add_var("s", VarKind::shape); };
    Captures written{module, f, {}, {}, {}, {}};
    for (ValueId param : f.params) written.type(f[param].type);
    for (Sym s : written.dims) fresh(s);
    for (VarId s : written.tails) names.tails.emplace(s, Shape{{}, false, tail()});
    auto direct = [&](auto& self, TypeId id) -> bool {
        const Type& t = module.types[id];
        return t.kind == TypeKind::tensor || (t.kind == TypeKind::tuple && std::all_of(t.parts.begin(), t.parts.end(), [&](TypeId part) { return self(self, part); }));
    };
    for (ValueId param : f.params) {
        // the door compares the shapes of tensors, not those inside of anything: there ..s states nothing
        Names without = names;
        without.tails.clear();
        AbsId value = instantiate(module, abstracts, f[param].type, direct(direct, f[param].type) ? names : without, fresh, tail);
        const Abs& a = abstracts[value];
        if (a.kind == AbsKind::tensor && a.tensor.dtype == DType::i64 && a.tensor.ranked() && a.tensor.rank() == 0)
            value = abstracts.number(dims.of(dims.new_symbol(f[param].name, SymKind::host)), DType::i64);
        args.push_back(value);
    }
    auto range = [&](Dim d, bool extent) {
        std::optional<Sym> symbol = dims.as_symbol(d);
        bool size = extent || (symbol && dims.symbol(*symbol).kind == SymKind::size);
        return Range{size ? Sign::natural : Sign::any, size};
    };
    return instance_of(make_key(abstracts, pool, code_of(entry), args, range, true));
}

Status Program::analyse_from(FunctionId entry) {
    for (int restart = 0;; ++restart) {
        if (restart == most_restarts)
            return Error{.code = Code::internal, .message = "the contents of cells do not settle", .where = module[entry].span};
        const size_t before = widenings;
        instances.clear(), by_key_.clear(), out.clear(), to_emit_.clear(), name_uses_.clear();
        report = {};
        uint32_t first = TRY(entry_instance(entry));
        TRY(summary(first));
        if (widenings != before) continue;
        output_of(first, UINT32_MAX, {});
        Status failed;
        for (size_t i = 0; i < to_emit_.size() && failed; ++i) failed = emit(to_emit_[i]);
        if (widenings != before) continue;               // what the last walks said came too early
        if (!failed) return failed;
        if (abstracts.is_bottom(instances[first].summary.result))
            return Error{.code = Code::shape, .message = "entry @" + module[entry].name + " never returns", .where = module[entry].span,
                         .hint = "each way through it calls a function that never comes to an end: one arm of an if or match must do without that call"};
        break;
    }
    report.instances = int64_t(out.size());
    return {};
}

void Program::warn_of_ranks(Span where, std::string_view what, const std::vector<const Shape*>& shapes) {
    std::set<size_t> ranks;
    for (const Shape* shape : shapes)
        if (shape && shape->ranked) ranks.insert(shape->dims.size());
    if (ranks.size() < 2) return;                        // what has no rank to begin with has been warned of
    std::string listed;
    for (size_t rank : ranks) listed += (listed.empty() ? "" : rank == *ranks.rbegin() ? " and " : ", ") + std::to_string(rank);
    Error warning{.message = std::string(what) + " have ranks " + listed + ": the rank is known only when the program runs", .where = where};
    for (const Error& known : report.warnings)
        if (known.where == where && known.message == warning.message) return;
    report.warnings.push_back(std::move(warning));
}

uint32_t Program::cell(const Key& creator, BindingId site) {
    auto [it, is_new] = cell_ids_.try_emplace({creator.code, rank_skeleton(abstracts, creator.args), site}, uint32_t(cells_.size()));
    if (is_new) cells_.push_back(abstracts.bottom());
    return it->second;
}
void Program::widen_cell(uint32_t cell, AbsId content) {
    if (cell == cell_from_outside) return;
    auto constant = [&](Dim d) { return module.dims.constant_value(d).has_value(); };
    AbsId joined = join_elements(abstracts, {cells_[cell], content}, constant, {});
    if (joined != cells_[cell]) ++widenings;
    cells_[cell] = joined;
}

Result<Module> infer_shapes(Module module, FunctionId entry, ShapeReport* report) {
    ShapeReport own;
    Program program(module, report ? *report : own);
    TRY(program.analyse_from(entry));
    module.functions = std::move(program.out);
    prune_symbols(module, program.symbol_names, program.report.bounds);
    return module;
}
} // namespace nereus
