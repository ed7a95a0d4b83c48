// Products of several tensors, from an equation that names their axes; determinants.
#include "import/node_text.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
constexpr char ellipsis = '*';                         // the axes of a ... are one axis here

struct Operand { std::string value, letters; };        // a letter per axis

bool has(std::string_view letters, char c) { return letters.find(c) != letters.npos; }
std::string size_of(const Operand& x, char c) { return "shape_of(" + x.value + ")[" + std::to_string(x.letters.find(c)) + "]"; }
std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : between) + part;
    return out;
}
std::string product_of(const Operand& x, std::string_view letters) {
    std::vector<std::string> sizes;
    for (char c : letters) sizes.push_back(size_of(x, c));
    return sizes.empty() ? "1" : joined(sizes, " * ");
}

class Einsum {
 public:
    explicit Einsum(NodeText& n) : n_(n) {}

    void run() {
        if (!read()) return;
        for (size_t i = 0; i < terms_.size(); ++i) operands_.push_back(operand(i));
        while (operands_.size() > 1) {
            Operand b = operands_[1];
            operands_.erase(operands_.begin() + 1);
            operands_[0] = product(operands_[0], b);
        }
        Operand last = moved(operands_[0], output_);
        n_.give(has(output_, ellipsis) ? "onnx_split_ellipsis(" + last.value + ", " + std::to_string(output_.find(ellipsis)) + ", " + common_ + ")" : last.value);
    }

