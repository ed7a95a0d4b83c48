#include "eval/scope.h"

namespace nereus {
namespace {
template <class Pairs, class Key> auto* find_in(Pairs& pairs, Key key) {
    for (auto& pair : pairs)
        if (pair.first == key) return &pair.second;
    return static_cast<decltype(&pairs.front().second)>(nullptr);
}
template <class Pairs, class Key, class Item> void set_in(Pairs& pairs, Key key, Item item) {
    if (auto* found = find_in(pairs, key)) *found = std::move(item);
    else pairs.emplace_back(key, std::move(item));
}
} // namespace

std::optional<int64_t> Scope::size(Sym symbol) const {
    const int64_t* found = find_in(sizes_, symbol);
    return found ? std::optional(*found) : std::nullopt;
}
void Scope::set(Sym symbol, int64_t value) { set_in(sizes_, symbol, value); }
void Scope::forget(Sym symbol) {
    std::erase_if(sizes_, [&](const std::pair<Sym, int64_t>& pair) { return pair.first == symbol; });
}
const Extents* Scope::shape(VarId var) const { return find_in(shapes_, var); }
void Scope::set(VarId var, Extents shape) { set_in(shapes_, var, std::move(shape)); }
std::optional<DType> Scope::dtype(VarId var) const {
    const DType* found = find_in(dtypes_, var);
    return found ? std::optional(*found) : std::nullopt;
}
void Scope::set(VarId var, DType dtype) { set_in(dtypes_, var, dtype); }

Result<int64_t> Scope::evaluate(const Dims& dims, Dim dim) const {
    return dims.evaluate(dim, [this](Sym symbol) { return size(symbol); });
}
} // namespace nereus
