// Blocks go first, all of the outermost on the line: a body and both arms of an `if` look alike. Where there is none, the
// longest outermost bracket goes: a call or a list with what it holds. Alternatives of a type each get a line instead.
#include "text/wrap_lines.h"
#include <algorithm>

namespace nereus {
namespace {
class Wrapping {
 public:
    Wrapping(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {}

    std::string run() {
        for (size_t first = 0, i = 0; i < tokens_.size() && tokens_[i].kind != TokenKind::end; first = i) {
            for (++i; i < tokens_.size() && tokens_[i].kind != TokenKind::end && !tokens_[i].newline_before;) ++i;
            if (too_long(first, i)) line(first, i);
        }
        if (breaks_.empty()) return {};
        std::sort(breaks_.begin(), breaks_.end());
        std::string out;
        size_t done = 0;
        for (size_t at : breaks_) {
            out += std::string(text_.substr(done, at - done)) + "\n";
            done = at;
        }
        return out + std::string(text_.substr(done));
    }

 private:
    bool is(size_t i, std::string_view sign) const {
        return tokens_[i].text == sign && (tokens_[i].kind == TokenKind::sign || tokens_[i].kind == TokenKind::keyword);
    }
    bool opens(size_t i) const { return is(i, "(") || is(i, "[") || is(i, "{"); }
    size_t begin_of(size_t i) const {
        const TokenKind kind = tokens_[i].kind;
        bool marked = kind == TokenKind::value || kind == TokenKind::function || kind == TokenKind::text;
        return size_t(tokens_[i].text.data() - text_.data()) - (marked ? 1 : 0);
    }
    size_t end_of(size_t i) const {
        return size_t(tokens_[i].text.data() - text_.data()) + tokens_[i].text.size() + (tokens_[i].kind == TokenKind::text ? 1 : 0);
    }
    bool too_long(size_t first, size_t end) const {
        size_t newline = text_.rfind('\n', begin_of(first));
        size_t start = newline == text_.npos ? 0 : newline + 1;
        std::string_view code = text_.substr(start, end_of(end - 1) - start);
        return size_t(std::count_if(code.begin(), code.end(), [](char c) { return (uint8_t(c) & 0xc0) != 0x80; })) > longest_line;
    }

    void line(size_t first, size_t end) {
        std::vector<size_t> alternatives, blocks;
        size_t longest = end, most = 0;
        for (size_t i = first; i < end; ++i) {
            if (is(first, "type") && is(i, "|")) alternatives.push_back(i);
            const size_t last = opens(i) ? tokens_[i].partner : 0;
            if (last <= i + 1 || last >= end) continue;  // holds nothing, or ends on another line
            if (is(i, "{") && !is_record(i)) blocks.push_back(i);
            if (size_t length = end_of(last) - begin_of(i); length > most) most = length, longest = i;
            i = last;
        }
        if (!alternatives.empty()) {
            for (size_t each : alternatives) breaks_.push_back(begin_of(each));
            return;
        }
        for (size_t each : blocks) open(each);
        if (blocks.empty() && longest < end) open(longest);
    }
    // A line for each item; statements of a block stay together.
    void open(size_t bracket) {
        const size_t last = tokens_[bracket].partner;
        const bool items = !is(bracket, "{") || is_record(bracket) || is_match(bracket);
        breaks_.push_back(begin_of(bracket + 1));
        for (size_t i = bracket + 1; i < last; ++i) {
            if (opens(i)) i = tokens_[i].partner;
            else if (items && is(i, ",") && i + 1 < last) breaks_.push_back(begin_of(i + 1));
        }
        breaks_.push_back(begin_of(last));
    }
    bool is_record(size_t i) const {
        const size_t first = i + 1, last = tokens_[i].partner;
        if (tokens_[first].kind == TokenKind::name && tokens_[first].text != "_" && (is(first + 1, "=") || is(first + 1, ":"))) return true;
        for (size_t k = first; k < last; ++k) {
            if (is(k, "with")) return true;
            if (opens(k)) k = tokens_[k].partner;
        }
        return false;
    }
    bool is_match(size_t i) const {
        if (i == 0 || !is(i - 1, ")")) return false;
        const size_t head = tokens_[i - 1].partner;
        return head > 0 && is(head - 1, "match");
    }

    std::string_view text_;
    const std::vector<Token>& tokens_;
    std::vector<size_t> breaks_;                         // bytes of the text before which a line ends
};
} // namespace

std::string break_long_lines(std::string_view text, const std::vector<Token>& tokens) { return Wrapping(text, tokens).run(); }
} // namespace nereus
