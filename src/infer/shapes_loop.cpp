// infer/shapes_loop.cpp - for and while: what each size and number of the carried states is at the head of iteration i.
//
// Round 1 walks the body with the states as they enter. A leaf that comes out unchanged is *invariant*; one that grows
// by the same delta, free of what is local to the body, is *affine*: init + i*delta; any other is *varying*. Later rounds
// walk with these heads: a leaf whose guess fails becomes varying; varying leaves share a symbol while they enter equal
// and come out equal (partition refinement, sizes and numbers together). Each leaf only rises, so this ends. Containers
// inside states are joined as containers, which also only rises. All rounds are muted; one last walk speaks.
//
// Stored form: the symbols of varying leaves are carried by the loop (Block::symbols) and so is the counter of a while.
#include "infer/shapes_walk.h"
#include <algorithm>

namespace nereus {
namespace {
struct LeafState {
    enum class Kind : uint8_t { invariant, affine, varying } kind = Kind::invariant;
    Dim init, delta;
    Dim out;                                             // what the last walk gave
    size_t group = 0;                                    // varying
    bool is_new = true;                                  // varying since the last walk
    bool extent = false;
};
using LeafStates = std::map<Path, LeafState>;

// The states at the head of an iteration.
class Head : public Join {
 public:
    Head(Abstracts& abstracts, const LeafStates& states, Dim counter, const std::map<size_t, Dim>& groups)
        : Join(abstracts), states_(states), counter_(counter), groups_(groups) {}

 protected:
    bool in_scope(Dim) override { return true; }
    Dim extent(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms[0], path); }
    Dim number(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms[0], path); }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path&) override { return *arms[0]; }

 private:
    Dim leaf(Dim init, const Path& path) {
        auto it = states_.find(path);
        if (it == states_.end()) return init;
        const LeafState& s = it->second;
        Dims& dims = abstracts_.dims();
        if (s.kind == LeafState::Kind::varying) return groups_.at(s.group);
        if (s.kind == LeafState::Kind::affine) return dims.add(s.init, dims.mul(counter_, s.delta));
        return s.init;
    }
    const LeafStates& states_;
    Dim counter_;
    const std::map<size_t, Dim>& groups_;
};

// Compares head and result of a walk; gives back the states as they enter, with containers widened.
class Compare : public Join {
 public:
    Compare(Program& program, Knowledge& know, LeafStates& states, Dim counter, std::function<bool(Dim)> visible,
            std::map<Path, VarId>& tails, bool first)
        : Join(program.abstracts), program_(program), know_(know), states_(states), counter_(counter),
          visible_(std::move(visible)), tails_(tails), first_(first) {}
    bool changed = false;

 protected:
    bool in_scope(Dim d) override { return visible_(d); }
    Dim extent(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms, path, true); }
    Dim number(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms, path, false); }
    Shape other_rank(const std::vector<const Shape*>&, const Path& path) override {
        auto [it, is_new] = tails_.try_emplace(path);
        if (is_new) it->second = program_.module.add_var("s", VarKind::shape);
        return Shape{{}, false, it->second};
    }
    void merge_cells(const std::vector<uint32_t>& cells, AbsId content) override {
        for (uint32_t cell : cells) program_.widen_cell(cell, content);
    }

 private:
    Dim leaf(const std::vector<Dim>& arms, const Path& path, bool is_extent) {
        Dim head = arms[0], out = arms[1];
        auto [it, is_new] = states_.try_emplace(path);
        LeafState& s = it->second;
        if (is_new) s.init = head, changed = true;       // a path first met: its head is what enters
        s.extent = is_extent;
        s.is_new = false;
        if (!out.valid()) return s.init;                 // the body never gets to its end
        s.out = know_.facts.normalise(out);
        Dims& dims = program_.module.dims;
        switch (s.kind) {
        case LeafState::Kind::invariant: {
            if (know_.equal(out, head)) break;
            Dim delta = know_.facts.normalise(dims.sub(out, head));
            if (is_new && first_ && visible_(delta)) s.kind = LeafState::Kind::affine, s.delta = delta;
            else s.kind = LeafState::Kind::varying, s.is_new = true;
            changed = true;
            break;
        }
        case LeafState::Kind::affine: {
            Dim next = dims.add(s.init, dims.mul(dims.add(counter_, dims.constant(1)), s.delta));
            if (know_.equal(out, next)) break;
            s.kind = LeafState::Kind::varying, s.is_new = true;
            changed = true;
            break;
        }
        case LeafState::Kind::varying: break;
        }
        return s.init;
    }

    Program& program_;
    Knowledge& know_;
    LeafStates& states_;
    Dim counter_;
    std::function<bool(Dim)> visible_;
    std::map<Path, VarId>& tails_;
    bool first_;
};

