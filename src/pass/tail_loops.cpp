// pass/tail_loops.cpp - a function that calls itself last, through arms of branches, becomes a loop: its changing parameters
// are the states, a call is the next trip. Depth is then one frame however many steps there are.
//
// Two forms. Where the body decides by numbers and tags alone whether it goes on, that decision is the condition:
//     while (states) (decision) { what comes before the call; its arguments }   then what the other arms do
// which repeats the decision once per use; it is cheap. Else everything stays in one place and in order, and the value
// that ends the recursion waits in a Seq:
//     while (states, going = true, out = []) (going) { body }   then out[0]
//
// Only where all calls of itself are such: while another one is under way the states of the loop would be held, more than
// a frame of the recursion holds. Parameters that every call hands on unchanged are no states. Sizes must stay the same
// from call to call: states of sizes that change are objects, while a region of its own plans them for each call. Before
// shapes, what changes may have no size in its type that the signature names.
#include "ops/registry.h"
#include "pass/effects.h"
#include "pass/function_edit.h"
#include "pass/passes.h"
#include <algorithm>

namespace nereus {
namespace {
class TailLoops {
 public:
    TailLoops(Module& module, FunctionId id, const Effects& effects)
        : module_(module), id_(id), f_(module[id]), effects_(effects), from_(f_), edit_(module, f_) {}

    void run() {
        find(from_.body);
        if (again_.empty() || calls_in(from_.body) != again_.size() || !fits()) return;
        if (std::optional<Decision> d = decision()) by_decision(*d);
        else in_one_place();
    }

 private:
    struct Leaf { BlockId block; BindingId call; };      // call invalid: the recursion ends here
    struct Decision { BindingId branch; std::vector<bool> goes_on; };            // per arm

    // ---- what there is
    const Binding* last_of(BlockId block) const {
        const Block& b = from_[block];
        if (b.bindings.empty() || b.results.size() != 1) return nullptr;
        const Binding& last = from_[b.bindings.back()];
        return last.results == b.results ? &last : nullptr;
    }
    void find(BlockId block) {
        const Binding* last = last_of(block);
        if (last && last->form == Form::call && last->function == id_) {
            again_.push_back({block, from_[block].bindings.back()});
        } else if (last && (last->form == Form::if_ || last->form == Form::match) && !last->blocks.empty()) {
            branches_.push_back(from_[block].bindings.back());
            for (BlockId arm : last->blocks) find(arm);
        } else {
            ends_.push_back({block, {}});
        }
    }
    size_t calls_in(BlockId block) const {               // of itself, anywhere
        size_t count = 0;
        for (BindingId id : from_[block].bindings) {
            count += from_[id].function == id_;
            for (const ApplyTarget& target : from_[id].targets) count += target.function == id_;
            for (BlockId nested : blocks_of(from_[id])) count += calls_in(nested);
        }
        return count;
    }
    bool fits() {
        if (ends_.empty() || !from_.result_dims.empty() || !from_.where.empty() || from_.vjp_forward.valid()) return false;
        TypeId result = from_[from_[from_.body].results[0]].type;
        for (BindingId branch : branches_)
            if (!from_[branch].defines.empty() || from_[from_[branch].results[0]].type != result) return false;
        for (const Leaf& leaf : ends_)
            if (from_[from_[leaf.block].results[0]].type != result) return false;
        std::vector<bool> changes(from_.params.size());
        for (const Leaf& leaf : again_) {
            const Binding& call = from_[leaf.call];
            for (size_t i = 0; i < call.dims.size(); ++i)
                if (call.dims[i] != module_.dims.of(from_.symbols[i]) && !is_number_alone(from_.symbols[i])) return false;
            for (size_t i = 0; i < call.args.size(); ++i) {
                changes[i] = changes[i] || call.args[i] != from_.params[i];
                if (from_[call.args[i]].type != from_[from_.params[i]].type) return false;
            }
        }
        for (size_t i = 0; i < changes.size(); ++i) {
            if (!changes[i]) continue;
            std::vector<Sym> named;
            collect_type_symbols(module_, from_[from_.params[i]].type, named);
            if (!named.empty() && from_.symbols.empty()) return false;           // before shapes: each call has sizes of its own
            if (mentions_shape_variable(module_, from_[from_.params[i]].type)) return false;
            states_.push_back(i);
        }
        return !states_.empty();
    }

