// Maranget's usefulness ("Warnings for pattern matching", 2007) on a matrix of patterns: a row is useful if some value
// matches it and none of the rows above. Columns are taken apart from the left by their constructors.
#include "infer/exhaustive.h"
#include <algorithm>
#include <charconv>

namespace nereus {
namespace {
using Row = std::vector<const Pattern*>;                 // nullptr: anything
using Matrix = std::vector<Row>;
constexpr int64_t budget = 20'000'000;                   // cells looked at; the problem is exponential at worst

std::string number_text(const Literal& literal) {
    if (literal.kind == Literal::Kind::integer) return std::to_string(literal.integers[0]);
    char buffer[64];
    std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, literal.reals[0]);
    return std::string(buffer, end.ptr);                 // 2.0 reads 2, like the integer: one value, one head
}

// What a pattern demands at its top: one of `siblings` alternatives, 0 standing for infinitely many.
struct Head {
    size_t which = 0, siblings = 1, arity = 0;
    std::string text;                                    // numbers: told apart by their text
    bool operator==(const Head& other) const { return which == other.which && text == other.text; }
};

class Arms {
 public:
    Arms(const Module& module, const RecordOf& record_of) : module_(module), record_of_(record_of) {}

    Head head_of(const Pattern& p) const {
        switch (p.kind) {
        case Pattern::Kind::constructor: {
            const std::vector<Constructor>& all = module_[p.decl].constructors;
            return Head{p.constructor, all.size(), all[p.constructor].fields.size(), {}};
        }
        case Pattern::Kind::tuple: return Head{0, 1, p.parts.size(), {}};
        case Pattern::Kind::record: return Head{0, 1, fields_of(p).size(), {}};
        case Pattern::Kind::literal:
            if (p.literal.kind == Literal::Kind::unit) return Head{};
            if (p.literal.kind == Literal::Kind::boolean) return Head{size_t(p.literal.integers[0] != 0), 2, 0, {}};
            return Head{0, 0, 0, number_text(p.literal)};
        case Pattern::Kind::variable: case Pattern::Kind::wildcard: break;
        }
        return Head{};
    }

    // The row once its first pattern is known to be `head`; nullopt: it does not match.
    std::optional<Row> inside(const Row& row, const Head& head) const {
        Row rest;
        if (const Pattern* first = row[0]) {
            if (!(head_of(*first) == head)) return std::nullopt;
            if (first->kind == Pattern::Kind::record) rest = record_parts(*first);
            else for (const Pattern& part : first->parts) rest.push_back(plain(&part));
        } else rest.resize(head.arity);
        rest.insert(rest.end(), row.begin() + 1, row.end());
        return rest;
    }
    Matrix inside(const Matrix& matrix, const Head& head) const {
        Matrix rest;
        for (const Row& row : matrix)
            if (std::optional<Row> kept = inside(row, head)) rest.push_back(std::move(*kept));
        return rest;
    }
    static Matrix others(const Matrix& matrix) {         // rows that take a first value with none of the listed heads
        Matrix rest;
        for (const Row& row : matrix)
            if (!row[0]) rest.emplace_back(row.begin() + 1, row.end());
        return rest;
    }

    // An example of each column that no row takes; nullopt: there is none.
    std::optional<std::vector<std::string>> missing(const Matrix& matrix, size_t columns) {
        if (!spend(matrix)) return std::nullopt;
        if (columns == 0) return matrix.empty() ? std::optional(std::vector<std::string>()) : std::nullopt;
        const Pattern* example = nullptr;
        std::vector<Head> heads = heads_of(matrix, example);
        if (heads.empty() || heads.size() != heads[0].siblings) {
            std::optional<std::vector<std::string>> rest = missing(others(matrix), columns - 1);
            if (rest) rest->insert(rest->begin(), heads.empty() ? "_" : absent(*example, heads));
            return rest;
        }
        for (const Head& head : heads) {
            std::optional<std::vector<std::string>> rest = missing(inside(matrix, head), columns - 1 + head.arity);
            if (!rest) continue;
            std::vector<std::string> parts(rest->begin(), rest->begin() + ptrdiff_t(head.arity));
            rest->erase(rest->begin(), rest->begin() + ptrdiff_t(head.arity));
            rest->insert(rest->begin(), show(*example, head.which, parts));
            return rest;
        }
        return std::nullopt;
    }

    bool useful(const Matrix& matrix, const Row& row) {
        if (!spend(matrix)) return true;
        if (row.empty()) return matrix.empty();
        if (row[0]) {
            Head head = head_of(*row[0]);
            return useful(inside(matrix, head), *inside(row, head));
        }
        const Pattern* example = nullptr;
        std::vector<Head> heads = heads_of(matrix, example);
        if (heads.empty() || heads.size() != heads[0].siblings)
            return useful(others(matrix), Row(row.begin() + 1, row.end()));
        return std::any_of(heads.begin(), heads.end(),
                           [&](const Head& head) { return useful(inside(matrix, head), *inside(row, head)); });
    }
    bool too_hard() const { return left_ < 0; }

