// import/size_expression.h - names of sizes (dim_param) that are arithmetic on other names: "past + 1", "seq_len//2".
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nereus::onnx {
class SizeExpression {
 public:
    // +, -, *, // and / (which rounds down, too) on names, integers and parentheses. Nothing: the text is a name like any other,
    // as are "batch-size" and "encoder/length", where nobody meant to compute.
    static std::optional<SizeExpression> parse(std::string_view text);
    const std::vector<std::string_view>& names() const { return names_; }          // each once
    // By how much it grows with a name: nothing where that depends on sizes.
    std::optional<int64_t> growth(std::string_view name) const { return growth(parts_.size() - 1, name); }
    // In the language's words, with names as `renamed` says.
    std::string text(const std::function<std::string(std::string_view)>& renamed) const { return text(parts_.size() - 1, renamed); }

 private:
    friend class SizeParser;
    struct Part {                          // operands come before what they are operands of
        char kind;                         // n: a name, 0: a number, or one of + - * /
        std::string_view name = {};
        int64_t number = 0;
        size_t left = 0, right = 0;
    };
    std::optional<int64_t> growth(size_t part, std::string_view name) const;
    std::optional<int64_t> number(size_t part) const;            // without names
    std::string text(size_t part, const std::function<std::string(std::string_view)>& renamed) const;

    std::vector<Part> parts_;
    std::vector<std::string_view> names_;
};

// Those of the names of sizes which are expressions that arguments decide: each name in them stands alone somewhere, or is the
// only one not known yet of a*n + b. What an expression cannot tell from its arguments is a name like any other.
std::unordered_map<std::string_view, SizeExpression> decided_expressions(const std::vector<std::string_view>& sizes);
} // namespace nereus::onnx
