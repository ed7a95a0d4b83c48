// infer/shapes_scalar.cpp - where the language wants a scalar: conditions, counts, indices, single sizes. A rank that
// is known and not 0 is refused here; one that only running tells is looked at there.
#include "infer/shapes_walk.h"
#include "ir/shown_names.h"
#include <cctype>

namespace nereus {
namespace {
std::string rule_text(std::string_view what, DType dtype) {
    std::string_view kind = dtype == DType::boolean ? "a bool scalar" : is_integer(dtype) ? "an integer scalar" : "a scalar";
    return std::string(what) + " is " + std::string(kind);
}
} // namespace

std::string Walk::text(const Shape& shape) const {
    std::string out;
    for (Dim d : shape.dims) out += (out.empty() ? "" : ", ") + text(d);
    if (!shape.ranked) out += out.empty() ? ".." : ", ..";
    return "(" + out + ")";
}

bool Walk::is_scalar(AbsId value) const {
    const ShapedTensor& t = abstracts_[value].tensor;
    return abstracts_[value].kind == AbsKind::tensor && t.ranked() && t.rank() == 0;
}

Result<Walk::Made> Walk::scalar(Made made, std::string_view what, std::string_view hint) {
    if (abstracts_.is_bottom(made.abs) || is_scalar(made.abs)) return made;
    const ShapedTensor t = abstracts_[made.abs].tensor;
    return of_rank(made, module_.types.scalar(t.dtype), rule_text(what, t.dtype), std::string(hint));
}

Result<Walk::Made> Walk::condition_at(Made made, Span where) {
    Result<Made> done = scalar(made, "a condition");
    if (done) return done;
    Error refused = std::move(done).error();
    if (where.known()) refused.where = where;
    return refused;
}

// What has no name stands where its expression does; a name is looked for in the line of what uses it.
Span Walk::place_of(ValueId used, Span by) const {
    const ValueInfo& info = in_[used];
    if (is_temporary(info.name)) return info.span.known() ? info.span : by;
    if (!by.known() || size_t(by.source) >= module_.sources.size()) return by;
    std::string_view text = module_.sources[size_t(by.source)].text;
    for (int32_t line = 1; line < by.line && !text.empty(); ++line) text.remove_prefix(std::min(text.size(), text.find('\n')) + (text.find('\n') < text.size()));
    text = text.substr(0, text.find('\n'));
    const std::string word = "%" + info.name;
    auto continues = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = text.find(word, size_t(by.column) - 1); at != text.npos; at = text.find(word, at + 1)) {
        if (at + word.size() < text.size() && continues(text[at + word.size()])) continue;
        return Span{by.source, by.line, int32_t(at) + 1, int32_t(word.size())};
    }
    return by;
}

Result<Walk::Made> Walk::vector(Made made, std::string_view what) {
    const ShapedTensor t = abstracts_[made.abs].tensor;
    if (abstracts_.is_bottom(made.abs) || (t.ranked() && t.rank() == 1)) return made;
    Shape shape{{module_.dims.of(fresh("?", SymKind::unknown))}};
    std::string rule = std::string(what) + " is an integer vector";
    return of_rank(made, module_.types.tensor(std::move(shape), t.dtype), std::move(rule),
                   what == "axes" ? "write a list of axes, as in axes=[1]" : "write a list of sizes, as in [%n, 2]");
}

// A rank that the value cannot have is refused; one that it may have is looked at when it runs.
Result<Walk::Made> Walk::of_rank(Made made, TypeId wanted, std::string rule, std::string hint) {
    const Shape found = abstracts_[made.abs].tensor.shape;
    if (!found.ranked && found.dims.size() <= module_.types[wanted].shape.dims.size()) {
        std::vector<Sym> outer = std::exchange(defines_, {});        // of the operator that asks
        made = TRY(narrow(made, wanted, names_, "", "", prefix() + rule));
        defines_ = std::move(outer);
        return made;
    }
    Error refused = error(rule + ", found shape " + text(found));
    refused.hint = std::move(hint);
    if (audible_) return refused;
    refuse(std::move(refused));                                      // it would fail here: nothing comes out
    return Made{abstracts_.bottom(), {}};
}

// A part of a structure: it can not be looked at before the pattern takes it out.
Status Walk::require_scalar_part(AbsId part) {
    const ShapedTensor& t = abstracts_[part].tensor;
    if (!audible_ || is_scalar(part)) return {};
    Error refused = error(rule_text("what a literal is matched with", t.dtype) + ", found shape " + text(t.shape));
    refused.hint = t.rank() > 0 ? "take one element, as in %x[0]" : "match a variable here, then its value with the literal";
    return refused;
}
} // namespace nereus
