// pass/fold_constants.cpp - evaluates what is known while compiling: operators on constants (results of up to 64 elements,
// by the operators' own evaluation), numbers that are known as a dim, parts of structures that were built in sight,
// branches that are decided, operators that change nothing, checks that hold.
//
// A constant has one use, so one that stands for a value is written out at each use of it. What fails is left to fail
// where it stands. A branch is replaced only by an arm of exactly its type. Needs the module as the shapes stage leaves it:
// before, a type that somebody wrote is also a check.
#include "pass/function_edit.h"
#include "pass/known_results.h"
#include "pass/literals.h"
#include "pass/one_function.h"
#include "pass/passes.h"
#include "pass/size_demands.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr int64_t most_elements = 64;

bool divides(const OpDef& op) { return op.name == "div" || op.name == "floor_div" || op.name == "mod" || op.name == "rem"; }

// Operators that give their first argument back when its type is the type of the result.
constexpr std::string_view same_if_same_type[] = {"reshape", "broadcast_to", "sum_to", "cast", "stop_gradient"};

class FoldConstants {
 public:
    FoldConstants(Module& module, Function& function, const Effects& effects)
        : module_(module), edit_(module, function), effects_(effects), demands_(module), image_(module) {
        if (&function != &module.functions[0]) return;
        for (ValueId param : function.params) demands_.exists(function[param].type);
    }

    void run() {
        block(edit_.function().body);
        image_.in_place(edit_.function());
    }

 private:
    Function& f() { return edit_.function(); }
    TypeId type_of(ValueId v) { return image_.of(f()[v].type); }

    void block(BlockId id) {
        BindingList before = std::move(f()[id].bindings), after;
        rewrite(before, after);
        std::vector<ValueId> results = f()[id].results;
        edit_.use_all(results, after);
        f()[id].results = std::move(results);
        f()[id].bindings = std::move(after);
    }
    void rewrite(const BindingList& before, BindingList& after) {
        for (BindingId at : before) {
            Binding b = f()[at];
            edit_.use_all(b.args, after);
            f()[at] = b;
            if (b.form == Form::if_ || b.form == Form::match) {
                if (decided(b, after)) continue;
            } else if (folded(b, after)) {
                continue;
            }
            for (BlockId nested : blocks_of(b)) block(nested);
            after.push_back(at);
        }
    }

    bool folded(const Binding& b, BindingList& out) {
        if (is_immediate(b) || !b.blocks.empty() || b.results.size() != 1) return false;
        if (b.form == Form::check && b.args.empty()) return holds_always(b.fact);
        if (b.defines.empty() && known_number(b, out)) return true;
        switch (b.form) {
        case Form::op: return b.defines.empty() && (same(b) || evaluated(b, out));
        case Form::project: {
            const Binding* made = edit_.definition(b.args[0]);
            return made && made->form == Form::tuple && part(b, made->args[b.index]);
        }
        case Form::field: {
            const Binding* made = edit_.definition(b.args[0]);
            if (!made || made->form != Form::record) return false;
            auto name = std::ranges::find(made->names, b.names[0]);
            return name != made->names.end() && part(b, made->args[size_t(name - made->names.begin())]);
        }
        default: return false;
        }
    }

    // A part of a structure is the value it was made with, if that has the same type: sizes read off it are its sizes.
    bool part(const Binding& b, ValueId value) {
        std::unordered_map<Sym, Dim> found;
        match_symbols(module_, f()[b.results[0]].type, type_of(value), b.defines, found);
        return replaced(b.results[0], value, b.defines, found);
    }
    // Stands for `result` from here on, with these sizes for the symbols that its binding defined.
    bool replaced(ValueId result, ValueId by, const std::vector<Sym>& symbols, const std::unordered_map<Sym, Dim>& sizes) {
        for (Sym s : symbols)
            if (!sizes.contains(s)) return false;
        if (symbols.empty()) {
            if (type_of(result) != type_of(by)) return false;
        } else {
            SymbolImage own = image_;
            for (Sym s : symbols) own.put(s, image_.of(sizes.at(s)));
            if (own.of(f()[result].type) != type_of(by)) return false;
            for (Sym s : symbols) image_.put(s, image_.of(sizes.at(s)));
        }
        edit_.replace(result, by);
        return true;
    }

    bool holds_always(const DimFact& fact) {
        Dim left = image_.of(fact.left), right = image_.of(fact.right);
        std::optional<int64_t> a = module_.dims.constant_value(left), b = module_.dims.constant_value(right);
        if (a && b) return holds(fact.relation, *a, *b);
        if (left == right) return holds(fact.relation, 0, 0);
        return fact.relation == Relation::compatible && (a == 1 || b == 1);
    }

