// pass/outline_late.cpp - what comes after a late size becomes a function of it. In there the size is known at entry, so
// callees are inlined and a region is planned; in its old place every tensor of such a size would be an object.
//
// A body is cut behind a binding that defines sizes, where enough of what follows has them: the rest of the body is the new
// function, its values and sizes are handed over, and the rest is cut again. The call has no place of its own, so that an
// error tells of the calls that somebody wrote. Constants, and what depends on them alone, go where they are used.
//
// Not cut: what runs in a loop, where a plan would be made each trip; recursion, whose depth is counted in frames; values
// of unknown rank, which belong to the function that made them.
#include "pass/call_graph.h"
#include "pass/effects.h"
#include "pass/function_edit.h"
#include "pass/passes.h"
#include <algorithm>
#include <unordered_set>

namespace nereus {
namespace {
constexpr int64_t worth_a_call = 8;          // tensors of late sizes

void add_sizes(const Module& m, Dim d, std::unordered_set<Sym>& out) {
    if (!d.valid()) return;
    for (Sym s : m.dims.symbols_of(d)) out.insert(s);
}
void add_sizes(const Module& m, TypeId type, std::unordered_set<Sym>& out) {
    std::vector<Sym> named;
    collect_type_symbols(m, type, named);
    out.insert(named.begin(), named.end());
}

// What bindings need of the code around them, and what they define.
struct Needs {
    const Module& m;
    const Function& f;
    std::unordered_set<ValueId> used, made;
    std::vector<ValueId> order = {};         // of `used`, as first seen
    std::unordered_set<Sym> sizes = {};

    void use(ValueId v) {
        if (used.insert(v).second) order.push_back(v);
        add_sizes(m, f[v].type, sizes), add_sizes(m, f[v].known, sizes);
    }
    void make(ValueId v) {
        made.insert(v);
        add_sizes(m, f[v].type, sizes), add_sizes(m, f[v].known, sizes);
    }
    void binding(BindingId id) {
        const Binding& b = f[id];
        for (ValueId arg : b.args) use(arg);
        for (Dim d : b.dims) add_sizes(m, d, sizes);
        for (Dim d : {b.dim, b.fact.left, b.fact.right}) add_sizes(m, d, sizes);
        for (const ApplyTarget& target : b.targets) {
            for (Dim d : target.dims) add_sizes(m, d, sizes);
            for (Dim d : target.results) add_sizes(m, d, sizes);
        }
        for (const Attribute& attribute : b.attributes) {
            if (const Dim* d = std::get_if<Dim>(&attribute.value)) add_sizes(m, *d, sizes);
            if (const TypeId* type = std::get_if<TypeId>(&attribute.value)) add_sizes(m, *type, sizes);
        }
        for (BlockId nested : blocks_of(b)) block(nested);
        for (ValueId result : b.results) make(result);
    }
    void block(BlockId id) {
        for (ValueId param : f[id].params) make(param);
        for (BindingId at : f[id].bindings) binding(at);
        for (ValueId result : f[id].results) use(result);
        for (Dim d : f[id].dims) add_sizes(m, d, sizes);
    }
};

class OutlineLate {
 public:
    OutlineLate(Module& module, FunctionId id, const Effects& effects)
        : module_(module), f_(module[id]), effects_(effects), edit_(module, f_), body_(f_[f_.body].bindings) {}

    // The rest of the body, if there is one that is worth it. It is called in the body from then on, by this id.
    std::optional<Function> rest(FunctionId id, const std::string& name) {
        std::optional<size_t> cut = find_cut();
        if (!cut) return std::nullopt;
        Needs needs{module_, f_, {}, {}};
        for (size_t i = *cut; i < body_.size(); ++i) needs.binding(body_[i]);
        const ValueId result = f_[f_.body].results[0];
        if (!needs.made.contains(result) || mentions_shape_variable(module_, f_[result].type)) return std::nullopt;
        const BindingList taken = constants_of(needs, *cut);
        std::vector<ValueId> given;
        for (ValueId v : needs.order)
            if (!needs.made.contains(v)) given.push_back(v);
        for (ValueId v : given)
            if (mentions_shape_variable(module_, f_[v].type)) return std::nullopt;
        return moved(id, name, *cut, taken, given, needs);
    }

