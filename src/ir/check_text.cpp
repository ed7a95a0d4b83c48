#include "ir/check_text.h"

namespace nereus {
std::string_view sign_of(Relation relation) {
    constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">=", "~"};
    return signs[size_t(relation)];
}

std::string check_text(const Dims& dims, const DimFact& fact, const std::string& what) {
    if (is_message(what)) return fill_message(what, "{0}", "{1}");
    const std::string left = dims.to_string(fact.left), right = dims.to_string(fact.right);
    auto side = [&](Dim dim, const std::string& text, std::string_view mark) {         // n = 3, or 3 where it is written so
        return dims.constant_value(dim) ? text : text + " = " + std::string(mark);
    };
    const std::string both = side(fact.left, left, "{0}") + " and " + side(fact.right, right, "{1}");
    if (fact.relation == Relation::compatible) return what + ": found " + both;
    return what + ": expected " + left + " " + std::string(sign_of(fact.relation)) + " " + right + ", found " +
           (dims.constant_value(fact.left)    ? side(fact.right, right, "{1}")
            : dims.constant_value(fact.right) ? side(fact.left, left, "{0}")
                                              : both);
}
} // namespace nereus
