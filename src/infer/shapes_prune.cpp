// infer/shapes_prune.cpp - see the header. A symbol is live if a type, a check or a size written as a number mentions
// it, or if it hands its value to a live one: across arms, loops and calls, to a fixpoint over all functions.
#include "infer/shapes_prune.h"
#include "ir/op.h"
#include <algorithm>
#include <set>
#include <unordered_map>

namespace nereus {
namespace {
class Liveness {
 public:
    explicit Liveness(Module& module) : module_(module), live_(module.functions.size()), results_(module.functions.size()) {
        for (size_t f = 0; f < module.functions.size(); ++f) results_[f].resize(module.functions[f].result_dims.size());
        for (size_t f = 0; f < module.functions.size(); ++f) roots(f);
        do {
            changed_ = false;
            for (size_t f = 0; f < module.functions.size(); ++f) flow(f);
        } while (changed_);
    }

    void drop_dead() {
        std::vector<std::vector<bool>> symbols;
        for (size_t f = 0; f < module_.functions.size(); ++f) {
            symbols.emplace_back();
            for (Sym s : module_.functions[f].symbols) symbols.back().push_back(is_live(f, s));
        }
        for (size_t f = 0; f < module_.functions.size(); ++f) {
            Function& function = module_.functions[f];
            keep(function.symbols, symbols[f]);
            keep(function.result_dims, results_[f]);
            for (ValueInfo& value : function.values)
                if (value.known.valid() && !all_live(f, value.known)) value.known = {};
            for (Binding& b : function.bindings) prune(f, function, b, symbols);
        }
    }

 private:
    bool is_live(size_t f, Sym s) const { return live_[f].contains(s); }
    bool all_live(size_t f, Dim d) const {
        std::vector<Sym> inside = module_.dims.symbols_of(d);
        return std::all_of(inside.begin(), inside.end(), [&](Sym s) { return is_live(f, s); });
    }
    void use(size_t f, Dim d) {
        if (!d.valid()) return;
        for (Sym s : module_.dims.symbols_of(d)) changed_ = live_[f].insert(s).second || changed_;
    }
    void use(size_t f, TypeId id) {
        if (!seen_.insert({f, id}).second) return;
        const Type& t = module_.types[id];
        for (Dim d : t.shape.dims) use(f, d);
        for (TypeId part : t.parts) use(f, part);
        for (const TypeArg& arg : t.args) {
            if (const TypeId* type = std::get_if<TypeId>(&arg)) use(f, *type);
            if (const Dim* d = std::get_if<Dim>(&arg)) use(f, *d);
            if (const Shape* s = std::get_if<Shape>(&arg))
                for (Dim d : s->dims) use(f, d);
        }
    }

    void roots(size_t f) {
        const Function& function = module_.functions[f];
        for (const ValueInfo& value : function.values) use(f, value.type);
        use(f, function.result);
        for (size_t i = 0; i < function.result_dims.size(); ++i)     // sizes that the result's type shows are part of it
            results_[f][i] = all_live(f, function.result_dims[i]) && shows(function.result, function.result_dims[i]);
        for (const DimFact& fact : function.where) use(f, fact.left), use(f, fact.right);
        for (const Binding& b : function.bindings) {
            use(f, b.fact.left), use(f, b.fact.right);
            if (b.form == Form::dim) use(f, b.dim);
            if (b.form == Form::op && b.op->builtin == Builtin::none) use_sizes(f, function, b);
        }
    }
    // Arguments that are sizes, starts or ends: kernels get them as dims.
    void use_sizes(size_t f, const Function& function, const Binding& b) {
        size_t at = 0, group = 0;
        for (const OpParam& param : b.op->params) {
            if (is_attribute(param.kind) || group >= b.groups.size()) continue;
            const ArgGroup g = b.groups[group++];
            const bool size = param.kind == ParamKind::size || (param.kind == ParamKind::sizes && g.list);
            for (uint32_t i = 0; i < g.count; ++i, ++at)
                if (size) use(f, function[b.args[at]].known);
        }
    }

    bool shows(TypeId id, Dim size) const {
        const Type& t = module_.types[id];
        for (Dim d : t.shape.dims)
            if (d == size) return true;
        for (TypeId part : t.parts)
            if (shows(part, size)) return true;
        for (const TypeArg& arg : t.args) {
            if (const TypeId* type = std::get_if<TypeId>(&arg); type && shows(*type, size)) return true;
            if (const Dim* d = std::get_if<Dim>(&arg); d && *d == size) return true;
        }
        return false;
    }
    void need_result(size_t f, size_t i) {
        if (!results_[f][i]) results_[f][i] = changed_ = true;
        use(f, module_.functions[f].result_dims[i]);
    }
    void hand_over(size_t f, size_t callee, const std::vector<Dim>& dims) {
        const std::vector<Sym>& symbols = module_.functions[callee].symbols;
        for (size_t i = 0; i < symbols.size(); ++i)
            if (is_live(callee, symbols[i])) use(f, dims[i]);
    }

