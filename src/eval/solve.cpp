#include "eval/solve.h"
#include <algorithm>
#include <deque>

namespace nereus {
namespace {
// Where a type is written. The outermost place is the function, whose symbols are in the scope; inside a declaration a
// symbol is a parameter, which stands for an argument written in the outer place, or bound by the object's constructor.
struct Place {
    const Type* data = nullptr; // null: the function
    const TypeDecl* decl = nullptr;
    const Place* outer = nullptr;
    Datum outer_object; // the object in which `data` was written, for the dims it binds
};
struct Spot {
    const Place* place;
    Datum object;
}; // a place, and the object there whose constructor binds dims

class Solver {
 public:
    Solver(const Module& module, std::span<const Sym> wanted, Scope& scope) : module_(module), scope_(scope) {
        for (Sym symbol : wanted)
            if (!scope.size(symbol)) missing_.push_back(symbol);
    }

    Status solve(std::span<const Claim> claims) {
        for (const Claim& claim : claims) walk_direct(claim.type, Spot{&places_[0], {}}, *claim.value);
        TRY(settle());
        if (!missing_.empty()) TRY(search_containers());
        for (Sym symbol : missing_) scope_.set(symbol, 0);
        return {};
    }

 private:
    struct Equation {
        Dim dim;
        Spot spot;
        int64_t size;
    };
    struct Task {
        TypeId type;
        Spot spot;
        Datum value;
    };

    // The type a variable stands for, and where that is written; nothing when it is open.
    std::optional<Task> stands_for(VarId var, const Spot& spot, const Datum& value) const {
        if (!spot.place->data || spot.place->data->args.empty()) return std::nullopt;
        for (size_t i = 0; i < spot.place->decl->params.size(); ++i) {
            const TypeId* type = std::get_if<TypeId>(&spot.place->data->args[i]);
            if (type && spot.place->decl->params[i].var == var) return Task{*type, outer_of(spot), value};
        }
        return std::nullopt;
    }
    Spot outer_of(const Spot& spot) const { return Spot{spot.place->outer, spot.place->outer_object}; }
    const Dim* argument_for(Sym symbol, const Place& place) const { // null: not known
        if (!place.data || place.data->args.empty()) return nullptr;
        for (size_t i = 0; i < place.decl->params.size(); ++i) {
            if (place.decl->params[i].dim != symbol) continue;
            const Dim* dim = std::get_if<Dim>(&place.data->args[i]);
            return dim && dim->valid() ? dim : nullptr;
        }
        return nullptr;
    }
    std::optional<int64_t> value_of(Sym symbol, const Spot& spot) const {
        if (!spot.place->data) return scope_.size(symbol);
        if (spot.object.node()) {
            const Constructor& made = (*spot.place->decl).constructors[spot.object.constructor()];
            for (size_t i = 0; i < spot.object.dims().size(); ++i)
                if (made.dims[i] == symbol) return spot.object.dims()[i];
        }
        const Dim* argument = argument_for(symbol, *spot.place);
        return argument ? value_of(*argument, outer_of(spot)) : std::nullopt;
    }
    std::optional<int64_t> value_of(Dim dim, const Spot& spot) const {
        Result<int64_t> value =
            module_.dims.evaluate(dim, [&](Sym symbol) { return value_of(symbol, spot); });
        return value ? std::optional(*value) : std::nullopt;
    }

    // A place for a data type met at `spot`. Regular recursion (List[a] inside List[a]) stays where it is, or a long
    // list would make a long chain of places.
    const Place* enter(const Type& data, const Spot& spot) {
        const Place& here = *spot.place;
        if (here.data && here.data->decl == data.decl && data.args.size() == here.decl->params.size() &&
            names_itself(data))
            return &here;
        places_.push_back(Place{&data, &module_[data.decl], spot.place, spot.object});
        return &places_.back();
    }
    bool names_itself(const Type& data) const {
        const std::vector<TypeParam>& params = module_[data.decl].params;
        for (size_t i = 0; i < params.size(); ++i) {
            const TypeId* type = std::get_if<TypeId>(&data.args[i]);
            const Dim* dim = std::get_if<Dim>(&data.args[i]);
            if (type && module_.types[*type].var == params[i].var && params[i].var.valid()) continue;
            if (dim && dim->valid() && params[i].dim.valid() && module_.dims.as_symbol(*dim) == params[i].dim)
                continue;
            return false;
        }
        return true;
    }

