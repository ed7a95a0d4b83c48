// infer/shapes_loop.cpp - for and while. Round 1 walks the body with the states as they enter, later rounds with what
// the round before made of them (shapes_states.h), until nothing changes. All rounds are muted; one last walk speaks.
// Where even that is muted, for this is a round of a loop around, the last round does: else nests would be walked twice
// per level. For the same reason a loop in a loop begins with what it came to in the round before of the one around.
//
// Stored form: the symbols of varying leaves are carried by the loop (Block::symbols), and so are the counter of a
// while and the sizes of yielded rows that only running tells.
#include "infer/shapes_walk.h"
#include <algorithm>
#include <optional>
#include <utility>

namespace nereus {
namespace {
constexpr int most_rounds = 40;
}

class Walk::Loop {
 public:
    Loop(Walk& walk, const Binding& b)
        : w(walk), b(b), dims(walk.module_.dims), counted(b.form == Form::for_), body(b.blocks.back()),
          params(walk.in_[body].params), skip(counted ? 1 : 0), count(params.size() - skip) {}

    Result<Made> run() {
        out = w.copy(b);
        std::vector<AbsId> entering;
        for (size_t i = 0; i < count; ++i) entering.push_back(w.normalised(w.abs(b.args[skip + i])));
        enter = w.abstracts_.tuple(entering);
        if (counted) {
            Made n = TRY(w.scalar(w.made(b.args[0]), "the count of a for"));
            if (w.abstracts_.is_bottom(n.abs)) return n;
            n = TRY(w.exact_number(n, b.span));
            if (w.audible_) out.args[0] = n.value;
            bound = number_of(w.abstracts_[n.abs].tensor);
            natural = w.know_.natural(bound);            // asked before the counter's own bound says so
            unreached = w.know_.ask(bound, Relation::less_equal, dims.constant(0)) == Answer::yes;
        }
        scope = w.now();
        visible = [this](Dim d) { return w.visible(d, scope); };
        const uint32_t around = w.around_loops_;
        w.around_loops_ = std::min(around, scope);
        bool audible = std::exchange(w.audible_, false);
        Result<std::optional<Turn>> settled = settle(!audible);
        w.audible_ = audible;
        Made made = TRY(speak(TRY(std::move(settled))));
        w.around_loops_ = around;
        return made;
    }

 private:
    struct Turn {
        Dim counter;
        std::map<size_t, Dim> groups;                    // the symbols of varying leaves
        AbsId head;
        bool ends = false;
        Condition condition;                             // of a while, at the head
        BlockId condition_block;
    };
    struct Carried { Sym head; Dim init, next; Sym exit; };

    Error internal(const char* what) const { return Error{.code = Code::internal, .message = what, .where = b.span}; }

    // The last round, if it is wanted; what is known in it is then known still.
    Result<std::optional<Turn>> settle(bool wants_last) {
        const AbsId entered = enter;
        if (auto it = w.loops_.find(b.results[0]); it != w.loops_.end()) {
            states = recall(w.abstracts_, it->second, [this](Dim d) { return w.visible(d, w.around_loops_); }, enter);
            tails = it->second.tails;
        }
        bool first = true;
        for (int round = 0;; ++round) {
            if (round == most_rounds) return internal("the shapes of a loop's states do not settle");
            const size_t widenings = w.program_.widenings;
            w.know_.push();
            Turn turn = TRY(walk_once());
            Comparison found = compare(turn, std::exchange(first, false));
            const std::vector<size_t> groups = groups_of_states();
            if (found.too_wide) {
                w.know_.pop();
                states.clear(), tails.clear(), enter = entered, first = true;
                continue;
            }
            bool regrouped = regroup(states);
            bool changed = found.changed || regrouped || found.enter != enter || w.program_.widenings != widenings;
            enter = found.enter;
            const bool is_last = !changed && wants_last && groups == groups_of_states();
            if (!is_last) w.know_.pop();
            if (changed) continue;
            w.program_.report.rounds = std::max<int64_t>(w.program_.report.rounds, round + 1);
            w.loops_[b.results[0]] = {entered, enter, states, tails};
            return is_last ? std::optional(std::move(turn)) : std::nullopt;
        }
    }
    std::vector<size_t> groups_of_states() const {
        std::vector<size_t> groups;
        for (const auto& [path, s] : states)
            if (s.kind == LeafState::Kind::varying) groups.push_back(s.group);
        return groups;
    }