    // The number of a parameter that is a scalar, and no size: it may be another in the next call.
    bool is_number_alone(Sym s) const {
        const Dim number = module_.dims.of(s);
        if (std::ranges::none_of(from_.params, [&](ValueId p) { return from_[p].known == number; })) return false;
        return std::ranges::none_of(from_.values, [&](const ValueInfo& value) {
            std::vector<Sym> named;
            collect_type_symbols(module_, value.type, named);
            return std::ranges::count(named, s) > 0;
        });
    }

    // One branch at the end, of arms that all go on or all end, after bindings that are cheap and may run again.
    std::optional<Decision> decision() const {
        const Binding* last = last_of(from_.body);
        if (!last || (last->form != Form::if_ && last->form != Form::match)) return std::nullopt;
        for (BindingId id : from_[from_.body].bindings)
            if (&from_[id] != last && !cheap(from_[id])) return std::nullopt;
        Decision d{from_[from_.body].bindings.back(), {}};
        for (size_t i = 0; i < last->blocks.size(); ++i) {
            if (i < last->arms.size() && last->arms[i].guard.valid()) return std::nullopt;
            std::pair<bool, bool> found = leaves(last->blocks[i]);
            if (found.first && found.second) return std::nullopt;
            d.goes_on.push_back(found.first);
        }
        return d;
    }
    std::pair<bool, bool> leaves(BlockId block) const {  // some call; some end
        auto is = [&](const Leaf& leaf) { return leaf.block == block; };
        if (std::ranges::any_of(again_, is)) return {true, false};
        if (std::ranges::any_of(ends_, is)) return {false, true};
        std::pair<bool, bool> all{false, false};
        for (BlockId arm : last_of(block)->blocks) {
            auto [calls, ends] = leaves(arm);
            all.first |= calls, all.second |= ends;
        }
        return all;
    }
    bool cheap(const Binding& b) const {
        if (is_immediate(b)) return true;
        if (!effects_.of(from_, b).repeats() || !b.blocks.empty() || !b.defines.empty()) return false;
        if (b.form == Form::project || b.form == Form::field || b.form == Form::tuple) return true;
        if (b.form != Form::op || !number(b.results[0])) return false;
        return std::ranges::all_of(b.args, [&](ValueId v) { return number(v); });
    }
    bool number(ValueId v) const {                       // before shapes: perhaps one
        const Type& type = module_.types[from_[v].type];
        return type.kind == TypeKind::tensor && type.shape.dims.empty() && type.element.dtype && is_host_number(*type.element.dtype);
    }

    // ---- what it becomes
    // In the copy that is read from: a call gives its changing arguments, and branches above it the same.
    void calls_give_states(Function& s, const std::vector<ValueId>& more, TypeId type) {
        for (const Leaf& leaf : again_) {
            std::vector<ValueId> next;
            for (size_t i : states_) next.push_back(s[leaf.call].args[i]);
            next.insert(next.end(), more.begin(), more.end());
            give(s, leaf, std::move(next), type);
        }
    }
    static void give(Function& s, const Leaf& leaf, std::vector<ValueId> values, TypeId type) {
        if (values.size() == 1) {
            if (leaf.call.valid()) std::erase(s[leaf.block].bindings, leaf.call);
            s[leaf.block].results = values;
            return;
        }
        Binding tuple{.form = Form::tuple, .args = std::move(values), .span = s[leaf.block].span};
        if (leaf.call.valid()) {
            tuple.results = s[leaf.call].results;
            s[leaf.call] = std::move(tuple);
        } else {
            tuple.results = {s.add_value("end" + std::to_string(leaf.block.index) + "_", type, tuple.span)};
            BindingId id = s.add_binding(std::move(tuple));
            s[leaf.block].bindings.push_back(id);
        }
        s[leaf.block].results = s[leaf.call.valid() ? leaf.call : s[leaf.block].bindings.back()].results;
        retype(s[s[leaf.block].results[0]], type);
    }

