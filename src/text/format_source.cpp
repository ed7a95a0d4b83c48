// A line is written when its tokens are known. Indentation: two more than the line that opened the innermost bracket; a
// statement that goes on is two deeper than it begins. Spacing is decided by pairs of neighbours and the bracket they are in.
#include "text/format_source.h"
#include "text/lexer.h"
#include "text/wrap_lines.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr size_t step = 2;

class Formatter {
 public:
    Formatter(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {
        for (size_t i = 0; i < tokens.size(); ++i) record_.push_back(is_record(i));
        find_runs();
    }

    std::string run() {
        for (size_t i = 0; i < tokens_.size(); ++i) {
            gap(i);
            if (tokens_[i].kind == TokenKind::end) break;
            if (line_.empty() && !in_line_) begin_line(i);
            else if (i > 0 && !after_break_ && space(i - 1, i)) line_ += ' ';
            after_break_ = false;
            line_ += source(i);
            brackets(i);
        }
        return std::move(out_);
    }

 private:
    // ---- tokens

    bool is(size_t i, std::string_view sign) const {
        return i < tokens_.size() && tokens_[i].text == sign && (tokens_[i].kind == TokenKind::sign || tokens_[i].kind == TokenKind::keyword);
    }
    bool is_any(size_t i, std::initializer_list<std::string_view> signs) const {
        return std::any_of(signs.begin(), signs.end(), [&](std::string_view sign) { return is(i, sign); });
    }
    bool opens(size_t i) const { return is_any(i, {"(", "[", "{"}); }
    bool closes(size_t i) const { return is_any(i, {")", "]", "}"}); }
    bool is_arithmetic(size_t i) const { return is_any(i, {"+", "-", "*", "/", "//", "<", ">"}); }
    bool is_infix(size_t i) const { return is_arithmetic(i) || is_any(i, {"==", "!=", "<=", ">=", "&&", "||"}); }
    bool is_prefix(size_t i) const {
        if (!is_any(i, {"-", "!"})) return false;
        if (i == 0 || tokens_[i].newline_before) return true;
        const Token& before = tokens_[i - 1];
        return (before.kind == TokenKind::sign && !closes(i - 1) && before.text != "?") || before.kind == TokenKind::keyword;
    }

    size_t begin_of(size_t i) const {
        const Token& token = tokens_[i];
        bool marked = token.kind == TokenKind::value || token.kind == TokenKind::function || token.kind == TokenKind::text;
        if (token.kind == TokenKind::end) return text_.size();
        return size_t(token.text.data() - text_.data()) - (marked ? 1 : 0);
    }
    size_t end_of(size_t i) const {
        return size_t(tokens_[i].text.data() - text_.data()) + tokens_[i].text.size() + (tokens_[i].kind == TokenKind::text ? 1 : 0);
    }
    std::string_view source(size_t i) const { return text_.substr(begin_of(i), end_of(i) - begin_of(i)); }

    // {f = e}, {f: T}, {e with f = e} and the notes of dumps, {= n}: no space inside; blocks and arms have one.
    bool is_record(size_t i) const {
        if (!is(i, "{")) return false;
        const size_t first = i + 1, last = tokens_[i].partner;
        if (is(first, "}") || is_any(first, {"=", "new"})) return true;
        if (tokens_[first].kind == TokenKind::name && tokens_[first].text != "_" && (is_any(first + 1, {"=", ":"}) || tokens_[first].text == "dims")) return true;
        for (size_t k = first; k < last; ++k) {
            if (is(k, "with")) return true;
            if (opens(k)) k = tokens_[k].partner;
        }
        return false;
    }

    // ---- runs: what stands between two commas, brackets, signs of another kind or lines

    bool ends_run(size_t i) const {
        if (tokens_[i].newline_before || tokens_[i].kind == TokenKind::keyword) return true;
        return tokens_[i].kind == TokenKind::sign && !is_infix(i) && !is_any(i, {"(", ")", "[", "]", "!", ".", "?"});
    }
    static bool is_of_values(const Token& token) {
        return token.kind == TokenKind::value || token.kind == TokenKind::function || token.kind == TokenKind::real;
    }
    void find_runs() {
        struct Level { size_t run; bool values; };       // of one bracket: values in any run of it
        std::vector<Level> levels = {{0, false}};
        run_has_values_ = {false};
        auto begin_run = [&] { return run_has_values_.push_back(false), run_has_values_.size() - 1; };
        for (size_t i = 0; i < tokens_.size(); ++i) {
            bool values = is_of_values(tokens_[i]);
            if (closes(i)) values = levels.back().values, levels.pop_back();
            else if (ends_run(i)) levels.back().run = begin_run();
            if (values) levels.back().values = run_has_values_[levels.back().run] = true;
            run_.push_back(levels.back().run);
            if (opens(i)) levels.push_back({begin_run(), false});
        }
    }

    // ---- spaces

    bool space(size_t a, size_t b) const {
        if (is_any(a, {"(", "["}) || is_any(b, {")", "]", ",", ";"})) return false;
        if (is(a, "{")) return !record_[a];
        if (is(b, "}")) return !record_[tokens_[b].partner];
        if (is_any(a, {",", ";"})) return true;
        if (is(a, ".") || is(b, ".")) return false;
        if (is(a, "..") || is(a, "?")) return !tokens_[b].touches;
        if (is_prefix(a)) return false;
        if (is_infix(a)) return around_infix(a);
        if (is_infix(b) && !is_prefix(b)) return around_infix(b);
        if (in_index() && (is(b, ":") || is(a, ":"))) return spaced_range(is(b, ":") ? b : a) || is_parameter_kind(b);
        if (is(b, ":")) return is_any(a, {")", "}", "]"}) && brackets_.empty() && !tokens_[b].touches;
        if (is(a, ":")) return true;
        if (is(a, "=") || is(b, "=")) return !named_argument(is(b, "=") ? b : a);
        if (is(b, "(") && tokens_[a].kind == TokenKind::keyword) return !is(a, "fn");
        if (is(b, "{") && !record_[b] && tokens_[a].kind != TokenKind::type_name) return true;
        if (opens(b) && tokens_[a].kind == TokenKind::sign && !closes(a)) return true;
        if (opens(b)) return !tokens_[b].touches;
        return true;
    }
    // Sizes are often written tight: 2*n. The author's choice, made even on both sides; what has values is never tight.
    bool around_infix(size_t sign) const {
        return !is_arithmetic(sign) || run_has_values_[run_[sign]] || !tokens_[sign].touches || !tokens_[sign + 1].touches;
    }
    bool spaced_range(size_t colon) const {              // %x[i : i + 1], if the author thinks so
        return !tokens_[colon].touches && !is_any(colon - 1, {"[", ","});
    }
    bool in_index() const { return !brackets_.empty() && is(brackets_.back().token, "["); }
    bool is_parameter_kind(size_t i) const { return tokens_[i].text == "dim" || tokens_[i].text == "dtype"; }
    bool named_argument(size_t sign) const {             // f(x, axes=[0])
        return sign > 0 && tokens_[sign - 1].kind == TokenKind::name && !brackets_.empty() && is(brackets_.back().token, "(");
    }

    // ---- lines

    struct Open { size_t token, indent; };               // the indent of the line that it stands on

    size_t indent_of(size_t i) const {
        if (closes(i)) return brackets_.back().indent;
        const size_t base = brackets_.empty() ? 0 : brackets_.back().indent + step;
        const bool statements = brackets_.empty() || is(brackets_.back().token, "{");
        return base + (statements && goes_on(i) ? step : 0);
    }
    bool goes_on(size_t i) const {
        if (i == 0) return false;
        if (is_any(i, {"->", "where", "with", "|"})) return true;
        return is_any(i - 1, {"=", "=>", "->", "|", "where", "with"}) || (is_infix(i - 1) && !is_prefix(i - 1)) ||
               (is(i - 1, ",") && brackets_.empty());
    }
    void begin_line(size_t i) {
        indent_ = tokens_[i].kind == TokenKind::end ? 0 : indent_of(i);
        line_ = std::string(indent_, ' ');
        in_line_ = true;
        after_break_ = true;
    }
    void end_line() {
        if (!in_line_) return;
        while (!line_.empty() && line_.back() == ' ') line_.pop_back();
        out_ += line_ + "\n";
        line_.clear();
        in_line_ = false;
    }
    void brackets(size_t i) {
        bool body = brackets_.empty() && is(i, "{") && !record_[i];      // of a function, whose header may have several lines
        if (opens(i)) brackets_.push_back({i, body ? 0 : indent_});
        else if (closes(i)) brackets_.pop_back();
    }

    // What stands between the token before and this one: blanks, newlines, comments.
    void gap(size_t i) {
        size_t at = i == 0 ? 0 : end_of(i - 1);
        const size_t end = begin_of(i);
        int newlines = 0;
        while (at < end) {
            if (text_[at] == '\n') {
                end_line();
                ++newlines, ++at;
                continue;
            }
            if (text_[at] != '#') {
                ++at;
                continue;
            }
            const size_t stop = std::min(text_.find('\n', at), end);
            std::string comment(text_.substr(at, stop - at));
            while (!comment.empty() && (comment.back() == ' ' || comment.back() == '\r' || comment.back() == '\t')) comment.pop_back();
            if (in_line_) {
                size_t width = columns(line_), wanted = column_of(at);
                line_ += std::string(std::max<size_t>(wanted > width ? wanted - width : 0, 2), ' ') + comment;
                end_line();
            } else {
                if (newlines > 1) blank_line();
                out_ += std::string(comment_indent(i), ' ') + comment + "\n";
            }
            newlines = 0;
            at = stop;
        }
        if (tokens_[i].kind == TokenKind::end) end_line();
        else if (newlines > 1 && !closes(i)) blank_line();
    }
    // One empty line stays, several become one; none at the beginning of the file or at either end of a bracket.
    void blank_line() {
        bool after_opening = out_.ends_with("{\n") || out_.ends_with("(\n") || out_.ends_with("[\n");
        if (!out_.empty() && !out_.ends_with("\n\n") && !after_opening) out_ += "\n";
    }
    size_t comment_indent(size_t next) const {
        if (brackets_.empty()) return goes_on(next) && tokens_[next].kind != TokenKind::end ? step : 0;
        return brackets_.back().indent + step;
    }
    size_t column_of(size_t at) const {
        size_t before = text_.rfind('\n', at);
        size_t start = before == std::string_view::npos ? 0 : before + 1;
        return columns(text_.substr(start, at - start));
    }
    static size_t columns(std::string_view line) {
        return size_t(std::count_if(line.begin(), line.end(), [](char c) { return (uint8_t(c) & 0xc0) != 0x80; }));
    }

    std::string_view text_;
    const std::vector<Token>& tokens_;
    std::vector<bool> record_;                           // by token: a `{` without a space inside
    std::vector<size_t> run_;                            // by token
    std::vector<bool> run_has_values_;                   // by run: with what is in its brackets
    std::vector<Open> brackets_;
    std::string out_, line_;
    size_t indent_ = 0;
    bool in_line_ = false, after_break_ = false;
};

// Where a newline means nothing: at the ends of a bracket, after a comma, before an alternative.
bool may_break(const std::vector<Token>& tokens, size_t i) {
    auto is_any = [](const Token& token, std::string_view signs) {
        return token.kind == TokenKind::sign && token.text.size() == 1 && signs.find(token.text) != signs.npos;
    };
    return tokens[i].newline_before && i > 0 && (is_any(tokens[i - 1], "([{,") || is_any(tokens[i], ")]}|"));
}

// Whether a bracket touches its head is part of the grammar, but for those after keywords.
bool same_tokens(const std::vector<Token>& a, const std::vector<Token>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
        if (a[i].kind != b[i].kind || a[i].text != b[i].text) return false;
        if (a[i].kind != TokenKind::end && a[i].newline_before != b[i].newline_before && !may_break(b, i)) return false;
        if (i == 0 || a[i].kind != TokenKind::sign || a[i].touches == b[i].touches || a[i - 1].kind == TokenKind::keyword) continue;
        bool call = (a[i].text == "(" || a[i].text == "[") && (a[i - 1].kind != TokenKind::sign || a[i - 1].text == ")" || a[i - 1].text == "]" || a[i - 1].text == "}");
        if (call || (a[i].text == "{" && a[i - 1].kind == TokenKind::type_name)) return false;
    }
    return true;
}
} // namespace

Result<std::string> format_source(std::string_view text) {
    std::vector<Token> tokens = TRY(lex(text, 0));
    std::string out = Formatter(text, tokens).run();
    std::vector<Token> again = TRY(lex(out, 0));
    for (std::string broken; !(broken = break_long_lines(out, again)).empty();) {
        again = TRY(lex(broken, 0));
        out = Formatter(broken, again).run();
        again = TRY(lex(out, 0));
    }
    if (!same_tokens(tokens, again)) return Error{Code::internal, "formatting changed the program", {}};
    return out;
}
} // namespace nereus