    Comparison compare(const Turn& turn, bool first) {
        std::vector<AbsId> values;
        for (size_t i = 0; turn.ends && i < count; ++i) values.push_back(w.abs(w.in_[body].results[i]));
        AbsId result = turn.ends ? w.abstracts_.tuple(std::move(values)) : w.abstracts_.bottom();
        return compare_states(w.program_, w.know_, states, turn.counter, visible, tails, first, turn.head, result, b.span);
    }

    // One iteration, whichever it is.
    Result<Turn> walk_once() {
        Turn turn;
        Sym counter = w.fresh(counted ? std::string_view(w.in_[params[0]].name) : "i", SymKind::counter);
        w.know_.add_extent(counter);
        turn.counter = dims.of(counter);
        for (const auto& [path, s] : states) {
            if (s.kind != LeafState::Kind::varying) continue;
            auto [it, is_new] = turn.groups.try_emplace(s.group);
            if (is_new) it->second = dims.of(w.fresh("v", SymKind::join));
            if (s.extent) is_extent(*dims.as_symbol(it->second));
        }
        if (counted) w.know_.assume(turn.counter, Relation::less, bound);
        turn.head = states_at(w.abstracts_, states, turn.counter, turn.groups, enter);
        for (size_t i = 0; i < count; ++i) w.env_[params[skip + i].index] = w.abstracts_[turn.head].parts[i];
        if (counted) w.env_[params[0].index] = w.abstracts_.number(turn.counter, DType::i64);
        Names names = w.names_;
        for (ValueId p : params) w.bind_param(p);
        if (!counted) TRY(walk_condition(turn));
        w.unreached_ += unreached;
        turn.ends = TRY(w.block(body));
        w.unreached_ -= unreached;
        w.names_ = std::move(names);
        return turn;
    }
    Status walk_condition(Turn& turn) {
        BlockId outer = w.open_block();
        turn.condition_block = w.at_;
        bool ends = TRY(w.block(b.blocks[0]));
        Made condition = TRY(w.condition_of(w.in_[b.blocks[0]], ends));
        if (w.audible_) w.out_[w.at_].results = {condition.value};
        w.close_block(outer);
        const Known& known = w.abstracts_[condition.abs].tensor.known;
        if (known.kind == Known::Kind::condition) turn.condition = known.condition;
        w.know_.assume(turn.condition);
        return {};
    }

    // The walk that counts: its symbols are the ones that stay.
    Result<Made> speak(std::optional<Turn> walked) {
        BlockId outer = w.open_block();
        BlockId own = w.at_;
        if (!walked) {
            w.know_.push();
            walked = TRY(walk_once());
            Comparison found = compare(*walked, false);
            if (found.changed || found.enter != enter) return internal("a loop's last walk differs from the round before it");
        }
        const Turn turn = std::move(*walked);
        std::map<size_t, Dim> exits = carry_groups(turn);
        Dim trips = counted ? trips_of_bound() : carry_counter(turn);
        std::vector<AbsId> parts = w.abstracts_[states_at(w.abstracts_, states, trips, exits, enter)].parts;
        TRY(stack_rows(turn, trips, parts));
        if (w.audible_) {
            std::vector<ValueId> results = turn.ends ? w.new_ids(w.in_[body].results) : no_results();
            w.out_[own].results = std::move(results);
            for (const Carried& c : carried) {
                w.out_[own].symbols.push_back(c.head), w.out_[own].dims.push_back(c.next);
                out.dims.push_back(c.init), out.defines.push_back(c.exit);
            }
            if (!counted) out.blocks.push_back(turn.condition_block);
            out.blocks.push_back(own);
        }
        w.close_block(outer);
        w.know_.pop();
        learn_exit(turn, trips, exits);
        Made result{parts.size() == 1 ? parts[0] : w.abstracts_.tuple(parts), {}};
        result.value = w.emit(std::move(out), result.abs, w.skeleton_of(b), w.in_[b.results[0]].name, b.span);
        return result;
    }

    std::map<size_t, Dim> carry_groups(const Turn& turn) {
        std::map<size_t, Dim> exits;
        for (const auto& [group, symbol] : turn.groups) {
            const LeafState* member = nullptr;
            bool extent = false;
            for (const auto& [path, s] : states)
                if (s.kind == LeafState::Kind::varying && s.group == group) member = &s, extent |= s.extent;
            Sym exit = w.fresh("v", SymKind::join);
            carried.push_back({*dims.as_symbol(symbol), member->init, turn.ends ? member->out : symbol, exit});
            exits[group] = dims.of(exit);
            if (extent) extents.push_back(exit);
        }
        return exits;
    }
    Dim trips_of_bound() {
        Dim both[] = {bound, dims.constant(0)};
        return natural ? bound : dims.max(both);
    }
    Dim carry_counter(const Turn& turn) {
        Sym exit = w.fresh("trips", SymKind::counter);
        carried.push_back({*dims.as_symbol(turn.counter), dims.constant(0), dims.add(turn.counter, dims.constant(1)), exit});
        extents.push_back(exit);
        std::optional<Dim> exactly = counted_trips(dims, turn.condition, *dims.as_symbol(turn.counter));
        return exactly && visible(*exactly) ? *exactly : dims.of(exit);    // as it stands: facts here hold inside only
    }