    // A value that stands for something else from now on: what was known of it is not so any more.
    static void retype(ValueInfo& value, TypeId type) { value.type = type, value.known = Dim(); }
    TypeId tuple_of(const std::vector<TypeId>& types) { return types.size() == 1 ? types[0] : module_.types.tuple(types); }
    std::vector<ValueId> parts(ValueId whole, const std::vector<TypeId>& types, BindingList& out) {
        if (types.size() == 1) return {whole};
        std::vector<ValueId> all;
        for (uint32_t i = 0; i < types.size(); ++i)
            all.push_back(edit_.add(Binding{.form = Form::project, .args = {whole}, .index = i, .span = f_.span}, types[i], "next", out));
        return all;
    }
    ValueId truth(bool value, BindingList& out) {
        Binding b{.form = Form::literal, .literal = Literal{.kind = Literal::Kind::boolean, .integers = {value}}, .span = f_.span};
        return edit_.add(std::move(b), module_.types.scalar(DType::boolean), "going", out);
    }
    std::vector<ValueId> new_states() {
        std::vector<ValueId> made;
        for (size_t i : states_) {
            const ValueInfo& param = from_[from_.params[i]];
            made.push_back(edit_.add_value(param.name, param.type, f_.span, number_of(i) ? Dim() : param.known));
        }
        return made;
    }
    // The symbol of a state that is a number: each copy of the body reads it anew.
    std::optional<Sym> number_of(size_t state) const {
        const Dim known = from_[from_.params[state]].known;
        const std::optional<Sym> s = known.valid() ? module_.dims.as_symbol(known) : std::nullopt;
        return s && is_number_alone(*s) ? s : std::nullopt;
    }
    void put_states(BlockCopy& copy, const std::vector<ValueId>& states, BindingList& out) {
        for (size_t i = 0; i < states_.size(); ++i) {
            const ValueId param = from_.params[states_[i]];
            const std::optional<Sym> number = number_of(states_[i]);
            if (!number) {
                copy.put(param, states[i]);
                continue;
            }
            const Sym now = module_.dims.new_symbol(from_[param].name, SymKind::host);
            Binding same{.form = Form::op, .op = all_ops().find("reshape"), .args = {states[i]}, .groups = {{1, false}, {0, true}},
                         .defines = {now}, .span = f_.span};
            const ValueId read = edit_.add(std::move(same), from_[param].type, from_[param].name, out);
            f_[read].known = module_.dims.of(now);
            copy.put(param, read);
            copy.symbols.put(*number, module_.dims.of(now));
        }
    }
    static Binding op(std::string_view name, std::vector<ValueId> args, Span span) {
        Binding b{.form = Form::op, .op = all_ops().find(name), .args = std::move(args), .span = span};
        b.groups.resize(b.args.size());
        return b;
    }
    BlockId block(Block made) {
        BlockId id = f_.add_block();
        f_[id] = std::move(made);
        return id;
    }