// Splits groups whose members came out different; puts new members together by how they enter.
bool regroup(LeafStates& states) {
    std::map<std::pair<size_t, Dim>, size_t> split;      // (old group, out) -> new group
    std::map<Dim, size_t> entered;
    std::map<size_t, size_t> parts;
    size_t next = 0;
    bool changed = false;
    for (auto& [path, s] : states) {
        if (s.kind != LeafState::Kind::varying) continue;
        if (s.is_new) {
            auto [it, is_new] = entered.try_emplace(s.init, next);
            if (is_new) ++next;
            s.group = it->second;
            continue;
        }
        auto [it, is_new] = split.try_emplace({s.group, s.out}, next);
        if (is_new) ++next, changed = changed || ++parts[s.group] > 1;
        s.group = it->second;
    }
    return changed;
}

// A while whose condition compares something that grows by a constant with something that stays: it ends at the first
// i with c*i + b >= 0, so it runs max(0, ceil(-b / c)) times.
std::optional<Dim> counted_trips(Dims& dims, const Condition& condition, Sym counter) {
    if (condition.kind != Condition::Kind::relation) return std::nullopt;
    Dim left = condition.left, right = condition.right;
    Relation relation = condition.relation;
    if (relation == Relation::greater || relation == Relation::greater_equal) {
        std::swap(left, right);
        relation = relation == Relation::greater ? Relation::less : Relation::less_equal;
    }
    if (relation != Relation::less && relation != Relation::less_equal) return std::nullopt;
    Dim over = dims.sub(left, right);                    // goes on while over < 0
    if (relation == Relation::less_equal) over = dims.sub(over, dims.constant(1));
    std::optional<Dims::Linear> linear = dims.linear_in(over, counter);
    std::optional<int64_t> step = linear ? dims.constant_value(linear->a) : std::nullopt;
    if (!step || *step <= 0) return std::nullopt;
    Dim needed = dims.floor_div(dims.add(dims.scale(linear->b, -1), dims.constant(*step - 1)), dims.constant(*step));
    Dim both[] = {needed, dims.constant(0)};
    return dims.max(both);
}

// A yielded value as one row of the stack: sizes local to the body are given to `local`.
class Row : public Join {
 public:
    Row(Abstracts& abstracts, Dim trips, const std::function<bool(Dim)>& visible, const std::function<Dim(Dim)>& local)
        : Join(abstracts), trips_(trips), visible_(visible), local_(local) {}
    AbsId stack(AbsId row) {
        const Abs a = abstracts_[row];
        if (a.kind == AbsKind::tuple) {
            std::vector<AbsId> parts;
            for (AbsId part : a.parts) parts.push_back(stack(part));
            return abstracts_.tuple(std::move(parts));
        }
        if (a.kind != AbsKind::tensor) return row;
        ShapedTensor t = abstracts_[(*this)({row})].tensor;
        t.known = {};
        t.shape.dims.insert(t.shape.dims.begin(), trips_);
        if (!t.shape.ranked) t.shape.tail = {};
        return abstracts_.tensor(std::move(t));
    }

 protected:
    bool in_scope(Dim d) override { return visible_(d); }
    Dim extent(const std::vector<Dim>& arms, const Path&) override { return visible_(arms[0]) ? arms[0] : local_(arms[0]); }
    Dim number(const std::vector<Dim>&, const Path&) override { return {}; }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path&) override { return *arms[0]; }

 private:
    Dim trips_;
    const std::function<bool(Dim)>& visible_;
    const std::function<Dim(Dim)>& local_;
};
} // namespace

