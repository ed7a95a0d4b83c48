// grad/tangents.h - forward mode: code that carries a change beside each value, in the order of the program and without a tape.
//
// @f.jvp takes f's parameters and changes of the active ones, and gives (y, its change). A change has the type of its value, and
// the same constructors and lengths; integers and bools in it are zero. A value that is constant (activity.h) has none, and
// gets zeros where it is put into a structure that has one. Operators: tangent_op.cpp.
//
// Code with cells that hold floats, and rules of one's own, are done by transposition instead (products_of_products.cpp).
#pragma once
#include "grad/activity.h"
#include "grad/structures.h"

namespace nereus {
class Products;

class Tangents {
 public:
    Tangents(Products& all, Module& module, Structures& structures) : all_(all), module_(module), structures_(structures) {}
    bool takes(FunctionId function);                     // no cells that hold floats
    Result<FunctionId> of(FunctionId function, const std::vector<bool>& active, Span asked);

 private:
    friend class TangentCode;
    using Key = std::pair<FunctionId, std::vector<bool>>;
    Products& all_;
    Module& module_;
    Structures& structures_;
    std::map<Key, FunctionId> made_;
};

// Changes the code of one function in place.
class TangentCode {
 public:
    TangentCode(Tangents& all, Writer& w);
    // `active`: parameters that have a change. Gives the changes, new parameters, in order.
    void read(const std::vector<bool>& active);
    Status write();

 private:
    friend class OpTangent;
    using Values = std::vector<ValueId>;
    bool active(ValueId v) const { return activity_.active(v); }
    TypeId plain(ValueId v) { return shadows_.plain(w_.type(v)); }
    Result<ValueId> change(ValueId v);                   // zeros of its form where it is constant
    Result<Values> changes(const Values& all);

    Status block(BlockId block, const std::function<Status()>& first = {});
    Status binding(BindingId id);
    Status same(const Binding& b, const Values& args);   // the change is made of changes as the value is of values
    Status op(const Binding& b);
    Status call(BindingId id);
    Status branch(BindingId id);
    Status loop(BindingId id);
    Status open(const Pattern& pattern, ValueId subject);            // changes of the variables of a pattern
    Pattern renamed(const Pattern& pattern, Values& variables, Values& changes);
    void keep(BindingId id);                             // at the end of the block that is written
    void name(ValueId v, Binding made);                  // what stood for it before it is part of something now
    // The binding gives several values now; `at`: the place of v and that of its change.
    void split(BindingId id, TypeId type, ValueId v, size_t value_at, size_t change_at);

    Tangents& all_;
    Writer& w_;
    Function& f_;
    Module& module_;
    ShadowTypes& shadows_;
    Activity activity_;
    std::map<ValueId, ValueId> change_;
};
} // namespace nereus
