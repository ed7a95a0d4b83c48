#include "text/names.h"
#include <algorithm>

namespace nereus {
namespace {
// Own names hide those of the prelude; the prelude's code always sees its own.
template <class T>
const T* look_up(const std::unordered_map<std::string_view, T>& first,
                 const std::unordered_map<std::string_view, T>& second, std::string_view name) {
    if (auto it = first.find(name); it != first.end()) return &it->second;
    auto it = second.find(name);
    return it != second.end() ? &it->second : nullptr;
}
} // namespace

DeclId ProgramNames::find_type(std::string_view name, bool from_prelude) const {
    const DeclId* found = look_up(from_prelude ? prelude.types : own.types, prelude.types, name);
    return found ? *found : DeclId();
}
const ConstructorRef* ProgramNames::find_constructor(std::string_view name, bool from_prelude) const {
    return look_up(from_prelude ? prelude.constructors : own.constructors, prelude.constructors, name);
}

std::string ProgramNames::constructor_like(std::string_view name) const {
    auto small = [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 'a' - 'A') : c; };
    auto same = [&](std::string_view other) {
        return std::ranges::equal(name, other, [&](char a, char b) { return small(a) == small(b); });
    };
    std::string found;
    auto consider = [&](std::string_view other) {        // the first in the alphabet: maps have no order
        if (other != name && same(other) && (found.empty() || other < found)) found = other;
    };
    for (const auto& [other, ref] : own.constructors) consider(other);
    for (std::string_view other : prelude_constructors) consider(other);
    return found;
}

std::string_view kind_name(TypeParam::Kind kind) {
    switch (kind) {
    case TypeParam::Kind::type: return "type";
    case TypeParam::Kind::dtype: return "dtype";
    case TypeParam::Kind::shape: return "shape";
    case TypeParam::Kind::dim: return "dim";
    }
    return "type";
}
} // namespace nereus