    // A number or size that is known is written out. A larger one only if it cannot overflow as a dim where it wraps as
    // an integer. An operator that may fail stays where it is, for dead_code.
    bool known_number(const Binding& b, BindingList& out) {
        const ValueInfo result = f()[b.results[0]];
        if (!result.known.valid() || !gives_a_number(b)) return false;
        Dim known = image_.of(result.known);
        Binding made{.form = Form::dim, .dim = known, .span = b.span};
        if (std::optional<int64_t> number = module_.dims.constant_value(known)) {
            made.form = Form::literal, made.dim = {};
            made.literal = Literal{.kind = Literal::Kind::integer, .integers = {*number}};
        } else if (!module_.dims.as_symbol(known) && !demands_.is_exact_everywhere(known)) {
            return false;
        }
        constant(b.results[0], std::move(made), out);
        return effects_.of(f(), b).nothing();
    }
    // Where a number is known of it, the element that it reads is there.
    bool gives_a_number(const Binding& b) {
        if (effects_.of(f(), b).nothing()) return true;
        return b.form == Form::op && (b.op->name == "gather" || (divides(*b.op) && is_not_zero(b.args[1])));
    }
    bool is_not_zero(ValueId v) {
        std::optional<HostTensor> value = constant_value(v);
        return value && value->count() == 1 && value->as_i64(0) != 0;
    }
    void constant(ValueId result, Binding made, BindingList& out) {
        ValueId value = edit_.add(std::move(made), type_of(result), f()[result].name, out);
        f()[value].known = image_.of(f()[result].known);
        edit_.replace(result, value);
    }

    bool same(const Binding& b) {
        bool can_be = std::ranges::find(same_if_same_type, b.op->name) != std::end(same_if_same_type);
        if (!can_be || type_of(b.args[0]) != type_of(b.results[0])) return false;
        // as a size it is read by its dim
        if (f()[b.results[0]].known.valid() && image_.of(f()[b.results[0]].known) != image_.of(f()[b.args[0]].known)) return false;
        const Type& type = module_.types[type_of(b.args[0])];
        if (type.kind != TypeKind::tensor || !type.shape.ranked || !type.element.dtype) return false;
        edit_.replace(b.results[0], b.args[0]);
        return true;
    }

    std::optional<HostTensor> constant_value(ValueId v) {
        const Type& type = module_.types[f()[v].type];
        const Binding* b = edit_.definition(v);
        if (!b || type.kind != TypeKind::tensor || !type.element.dtype) return std::nullopt;
        if (b->form == Form::literal) return tensor_of(b->literal, *type.element.dtype);
        std::optional<int64_t> number = b->form == Form::dim ? module_.dims.constant_value(image_.of(b->dim)) : std::nullopt;
        if (!number) return std::nullopt;
        return tensor_of(Literal{.kind = Literal::Kind::integer, .integers = {*number}}, *type.element.dtype);
    }

    bool evaluated(const Binding& b, BindingList& out) {
        const Type type = module_.types[type_of(b.results[0])];
        if (b.op->builtin != Builtin::none || type.kind != TypeKind::tensor || !type.element.dtype || !type.shape.ranked) return false;
        int64_t count = 1;
        for (Dim d : type.shape.dims) {
            std::optional<int64_t> extent = module_.dims.constant_value(d);
            if (!extent || *extent < 0 || *extent > most_elements || (count *= *extent) > most_elements) return false;
        }
        std::vector<HostTensor> args;
        for (ValueId arg : b.args) {
            std::optional<HostTensor> value = constant_value(arg);
            if (!value) return false;
            args.push_back(std::move(*value));
        }
        if (args.empty()) return false;
        std::optional<HostTensor> value = run_operator(b, args);
        if (!value || value->count() != count || value->dtype() != *type.element.dtype) return false;
        std::optional<Literal> literal = literal_of(*value);
        if (!literal) return false;
        Binding made{.form = Form::literal, .span = b.span};
        made.literal = std::move(*literal);
        constant(b.results[0], std::move(made), out);
        return true;
    }

