// text/emit.h - builds one function while its text is read: bindings in order of evaluation, constants kept back until
// they are used, names made unique.
#pragma once
#include "text/names.h"
#include <unordered_set>

namespace nereus {
struct Constant {
    bool is_dim = false;                  // else a literal
    Dim dim;
    Literal literal;
    TypeId type;                          // hole unless written
};

// What an expression gave: a value, or a constant that becomes an immediate at each use.
struct Operand {
    ValueId value;
    uint32_t constant = UINT32_MAX;
    bool fresh = false;                   // made by this expression and not named yet
    Span span;
    bool is_constant() const { return constant != UINT32_MAX; }
};

class Emitter {
 public:
    Emitter(Module& module, Function& function) : module(module), function(function) {}
    Module& module;
    Function& function;
    Scoped<Operand> scope;                // variables by name without %

    BlockId open_block();                 // bindings now go there
    BlockId close_block();
    size_t depth() const { return open_.size(); }
    Block& block() { return function[open_.back()]; }

    Operand constant(Literal literal, Span span);
    Operand constant(Dim dim, Span span);
    Constant& constant_of(const Operand& operand) { return constants_[operand.constant]; }
    std::optional<int64_t> integer_of(const Operand& operand);        // a constant number
    bool is_size(const Operand& operand);                             // an integer literal or a dim
    Dim as_dim(const Operand& operand);                               // of one that is_size

    // Makes the value to use as an argument; a constant without a type is given `type`.
    ValueId use(const Operand& operand, TypeId type = TypeId(0));
    std::vector<ValueId> use_all(const std::vector<Operand>& operands);
    Operand emit(Binding binding, Span span);                         // one result
    ValueId new_value(TypeId type, Span span) { return function.add_value("", type, span); }
    // The elements of a tuple just written, which then is not needed itself; nullopt if it is none of that size.
    std::optional<std::vector<Operand>> take_tuple(const Operand& operand, size_t count);
    // States that the operand has the type; where that can not be said of its own binding, through a function.
    Operand ascribe(Operand operand, TypeId type);

    void bind(std::string_view name, const Operand& operand);         // %name = operand
    void name_value(ValueId value, std::string_view wanted);          // unique in the function
    void reserve_name(std::string_view name) { reserved_.insert(name); }
    void name_rest(); // 0, 1, … for what has no name; immediates last

 private:
    std::string unused_number();
    void drop_last();                     // the last binding of all, and its result

    std::vector<BlockId> open_;
    std::vector<Constant> constants_;
    std::unordered_set<std::string_view> reserved_;                   // written in the text of the function
    std::unordered_set<std::string> used_;
    std::unordered_map<std::string, uint32_t> suffixes_;
    uint32_t next_number_ = 0;
};
} // namespace nereus
