// A small recursive-descent reader of the text form, on top of the builder. Nesting is bounded.
#include "base/result.h"
#include "loop/builder.h"
#include "loop/text.h"
#include "loop/verify.h"
#include "tensor/element.h"
#include <bit>
#include <charconv>
#include <map>

namespace nereus::loop {
namespace {
constexpr int max_nesting = 1000;

class Parser {
 public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<Function> run() {
        TRY(expect("kernel"));
        std::string name = TRY(identifier());
        Builder b(name);
        TRY(expect("("));
        while (!peek(")") && !peek(";")) {
            std::string buffer = TRY(identifier());
            TRY(expect(":"));
            bool out = take("out");
            DType t = TRY(dtype());
            buffers_[buffer] = out ? b.output(buffer, t) : b.input(buffer, t);
            if (!take(",")) break;
        }
        if (take(";"))
            do {
                std::string scalar = TRY(identifier());
                TRY(expect(":"));
                scalars_[scalar] = b.scalar(scalar, TRY(dtype()));
            } while (take(","));
        TRY(expect(")"));
        TRY(expect("{"));
        TRY(groups(b));
        while (!peek("}")) {
            if (at_ >= text_.size()) return wrong("the kernel does not end");
            TRY(statement(b));
        }
        TRY(expect("}"));
        skip();
        if (at_ != text_.size()) return wrong("text after the kernel");
        Result<Function> f = std::move(b).finish();
        if (!f) return Error{Code::parse, f.error().message};
        return f;
    }

