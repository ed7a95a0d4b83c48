// generator/known_bugs.h - what is not written, or not looked at, because of a bug that is known and not mended yet: one
// switch each, with what happens without it. Empty is the aim.
#pragma once
#include <string_view>

namespace nereus::gen::known {
// A size that only a function's type names is printed under another name each time it is read: n, n_1, n_1_1; two
// unknown sizes are printed as one, ?1, and read as two.
inline constexpr bool dumps_rename_sizes = false;
// emit: a symbol is used before its definition: a gradient with respect to a structure with Layer[?] in it.
inline constexpr bool no_gradient_of_unknown_record_sizes = false;
// A loop's last walk differs from the round before it: a gradient with respect to Seq[Tensor[(n, ?), f64]].
inline constexpr bool no_gradient_of_seq_with_mixed_sizes = false;
// The last walk of @fold differs from the one before: a fold whose accumulator holds a function.
inline constexpr bool no_fold_of_functions = false;
// Each level of nested gradients multiplies the code of the reference form: at five it takes half a minute to compile.
inline constexpr int deepest_gradient = 3;

// Kinds of findings (how they begin) that are counted and not reported.
inline constexpr std::string_view findings[] = {
    "nothing",
};
constexpr bool is_known(std::string_view kind) {
    for (std::string_view begin : findings)
        if (kind.starts_with(begin)) return true;
    return false;
}
} // namespace nereus::gen::known
