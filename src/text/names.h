// text/names.h - what names mean: tables of the whole program, and nested scopes for what is local.
#pragma once
#include "ir/op.h"
#include <span>
#include <string_view>
#include <unordered_map>

namespace nereus {
// Names to what they mean here; leaving a scope forgets what was added since. Keys refer to the source text.
template <class T> class Scoped {
 public:
    T* find(std::string_view name) {
        auto it = table_.find(name);
        return it == table_.end() || it->second.empty() ? nullptr : &it->second.back();
    }
    void add(std::string_view name, T meaning) {
        table_[name].push_back(std::move(meaning));
        log_.push_back(name);
    }
    size_t mark() const { return log_.size(); }
    std::span<const std::string_view> since(size_t mark) const { return std::span(log_).subspan(mark); }
    void leave(size_t mark) {
        for (; log_.size() > mark; log_.pop_back()) table_[log_.back()].pop_back();
    }
    std::vector<std::string_view> visible() const {
        std::vector<std::string_view> names;
        for (const auto& [name, meanings] : table_)
            if (!meanings.empty()) names.push_back(name);
        return names;
    }

 private:
    std::unordered_map<std::string_view, std::vector<T>> table_;
    std::vector<std::string_view> log_;
};

// A dim, type, dtype or shape variable. The kind of a declared parameter may follow from its first use.
struct NameEntry {
    std::optional<TypeParam::Kind> kind;
    TypeParam param;
    Span span;
    bool announced = false;               // `new k` of the signature's result: has no value inside the function
};
struct NameScope : Scoped<NameEntry> {
    std::unordered_map<std::string_view, Sym> unknowns;      // ?1 is one size wherever a function mentions it
};

struct ConstructorRef { DeclId decl; uint32_t index = 0; };

// Everything declared at top level; the prelude has a name space of its own.
struct ProgramNames {
    Module module;
    const OpRegistry& ops;
    struct Space {
        std::unordered_map<std::string_view, FunctionId> functions;
        std::unordered_map<std::string_view, DeclId> types;
        std::unordered_map<std::string_view, ConstructorRef> constructors;
    } own, prelude;                       // prelude: the part that this program needs
    // all that it has, for hints
    std::vector<std::string_view> prelude_functions, prelude_types, prelude_constructors;
    bool has_generic_form = false;        // which can say what is malformed

    Space& space(bool of_prelude) { return of_prelude ? prelude : own; }
    DeclId find_type(std::string_view name, bool from_prelude) const;
    const ConstructorRef* find_constructor(std::string_view name, bool from_prelude) const;
    // The constructor that is the same but for capitals, of those that there are or would be; "" if there is none.
    std::string constructor_like(std::string_view name) const;
};
std::string_view kind_name(TypeParam::Kind kind);        // dim, type, dtype, shape
} // namespace nereus