 private:
    Error wrong(const std::string& what) const {
        size_t line = 1;
        for (char c : text_.substr(0, at_)) line += c == '\n';
        return Error{Code::parse, "loop text, line " + std::to_string(line) + ": " + what};
    }
    void skip() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == ';')) {
            if (text_[at_] == ';' && !in_body_) return;
            ++at_;
        }
    }
    static bool in_word(char c) { return is_name(std::string_view(&c, 1)) || (c >= '0' && c <= '9'); }
    std::string_view word() {
        skip();
        size_t end = at_;
        while (end < text_.size() && in_word(text_[end])) ++end;
        return text_.substr(at_, end - at_);
    }
    bool peek(std::string_view token) {
        skip();
        if (is_name(token)) return word() == token;
        return text_.substr(at_).starts_with(token);
    }
    bool take(std::string_view token) {
        if (!peek(token)) return false;
        at_ += token.size();
        return true;
    }
    Status expect(std::string_view token) {
        if (!take(token)) return wrong("expected '" + std::string(token) + "'");
        return {};
    }
    Result<std::string> identifier() {
        std::string name(word());
        if (!is_name(name)) return wrong("expected a name");
        at_ += name.size();
        return name;
    }
    Result<DType> dtype() {
        std::string name = TRY(identifier());
        if (std::optional<DType> t = dtype_from_name(name)) return *t;
        return wrong("'" + name + "' is not a dtype");
    }
    Result<int> number() {
        int n = 0;
        auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
        if (failure != std::errc()) return wrong("expected a number");
        at_ = size_t(end - text_.data());
        return n;
    }
    template <class I> Result<I> named(const std::map<std::string, I>& table, const char* what) {
        std::string name = TRY(identifier());
        auto found = table.find(name);
        if (found == table.end()) return wrong("no " + std::string(what) + " named '" + name + "'");
        return found->second;
    }

    Status groups(Builder& b) {
        in_body_ = true;
        for (;;) {
            bool parallel = take("parallel"), reduce = !parallel && take("reduce");
            if (!parallel && !reduce && !take("sequential")) return {};
            bool axis = take("axis");
            std::string name = TRY(identifier());
            groups_[name] = b.group(name, parallel ? Role::parallel : reduce ? Role::reduce : Role::sequential, axis);
        }
    }

    Status statement(Builder& b) {
        if (take("$")) {
            int n = TRY(number());
            TRY(expect("="));
            if (n != int(lets_.size())) return wrong("shared expressions are numbered in order");
            lets_.push_back(TRY(expr(b)));
            return {};
        }
        if (take("%")) return fold(b);
        if (take("count")) {
            TRY(expect("where"));
            b.count(TRY(expr(b)));
            return {};
        }
        if (take("compact")) return compact(b);
        BufferId to = TRY(named(buffers_, "buffer"));
        auto [groups, at] = TRY(access(b));
        for (int u = 0; u < 5; ++u)
            if (take(update_sign(Update(u)))) {
                b.accumulate(Update(u), to, std::move(groups), std::move(at), TRY(expr(b)));
                return {};
            }
        TRY(expect("="));
        b.store(to, std::move(groups), TRY(expr(b)), std::move(at));
        return {};
    }
    Status fold(Builder& b) {
        int n = TRY(number());
        if (n != int(values_.size())) return wrong("values are numbered in order");
        TRY(expect("="));
        std::string name = TRY(identifier());
        TRY(expect("over"));
        GroupId over = TRY(named(groups_, "group"));
        TRY(expect("of"));
        ExprId first = TRY(expr(b));
        if (name == "contract") {
            TRY(expect(","));
            values_.push_back(b.contract(over, first, TRY(expr(b))));
            return {};
        }
        for (int k = 0; k < 6; ++k)
            if (fold_name(Fold(k)) == name) {
                values_.push_back(b.reduce(Fold(k), over, first));
                return {};
            }
        return wrong("no fold named '" + name + "'");
    }
    Status compact(Builder& b) {
        BufferId to = TRY(named(buffers_, "buffer"));
        if (take("(")) {
            ScalarId row = TRY(named(scalars_, "scalar"));
            for (const char* token : {")", "=", "coordinates", "where"}) TRY(expect(token));
            b.compact_coordinates(TRY(expr(b)), to, row);
            return {};
        }
        TRY(expect("="));
        ExprId value = TRY(expr(b));
        TRY(expect("where"));
        b.compact(TRY(expr(b)), to, value);
        return {};
    }

    struct Place { std::vector<GroupId> groups; std::vector<Indirect> at; };
    Result<Place> access(Builder& b) {
        Place place;
        TRY(expect("["));
        while (!peek("]")) {
            if (take("at")) {
                TRY(expect("("));
                ExprId index = TRY(expr(b));
                TRY(expect(","));
                ScalarId stride = TRY(named(scalars_, "scalar"));
                TRY(expect(","));
                place.at.push_back({index, stride, TRY(named(scalars_, "scalar"))});
                TRY(expect(")"));
            } else {
                place.groups.push_back(TRY(named(groups_, "group")));
            }
            if (!take(",")) break;
        }
        TRY(expect("]"));
        return place;
    }

    Result<ExprId> expr(Builder& b) {
        if (depth_ >= max_nesting) return wrong("expressions nest too deep");
        ++depth_;
        Result<ExprId> e = expr_inside(b);
        --depth_;
        return e;
    }
    Result<ExprId> expr_inside(Builder& b) {
        skip();
        if (take("true")) return b.bits(DType::boolean, 1);
        if (take("false")) return b.bits(DType::boolean, 0);
        if (take("%")) return known(values_, TRY(number()));
        if (take("$")) return known(lets_, TRY(number()));
        size_t start = at_;
        std::string_view name = word();
        if (!is_name(name) || name == "inf") return constant(b);
        at_ += name.size();
        if (!peek("(")) {
            at_ = start;
            if (buffers_.count(std::string(name))) {
                BufferId from = TRY(named(buffers_, "buffer"));
                auto [groups, at] = TRY(access(b));
                return b.load(from, std::move(groups), std::move(at));
            }
            return b.read(TRY(named(scalars_, "buffer or scalar")));
        }
        TRY(expect("("));
        if (name == "index") {
            GroupId g = TRY(named(groups_, "group"));
            TRY(expect(")"));
            return b.index(g);
        }
        const OpRow* row = op_named(name);
        if (!row) return wrong("no operator named '" + std::string(name) + "'");
        ExprId operands[3];
        for (int k = 0; k < row->operands; ++k) {
            if (k > 0) TRY(expect(","));
            operands[k] = TRY(expr(b));
        }
        Result<ExprId> made = b.apply(row->op, operands[0], operands[1], operands[2]);
        if (row->gives == Gives::stated) {
            TRY(expect(","));
            DType t = TRY(dtype());
            made = row->op == Op::cast       ? b.cast(operands[0], t)
                   : row->op == Op::bit_cast ? b.bit_cast(operands[0], t)
                                             : b.philox(operands[0], operands[1], t);
        }
        TRY(expect(")"));
        return made;
    }
    Result<ExprId> known(const std::vector<ExprId>& table, int n) {
        if (n < 0 || size_t(n) >= table.size()) return wrong("a number that is not bound yet");
        return table[size_t(n)];
    }
    Result<ExprId> constant(Builder& b) {
        size_t colon = text_.find(':', at_);
        if (colon == std::string_view::npos) return wrong("expected an expression");
        std::string_view digits = text_.substr(at_, colon - at_);
        size_t start = at_;
        at_ = colon + 1;
        DType t = TRY(dtype());
        int64_t bits = 0;
        const char *first = digits.data(), *last = digits.data() + digits.size();
        std::from_chars_result end{first, {}};
        if (digits.starts_with("0x")) {
            uint64_t raw = 0;
            end = std::from_chars(first + 2, last, raw, 16);
            bits = int64_t(raw);
        } else if (t == DType::f32) {
            float value = 0;
            end = std::from_chars(first, last, value);
            bits = std::bit_cast<uint32_t>(value);
        } else if (is_float(t)) {
            double value = 0;
            end = std::from_chars(first, last, value);
            bits = int64_t(word_of(t, value));
        } else if (t == DType::u64) {
            uint64_t value = 0;
            end = std::from_chars(first, last, value);
            bits = int64_t(value);
        } else {
            end = std::from_chars(first, last, bits);
            if (!fits(t, bits)) end.ec = std::errc::result_out_of_range;
        }
        if (end.ec == std::errc() && end.ptr == last && t != DType::boolean) return b.bits(t, bits);
        at_ = start;
        return wrong("expected an expression");
    }

    std::string_view text_;
    size_t at_ = 0;
    bool in_body_ = false;                // there ';' is as good as a newline
    int depth_ = 0;
    std::map<std::string, BufferId> buffers_;
    std::map<std::string, ScalarId> scalars_;
    std::map<std::string, GroupId> groups_;
    std::vector<ExprId> values_, lets_;
};
} // namespace

Result<Function> parse(std::string_view text) { return Parser(text).run(); }
} // namespace nereus::loop