 private:
    // Sizes that are defined in the body so far, one cut after the other: where the next ones are soon defined, they are
    // handed over together.
    std::optional<size_t> find_cut() const {
        std::unordered_set<Sym> late;
        for (size_t i = 0; i + 1 < body_.size(); ++i) {
            const Binding& b = f_[body_[i]];
            if (b.defines.empty()) continue;
            late.insert(b.defines.begin(), b.defines.end());
            size_t next = i + 1;
            while (next < body_.size() && !defines_sizes(next)) ++next;
            int64_t found = 0;
            for (size_t k = i + 1; k < next && found < worth_a_call; ++k) found += tensors_of(body_[k], late);
            if (found >= worth_a_call) return i + 1;
        }
        return std::nullopt;
    }
    bool defines_sizes(size_t i) const { return !f_[body_[i]].defines.empty(); }
    int64_t tensors_of(BindingId id, const std::unordered_set<Sym>& late) const {
        const Binding& b = f_[id];
        int64_t found = 0;
        for (BlockId nested : blocks_of(b))
            for (BindingId inner : f_[nested].bindings) found += tensors_of(inner, late);
        if (is_immediate(b) || (b.form != Form::op && b.form != Form::call)) return found;
        std::unordered_set<Sym> sizes;
        for (ValueId result : b.results) add_sizes(module_, f_[result].type, sizes);
        return found + std::ranges::any_of(sizes, [&](Sym s) { return late.contains(s); });
    }

    // Bindings before the cut that depend on constants alone, and whose values are used behind it only: they move along.
    BindingList constants_of(Needs& needs, size_t cut) const {
        std::unordered_map<ValueId, bool> constant;      // by value; and it is not used before the cut
        for (size_t i = 0; i < cut; ++i) {
            const Binding& b = f_[body_[i]];
            const bool depends = !is_immediate(b) && (!b.blocks.empty() || !b.defines.empty() || !effects_.of(f_, b).nothing() || b.args.empty());
            const bool all = std::ranges::all_of(b.args, [&](ValueId arg) { return constant.contains(arg); });
            if (!depends && all)
                for (ValueId result : b.results) constant.emplace(result, true);
        }
        BindingList taken;
        std::unordered_set<ValueId> used;                // by what stays
        for (size_t i = cut; i-- > 0;) {
            const Binding& b = f_[body_[i]];
            const bool moves = !b.results.empty() && std::ranges::all_of(b.results, [&](ValueId v) { return constant.contains(v) && !used.contains(v); }) &&
                               std::ranges::any_of(b.results, [&](ValueId v) { return needs.used.contains(v); });
            if (moves) {
                needs.binding(body_[i]);
                taken.push_back(body_[i]);
            } else {
                Needs stays{module_, f_, {}, {}};
                stays.binding(body_[i]);
                used.insert(stays.used.begin(), stays.used.end());
            }
        }
        std::ranges::reverse(taken);
        return taken;
    }

