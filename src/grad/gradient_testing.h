// grad/gradient_testing.h - for tests: gradients against central differences, interpreted and compiled.
#pragma once
#include <cstdint>
#include <string>

namespace nereus {
struct GradientCase {
    std::string name;
    std::string params;                      // of @loss: "%x: Tensor[(n, d), f64], %i: i64"
    std::string body;                        // of @loss; its result is a scalar f64; $MODE: the form that is tested
    std::string others = {};                 // declarations it needs
    double low = -2, high = 2;               // of random floats
    int64_t whole_low = 0, whole_high = 3;   // of random integers
    bool compiled = true;                    // false: the compiler does not take it yet
    bool smallest = true;                    // sizes 0 and 1 occur
    bool product = true;                     // false: the product form does not take it yet
};
// grad(@loss), in both forms, at random arguments of random sizes: by eval before and after the shapes stage, and compiled, each within
// 1e-6 of the central difference, relative to the largest element of the gradient or 1. In the product form jvp(@loss) too,
// along the arguments themselves. Cells are kept in the reference form; in the product form they are states where they can
// be (pass/cells_to_states.cpp), and are kept in another run.
void check_gradient(const GradientCase& c, uint64_t seed = 1, int calls = 6);

// As the name of a test: letters, digits and _.
std::string case_name(std::string name);

// "code: message" of what grad refuses, by the whole pipeline; "" if nothing is refused.
std::string refusal(const std::string& program);
// Runs @main without arguments by eval and compiled; both must give the same text, or the same error.
std::string shown(const std::string& program);
} // namespace nereus
