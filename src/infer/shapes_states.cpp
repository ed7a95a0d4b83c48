#include "infer/shapes_states.h"
#include <algorithm>

namespace nereus {
namespace {
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
    bool changed = false, too_wide = false;
    std::vector<const Shape*> unlike;                    // the first leaf whose rank changes

 protected:
    bool in_scope(Dim d) override { return visible_(d); }
    Dim extent(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms, path, true); }
    Dim number(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms, path, false); }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path& path) override {
        if (unlike.empty()) unlike = arms;
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
        if (is_new) s.init = head;                       // a path first met: its head is what enters, in the next walk too
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
            too_wide = too_wide || s.recalled;           // by another delta now, perhaps
            s.kind = LeafState::Kind::varying, s.is_new = true;
            changed = true;
            break;
        }
        case LeafState::Kind::varying:
            too_wide = too_wide || (s.recalled && know_.equal(out, head));
            break;
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

// Gives leaves that were affine or varying their beginnings, as they are now.
class Recall : public Join {
 public:
    Recall(Abstracts& abstracts, const LeafStates& before, const std::function<bool(Dim)>& outer)
        : Join(abstracts), before_(before), outer_(outer) {}
    LeafStates states;

 protected:
    bool in_scope(Dim) override { return true; }
    Dim extent(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms[0], path); }
    Dim number(const std::vector<Dim>& arms, const Path& path) override { return leaf(arms[0], path); }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path&) override { return *arms[0]; }

 private:
    Dim leaf(Dim init, const Path& path) {
        auto it = before_.find(path);
        if (it == before_.end() || it->second.kind == LeafState::Kind::invariant) return init;
        LeafState s = it->second;
        if (s.kind == LeafState::Kind::affine && !outer_(s.delta)) return init;
        s.init = init;
        s.is_new = false;
        s.recalled = true;
        if (s.kind == LeafState::Kind::varying)          // together if they were so and enter equal, too
            s.group = groups_.try_emplace({s.group, init}, groups_.size()).first->second;
        states.emplace(path, s);
        return init;
    }
    const LeafStates& before_;
    const std::function<bool(Dim)>& outer_;
    std::map<std::pair<size_t, Dim>, size_t> groups_;
};

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

AbsId states_at(Abstracts& abstracts, const LeafStates& states, Dim counter, const std::map<size_t, Dim>& groups,
                AbsId enter) {
    return Head(abstracts, states, counter, groups)({enter});
}
LeafStates recall(Abstracts& abstracts, const Settled& before, const std::function<bool(Dim)>& outer, AbsId& enter) {
    std::vector<AbsId> parts = abstracts[enter].parts;
    for (size_t i = 0; i < parts.size(); ++i) {
        const AbsId widened = abstracts[before.enter].parts[i];
        if (parts[i] != abstracts[before.entered].parts[i] || parts[i] == widened) continue;
        const std::vector<Leaf> leaves = leaves_of(abstracts, widened);
        auto stays = [&](const Leaf& leaf) { return abstracts.as_unknown(leaf.dim) || outer(leaf.dim); };
        if (std::all_of(leaves.begin(), leaves.end(), stays)) parts[i] = widened;
    }
    enter = abstracts.tuple(std::move(parts));
    Recall leaves(abstracts, before.states, outer);
    leaves({enter});
    return std::move(leaves.states);
}
Comparison compare_states(Program& program, Knowledge& know, LeafStates& states, Dim counter,
                          const std::function<bool(Dim)>& visible, std::map<Path, VarId>& tails, bool first, AbsId head,
                          AbsId out, Span span) {
    Compare compare(program, know, states, counter, visible, tails, first);
    AbsId enter = compare({head, out});
    program.warn_of_ranks(span, "states before and after a trip", compare.unlike);
    return {enter, compare.changed, compare.too_wide};
}
AbsId stacked(Abstracts& abstracts, AbsId row, Dim trips, const std::function<bool(Dim)>& visible,
              const std::function<Dim(Dim)>& local) {
    return Row(abstracts, trips, visible, local).stack(row);
}

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

// It ends at the first i with c*i + b >= 0, so it runs max(0, ceil(-b / c)) times.
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

} // namespace nereus