 private:
    // "ab...,bc -> ac" as terms "ab.", "bc" and the output.
    bool read() {
        std::string text;
        for (char c : n_.word("equation", ""))
            if (c != ' ') text += c;
        for (size_t at = text.find("..."); at != text.npos; at = text.find("...")) text.replace(at, 3, 1, ellipsis);
        const size_t arrow = text.find("->");
        std::string left = text.substr(0, arrow), all;
        for (size_t at = 0;; at = left.find(',', at) + 1) {
            terms_.push_back(left.substr(at, left.find(',', at) - at));
            if (left.find(',', at) == left.npos) break;
        }
        for (std::string& term : terms_) all += term;
        if (arrow != text.npos) output_ = text.substr(arrow + 2);
        else {
            if (has(all, ellipsis)) output_ = ellipsis;
            std::string once;
            for (char c : all)
                if (c != ellipsis && std::count(all.begin(), all.end(), c) == 1) once += c;
            std::sort(once.begin(), once.end());
            output_ += once;
        }
        auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ellipsis; };
        bool fine = std::all_of(all.begin(), all.end(), is_letter) && terms_.size() == n_.input_count();
        for (const std::string& term : terms_) fine = fine && std::count(term.begin(), term.end(), ellipsis) <= 1;
        for (char c : output_) fine = fine && has(all, c) && std::count(output_.begin(), output_.end(), c) == 1;
        if (!fine) n_.refuse("its equation is '" + std::string(n_.word("equation", "")) + "', which is none of " + std::to_string(n_.input_count()) + " operands");
        if (fine) find_common();
        return fine;
    }
    std::string around(size_t i) const {
        const size_t at = terms_[i].find(ellipsis);
        return std::to_string(at) + ", " + std::to_string(terms_[i].size() - at - 1);
    }
    void find_common() {
        for (size_t i = 0; i < terms_.size(); ++i) {
            if (!has(terms_[i], ellipsis)) continue;
            const std::string sizes = n_.named("sizes", "onnx_ellipsis_sizes(" + n_.in(i) + ", " + around(i) + ")");
            common_ = common_.empty() ? sizes : n_.named("sizes", "onnx_common_sizes(" + common_ + ", " + sizes + ")");
        }
    }

    // An input without letters that stand twice in it, summed along those that nobody else has.
    Operand operand(size_t i) {
        Operand x{n_.in(i), terms_[i]};
        if (has(x.letters, ellipsis)) x.value = n_.named("joined", "onnx_join_ellipsis(" + x.value + ", " + around(i) + ", " + common_ + ")");
        for (size_t at = 0; at < x.letters.size();) {
            const char c = x.letters[at];
            const size_t second = x.letters.find(c, at + 1);
            if (second == x.letters.npos) {
                ++at;
                continue;
            }
            std::vector<std::string> perm;
            std::string letters;
            for (size_t axis = 0; axis < x.letters.size(); ++axis)
                if (axis != at && axis != second) perm.push_back(std::to_string(axis)), letters += x.letters[axis];
            perm.insert(perm.end(), {std::to_string(at), std::to_string(second)});
            x = {n_.named("diagonal", "onnx_last_diagonal(transpose(" + x.value + ", perm=[" + joined(perm, ", ") + "]))"), letters + c};
            at = 0;
        }
        std::string others = output_;
        for (size_t other = 0; other < terms_.size(); ++other)
            if (other != i) others += terms_[other];
        return summed(x, others);
    }
    Operand summed(const Operand& x, std::string_view kept) {
        std::vector<std::string> axes;
        std::string letters;
        for (size_t axis = 0; axis < x.letters.size(); ++axis)
            if (has(kept, x.letters[axis])) letters += x.letters[axis];
            else axes.push_back(std::to_string(axis));
        return axes.empty() ? x : Operand{n_.named("summed", "sum(" + x.value + ", axes=[" + joined(axes, ", ") + "])"), letters};
    }
    Operand moved(const Operand& x, const std::string& letters) {
        if (x.letters == letters) return x;
        std::vector<std::string> perm;
        for (char c : letters) perm.push_back(std::to_string(x.letters.find(c)));
        return {n_.named("moved", "transpose(" + x.value + ", perm=[" + joined(perm, ", ") + "])"), letters};
    }

    // Letters of both that nobody needs any more are contracted; the others of both are batches of a matrix product.
    struct Letters { std::string batch, left, contracted, right; };
    Operand product(const Operand& a, const Operand& b) {
        Letters of;
        std::string needed = output_;
        for (size_t i = 1; i < operands_.size(); ++i) needed += operands_[i].letters;
        for (char c : a.letters) (has(b.letters, c) ? has(needed, c) ? of.batch : of.contracted : of.left) += c;
        for (char c : b.letters)
            if (!has(a.letters, c)) of.right += c;
        const Operand x = moved(a, of.batch + of.left + of.contracted), y = moved(b, of.batch + of.contracted + of.right);
        std::vector<std::string> sizes;
        const std::string both = n_.named("product", of.contracted.empty() ? joined(matrices(x, y, of), " * ") : contraction(x, y, of));
        for (size_t axis = 0; axis < of.batch.size(); ++axis) sizes.push_back("shape_of(" + both + ")[" + std::to_string(axis) + "]");
        for (char c : of.left) sizes.push_back(size_of(x, c));
        for (char c : of.right) sizes.push_back(size_of(y, c));
        return {n_.named("product", "reshape(" + both + ", [" + joined(sizes, ", ") + "])"), of.batch + of.left + of.right};
    }
    static std::vector<std::string> matrices(const Operand& x, const Operand& y, const Letters& of) {
        std::vector<std::string> x_sizes, y_sizes;
        for (char c : of.batch) x_sizes.push_back(size_of(x, c)), y_sizes.push_back(size_of(y, c));
        x_sizes.insert(x_sizes.end(), {product_of(x, of.left), product_of(x, of.contracted)});
        y_sizes.insert(y_sizes.end(), {product_of(y, of.contracted), product_of(y, of.right)});
        return {"reshape(" + x.value + ", [" + joined(x_sizes, ", ") + "])", "reshape(" + y.value + ", [" + joined(y_sizes, ", ") + "])"};
    }
    // A letter may be 1 in one operand and mean all of it. Where sizes are known to be equal, the first arm is left alone.
    std::string contraction(const Operand& x, const Operand& y, const Letters& of) {
        std::vector<std::string> equal;
        for (char c : of.contracted) equal.push_back(size_of(x, c) + " == " + size_of(y, c));
        std::string wide;
        auto widened = [&](const Operand& one, const Operand& other) {
            std::vector<std::string> sizes;
            for (char c : one.letters) sizes.push_back(has(of.contracted, c) ? "onnx_wider(" + size_of(one, c) + ", " + size_of(other, c) + ")" : size_of(one, c));
            Operand made{n_.fresh("wide"), one.letters};
            wide += made.value + " = broadcast_to(" + one.value + ", [" + joined(sizes, ", ") + "]); ";
            return made;
        };
        const Operand wide_x = widened(x, y), wide_y = widened(y, x);
        return "if (" + joined(equal, " && ") + ") { matmul(" + joined(matrices(x, y, of), ", ") + ") } else { " + wide + "matmul(" + joined(matrices(wide_x, wide_y, of), ", ") + ") }";
    }

    NodeText& n_;
    std::vector<std::string> terms_;
    std::string output_, common_;                      // common_: the sizes of the ellipsis
    std::vector<Operand> operands_;
};
void einsum(NodeText& n) { Einsum(n).run(); }
} // namespace

std::span<const OpRow> product_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Einsum",            12,   "",         "",                      "", einsum},
        {"Det",               11,   "x",        "",                      "onnx_det($x)"},
    };
    return rows;
}
} // namespace nereus::onnx
