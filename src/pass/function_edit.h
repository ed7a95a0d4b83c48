// pass/function_edit.h - what passes need to change a function: new values, one value in place of another, copied blocks.
//
// Lists of bindings are written front to back: whoever rewrites a block makes its new list, and asks `use` for every
// argument while the binding that needs it is about to be added.
#pragma once
#include "pass/symbol_image.h"
#include <functional>
#include <string_view>

namespace nereus {
using BindingList = std::vector<BindingId>;

class FunctionEdit {
 public:
    FunctionEdit(Module& module, Function& function);
    Module& module() { return module_; }
    Function& function() { return function_; }

    ValueId add_value(std::string_view name, TypeId type, Span span, Dim known = {});
    ValueId add(Binding binding, TypeId type, std::string_view name, BindingList& out);      // with one result of this type
    void append(BindingId binding, BindingList& out) { out.push_back(binding); }

    void replace(ValueId old, ValueId by) { by_[old] = by; }         // in what is rewritten from here on
    ValueId now(ValueId value) const;                                // what stands for it
    // The value to name as an argument: a constant that stands for another value is written out again, because it may
    // have one use only.
    ValueId use(ValueId value, BindingList& out);
    void use_all(std::vector<ValueId>& values, BindingList& out);
    const Binding* definition(ValueId value) const;                  // nullptr: a parameter
    BindingId definition_id(ValueId value) const;
    void defined(BindingId binding);                                 // it, or its results, are new
    void swap_names(ValueId a, ValueId b) { std::swap(function_[a].name, function_[b].name); }

 private:
    Module& module_;
    Function& function_;
    std::unordered_map<std::string, uint32_t> names_;    // taken; the number to try next
    std::unordered_map<ValueId, ValueId> by_;
    std::vector<BindingId> definition_;                  // by value
};

// Copies code of a function, perhaps of the one that is edited, with the values and symbols it binds renamed.
class BlockCopy {
 public:
    BlockCopy(FunctionEdit& to, const Function& from) : symbols(to.module()), to_(to), from_(from) {}
    void put(ValueId from, ValueId to) { values_[from] = to; }
    ValueId value(ValueId from, BindingList& out);       // outside of what was copied: the same value
    void bindings(BlockId from, BindingList& out);       // of a block, appended
    BlockId block(BlockId from);                         // with parameters, symbols, results and sizes
    BindingId binding(const Binding& from, BindingList& out);        // copied, but not appended
    ValueId fresh(ValueId from);                         // a new value that stands for it
    // Asked for every binding: true if it has written something else in its place.
    std::function<bool(const Binding&, BindingList& out)> instead;
    ValueId put_for(ValueId from) const { return values_.at(from); } // a value that was put or copied
    bool made(ValueId to) const { return to.index >= first_made_; }

    SymbolImage symbols;                                 // what the copied code's symbols become

 private:
    void pattern(Pattern& pattern);
    Block opened(BlockId from);
    BlockId closed(BlockId from, Block made);

    FunctionEdit& to_;
    const Function& from_;
    std::unordered_map<ValueId, ValueId> values_;
    size_t first_made_ = to_.function().values.size();
};

// How many bindings there are in a block and in blocks inside, constants aside; and how deep it nests.
struct BlockSize { int64_t bindings = 0; int depth = 0; };
BlockSize size_of_block(const Function& function, BlockId block);
bool always_ends(const Function& function, BlockId block);           // false: something inside is never left
// Blocks of a binding in the order they run: guards stand before their arms.
std::vector<BlockId> blocks_of(const Binding& binding);
// Drops functions and renumbers the others; nothing that stays may name a dropped one.
void drop_functions(Module& module, const std::vector<bool>& keep);
} // namespace nereus
