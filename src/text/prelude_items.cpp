#include "text/prelude_items.h"
#include <unordered_map>

namespace nereus {
namespace {
bool begins_item(const Token& token) {
    return token.depth == 0 && token.kind == TokenKind::keyword && (token.text == "def" || token.text == "type");
}
bool is(const Token& token, std::string_view text) { return token.kind == TokenKind::sign && token.text == text; }

// The name of the type and of its constructors, which follow `=` and each `|`.
std::vector<std::string_view> declared_by_type(const std::vector<Token>& tokens, size_t begin, size_t end) {
    std::vector<std::string_view> names;
    for (size_t i = begin + 1; i < end; ++i) {
        bool first = i == begin + 1, constructor = tokens[i].depth == 0 && (is(tokens[i - 1], "=") || is(tokens[i - 1], "|"));
        if (tokens[i].kind == TokenKind::type_name && (first || constructor)) names.push_back(tokens[i].text);
    }
    return names;
}
size_t end_of_item(const std::vector<Token>& tokens, size_t begin) {
    size_t end = begin + 1;
    while (tokens[end].kind != TokenKind::end && !begins_item(tokens[end])) ++end;
    return end;
}
} // namespace

void NamesOfText::add(const std::vector<Token>& tokens) {
    for (const Token& token : tokens)
        if (token.kind == TokenKind::name || token.kind == TokenKind::type_name) mentioned.insert(token.text);
    for (size_t i = 0; i < tokens.size(); ++i) {
        if (!begins_item(tokens[i]) || tokens[i].text != "type") continue;
        for (std::string_view name : declared_by_type(tokens, i, end_of_item(tokens, i))) declared.insert(name);
    }
}

void PreludeItems::add(const std::vector<Token>& tokens) {
    for (size_t i = 0; tokens[i].kind != TokenKind::end;) {
        Item item{.file = files_.size(), .begin = i, .end = end_of_item(tokens, i)};
        item.function = tokens[i].text == "def";
        if (item.function) item.declares.push_back(tokens[i + 1].text);
        else item.declares = declared_by_type(tokens, i, item.end);
        for (size_t k = i + 1; k < item.end; ++k)
            switch (tokens[k].kind) {
            case TokenKind::name: case TokenKind::type_name: case TokenKind::function: item.mentions.push_back(tokens[k].text); break;
            default: break;
            }
        i = item.end;
        items_.push_back(std::move(item));
    }
    files_.push_back(&tokens);
}

std::vector<std::vector<Token>> PreludeItems::needed_by(const NamesOfText& text) const {
    std::unordered_map<std::string_view, size_t> declared_by;
    for (size_t i = 0; i < items_.size(); ++i)
        for (std::string_view name : items_[i].declares) declared_by.emplace(name, i);
    std::vector<bool> needed(items_.size());
    std::vector<size_t> open;
    auto need = [&](std::string_view name) {
        auto it = declared_by.find(name);
        if (it == declared_by.end() || needed[it->second]) return;
        needed[it->second] = true;
        open.push_back(it->second);
    };
    for (std::string_view name : text.mentioned)
        if (!text.declared.contains(name)) need(name);
    while (!open.empty()) {
        const Item& item = items_[open.back()];
        open.pop_back();
        for (std::string_view name : item.mentions) need(name);
    }

    std::vector<std::vector<Token>> kept(files_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
        if (!needed[i]) continue;
        std::vector<Token>& to = kept[items_[i].file];
        const size_t moved = items_[i].begin - to.size();
        for (size_t k = items_[i].begin; k < items_[i].end; ++k) {
            to.push_back((*files_[items_[i].file])[k]);
            if (to.back().partner != 0) to.back().partner -= uint32_t(moved);
        }
    }
    for (size_t file = 0; file < files_.size(); ++file) kept[file].push_back(files_[file]->back());
    return kept;
}

std::vector<std::string_view> PreludeItems::functions() const {
    std::vector<std::string_view> names;
    for (const Item& item : items_)
        if (item.function) names.push_back(item.declares[0]);
    return names;
}
std::vector<std::string_view> PreludeItems::types() const {
    std::vector<std::string_view> names;
    for (const Item& item : items_)
        if (!item.function) names.push_back(item.declares[0]);
    return names;
}
std::vector<std::string_view> PreludeItems::constructors() const {
    std::vector<std::string_view> names;
    for (const Item& item : items_)
        if (!item.function) names.insert(names.end(), item.declares.begin() + 1, item.declares.end());
    return names;
}
} // namespace nereus