    // A branch whose arm is known is that arm.
    bool decided(const Binding& b, BindingList& out) {
        if (b.form == Form::if_) {
            const Binding* condition = edit_.definition(b.args[0]);
            if (!condition || condition->form != Form::literal || condition->literal.kind != Literal::Kind::boolean ||
                condition->literal.is_tensor)
                return false;
            return taken(b, b.blocks[condition->literal.integers[0] ? 0 : 1], {}, out);
        }
        for (size_t i = 0; i < b.arms.size(); ++i) {
            std::unordered_map<ValueId, ValueId> variables;
            std::optional<bool> fits = matches(b.arms[i].pattern, b.args[0], variables);
            if (fits == false) continue;
            return fits && !b.arms[i].guard.valid() && taken(b, b.blocks[i], variables, out);
        }
        return false;
    }

    // Nothing: it is not known whether it does.
    std::optional<bool> matches(const Pattern& p, ValueId subject, std::unordered_map<ValueId, ValueId>& out) {
        const Binding* made = edit_.definition(subject);
        auto parts = [&](const std::vector<ValueId>& values) -> std::optional<bool> {
            std::optional<bool> all = true;
            for (size_t i = 0; i < p.parts.size(); ++i) {
                std::optional<bool> one = matches(p.parts[i], edit_.now(values[i]), out);
                if (one == false) return false;
                if (!one) all = std::nullopt;
            }
            return all;
        };
        switch (p.kind) {
        case Pattern::Kind::wildcard: return true;
        case Pattern::Kind::variable: out[p.variable] = subject; return true;
        case Pattern::Kind::tuple:
            if (!made || made->form != Form::tuple || made->args.size() != p.parts.size()) return std::nullopt;
            return parts(made->args);
        case Pattern::Kind::constructor:
            if (!made || made->form != Form::construct || made->decl != p.decl) return std::nullopt;
            if (made->index != p.constructor) return false;
            if (!p.dims.empty()) return std::nullopt;
            return parts(made->args);
        case Pattern::Kind::literal: {
            std::optional<HostTensor> value = constant_value(subject);
            if (!value || value->rank() > 0 || p.literal.kind == Literal::Kind::unit) return std::nullopt;
            if (p.literal.kind == Literal::Kind::real) return value->as_f64(0) == rounded(value->dtype(), p.literal.reals[0]);
            if (is_float(value->dtype())) return value->as_f64(0) == rounded(value->dtype(), double(p.literal.integers[0]));
            return value->as_i64(0) == p.literal.integers[0];
        }
        case Pattern::Kind::record: return std::nullopt;
        }
        return std::nullopt;
    }

    bool taken(const Binding& b, BlockId arm, const std::unordered_map<ValueId, ValueId>& variables, BindingList& out) {
        const Block body = f()[arm];
        if (!always_ends(f(), arm) || body.results.size() != 1) return false;
        SymbolImage own = image_;                        // the arm's sizes, from the values that its pattern takes
        std::unordered_map<Sym, Dim> found;
        for (ValueId param : body.params)
            if (variables.contains(param)) match_symbols(module_, f()[param].type, type_of(variables.at(param)), body.symbols, found);
        for (Sym s : body.symbols) {
            if (!found.contains(s)) return false;
            own.put(s, image_.of(found.at(s)));
        }
        for (ValueId param : body.params)
            if (!variables.contains(param) || own.of(f()[param].type) != type_of(variables.at(param))) return false;
        SymbolImage joined = own;
        for (size_t i = 0; i < b.defines.size(); ++i) joined.put(b.defines[i], own.of(body.dims[i]));
        if (joined.of(f()[b.results[0]].type) != joined.of(f()[body.results[0]].type)) return false;

        for (Sym s : body.symbols) image_.put(s, image_.of(found.at(s)));
        for (size_t i = 0; i < b.defines.size(); ++i) pending_.emplace_back(b.defines[i], body.dims[i]);
        for (ValueId param : body.params) edit_.replace(param, variables.at(param));
        size_t mark = pending_.size() - b.defines.size();
        rewrite(body.bindings, out);
        for (size_t i = mark; i < pending_.size(); ++i) image_.put(pending_[i].first, image_.of(pending_[i].second));
        pending_.resize(mark);
        edit_.replace(b.results[0], body.results[0]);
        return true;
    }

    Module& module_;
    FunctionEdit edit_;
    const Effects& effects_;
    SizeDemands demands_;
    SymbolImage image_;                                  // sizes of what was replaced
    std::vector<std::pair<Sym, Dim>> pending_;           // join symbols of the arms under way
};
} // namespace

void fold_constants(Module& module, Function& function, const Effects& effects) { FoldConstants(module, function, effects).run(); }

Result<Module> fold_constants(Module module) {
    Effects effects(module);
    for (Function& function : module.functions) fold_constants(module, function, effects);
    tell_callers(module);
    return module;
}
} // namespace nereus
