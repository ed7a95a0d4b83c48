// infer/unify.h - makes two type terms equal, or says where they cannot be.
#pragma once
#include "infer/types_term.h"

namespace nereus {
// The innermost parts that differ, each on its own side.
struct Clash {
    enum class Kind : uint8_t {
        differ,        // two kinds of type, two dtypes, two data types, a dtype outside a class
        count,         // tuples, or functions' parameters, of different number
        rigid,         // a declared variable against something it may not be
    } kind = Kind::differ;
    TermId expected, found;
    std::vector<uint32_t> path = {};        // which part of which part, from the whole types to these
};

// Near linear in the size of the terms, and without recursion. After a clash the terms serve to be shown, and no more.
std::optional<Clash> unify(Terms& terms, TermId expected, TermId found);

// What becomes of a number that nothing decides.
constexpr DType default_dtype(DTypeClass of) {
    return of == DTypeClass::num || of == DTypeClass::integer ? DType::i64 : DType::f32;
}

// The dtypes in both classes, if any.
std::optional<DTypeClass> meet(DTypeClass a, DTypeClass b);
} // namespace nereus
