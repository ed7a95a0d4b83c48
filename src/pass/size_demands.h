// pass/size_demands.h - what may run at another place than its own.
//
// Most of it is whether an operator asks anything of its sizes that only a check or a fact grants. An operator is
// total where its demands are proved, and the proof may rest on the place: a check above it, the bounds of a loop's
// counter, the condition of an arm. One that is to run elsewhere must have none that do not hold everywhere.
#pragma once
#include "dim/facts.h"
#include "pass/effects.h"
#include "pass/function_edit.h"

namespace nereus {
class SizeDemands {
 public:
    explicit SizeDemands(Module& module) : module_(module), facts_(module.dims) {}
    // It only gives a value, and would do so wherever its arguments are known.
    bool runs_anywhere(const FunctionEdit& edit, const Function& function, const Effects& effects, const Binding& binding);
    // By its shape rule, with no more known than what symbols are: sizes are not negative.
    bool hold_everywhere(const Function& function, const Binding& binding, const std::vector<const Binding*>& definitions);
    // Evaluated with no more known, the dim is the integer that wrapping arithmetic gives: no part of it can overflow.
    bool is_exact_everywhere(Dim d);
    // A tensor of this type is there whatever happens: no product of its extents overflows, by tensor/shape.h.
    void exists(TypeId tensor);
    bool is_number_everywhere(Dim d);                    // it divides by nothing that may be 0, and its broadcasts fit

 private:
    double magnitude(Dim d);                             // no more than this, by what symbols are; infinite if it may be any
    double magnitude(Atom a);

    Module& module_;
    Facts facts_;
    std::unordered_map<Atom, double> magnitudes_;
    std::vector<Term> counts_;               // of elements, of what exists
};
} // namespace nereus
