#include "pass/known_values.h"
#include <algorithm>

namespace nereus {
bool KnownValues::is_telling(KnownId id) const {
    const KnownValue& v = all_[id.index];
    switch (v.kind) {
    case KnownValue::Kind::unknown: case KnownValue::Kind::constant: return false;
    case KnownValue::Kind::tuple: case KnownValue::Kind::record:
        return std::ranges::any_of(v.parts, [&](KnownId part) { return is_telling(part); });
    case KnownValue::Kind::construct: case KnownValue::Kind::seq: case KnownValue::Kind::closure:
    case KnownValue::Kind::function: case KnownValue::Kind::cell: return true;
    }
    return false;
}

const Literal* KnownValues::literal(KnownId id) const {
    const KnownValue& v = all_[id.index];
    return v.kind == KnownValue::Kind::constant && v.constant.form == Form::literal ? &v.constant.literal : nullptr;
}
std::optional<int64_t> KnownValues::integer(KnownId id) const {
    const Literal* l = literal(id);
    bool scalar = l && !l->is_tensor && (l->kind == Literal::Kind::integer || l->kind == Literal::Kind::boolean);
    return scalar ? std::optional(l->integers[0]) : std::nullopt;
}

KnownId CellContents::content(CellId cell) const {
    auto it = known_.find(cell);
    return it == known_.end() ? KnownId() : it->second;
}
void CellContents::forget_exposed() {
    std::erase_if(known_, [&](const auto& entry) { return is_exposed(entry.first); });
}
void CellContents::forget_all(std::vector<KnownId>& lost) {
    for (auto [cell, content] : known_) lost.push_back(content);
    known_.clear();
}
void CellContents::join(const CellContents& other, std::vector<KnownId>& lost) {
    for (auto [cell, content] : other.known_)
        if (this->content(cell) != content) lost.push_back(content);
    std::erase_if(known_, [&](const auto& entry) {
        if (other.content(entry.first) == entry.second) return false;
        lost.push_back(entry.second);
        return true;
    });
    exposed_.insert(other.exposed_.begin(), other.exposed_.end());
}
void CellContents::forget_since(KnownId first, std::vector<KnownId>& lost) {
    std::erase_if(known_, [&](const auto& entry) {
        if (entry.second < first) return false;
        lost.push_back(entry.second);
        return true;
    });
}
void CellContents::leave(const CellContents& inner) {
    exposed_.insert(inner.exposed_.begin(), inner.exposed_.end());
}
} // namespace nereus