    // The parts of the body that a trip, the decision and the end each need a copy of.
    void header(BlockCopy& copy, const std::vector<ValueId>& states, BindingList& out) {
        put_states(copy, states, out);
        const std::vector<BindingId>& all = from_[from_.body].bindings;
        for (size_t i = 0; i + 1 < all.size(); ++i) {
            BindingId made = copy.binding(from_[all[i]], out);
            out.push_back(made);
        }
    }
    static Binding only(const Binding& b, const std::vector<bool>& which) {
        Binding some = b;
        some.arms.clear(), some.blocks.clear();
        for (size_t i = 0; i < which.size(); ++i)
            if (which[i]) some.arms.push_back(b.arms[i]), some.blocks.push_back(b.blocks[i]);
        return some;
    }
    // The branch of which the arms in `which` are left: their value.
    ValueId arms(BlockCopy& copy, const Function& s, const Decision& d, const std::vector<bool>& which, BindingList& out) {
        const Binding& b = s[d.branch];
        if (b.form == Form::match) {
            BindingId made = copy.binding(only(b, which), out);
            out.push_back(made);
            return f_[made].results[0];
        }
        if (which[0] && which[1]) {
            BindingId made = copy.binding(b, out);
            out.push_back(made);
            return f_[made].results[0];
        }
        BlockId arm = b.blocks[which[0] ? 0 : 1];
        copy.bindings(arm, out);
        return copy.value(s[arm].results[0], out);
    }
    static void without_variables(Pattern& p) {
        if (p.kind == Pattern::Kind::variable) p.kind = Pattern::Kind::wildcard, p.variable = {};
        p.dims.clear();
        for (Pattern& part : p.parts) without_variables(part);
    }

    void by_decision(const Decision& d) {
        std::vector<TypeId> types;
        for (size_t i : states_) types.push_back(from_[from_.params[i]].type);
        Function s = from_;
        calls_give_states(s, {}, tuple_of(types));
        for (BindingId branch : branches_) retype(s[s[branch].results[0]], tuple_of(types));
        Block condition, body;
        condition.span = body.span = f_.span;
        body.params = new_states();
        condition.results = {decide(d, body.params, condition.bindings)};

        BlockCopy trip(edit_, s);
        header(trip, body.params, body.bindings);
        ValueId next = arms(trip, s, d, d.goes_on, body.bindings);
        body.results = parts(next, types, body.bindings);

        Binding loop{.form = Form::while_, .span = f_.span};
        for (size_t i : states_) loop.args.push_back(from_.params[i]);
        loop.blocks = {block(std::move(condition)), block(std::move(body))};
        BindingList whole;
        ValueId last = edit_.add(std::move(loop), tuple_of(types), "last", whole);
        BlockCopy end(edit_, from_);
        header(end, parts(last, types, whole), whole);
        std::vector<bool> others = d.goes_on;
        others.flip();
        ValueId result = arms(end, from_, d, others, whole);
        f_[f_.body].bindings = std::move(whole);
        f_[f_.body].results = {result};
    }
    ValueId decide(const Decision& d, const std::vector<ValueId>& states, BindingList& out) {
        BlockCopy copy(edit_, from_);
        header(copy, states, out);
        const Binding& b = from_[d.branch];
        TypeId boolean = module_.types.scalar(DType::boolean);
        if (b.form == Form::if_) {
            ValueId c = copy.value(b.args[0], out);
            if (d.goes_on[0] && d.goes_on[1]) return truth(true, out);
            if (d.goes_on[0]) return c;
            return edit_.add(op("not", {c}, b.span), boolean, "going", out);
        }
        Binding made{.form = Form::match, .args = {copy.value(b.args[0], out)}, .span = b.span};
        for (size_t i = 0; i < b.arms.size(); ++i) {
            made.arms.push_back(b.arms[i]);
            without_variables(made.arms[i].pattern);
            Block arm;
            arm.span = b.span;
            arm.results = {truth(d.goes_on[i], arm.bindings)};
            made.blocks.push_back(block(std::move(arm)));
        }
        return edit_.add(std::move(made), boolean, "going", out);
    }