    void tensor_equations(const Type& type, const Spot& spot, const Datum& value,
                          std::vector<Equation>& into) {
        if (!value.is(DatumKind::tensor)) return;
        Extents shape = value.shape();
        if (type.shape.ranked ? shape.size() != type.shape.dims.size()
                              : shape.size() < type.shape.dims.size())
            return;
        for (size_t i = 0; i < type.shape.dims.size(); ++i)
            into.push_back({type.shape.dims[i], spot, shape[i]});
        if (spot.place->data) return;
        if (type.shape.tail.valid() && !scope_.shape(type.shape.tail))
            scope_.set(type.shape.tail,
                       Extents(shape.begin() + int64_t(type.shape.dims.size()), shape.end()));
        if (type.element.var.valid() && !scope_.dtype(type.element.var))
            scope_.set(type.element.var, value.dtype());
    }

    // Tensors, tuples and records: recursion is on the text of types. Containers are kept for later.
    void walk_direct(TypeId id, Spot spot, const Datum& value) {
        const Type& type = module_.types[id];
        if (type.kind == TypeKind::tensor) return tensor_equations(type, spot, value, equations_);
        if (type.kind == TypeKind::var) {
            std::optional<Task> task = stands_for(type.var, spot, value);
            if (task) walk_direct(task->type, task->spot, value);
        }
        if (type.kind == TypeKind::tuple && value.is(DatumKind::tuple) &&
            value.items().size() == type.parts.size())
            for (size_t i = 0; i < type.parts.size(); ++i) walk_direct(type.parts[i], spot, value.items()[i]);
        bool is_data = type.kind == TypeKind::data && value.is(DatumKind::data) && value.decl() == type.decl;
        if (is_data && module_[type.decl].is_record) {
            Spot inside{enter(type, spot), value};
            const std::vector<TypeId>& fields = module_[type.decl].constructors[0].fields;
            for (size_t i = 0; i < fields.size(); ++i) walk_direct(fields[i], inside, value.items()[i]);
        } else if (is_data || type.kind == TypeKind::seq) {
            containers_.push_back({id, spot, value});
        }
    }

    // Lone symbols first, over all equations; then whatever has one unknown, as long as that finds something.
    Status settle() {
        for (const Equation& equation : std::vector<Equation>(equations_)) TRY(try_solve(equation, true));
        for (bool found = true; found;) {
            found = false;
            for (const Equation& equation : std::vector<Equation>(equations_))
                if (TRY(try_solve(equation, false))) found = true;
        }
        return {};
    }

    Result<bool> try_solve(Equation equation, bool lone_only) {
        while (true) { // outwards, from a declaration's parameter to its argument
            std::vector<Sym> unknown;
            for (Sym symbol : module_.dims.symbols_of(equation.dim))
                if (!value_of(symbol, equation.spot)) unknown.push_back(symbol);
            if (unknown.size() != 1 || !linear_in(equation.dim, unknown[0])) return false;
            if (lone_only && module_.dims.as_symbol(equation.dim) != unknown[0]) return false;
            int64_t size = TRY(solution(equation, unknown[0]));
            if (!equation.spot.place->data) return define(unknown[0], size);
            const Dim* argument = argument_for(unknown[0], *equation.spot.place);
            if (!argument) return false;
            equation = Equation{*argument, outer_of(equation.spot), size};
        }
    }
    bool define(Sym symbol, int64_t size) {
        auto found = std::find(missing_.begin(), missing_.end(), symbol);
        if (found == missing_.end()) return false; // '?' and the like: nobody asked
        missing_.erase(found);
        scope_.set(symbol, size);
        return true;
    }
    // The symbol appears in no atom but itself, to the power 1.
    bool linear_in(Dim dim, Sym symbol) const {
        for (const Term& term : module_.dims.polynomial(dim))
            for (const Factor& factor : term.factors) {
                const AtomNode& atom = module_.dims.atom(factor.atom);
                if (atom.kind == AtomKind::symbol && atom.symbol == symbol && factor.power != 1) return false;
                for (Dim arg : atom.args)
                    if (std::ranges::count(module_.dims.symbols_of(arg), symbol)) return false;
            }
        return true;
    }
    Result<int64_t> solution(const Equation& equation, Sym unknown) const {
        auto at = [&](int64_t x) {
            return module_.dims.evaluate(equation.dim, [&](Sym symbol) {
                return symbol == unknown ? std::optional(x) : value_of(symbol, equation.spot);
            });
        };
        int64_t base = TRY(at(0)), slope = TRY(at(1)) - base;
        if (slope != 0 && (equation.size - base) % slope == 0 && (equation.size - base) / slope >= 0)
            return (equation.size - base) / slope;
        return Error{Code::shape, "no " + module_.dims.symbol(unknown).name + " makes " +
                                      module_.dims.to_string(equation.dim) + " = " +
                                      std::to_string(equation.size)};
    }

