#include "import/size_expression.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_set>

namespace nereus::onnx {
namespace {
constexpr size_t longest = 200;            // of a text; what is longer would only nest deeply

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<int64_t> combined(char kind, int64_t a, int64_t b) {
    int64_t out = 0;
    if (kind == '/') return b > 0 ? std::optional(a / b - (a % b < 0)) : std::nullopt;
    const bool overflows = kind == '+' ? __builtin_add_overflow(a, b, &out) : kind == '-' ? __builtin_sub_overflow(a, b, &out) : __builtin_mul_overflow(a, b, &out);
    return overflows ? std::nullopt : std::optional(out);
}
std::optional<int64_t> combined(char kind, std::optional<int64_t> a, std::optional<int64_t> b) { return a && b ? combined(kind, *a, *b) : std::nullopt; }
} // namespace

// Recursive descent; every step gives the index of its part, or nothing where the text is no expression.
class SizeParser {
 public:
    explicit SizeParser(std::string_view text) : text_(text) {}
    std::optional<SizeExpression> run() {
        const std::optional<size_t> all = sum();
        skip_spaces();
        if (!all || at_ != text_.size() || made_.names_.empty()) return std::nullopt;
        return std::move(made_);
    }

 private:
    using Index = std::optional<size_t>;
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    void skip_spaces() {
        while (peek() == ' ') ++at_;
    }
    size_t add(SizeExpression::Part part) {
        made_.parts_.push_back(part);
        return made_.parts_.size() - 1;
    }
    // A - without spaces joins words, and numbers to words, as often as it subtracts; so does a / before a word.
    bool is_part_of_name() const {
        if (at_ == 0 || text_[at_ - 1] == ' ') return false;
        return (peek() == '-' && peek(1) != ' ') || (peek() == '/' && begins_name(peek(1)));
    }
    char operator_of(std::string_view choices) {
        skip_spaces();
        const char kind = peek();
        if (kind == '\0' || choices.find(kind) == choices.npos || is_part_of_name()) return '\0';
        at_ += kind == '/' && peek(1) == '/' ? 2 : 1;
        return kind;
    }
    Index operands(std::string_view choices, Index (SizeParser::*operand)()) {
        Index left = (this->*operand)();
        while (left) {
            const char kind = operator_of(choices);
            if (kind == '\0') break;
            const Index right = (this->*operand)();
            if (!right || (kind == '/' && made_.number(*right) == 0)) return std::nullopt;
            left = add({.kind = kind, .left = *left, .right = *right});
        }
        return left;
    }
    Index sum() { return operands("+-", &SizeParser::product); }
    Index product() { return operands("*/", &SizeParser::operand); }
    Index operand() {
        skip_spaces();
        if (begins_name(peek())) return name();
        if (is_digit(peek())) return number();
        if (peek() == '-') {
            ++at_;
            const Index negated = operand();
            return negated ? Index(add({.kind = '-', .left = add({.kind = '0'}), .right = *negated})) : std::nullopt;
        }
        if (peek() != '(') return std::nullopt;
        ++at_;
        const Index inner = sum();
        skip_spaces();
        if (!inner || peek() != ')') return std::nullopt;
        ++at_;
        return inner;
    }
    Index name() {
        const size_t begin = at_;
        while (begins_name(peek()) || is_digit(peek())) ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (std::ranges::find(made_.names_, name) == made_.names_.end()) made_.names_.push_back(name);
        return add({.kind = 'n', .name = name});
    }
    Index number() {
        int64_t value = 0;
        const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (failed != std::errc()) return std::nullopt;
        at_ = size_t(end - text_.data());
        return add({.kind = '0', .number = value});
    }

    std::string_view text_;
    size_t at_ = 0;
    SizeExpression made_;
};

std::optional<SizeExpression> SizeExpression::parse(std::string_view text) {
    if (text.size() > longest) return std::nullopt;
    return SizeParser(text).run();
}

std::optional<int64_t> SizeExpression::number(size_t at) const {
    const Part& part = parts_[at];
    if (part.kind == 'n') return std::nullopt;
    return part.kind == '0' ? std::optional(part.number) : combined(part.kind, number(part.left), number(part.right));
}

std::optional<int64_t> SizeExpression::growth(size_t at, std::string_view name) const {
    const Part& part = parts_[at];
    if (part.kind == 'n') return part.name == name;
    if (part.kind == '0') return 0;
    const std::optional<int64_t> left = growth(part.left, name), right = growth(part.right, name);
    if (left == 0 && right == 0) return 0;
    if (part.kind == '+' || part.kind == '-') return combined(part.kind, left, right);
    if (part.kind != '*') return std::nullopt;
    if (right == 0) return combined('*', left, number(part.right));
    return left == 0 ? combined('*', number(part.left), right) : std::nullopt;
}

std::string SizeExpression::text(size_t at, const std::function<std::string(std::string_view)>& renamed) const {
    const Part& part = parts_[at];
    if (part.kind == 'n') return renamed(part.name);
    if (part.kind == '0') return std::to_string(part.number);
    auto operand = [&](size_t of) { return parts_[of].kind == 'n' || parts_[of].kind == '0' ? text(of, renamed) : "(" + text(of, renamed) + ")"; };
    const std::string sign = part.kind == '/' ? "//" : std::string(1, part.kind);
    return operand(part.left) + " " + sign + " " + operand(part.right);
}

std::unordered_map<std::string_view, SizeExpression> decided_expressions(const std::vector<std::string_view>& sizes) {
    std::unordered_map<std::string_view, SizeExpression> open, decided;
    std::unordered_set<std::string_view> known(sizes.begin(), sizes.end());
    for (std::string_view size : sizes) {
        std::optional<SizeExpression> made = SizeExpression::parse(size);
        // A name that makes no difference may leave a number, which could be below 0.
        if (!made || made->names() == std::vector{size} || std::ranges::any_of(made->names(), [&](std::string_view name) { return made->growth(name) == 0; })) continue;
        open.emplace(size, std::move(*made));
    }
    auto decide = [&](const SizeExpression& expression) {
        std::vector<std::string_view> unknown;
        std::ranges::copy_if(expression.names(), std::back_inserter(unknown), [&](std::string_view name) { return !known.contains(name); });
        if (unknown.size() > 1 || (unknown.size() == 1 && !expression.growth(unknown[0]))) return false;
        known.insert(unknown.begin(), unknown.end());
        return true;
    };
    for (size_t before = 0; before != open.size();) {
        before = open.size();
        std::erase_if(open, [&](const auto& entry) { return decide(entry.second) && decided.emplace(entry).second; });
    }
    return decided;
}
} // namespace nereus::onnx