    void flow(size_t f) {
        const Function& function = module_.functions[f];
        for (const Binding& b : function.bindings) {
            switch (b.form) {
            case Form::call:
                hand_over(f, b.function.index, b.dims);
                for (size_t i = 0; i < b.defines.size(); ++i)
                    if (is_live(f, b.defines[i])) need_result(b.function.index, i);
                break;
            case Form::apply:
                for (const ApplyTarget& t : b.targets) {
                    hand_over(f, t.function.index, t.dims);
                    if (t.results.empty() && b.targets.size() == 1)
                        for (size_t i = 0; i < b.defines.size(); ++i)
                            if (is_live(f, b.defines[i])) need_result(t.function.index, i);
                    for (size_t i = 0; i < t.results.size(); ++i)
                        if (is_live(f, b.defines[i])) use(f, t.results[i]);
                    for (size_t i = 0; i < t.chosen.size(); ++i)
                        if (is_live(f, t.chosen[i])) need_result(t.function.index, i);
                }
                break;
            case Form::for_: case Form::while_: {
                const Block& body = function[b.blocks.back()];
                for (size_t i = 0; i < b.defines.size(); ++i)
                    if (is_live(f, b.defines[i]) || is_live(f, body.symbols[i])) {
                        use(f, b.dims[i]), use(f, body.dims[i]);
                        changed_ = live_[f].insert(b.defines[i]).second || changed_;
                        changed_ = live_[f].insert(body.symbols[i]).second || changed_;
                    }
                break;
            }
            case Form::if_: case Form::match:
                for (BlockId block : b.blocks)
                    for (size_t i = 0; i < b.defines.size(); ++i)
                        if (is_live(f, b.defines[i])) use(f, function[block].dims[i]);
                break;
            default: break;
            }
        }
    }

    template <class T> static void keep(std::vector<T>& list, const std::vector<bool>& which) {
        std::vector<T> kept;
        for (size_t i = 0; i < list.size(); ++i)
            if (which[i]) kept.push_back(list[i]);
        list = std::move(kept);
    }
    std::vector<bool> liveness(size_t f, const std::vector<Sym>& symbols) const {
        std::vector<bool> out;
        for (Sym s : symbols) out.push_back(is_live(f, s));
        return out;
    }

    void prune(size_t f, Function& function, Binding& b, const std::vector<std::vector<bool>>& symbols) {
        std::vector<bool> live = liveness(f, b.defines);
        switch (b.form) {
        case Form::call:
            keep(b.dims, symbols[b.function.index]);
            keep(b.defines, results_[b.function.index]);
            return;
        case Form::apply:
            for (ApplyTarget& t : b.targets) {
                keep(t.dims, symbols[t.function.index]);
                std::set<Sym> used;
                for (Dim d : t.dims)
                    for (Sym s : module_.dims.symbols_of(d)) used.insert(s);
                std::erase_if(t.opened, [&](Sym s) { return !used.contains(s); });
                if (!t.results.empty()) keep(t.results, live);
                if (!t.chosen.empty()) keep(t.chosen, results_[t.function.index]);
            }
            if (b.targets.size() == 1) keep(b.defines, results_[b.targets[0].function.index]);
            else keep(b.defines, live);
            return;
        case Form::for_: case Form::while_: {
            Block& body = function[b.blocks.back()];
            keep(b.dims, live), keep(body.symbols, live), keep(body.dims, live), keep(b.defines, live);
            return;
        }
        case Form::if_: case Form::match:
            for (BlockId block : b.blocks) {
                Block& arm = function[block];
                keep(arm.dims, live);
                keep(arm.symbols, liveness(f, arm.symbols));
            }
            keep(b.defines, live);
            return;
        default: keep(b.defines, live);
        }
    }

    Module& module_;
    std::vector<std::set<Sym>> live_;
    std::vector<std::vector<bool>> results_;             // which hidden results some caller wants
    std::set<std::pair<size_t, TypeId>> seen_;
    bool changed_ = false;
};

class Renaming {
 public:
    Renaming(Module& module, Function& function, const SymbolNames& names)
        : module_(module), function_(function), names_(names) {}

