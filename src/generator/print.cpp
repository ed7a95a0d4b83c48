#include "generator/program.h"

namespace nereus::gen {
namespace {
struct Printer {
    std::string out = {};
    int indent = 0;

    void line() { out += "\n" + std::string(2 * size_t(indent), ' '); }

    void block(const Block& b) {
        out += "{";
        ++indent;
        for (const Statement& s : b.statements) {
            line();
            fill(s.form, {&s.value, 1}, {}, true);
        }
        line();
        expr(b.result, true);
        --indent;
        line();
        out += "}";
    }

    // whole: nothing stands beside it, so that it needs no brackets
    void expr(const Expr& e, bool whole) {
        bool brackets = !whole && !e.blocks.empty();
        if (brackets) out += "(";
        fill(e.form, e.args, e.blocks, false);
        if (brackets) out += ")";
    }

    void fill(const std::string& form, std::span<const Expr> args, std::span<const Block> blocks, bool whole) {
        for (size_t i = 0; i < form.size(); ++i) {
            if (form[i] == '$') expr(args[size_t(form[++i] - '0')], whole);
            else if (form[i] == '#') block(blocks[size_t(form[++i] - '0')]);
            else if (form[i] == '\n') line();
            else out += form[i];
        }
    }
};

bool names(const std::string& text, const Declared& decl) {
    if (text.find(decl.name) != std::string::npos) return true;
    for (const Constructor& c : decl.constructors)
        if (text.find(c.name) != std::string::npos) return true;
    for (const std::string& field : decl.field_names)
        if (text.find(field + " = ") != std::string::npos || text.find("." + field) != std::string::npos) return true;
    return false;
}
// The types that the text names, and those that these name.
std::string declarations_for(const std::string& text) {
    const std::vector<Declared>& all = declared();
    std::vector<bool> needed(all.size());
    std::string found;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all.size(); ++i)
            if (!needed[i] && names(text + found, all[i])) needed[i] = more = true, found += all[i].text;
    }
    std::string out;
    for (size_t i = 0; i < all.size(); ++i)
        if (needed[i]) out += all[i].text + "\n";
    return out;
}
} // namespace

void drop_unused_functions(Program& program) {
    std::vector<std::string> texts;
    for (const Function& f : program.functions) {
        Printer printer;
        printer.block(f.body);
        texts.push_back(f.header.substr(f.header.find(')')) + printer.out);      // the header may name the halves of a rule
    }
    std::vector<bool> used(texts.size());
    std::vector<size_t> open = {texts.size() - 1};       // main is the last
    while (!open.empty()) {
        size_t at = open.back();
        open.pop_back();
        if (used[at]) continue;
        used[at] = true;
        for (size_t i = 0; i < texts.size(); ++i) {
            std::string call = "@" + program.functions[i].name;
            for (size_t place = texts[at].find(call); place != std::string::npos; place = texts[at].find(call, place + 1))
                if (place + call.size() == texts[at].size() || !(std::isalnum(texts[at][place + call.size()]) || texts[at][place + call.size()] == '_')) open.push_back(i);
        }
    }
    std::vector<Function> kept;
    for (size_t i = 0; i < texts.size(); ++i)
        if (used[i]) kept.push_back(std::move(program.functions[i]));
    program.functions = std::move(kept);
}

std::string Program::text() const {
    Printer printer;
    for (const Function& f : functions) {
        printer.out += f.header + " ";
        printer.block(f.body);
        printer.out += "\n";
    }
    return declarations_for(printer.out) + printer.out;
}
} // namespace nereus::gen