    Status search_containers() {
        std::vector<Task> tasks(containers_.rbegin(), containers_.rend());
        while (!tasks.empty() && !missing_.empty()) {
            Task task = std::move(tasks.back());
            tasks.pop_back();
            const Type& type = module_.types[task.type];
            std::vector<Equation> found;
            std::vector<Task> inside;
            if (type.kind == TypeKind::tensor) tensor_equations(type, task.spot, task.value, found);
            if (type.kind == TypeKind::var)
                if (std::optional<Task> meant = stands_for(type.var, task.spot, task.value))
                    inside.push_back(*meant);
            std::span<const Datum> items = task.value.items();
            if (type.kind == TypeKind::tuple && task.value.is(DatumKind::tuple) &&
                items.size() == type.parts.size())
                for (size_t i = 0; i < items.size(); ++i)
                    inside.push_back({type.parts[i], task.spot, items[i]});
            if (type.kind == TypeKind::seq && task.value.is(DatumKind::seq))
                for (const Datum& item : items) inside.push_back({type.parts[0], task.spot, item});
            if (type.kind == TypeKind::data && task.value.is(DatumKind::data) &&
                task.value.decl() == type.decl) {
                Spot spot{enter(type, task.spot), task.value};
                const Constructor& made = module_[type.decl].constructors[task.value.constructor()];
                for (size_t i = 0; i < items.size(); ++i) inside.push_back({made.fields[i], spot, items[i]});
            }
            for (const Equation& equation : found) TRY(try_solve(equation, false));
            tasks.insert(tasks.end(), inside.rbegin(), inside.rend());
        }
        return {};
    }

    const Module& module_;
    Scope& scope_;
    std::vector<Sym> missing_;
    std::vector<Equation> equations_;
    std::vector<Task> containers_;
    std::deque<Place> places_ = std::deque<Place>(1); // [0]: the function; references stay valid
};
} // namespace

Status solve_sizes(const Module& module, std::span<const Sym> wanted, std::span<const Claim> claims,
                   Scope& scope) {
    return Solver(module, wanted, scope).solve(claims);
}

Status solve_fields(const Module& module, DeclId decl, uint32_t constructor, std::span<const Datum> fields,
                    Scope& scope) {
    const Constructor& made = module[decl].constructors[constructor];
    std::vector<Sym> wanted = made.dims;
    for (const TypeParam& param : module[decl].params)
        if (param.dim.valid()) wanted.push_back(param.dim);
    if (wanted.empty()) return {};
    std::vector<Claim> claims;
    for (size_t i = 0; i < fields.size(); ++i) claims.push_back({made.fields[i], &fields[i]});
    return solve_sizes(module, wanted, claims, scope);
}

void collect_symbols(const Module& module, TypeId id, std::vector<Sym>& symbols) {
    auto add = [&](Dim dim) {
        if (!dim.valid()) return; // an argument that is not known
        for (Sym symbol : module.dims.symbols_of(dim))
            if (module.dims.symbol(symbol).kind != SymKind::unknown && !std::ranges::count(symbols, symbol))
                symbols.push_back(symbol);
    };
    const Type& type = module.types[id];
    for (Dim dim : type.shape.dims) add(dim);
    if (type.kind == TypeKind::function) return; // sizes in a function's type are its own, or known already
    for (TypeId part : type.parts) collect_symbols(module, part, symbols);
    for (const TypeArg& arg : type.args) {
        if (const TypeId* part = std::get_if<TypeId>(&arg)) collect_symbols(module, *part, symbols);
        if (const Dim* dim = std::get_if<Dim>(&arg)) add(*dim);
        if (const Shape* shape = std::get_if<Shape>(&arg))
            for (Dim size : shape->dims) add(size);
    }
}
} // namespace nereus