    static const Pattern* plain(const Pattern* p) {
        return p->kind == Pattern::Kind::variable || p->kind == Pattern::Kind::wildcard ? nullptr : p;
    }

 private:
    bool spend(const Matrix& matrix) {
        left_ -= 1 + int64_t(matrix.size()) * int64_t(matrix.empty() ? 1 : matrix[0].size() + 1);
        return left_ >= 0;
    }

    // The different heads of the first column, in order of first use.
    std::vector<Head> heads_of(const Matrix& matrix, const Pattern*& out_example) const {
        std::vector<Head> heads;
        for (const Row& row : matrix) {
            if (!row[0]) continue;
            Head head = head_of(*row[0]);
            if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(std::move(head));
            out_example = row[0];
            if (heads[0].siblings == 0) break;           // numbers: one shows that there are infinitely many
        }
        return heads;
    }

    const std::vector<std::string>& fields_of(const Pattern& p) const {
        DeclId decl = record_of_(p);
        return decl.valid() ? module_[decl].constructors[0].field_names : p.fields;
    }
    Row record_parts(const Pattern& p) const {           // by declared field; what is not named is anything
        Row parts;
        for (const std::string& field : fields_of(p)) {
            auto it = std::find(p.fields.begin(), p.fields.end(), field);
            parts.push_back(it == p.fields.end() ? nullptr : plain(&p.parts[size_t(it - p.fields.begin())]));
        }
        return parts;
    }

    // A pattern like `example`, with alternative `which` and these parts.
    std::string show(const Pattern& example, size_t which, std::span<const std::string> parts) const {
        std::string text, name;
        if (example.kind == Pattern::Kind::literal && example.literal.kind == Literal::Kind::unit) return "()";
        if (example.kind == Pattern::Kind::literal) return which ? "true" : "false";
        if (example.kind == Pattern::Kind::constructor) name = module_[example.decl].constructors[which].name;
        bool record = example.kind == Pattern::Kind::record;
        for (size_t i = 0; i < parts.size(); ++i)
            text += (i ? ", " : "") + (record ? fields_of(example)[i] + " = " : "") + parts[i];
        if (record) return "{" + text + "}";
        return name.empty() || !parts.empty() ? name + "(" + text + ")" : name;
    }
    std::string absent(const Pattern& example, std::span<const Head> heads) const {
        if (heads[0].siblings == 0) return "_";
        for (size_t which = 0; which < heads[0].siblings; ++which) {
            auto is_this = [&](const Head& head) { return head.which == which; };
            if (std::any_of(heads.begin(), heads.end(), is_this)) continue;
            bool has_fields = example.kind == Pattern::Kind::constructor;
            size_t arity = has_fields ? module_[example.decl].constructors[which].fields.size() : 0;
            return show(example, which, std::vector<std::string>(arity, "_"));
        }
        return "_";
    }

    const Module& module_;
    const RecordOf& record_of_;
    int64_t left_ = budget;
};
} // namespace

static Matrix unguarded(const Binding& match) {
    Matrix matrix;
    for (const Arm& arm : match.arms) matrix.push_back(Row{Arms::plain(&arm.pattern)});
    return matrix;
}

static Error never_reached(Arms& arms, const Binding& match, size_t at, const Row& row) {
    const Pattern& pattern = match.arms[at].pattern;
    Error error{Code::type, "arm " + std::to_string(at + 1) + " can never be reached: the arms before it take all that it matches",
                pattern.span.known() ? pattern.span : match.span};
    for (size_t i = 0; i < at; ++i) {                    // one arm alone is an answer to "which?"
        if (match.arms[i].guard.valid() || arms.useful(Matrix{Row{Arms::plain(&match.arms[i].pattern)}}, row)) continue;
        error.notes.push_back({match.arms[i].pattern.span, "this arm takes it"});
        break;
    }
    return error;
}

Status check_arms(const Module& module, const Binding& match, const RecordOf& record_of) {
    Arms arms(module, record_of);
    Matrix matrix;
    for (size_t i = 0; i < match.arms.size(); ++i) {
        const Pattern& pattern = match.arms[i].pattern;
        Row row{Arms::plain(&pattern)};
        if (!arms.useful(matrix, row)) return never_reached(arms, match, i, row);
        if (!match.arms[i].guard.valid()) matrix.push_back(std::move(row));
    }
    std::optional<std::vector<std::string>> example = arms.missing(matrix, 1);
    if (arms.too_hard())
        return Error{Code::limit, "this match has too many combinations to check", match.span, "split it"};
    if (!example) return {};
    Error error{Code::type, "match does not cover `" + (*example)[0] + "`", match.span, "add an arm for it, or `_ => …`"};
    for (const Arm& arm : match.arms)
        if (arm.guard.valid() && !arms.missing(unguarded(match), 1)) {
            error.notes.push_back({arm.pattern.span, "an arm with a guard may be passed over"});
            break;
        }
    return error;
}
} // namespace nereus
