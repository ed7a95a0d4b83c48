// What can be said about a body only when all its types are found.
#include "infer/exhaustive.h"
#include "infer/types_body.h"
#include "tensor/element.h"
#include <charconv>
#include <cmath>

namespace nereus {
namespace {
Status check_nesting(const TypeContext& context, const Function& function, const BodyTypes& types) {
    std::unordered_map<TermId, uint32_t> known;
    for (size_t i = 0; i < types.values.size(); ++i) {
        if (!types.values[i].valid()) continue;
        std::optional<uint32_t> levels = context.terms.nesting(types.values[i], known);
        if (levels && *levels <= max_type_nesting) continue;
        const ValueInfo& value = function.values[i];
        Blame blame{.span = value.span.known() ? value.span : function.span, .what = "", .owner = value.name, .sigil = "%"};
        if (!levels)
            return context.error(blame, "its type would contain itself", "a recursive structure needs a declared type");
        Error error = context.error(blame, "its type nests more than " + std::to_string(max_type_nesting) + " deep");
        error.code = Code::limit;
        return error;
    }
    return {};
}

Error unfit(const std::string& number, DType dtype, Span span) {
    return Error{Code::type, number + " does not fit " + std::string(dtype_name(dtype)), span,
                 std::string("cast the other side to ") + (is_small_float(dtype) ? "f32" : is_float(dtype) ? "f64" : "i64")};
}
// Everything that can be written fits i64 and f64.
Status check_literal(const TypeContext& context, const BodyTypes& types, const Binding& binding) {
    const Terms& terms = context.terms;
    TermId type = types.values[binding.results[0].index];
    if (terms[type].kind != TermKind::tensor) return {};
    const TypeTerm& element = terms[terms.part(type, 0)];
    if (element.kind != TermKind::dtype) return {};
    const DType dtype = element.dtype;
    for (int64_t number : binding.literal.integers) {
        const bool good = is_float(dtype) ? std::isfinite(rounded(dtype, double(number))) : !is_integer(dtype) || fits(dtype, number);
        if (!good) return unfit(std::to_string(number), dtype, binding.span);
    }
    for (double number : binding.literal.reals) {
        if (std::isfinite(rounded(dtype, number))) continue;
        char text[32];
        return unfit(std::string(text, std::to_chars(text, text + sizeof text, number).ptr), dtype, binding.span);
    }
    return {};
}
} // namespace

Status check_body(const TypeContext& context, FunctionId id, const BodyTypes& types) {
    const Function& function = context.module[id];
    TRY(check_nesting(context, function, types));
    for (BindingId literal : types.literals) TRY(check_literal(context, types, function[literal]));
    if (types.matches.empty()) return {};
    std::unordered_map<const Pattern*, DeclId> records;
    for (const auto& [pattern, term] : types.record_patterns) records[pattern] = context.terms[term].decl;
    RecordOf record_of = [&](const Pattern& pattern) {
        auto it = records.find(&pattern);
        return it == records.end() ? DeclId() : it->second;
    };
    for (BindingId match : types.matches) TRY(check_arms(context.module, function[match], record_of));
    return {};
}
} // namespace nereus
