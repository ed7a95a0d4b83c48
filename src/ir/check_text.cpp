#include "ir/check_text.h"
#include <algorithm>
#include <cctype>

namespace nereus {
namespace {
bool has_word(std::string_view text, std::string_view word) {
    auto continues = [&](size_t at) { return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'); };
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1))
        if (!continues(at + word.size()) && (at == 0 || !continues(at - 1))) return true;
    return false;
}

// Whether all its sizes have names of the program, or of the file that is blamed. Inlining puts sizes of the caller into code of
// the callee, so where a name was made does not tell; the text does, but for a name that by chance is a word of it.
bool is_written(const Module& module, Dim dim, Span blamed) {
    const std::vector<Sym> symbols = module.dims.symbols_of(dim);
    return std::all_of(symbols.begin(), symbols.end(), [&](Sym s) {
        auto is_in = [&](size_t source) { return source < module.sources.size() && has_word(module.sources[source].text, module.dims.symbol(s).name); };
        return module.sources.empty() || is_in(0) || (blamed.known() && is_in(size_t(blamed.source)));
    });
}
} // namespace

std::optional<Sym> only_symbol(const Dims& dims, const DimFact& fact) {
    if (dims.as_symbol(fact.left) || dims.as_symbol(fact.right)) return std::nullopt;
    std::vector<Sym> symbols = dims.symbols_of(fact.left);
    for (Sym each : dims.symbols_of(fact.right))
        if (std::ranges::find(symbols, each) == symbols.end()) symbols.push_back(each);
    return symbols.size() == 1 ? std::optional(symbols[0]) : std::nullopt;
}
std::string size_of_fact(const Module& module, const Function& function, Sym symbol, const std::string& number) {
    const std::string text = ", where " + module.dims.symbol(symbol).name + " = " + number;
    for (ValueId param : function.params) {
        const Type& type = module.types[function[param].type];
        for (size_t axis = 0; type.kind == TypeKind::tensor && axis < type.shape.dims.size(); ++axis)
            if (module.dims.as_symbol(type.shape.dims[axis]) == symbol) return text + " is axis " + std::to_string(axis) + " of argument %" + function[param].name;
    }
    return text;
}

std::string_view sign_of(Relation relation) {
    constexpr std::string_view signs[] = {"==", "!=", "<", "<=", ">", ">=", "~"};
    return signs[size_t(relation)];
}

std::string check_text(const Module& module, const DimFact& fact, const std::string& what) {
    if (is_message(what)) return fill_message(what, "{0}", "{1}");
    struct Side { std::string text; bool constant, written; std::string found; };        // found: n = {0}, 3, or {0}
    auto side = [&](Dim dim, const std::string& mark) {
        Side s{module.dims.to_string(dim), module.dims.constant_value(dim).has_value(), is_written(module, dim, fact.span), mark};
        if (s.constant) s.found = s.text;
        else if (s.written) s.found = s.text + " = " + mark;
        else s.text = mark;
        return s;
    };
    const Side left = side(fact.left, "{0}"), right = side(fact.right, "{1}");
    const std::string both = left.found + " and " + right.found;
    if (fact.relation == Relation::compatible) return what + ": found " + both;
    if (!left.written || !right.written) {
        if (fact.relation == Relation::equal && (left.constant || right.constant))
            return what + ": expected " + (left.constant ? left.text + ", found " + right.found : right.text + ", found " + left.found);
        if (fact.relation == Relation::equal) return what + ": found " + both;
        const std::string rule = what + ": expected " + left.text + " " + std::string(sign_of(fact.relation)) + " " + right.text;
        if (left.written && !left.constant) return rule + ", found " + left.found;
        if (right.written && !right.constant) return rule + ", found " + right.found;
        return rule + ", which does not hold";
    }
    return what + ": expected " + left.text + " " + std::string(sign_of(fact.relation)) + " " + right.text + ", found " +
           (left.constant ? right.found : right.constant ? left.found : both);
}
} // namespace nereus
