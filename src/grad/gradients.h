// grad/gradients.h - the expansion of a whole module: which functions have a taped form, and in what order gradients
// are expanded.
#pragma once
#include "grad/products.h"
#include "grad/structures.h"

namespace nereus {
class Gradients {
 public:
    explicit Gradients(Module source);
    Result<Module> run();

    // @f.taped; its body is written later. Gradients inside @f are expanded first.
    Result<FunctionId> taped(FunctionId function, Span asked);
    Status expand(FunctionId function, Span asked);      // the gradients in its body
    FunctionId run_tape();                   // @run_tape(tape): all steps, the last one first

    Module module;
    ShadowTypes shadows;
    Structures structures;
    Products products;

 private:
    Status check_reached() const;            // no gradient is left in what the entry reaches
    FunctionId by_closures(FunctionId product);          // the same gradient in the reference form
    Status derive(FunctionId target);        // writes its body, if that is still to be done
    Status derive_plain(FunctionId source, FunctionId target);
    Status derive_custom(FunctionId source, FunctionId target);      // of a function `with vjp`

    enum class State : uint8_t { untouched, busy, done };
    static constexpr int highest_order = 8;
    std::map<FunctionId, FunctionId> taped_, by_closures_;
    std::map<FunctionId, State> states_;
    std::map<FunctionId, int> order_;        // of derivative; absent: 0
    std::map<FunctionId, FunctionId> pending_;           // taped functions without a body yet, and what they are of
    std::vector<FunctionId> waiting_;                    // those to derive before the function at hand is done
    FunctionId run_tape_;
};
Error unknown_target(const Binding& gradient);           // what is differentiated is only known when the program runs
} // namespace nereus
