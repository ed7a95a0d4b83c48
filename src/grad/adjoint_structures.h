// grad/adjoint_structures.h - what is done to the leaves of an adjoint (adjoint_types.h). Tensors and spread types are
// written in place; data gets a function per type, made on demand. An invalid leaf is zero.
#pragma once
#include "grad/adjoint_types.h"
#include "grad/structures.h"
#include <functional>
#include <span>
#include <tuple>

namespace nereus {
using Leaves = std::vector<ValueId>;

class AdjointStructures {
 public:
    AdjointStructures(Module& module, Structures& structures, AdjointTypes& types)
        : module_(module), structures_(structures), types_(types) {}

    Result<ValueId> add(Writer& w, ValueId a, ValueId b);            // of one leaf
    // The adjoint in x's own type and shapes, zeros where there is nothing: what the user gets.
    Result<ValueId> forced(Writer& w, ValueId x, std::span<const ValueId> leaves);
    Result<Leaves> of_value(Writer& w, ValueId x);                   // the other way round
    // Likewise of what the user gives, "the tangent of %x": it fails in that name unless it has x's form and shapes.
    Result<Leaves> fitted(Writer& w, ValueId x, ValueId given, const std::string& whose);
    // The adjoint of a field of data, made from leaves and taken apart again; `zero` gives a leaf where there is none.
    ValueId held(Writer& w, TypeId field, std::span<const ValueId> leaves);
    using Zero = std::function<ValueId(size_t leaf)>;
    Status release(Writer& w, TypeId field, ValueId held, const Zero& zero, Leaves& out);
    ValueId zero_held(Writer& w, TypeId field) { return held(w, field, Leaves(types_.count(field))); }
    Result<ValueId> add_held(Writer& w, TypeId field, ValueId a, ValueId b);
    ValueId zero(Writer& w, TypeId leaf);                            // of a leaf that stands for data or a Seq

    // Elements of the adjoint of a Seq, held (adjoint_seq.cpp).
    Result<ValueId> item(Writer& w, ValueId leaf, ValueId i);
    Result<ValueId> without(Writer& w, ValueId leaf, ValueId i);                         // zero there
    Result<ValueId> add_at(Writer& w, ValueId leaf, ValueId length, ValueId i, ValueId held);

 private:
    enum class Task : uint8_t { add, force, of_value, fit, item, without, add_at };
    Result<FunctionId> function(Task task, TypeId type, TypeId result, Span span, const std::string& whose = "");
    Result<ValueId> write_add(Writer& w, TypeId data);
    Result<ValueId> write_force(Writer& w, TypeId data);
    Result<ValueId> write_of_value(Writer& w, TypeId data);
    static constexpr const char* an_element = "an element";          // the path of what is inside data or a Seq
    Result<Leaves> fitted_at(Writer& w, ValueId x, ValueId given, const std::string& whose, const std::string& path);
    Result<ValueId> write_fit(Writer& w, TypeId data, const std::string& whose);
    Result<ValueId> write_fit_seq(Writer& w, TypeId seq, const std::string& whose);
    Result<ValueId> write_add_seq(Writer& w, TypeId seq);
    Result<ValueId> write_force_seq(Writer& w, TypeId seq);
    Result<ValueId> write_of_value_seq(Writer& w, TypeId seq);
    Result<ValueId> write_item(Writer& w, TypeId seq);
    Result<ValueId> write_without(Writer& w, TypeId seq);
    Result<ValueId> write_add_at(Writer& w, TypeId seq);
    TypeId element(TypeId seq) { return module_.types[seq].parts[0]; }
    Result<ValueId> forced_held(Writer& w, ValueId x, ValueId held);

    Module& module_;
    Structures& structures_;
    AdjointTypes& types_;
    std::map<std::tuple<Task, TypeId, std::string>, FunctionId> functions_;     // by whom it speaks for, too
};
} // namespace nereus
