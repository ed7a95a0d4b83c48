// text/prelude_items.h - the part of the prelude that a program needs: what its text names and does not declare itself,
// and what that needs in turn. A program that names nothing of it is as if there were no prelude.
#pragma once
#include "text/token.h"
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nereus {
// Bare names and type names; what a `type` of the text declares itself is no name of the prelude's there.
struct NamesOfText {
    std::unordered_set<std::string_view> mentioned, declared;
    void add(const std::vector<Token>& tokens);
};

class PreludeItems {
 public:
    void add(const std::vector<Token>& tokens);          // of one prelude file; they stay where they are
    // The tokens of each file, in the order added, without the items that nobody needs.
    std::vector<std::vector<Token>> needed_by(const NamesOfText& text) const;
    std::vector<std::string_view> functions() const;     // all there are
    std::vector<std::string_view> types() const;
    std::vector<std::string_view> constructors() const;

 private:
    struct Item {
        size_t file = 0, begin = 0, end = 0;
        std::vector<std::string_view> declares, mentions;
        bool function = false;
    };
    std::vector<const std::vector<Token>*> files_;
    std::vector<Item> items_;
};
} // namespace nereus
