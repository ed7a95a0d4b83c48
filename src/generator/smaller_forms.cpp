#include "generator/smaller_forms.h"
#include <cctype>

namespace nereus::gen {
namespace {
bool goes_on(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

void put_in(std::string& form, const std::string& variable, const std::string& text) {
    for (size_t at = form.find(variable); at != std::string::npos; at = form.find(variable, at)) {
        const size_t end = at + variable.size();
        if (end < form.size() && goes_on(form[end])) at = end;
        else {
            form.replace(at, variable.size(), text);
            at += text.size();
        }
    }
}
void put_in(Expr& e, const std::string& variable, const std::string& text) {
    put_in(e.form, variable, text);
    for (Expr& arg : e.args) put_in(arg, variable, text);
    for (Block& b : e.blocks) put_for(b, variable, text);
}
size_t mentions(const std::string& form, const std::string& variable) {
    size_t count = 0;
    for (size_t at = form.find(variable); at != std::string::npos; at = form.find(variable, at + 1)) {
        const size_t end = at + variable.size();
        count += end == form.size() || !goes_on(form[end]);
    }
    return count;
}
size_t mentions(const Expr& e, const std::string& variable) {
    size_t count = mentions(e.form, variable);
    for (const Expr& arg : e.args) count += mentions(arg, variable);
    for (const Block& b : e.blocks) count += mentions(b, variable);
    return count;
}
Statement binding(std::string name, Expr value) { return {Construct::leaf, std::move(name) + " = $0", std::move(value)}; }
} // namespace

std::optional<std::string> bound_name(const std::string& form) {
    if (!form.starts_with('%') || !form.ends_with(" = $0")) return std::nullopt;
    size_t end = 1;
    while (goes_on(form[end])) ++end;
    return form.substr(0, end);
}

size_t mentions(const Block& b, const std::string& variable) {
    size_t count = mentions(b.result, variable);
    for (const Statement& s : b.statements) count += mentions(s.form, variable) + mentions(s.value, variable);
    return count;
}

void put_for(Block& b, const std::string& variable, const std::string& text) {
    for (Statement& s : b.statements) {
        put_in(s.form, variable, text);
        put_in(s.value, variable, text);
    }
    put_in(b.result, variable, text);
}

std::vector<std::string> forms_without_an_arm(const std::string& form) {
    std::vector<std::string> out;
    if (!form.starts_with("match ")) return out;
    for (size_t at = form.find("\n  "); at != std::string::npos; at = form.find("\n  ", at + 1)) {
        const size_t end = form.find('\n', at + 1), guard = form.find(" if $", at);
        out.push_back(form.substr(0, at) + form.substr(end));
        if (guard < end) out.push_back(form.substr(0, guard) + form.substr(guard + 6));
    }
    return out;
}

Expr with_form(const Expr& e, const std::string& form) {
    Expr out{e.what, e.type, form, {}, {}};
    for (size_t i = 0; i + 1 < form.size(); ++i) {
        const size_t part = size_t(form[i + 1] - '0');
        if (form[i] == '$') {
            out.form[i + 1] = char('0' + out.args.size());
            out.args.push_back(e.args[part]);
        } else if (form[i] == '#') {
            out.form[i + 1] = char('0' + out.blocks.size());
            out.blocks.push_back(e.blocks[part]);
        }
    }
    return out;
}

// The comma or bracket behind it.
static size_t end_of_item(const std::string& form, size_t at) {
    for (int open = 0; open > 0 || (form[at] != ',' && form[at] != ')'); ++at)
        open += form[at] == '(' || form[at] == '[' || form[at] == '{' ? 1 : form[at] == ')' || form[at] == ']' || form[at] == '}' ? -1 : 0;
    return at;
}

// for %i in $0, (%s = $1, %t = $2) #0; while (%s = $0, %k = 0) (…) #0; in brackets if a part of it is taken: (…).0
std::optional<Block> first_trip(const Expr& loop) {
    const bool is_part = loop.form.starts_with('(');
    const std::string form = loop.form.substr(is_part);
    const bool counted = form.starts_with("for %");
    if ((!counted && !form.starts_with("while (")) || loop.blocks.size() != 1) return std::nullopt;
    Block once;
    size_t at = form.find('(');
    if (counted) once.statements.push_back(binding(form.substr(4, form.find(' ', 4) - 4), {Construct::leaf, whole(), "0", {}, {}}));
    while (form[at] != ')') {                            // "%s = $1" or "%k = 0", then ", " or ")"
        const size_t name = at + 1 + (form[at] == ','), equals = form.find(" = ", name);
        if (equals == std::string::npos || form[name] != '%') return std::nullopt;
        at = end_of_item(form, equals + 3);
        Expr first = with_form(loop, form.substr(equals + 3, at - equals - 3));
        first.what = Construct::leaf;
        first.type = first.args.empty() ? whole() : first.args[0].type;
        if (first.form == "$0") first = Expr(first.args[0]);
        once.statements.push_back(binding(form.substr(name, equals - name), std::move(first)));
    }
    for (const Statement& s : loop.blocks[0].statements)
        if (!s.form.starts_with("yield ")) once.statements.push_back(s);
    once.result = loop.blocks[0].result;
    if (is_part) once.result = {Construct::leaf, loop.type, "$0" + loop.form.substr(loop.form.rfind('.')), {once.result}, {}};
    return once;
}
} // namespace nereus::gen
