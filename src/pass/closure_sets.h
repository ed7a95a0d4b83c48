// pass/closure_sets.h - which functions may arrive where one is applied: 0-CFA over a typed module before shapes.
//
// A *label* is a lambda, or a function that is used as a value. Each value has the set of labels that may be it or lie
// in it, whatever the depth; calls hand sets to parameters and results back. Values that hold cells share their sets both
// ways, because what is written through one name is read through another.
#pragma once
#include "ir/module.h"
#include <map>
#include <set>

namespace nereus {
struct ClosureLabel {
    FunctionId function;                     // where the lambda stands, or the function itself
    BindingId lambda;                        // invalid: the function itself
    TypeId type;                             // its plain type
};

// Structure and dtypes alone: what two uses of one function type have in common.
class PlainTypes {
 public:
    explicit PlainTypes(Module& module) : module_(module) {}
    TypeId of(TypeId type);
    bool holds_function(TypeId type);        // some part of it, fields of declared types included
    bool holds_cell(TypeId type);

 private:
    struct Holds { bool function = false, cell = false; };
    const Holds& holds(TypeId type);
    Module& module_;
    std::map<TypeId, TypeId> plain_;
    std::map<TypeId, Holds> holds_;
};

class ClosureSets {
 public:
    ClosureSets(Module& module, PlainTypes& plain);
    const std::vector<ClosureLabel>& labels() const { return labels_; }
    const std::set<uint32_t>& of(FunctionId function, ValueId value) const;      // indices of labels
    std::set<uint32_t> at(FunctionId function, const Binding& apply) const;      // of those, the ones of the applied type

 private:
    using Node = std::pair<uint32_t, uint32_t>;          // function, value
    void visit(FunctionId id, BlockId block);
    void visit(FunctionId id, const Binding& b, BindingId at);
    void flow(FunctionId from_function, ValueId from, FunctionId to_function, ValueId to);
    void edge(Node from, Node to);
    void add(Node node, uint32_t label);
    void connect(FunctionId id, const Binding& apply, uint32_t label);
    void settle();
    void bind(FunctionId id, const Pattern& pattern, ValueId subject);

    Module& module_;
    PlainTypes& plain_;
    std::vector<ClosureLabel> labels_;
    std::map<uint32_t, uint32_t> function_labels_;
    std::map<Node, std::set<uint32_t>> sets_;
    std::map<Node, std::set<Node>> edges_;
    struct Apply { FunctionId function; BindingId at; };
    std::map<Node, std::vector<Apply>> applied_;         // where a value is the function of an apply
    std::vector<std::pair<Node, uint32_t>> open_;        // labels that have not been handed on yet
};

// Values that a block mentions and does not bind, in order; and all symbols it mentions, with how often.
std::vector<ValueId> free_values_of(const Function& function, BlockId block);
std::map<Sym, int> symbols_in(const Module& module, const Function& function, BlockId block);
} // namespace nereus