    // All rows of a stack have one size; where only running tells it, the first row does, and every later one is
    // checked: min(i, 1) * (size so far) == min(i, 1) * (size now).
    Status stack_rows(const Turn& turn, Dim trips, std::vector<AbsId>& out_parts) {
        std::map<Dim, Dim> sizes;
        std::vector<DimFact> checks;
        const Dim pair[] = {turn.counter, dims.constant(1)}, later = dims.min(pair);
        auto local = [&](Dim size) {
            auto [it, is_new] = sizes.try_emplace(size);
            if (!is_new) return it->second;
            Sym before = w.fresh("row", SymKind::late), exit = w.fresh("row", SymKind::late);
            it->second = dims.of(exit);
            carried.push_back({before, dims.constant(0), size, exit});
            extents.push_back(exit);
            checks.push_back({dims.mul(later, dims.of(before)), Relation::equal, dims.mul(later, size), b.span});
            return it->second;
        };
        for (size_t i = count; i < w.in_[body].results.size(); ++i) {
            AbsId row = turn.ends ? w.abs(w.in_[body].results[i]) : no_row(i);
            out_parts.push_back(stacked(w.abstracts_, row, trips, visible, local));
        }
        const char* what = "rows of a yield: the first has size {0}, a later one {1}";
        for (const DimFact& fact : checks) TRY(w.require(fact.left, fact.relation, fact.right, what));
        return {};
    }

    // A body that never gets to its end gives results that stand for nothing, but have the right types. Only a loop
    // without trips is left then, and no row tells how large it would have been.
    TypeId row_type(size_t result) const { return w.in_[w.in_[body].results[result]].type; }
    AbsId no_row(size_t result) {
        return w.abstracts_.tensor({.dtype = w.module_.types[row_type(result)].element.dtype.value_or(DType::f32)});
    }
    std::vector<ValueId> no_results() {
        std::vector<ValueId> results;
        for (size_t i = 0; i < count; ++i) results.push_back(w.new_of_[params[skip + i].index]);
        w.dead_end(w.abstracts_.unit(), w.module_.types.unit());
        for (size_t i = count; i < w.in_[body].results.size(); ++i)
            results.push_back(w.dead_end(no_row(i), row_type(i)));
        return results;
    }

    // What holds behind the loop: sizes are sizes, and the condition of a while fails on the final states.
    void learn_exit(const Turn& turn, Dim trips, const std::map<size_t, Dim>& exits) {
        for (Sym exit : extents) is_extent(exit);
        if (counted) return;
        Sym counter = *dims.as_symbol(turn.counter);
        std::map<Sym, Dim> at_exit{{counter, trips}};
        for (const auto& [group, symbol] : turn.groups) at_exit[*dims.as_symbol(symbol)] = exits.at(group);
        if (std::optional<Condition> c = w.substituted(turn.condition, at_exit, scope)) w.know_.assume(negate(*c));
    }
    void is_extent(Sym s) {
        w.know_.add_extent(s);
        w.know_.assume(dims.constant(0), Relation::less_equal, dims.of(s));
    }

    Walk& w;
    const Binding& b;
    Dims& dims;
    const bool counted;
    const BlockId body;
    const std::vector<ValueId>& params;                  // %i of a for comes first
    const size_t skip, count;                            // params before the states; states
    Binding out;
    Dim bound;                                           // for: the count
    bool natural = false, unreached = false;             // unreached: it surely has no trip
    uint32_t scope = 0;                                  // symbols from here on are local to the body
    std::function<bool(Dim)> visible;
    AbsId enter;                                         // the states as they enter; containers as wide as they get
    LeafStates states;
    std::map<Path, VarId> tails;
    std::vector<Carried> carried;
    std::vector<Sym> extents;                            // exits that are sizes
};

Result<Walk::Made> Walk::loop(const Binding& b) {
    if (const std::optional<int64_t> trips = trips_in_place(b)) return unrolled(b, *trips);
    const bool refuted = refuted_;
    Result<Made> made = Loop(*this, b).run();
    refuted_ = refuted;                                  // it may have no trip
    return made;
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