    void in_one_place() {
        TypeId boolean = module_.types.scalar(DType::boolean), result = from_[from_[from_.body].results[0]].type;
        TypeId waiting = module_.types.seq(result);
        std::vector<TypeId> types;
        for (size_t i : states_) types.push_back(from_[from_.params[i]].type);
        types.push_back(boolean), types.push_back(waiting);
        TypeId whole = tuple_of(types);

        Function s = from_;                              // read from; `out` is bound when it is copied
        ValueId out = s.add_value("out_", waiting, f_.span);
        auto literal = [&](bool value, BlockId at) {
            Binding b{.form = Form::literal, .literal = Literal{.kind = Literal::Kind::boolean, .integers = {value}}, .span = f_.span};
            b.results = {s.add_value("going" + std::to_string(at.index) + "_", boolean, f_.span)};
            BindingId id = s.add_binding(std::move(b));
            std::vector<BindingId>& list = s[at].bindings;
            list.insert(list.end() - (value ? 1 : 0), id);           // before the call, or at the end
            return s[id].results[0];
        };
        for (const Leaf& leaf : ends_) {
            Binding push = op("push", {out, s[leaf.block].results[0]}, s[leaf.block].span);
            push.results = {s.add_value("out" + std::to_string(leaf.block.index) + "_", waiting, push.span)};
            ValueId pushed = push.results[0];
            s[leaf.block].bindings.push_back(s.add_binding(std::move(push)));
            std::vector<ValueId> values;
            for (size_t i : states_) values.push_back(from_.params[i]);
            values.push_back(literal(false, leaf.block)), values.push_back(pushed);
            give(s, leaf, std::move(values), whole);
        }
        for (const Leaf& leaf : again_) {
            std::vector<ValueId> values;
            for (size_t i : states_) values.push_back(s[leaf.call].args[i]);
            values.push_back(literal(true, leaf.block)), values.push_back(out);
            give(s, leaf, std::move(values), whole);
        }
        for (BindingId branch : branches_) retype(s[s[branch].results[0]], whole);

        Block condition, body;
        condition.span = body.span = f_.span;
        body.params = new_states();
        body.params.push_back(edit_.add_value("going", boolean, f_.span));
        body.params.push_back(edit_.add_value("out", waiting, f_.span));
        condition.results = {body.params[states_.size()]};
        BlockCopy trip(edit_, s);
        put_states(trip, body.params, body.bindings);
        trip.put(out, body.params.back());
        trip.bindings(s.body, body.bindings);
        body.results = parts(trip.value(s[s.body].results[0], body.bindings), types, body.bindings);

        BindingList list;
        Binding loop{.form = Form::while_, .span = f_.span};
        for (size_t i : states_) loop.args.push_back(from_.params[i]);
        loop.args.push_back(truth(true, list));
        loop.args.push_back(edit_.add(Binding{.form = Form::seq, .span = f_.span}, waiting, "out", list));
        loop.blocks = {block(std::move(condition)), block(std::move(body))};
        ValueId last = edit_.add(std::move(loop), whole, "last", list);
        Binding end{.form = Form::project, .args = {last}, .index = uint32_t(states_.size() + 1), .span = f_.span};
        ValueId found = edit_.add(std::move(end), waiting, "out", list);
        Binding first{.form = Form::literal, .literal = Literal{.kind = Literal::Kind::integer, .integers = {0}}, .span = f_.span};
        ValueId zero = edit_.add(std::move(first), module_.types.scalar(DType::i64), "first", list);
        ValueId value = edit_.add(op("seq_get", {found, zero}, f_.span), result, "result", list);
        f_[f_.body].bindings = std::move(list);
        f_[f_.body].results = {value};
    }

    Module& module_;
    FunctionId id_;
    Function& f_;
    const Effects& effects_;
    const Function from_;                                // as it was
    FunctionEdit edit_;
    std::vector<Leaf> again_, ends_;
    std::vector<BindingId> branches_;                    // above them
    std::vector<size_t> states_;                         // parameters that change
};
} // namespace

Result<Module> tail_loops(Module module) {
    Effects effects(module);
    for (size_t i = 0; i < module.functions.size(); ++i) TailLoops(module, FunctionId(i), effects).run();
    return module;
}
} // namespace nereus