    void run() {
        for (Sym& s : function_.symbols) define(s);
        for (Block& block : function_.blocks)
            for (Sym& s : block.symbols) define(s);
        for (Binding& b : function_.bindings) {
            for (Sym& s : b.defines) define(s);
            for (ApplyTarget& t : b.targets) {
                for (Sym& s : t.opened) define(s);
                for (Sym& s : t.chosen) define(s);
            }
        }
        for (ValueInfo& value : function_.values) value.type = type(value.type), dim(value.known);
        function_.result = type(function_.result);
        for (Dim& d : function_.result_dims) dim(d);
        for (DimFact& fact : function_.where) dim(fact.left), dim(fact.right);
        for (Block& block : function_.blocks)
            for (Dim& d : block.dims) dim(d);
        for (Binding& b : function_.bindings) {
            dim(b.dim), dim(b.fact.left), dim(b.fact.right);
            for (Dim& d : b.dims) dim(d);
            for (ApplyTarget& t : b.targets) {
                for (Dim& d : t.dims) dim(d);
                for (Dim& d : t.results) dim(d);
            }
        }
    }
    // Facts about symbols of this function; those that mention a dropped one go.
    void rename(std::vector<DimFact>& facts) {
        std::erase_if(facts, [&](DimFact& fact) {
            std::optional<Sym> about = module_.dims.as_symbol(fact.left);
            if (!about || !new_of_.contains(*about)) return false;
            for (Sym s : module_.dims.symbols_of(fact.right))
                if (!new_of_.contains(s)) return true;
            dim(fact.left), dim(fact.right);
            return false;
        });
    }

 private:
    void define(Sym& s) {
        const SymNode node = module_.dims.symbol(s);
        auto hint = names_.dims.find(s);
        std::string base = hint != names_.dims.end() ? hint->second : node.name;
        if (base.empty() || base[0] < 'a' || base[0] > 'z') base = "d" + base;
        for (char& c : base)
            if (c == '.') c = '_';
        for (std::string_view word : {"min", "max", "mod", "bcast", "new"})
            if (base == word) base += "_";
        std::string name = base;
        for (int i = 1; !used_.insert(name).second; ++i) name = base + std::to_string(i);
        Sym own = module_.dims.new_symbol(name, node.kind);
        new_of_[s] = own;
        s = own;
    }
    void dim(Dim& d) {
        if (!d.valid()) return;
        auto [it, is_new] = dims_.try_emplace(d);
        if (is_new)
            it->second = module_.dims.substitute(d, [&](Sym s) -> std::optional<Dim> {
                auto found = new_of_.find(s);
                return found == new_of_.end() ? std::nullopt : std::optional(module_.dims.of(found->second));
            });
        d = it->second;
    }
    void shape(Shape& s) {
        for (Dim& d : s.dims) dim(d);
        if (!s.tail.valid()) return;
        auto [it, is_new] = tails_.try_emplace(s.tail);
        if (is_new) {
            auto hint = names_.tails.find(s.tail);
            std::string base = hint != names_.tails.end() ? hint->second : "s", name = base;
            for (int i = 1; !used_tails_.insert(name).second; ++i) name = base + std::to_string(i);
            it->second = module_.add_var(name, VarKind::shape);
        }
        s.tail = it->second;
    }
    TypeId type(TypeId id) {
        if (!id.valid()) return id;
        if (auto it = types_.find(id); it != types_.end()) return it->second;
        Type t = module_.types[id];
        shape(t.shape);
        for (TypeId& part : t.parts) part = type(part);
        for (TypeArg& arg : t.args) {
            if (TypeId* inner = std::get_if<TypeId>(&arg)) *inner = type(*inner);
            if (Dim* d = std::get_if<Dim>(&arg)) dim(*d);
            if (Shape* s = std::get_if<Shape>(&arg)) shape(*s);
        }
        return types_[id] = module_.types.intern(std::move(t));
    }

    Module& module_;
    Function& function_;
    const SymbolNames& names_;
    std::map<VarId, VarId> tails_;
    std::set<std::string> used_tails_;
    std::map<Sym, Sym> new_of_;
    std::set<std::string> used_;
    std::unordered_map<Dim, Dim> dims_;
    std::unordered_map<TypeId, TypeId> types_;
};
} // namespace

void prune_symbols(Module& module, const std::vector<SymbolNames>& names, std::vector<DimFact>& facts) {
    Liveness(module).drop_dead();
    for (size_t f = 0; f < module.functions.size(); ++f) {
        Renaming own(module, module.functions[f], names[f]);
        own.run();
        own.rename(facts);
    }
}
} // namespace nereus
