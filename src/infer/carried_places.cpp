#include "infer/carried_places.h"
#include <set>

namespace nereus {
namespace {
bool is_carried(const Type& t) { return t.kind == TypeKind::function || t.kind == TypeKind::ref; }

class Places {
 public:
    explicit Places(const Module& module) : module_(module) {}
    std::set<CarriedPlace> found;
    std::set<DeclId> mentioned;                          // by a field of what was looked at

    void declaration(DeclId id) {
        if (!seen_.insert(id).second) return;
        const TypeDecl& decl = module_[id];
        for (uint32_t c = 0; c < decl.constructors.size(); ++c)
            for (uint32_t f = 0; f < decl.constructors[c].fields.size(); ++f)
                type(decl.constructors[c].fields[f], CarriedPlace{id, c, f});
    }

 private:
    void type(TypeId written, CarriedPlace at) {
        const Type& t = module_.types[written];
        if (is_carried(t)) return void(found.insert(std::move(at)));
        if (t.kind == TypeKind::data) mentioned.insert(t.decl), declaration(t.decl);
        auto inner = [&](TypeId part, size_t step) {
            at.path.push_back(uint32_t(step));
            type(part, at);
            at.path.pop_back();
        };
        for (size_t i = 0; i < t.parts.size(); ++i) inner(t.parts[i], i);
        for (size_t i = 0; i < t.args.size(); ++i)
            if (const TypeId* arg = std::get_if<TypeId>(&t.args[i])) inner(*arg, i);
    }

    const Module& module_;
    std::set<DeclId> seen_;
};

// A closure that leaves the container it stood in: unknowns of that container become its own.
class Detach : public LeafMap {
 public:
    explicit Detach(Abstracts& abstracts) : abstracts_(abstracts) {}
    Dim extent(Dim d, uint32_t depth) override {
        std::optional<Abstracts::Unknown> u = abstracts_.as_unknown(d);
        if (!u || u->level < depth || depth == 0) return d;
        return abstracts_.unknown(0, apart + (u->level << 8) + u->k);
    }

 private:
    static constexpr uint32_t apart = 1u << 16;          // joining numbers them anew
    Abstracts& abstracts_;
};
} // namespace

std::vector<CarriedPlace> carried_places(const Module& module, DeclId decl) {
    Places places(module);
    places.declaration(decl);
    return {places.found.begin(), places.found.end()};
}
bool is_recursive(const Module& module, DeclId decl) {
    Places places(module);
    places.declaration(decl);
    return places.mentioned.contains(decl);
}

CarriedAt carried_by(const Module& module, const Abs& object) {
    CarriedAt out;
    std::vector<CarriedPlace> places = carried_places(module, object.decl);
    for (size_t i = 0; i < places.size() && i < object.parts.size(); ++i) out[places[i]] = object.parts[i];
    return out;
}

TypeId type_at(const Module& module, const CarriedPlace& place) {
    TypeId at = module[place.decl].constructors[place.constructor].fields[place.field];
    for (uint32_t step : place.path) {
        const Type& t = module.types[at];
        at = t.parts.empty() ? std::get<TypeId>(t.args[step]) : t.parts[step];
    }
    return at;
}

void collect_carried(const Module& module, Abstracts& abstracts, TypeId written, AbsId value, const CarriedPlace& place,
                       std::map<CarriedPlace, std::vector<AbsId>>& out) {
    if (abstracts.is_bottom(value)) return;
    const Type& t = module.types[written];
    const Abs a = abstracts[value];
    Detach detach(abstracts);
    if (is_carried(t)) return out[place].push_back(map_leaves(abstracts, value, detach));
    if (t.kind == TypeKind::data)
        for (const auto& [at, carried] : carried_by(module, a)) out[at].push_back(map_leaves(abstracts, carried, detach));
    auto inner = [&](TypeId part, AbsId found, size_t step) {
        CarriedPlace at = place;
        at.path.push_back(uint32_t(step));
        collect_carried(module, abstracts, part, found, at, out);
    };
    if (t.kind == TypeKind::tuple || t.kind == TypeKind::seq)
        for (size_t i = 0; i < t.parts.size() && i < a.parts.size(); ++i) inner(t.parts[i], a.parts[i], i);
    for (size_t i = 0; i < t.args.size() && i < a.args.size(); ++i)
        if (const TypeId* arg = std::get_if<TypeId>(&t.args[i])) inner(*arg, std::get<AbsId>(a.args[i]), i);
}
} // namespace nereus