Result<Walk::Made> Walk::loop(const Binding& b) {
    Dims& dims = module_.dims;
    bool counted = b.form == Form::for_;
    BlockId body = counted ? b.blocks[0] : b.blocks[1];
    const std::vector<ValueId>& params = in_[body].params;
    size_t skip = counted ? 1 : 0;                       // %i comes first
    size_t count = params.size() - skip;
    std::vector<AbsId> entering;
    for (size_t i = 0; i < count; ++i) entering.push_back(normalised(abs(b.args[skip + i])));
    AbsId base = abstracts_.tuple(entering);
    Binding out = copy(b);

    Dim bound;                                           // of the counter
    if (counted) {
        Made n = TRY(exact_number(made(b.args[0]), b.span));
        if (audible_) out.args[0] = n.value;
        bound = number_of(abstracts_[n.abs].tensor);
    }
    bool natural = counted && know_.natural(bound);      // asked before the counter's own bound says so
    uint32_t scope = now();
    std::function<bool(Dim)> in_scope = [&](Dim d) { return visible(d, scope); };
    std::string counter_name = counted ? in_[params[0]].name : "i";

    LeafStates states;
    std::map<Path, VarId> tails;
    Condition condition;                                 // of a while, at the head
    struct Turn { Dim counter; std::map<size_t, Dim> groups; AbsId head; bool ends; BlockId condition; };
    auto names = names_;
    auto turn = [&](Turn& t) -> Status {
        Sym counter = fresh(counter_name, SymKind::counter);
        know_.add_extent(counter);
        t.counter = dims.of(counter);
        for (auto& [path, s] : states) {
            if (s.kind != LeafState::Kind::varying) continue;
            auto [it, is_new] = t.groups.try_emplace(s.group);
            if (is_new) it->second = dims.of(fresh("v", SymKind::join));
            if (!s.extent) continue;
            know_.add_extent(*dims.as_symbol(it->second));
            know_.assume(dims.constant(0), Relation::less_equal, it->second);
        }
        if (counted) know_.assume(t.counter, Relation::less, bound);
        t.head = Head(abstracts_, states, t.counter, t.groups)({base});
        for (size_t i = 0; i < count; ++i) env_[params[skip + i].index] = abstracts_[t.head].parts[i];
        if (counted) {
            ShapedTensor i{.dtype = DType::i64, .known = known_number(t.counter)};
            env_[params[0].index] = abstracts_.tensor(std::move(i));
        }
        if (audible_) {
            for (ValueId p : params) {
                ValueId value = add_value(in_[p].name, type(abs(p), in_[p].type), in_[p].span);
                const Abs& a = abstracts_[abs(p)];
                if (a.kind == AbsKind::tensor && a.tensor.dtype == DType::i64) out_[value].known = number_of(a.tensor);
                new_of_[p.index] = value;
                out_[at_].params.push_back(value);
            }
        }
        condition = {};
        if (!counted) {
            BlockId here = open_block();
            BlockId own = at_;
            bool ends = TRY(block(b.blocks[0]));
            if (audible_) out_[own].results = {ends ? new_of_[in_[b.blocks[0]].results[0].index] : dead_end()};
            t.condition = own;
            close_block(here);
            if (ends) {
                const ShapedTensor& c = abstracts_[abs(in_[b.blocks[0]].results[0])].tensor;
                if (c.known.kind == Known::Kind::condition) condition = c.known.condition;
            }
            know_.assume(condition);
        }
        t.ends = TRY(block(body));
        names_ = names;
        return {};
    };
    auto results = [&](const Turn& t) {
        std::vector<AbsId> values;
        for (size_t i = 0; t.ends && i < count; ++i) values.push_back(abs(in_[body].results[i]));
        return t.ends ? abstracts_.tuple(std::move(values)) : abstracts_.bottom();
    };

    bool audible = audible_;
    audible_ = false;
    constexpr int most_rounds = 40;
    int round = 0;
    for (bool changed = true; changed && round < most_rounds; ++round) {
        know_.push();
        Turn t;
        Status status = turn(t);
        if (!status) { audible_ = audible; return std::move(status).error(); }
        Compare compare(program_, know_, states, t.counter, in_scope, tails, round == 0);
        AbsId next = compare({t.head, results(t)});
        bool split = regroup(states);
        changed = compare.changed || split || next != base;
        base = next;
        know_.pop();
    }
    audible_ = audible;
    if (round == most_rounds)
        return Error{.code = Code::internal, .message = "the shapes of a loop's states do not settle", .where = b.span};
    program_.report.rounds = std::max<int64_t>(program_.report.rounds, round);

    // The walk that counts.
    know_.push();
    BlockId outer = open_block();
    BlockId own = at_;
    Turn last;
    TRY(turn(last));
    Compare compare(program_, know_, states, last.counter, in_scope, tails, false);
    AbsId stable = compare({last.head, results(last)});
    if (stable != base || compare.changed)
        return Error{.code = Code::internal, .message = "a loop's last walk differs from the round before it", .where = b.span};

    struct Carried { Sym head; Dim init, next; Sym exit; };
    std::vector<Carried> carried;
    std::map<size_t, Dim> exits;
    std::vector<Sym> extents;                            // exits that are sizes
    for (const auto& [group, symbol] : last.groups) {
        const LeafState* member = nullptr;
        bool extent = false;
        for (const auto& [path, s] : states)
            if (s.kind == LeafState::Kind::varying && s.group == group) member = member ? member : &s, extent = extent || s.extent;
        Sym exit = fresh("v", SymKind::join);
        carried.push_back({*dims.as_symbol(symbol), member->init, last.ends ? member->out : symbol, exit});
        exits[group] = dims.of(exit);
        if (extent) extents.push_back(exit);
    }
    Dim trips;
    if (counted) {
        Dim both[] = {bound, dims.constant(0)};
        trips = natural ? bound : dims.max(both);
    } else {
        Sym exit = fresh("trips", SymKind::counter);
        carried.push_back({*dims.as_symbol(last.counter), dims.constant(0), dims.add(last.counter, dims.constant(1)), exit});
        trips = dims.of(exit);
    }
    // All rows of a stack have one size; the first row that comes says which.
    std::map<Dim, Dim> row_sizes;
    std::vector<DimFact> row_checks;
    std::function<Dim(Dim)> local = [&](Dim size) {
        auto [it, is_new] = row_sizes.try_emplace(size);
        if (!is_new) return it->second;
        Sym before = fresh("row", SymKind::late), exit = fresh("row", SymKind::late);
        it->second = dims.of(exit);
        carried.push_back({before, dims.constant(0), size, exit});
        Dim earlier = dims.mul(last.counter, dims.of(before));
        row_checks.push_back({earlier, Relation::equal, dims.mul(last.counter, size), b.span});
        return it->second;
    };
    std::vector<AbsId> parts;
    AbsId leaving = Head(abstracts_, states, trips, exits)({base});
    for (AbsId part : abstracts_[leaving].parts) parts.push_back(part);
    for (size_t i = count; i < in_[body].results.size(); ++i) {
        AbsId row = last.ends ? abs(in_[body].results[i]) : abstracts_.bottom();
        AbsId stacked = abstracts_.is_bottom(row) ? row : Row(abstracts_, trips, in_scope, local).stack(row);
        parts.push_back(stacked);
    }
    for (const DimFact& fact : row_checks) TRY(require(fact.left, fact.relation, fact.right, "rows of a yield"));
    if (audible_) {
        if (last.ends) out_[own].results = new_ids(in_[body].results);
        else out_[own].results = {dead_end()};
        for (const Carried& c : carried) {
            out_[own].symbols.push_back(c.head);
            out_[own].dims.push_back(c.next);
            out.dims.push_back(c.init);
            out.defines.push_back(c.exit);
        }
        if (!counted) out.blocks.push_back(last.condition);
        out.blocks.push_back(own);
    }
    close_block(outer);
    know_.pop();

    for (const Carried& c : carried)
        if (dims.symbol(c.exit).kind != SymKind::join) know_.add_extent(c.exit);
    for (Sym exit : extents) {
        know_.add_extent(exit);
        know_.assume(dims.constant(0), Relation::less_equal, dims.of(exit));
    }
    if (!counted) {                                      // a while ends when its condition fails on the final states
        std::map<Sym, Dim> at_exit{{*dims.as_symbol(last.counter), trips}};
        for (const auto& [group, symbol] : last.groups) at_exit[*dims.as_symbol(symbol)] = exits[group];
        if (std::optional<Condition> c = substituted(condition, at_exit, scope)) know_.assume(negate(*c));
        if (std::optional<Dim> exactly = counted_trips(dims, condition, *dims.as_symbol(last.counter)))
            if (visible(*exactly, scope)) know_.assume(trips, Relation::equal, *exactly);
    }
    Made result{parts.size() == 1 ? parts[0] : abstracts_.tuple(parts), {}};
    result.value = emit(std::move(out), result.abs, skeleton_of(b), in_[b.results[0]].name, b.span);
    return result;
}

std::optional<Condition> Walk::substituted(Condition c, const std::map<Sym, Dim>& image, uint32_t scope) {
    if (c.kind == Condition::Kind::relation) {
        auto lookup = [&](Sym s) -> std::optional<Dim> {
            auto it = image.find(s);
            return it == image.end() ? std::nullopt : std::optional(it->second);
        };
        for (Dim* side : {&c.left, &c.right}) {
            for (Sym s : module_.dims.symbols_of(*side))
                if (s.index >= scope && !image.contains(s)) return std::nullopt;
            *side = module_.dims.substitute(*side, lookup);
        }
    }
    for (Condition& part : c.parts) {
        std::optional<Condition> inner = substituted(part, image, scope);
        part = inner ? *inner : Condition{};
    }
    return c;
}
} // namespace nereus