    Function moved(FunctionId id, const std::string& name, size_t cut, const BindingList& taken, const std::vector<ValueId>& given,
                   const Needs& needs) {
        Function made;
        made.name = name, made.span = f_.span, made.from_prelude = f_.from_prelude;
        made.body = made.add_block();
        FunctionEdit edit(module_, made);
        BlockCopy copy(edit, f_);
        Binding call{.form = Form::call, .function = id};
        for (Sym s : known_before(cut)) {
            if (!needs.sizes.contains(s)) continue;
            const SymNode node = module_.dims.symbol(s);
            const bool number = node.kind == SymKind::host || node.kind == SymKind::join;
            made.symbols.push_back(module_.dims.new_symbol(node.name, number ? SymKind::host : SymKind::size));
            copy.symbols.put(s, module_.dims.of(made.symbols.back()));
            call.dims.push_back(module_.dims.of(s));
        }
        for (ValueId v : given) {
            made.params.push_back(copy.fresh(v));
            call.args.push_back(v);
        }
        BindingList list;
        for (BindingId at : taken) list.push_back(copy.binding(f_[at], list));
        for (size_t i = cut; i < body_.size(); ++i) list.push_back(copy.binding(f_[body_[i]], list));
        const ValueId result = f_[f_.body].results[0];
        made[made.body].results = {copy.value(result, list)};
        made[made.body].bindings = std::move(list);
        made.result = made[made[made.body].results[0]].type;
        for (Sym s : shown_sizes(result, cut)) {
            call.defines.push_back(s);
            made.result_dims.push_back(copy.symbols.of(module_.dims.of(s)));
        }

        BindingList& body = f_[f_.body].bindings;
        body.resize(cut);
        std::erase_if(body, [&](BindingId at) { return std::ranges::count(taken, at) > 0; });
        BindingList end;
        const ValueId value = edit_.add(std::move(call), f_[result].type, "rest", end);
        f_[value].known = f_[result].known;
        edit_.swap_names(result, value);
        f_[f_.body].bindings.insert(f_[f_.body].bindings.end(), end.begin(), end.end());
        f_[f_.body].results = {value};
        return made;
    }
    std::vector<Sym> known_before(size_t cut) const {
        std::vector<Sym> known = f_.symbols;
        for (size_t i = 0; i < cut; ++i) known.insert(known.end(), f_[body_[i]].defines.begin(), f_[body_[i]].defines.end());
        return known;
    }
    // That are defined behind the cut and told to whoever calls.
    std::vector<Sym> shown_sizes(ValueId result, size_t cut) const {
        std::unordered_set<Sym> told;
        add_sizes(module_, f_[result].type, told), add_sizes(module_, f_[result].known, told);
        for (Dim d : f_.result_dims) add_sizes(module_, d, told);
        std::vector<Sym> shown;
        for (size_t i = cut; i < body_.size(); ++i)
            for (Sym s : f_[body_[i]].defines)
                if (told.contains(s)) shown.push_back(s);
        return shown;
    }

    Module& module_;
    Function& f_;
    const Effects& effects_;
    FunctionEdit edit_;
    const BindingList body_;                             // as it was
};

// Functions that some loop runs, perhaps through others.
std::vector<bool> run_in_loops(const Module& module, const CallGraph& calls) {
    std::vector<bool> called(module.functions.size());
    std::function<void(const Function&, BlockId, bool)> walk = [&](const Function& f, BlockId id, bool in_loop) {
        for (BindingId at : f[id].bindings) {
            const Binding& b = f[at];
            const bool loops = in_loop || b.form == Form::for_ || b.form == Form::while_;
            if (loops && b.function.valid()) called[b.function.index] = true;
            if (loops)
                for (const ApplyTarget& target : b.targets) called[target.function.index] = true;
            for (BlockId nested : blocks_of(b)) walk(f, nested, loops);
        }
    };
    for (const Function& f : module.functions) walk(f, f.body, false);
    return calls.reached_from(called);
}
} // namespace

Result<Module> outline_late(Module module) {
    const CallGraph calls(module);
    const std::vector<bool> looped = run_in_loops(module, calls);
    std::unordered_set<std::string> names;
    for (const Function& f : module.functions) names.insert(f.name);
    const Effects effects(module);
    for (size_t i = 0, count = module.functions.size(); i < count; ++i) {
        if (looped[i] || calls.recursive[i] || module.functions[i].vjp_forward.valid()) continue;
        for (FunctionId at(i);;) {
            const FunctionId next(module.functions.size());
            std::string name = module.functions[i].name + ".late";
            for (int n = 1; names.contains(name); ++n) name = module.functions[i].name + ".late" + std::to_string(n);
            std::optional<Function> rest = OutlineLate(module, at, effects).rest(next, name);
            if (!rest) break;
            names.insert(name);
            module.functions.push_back(std::move(*rest));
            at = next;
        }
    }
    return module;
}
} // namespace nereus
