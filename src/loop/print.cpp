// Prints each statement as a tree; an expression with several uses gets a name ($0, $1, ...) on a line of its own
// before the first statement that needs it, so the text stays as small as the graph.
#include "loop/text.h"
#include "tensor/element.h"
#include <charconv>
#include <cmath>
#include <cstring>

namespace nereus::loop {
namespace {
class Printer {
 public:
    explicit Printer(const Function& f) : f_(f), uses_(f.exprs.size(), 0), names_(f.exprs.size()) {}

    std::string run() {
        header();
        for (const Statement& s : f_.body) count(s);
        for (const Statement& s : f_.body) {
            std::string line = std::visit([&](const auto& statement) { return text(statement); }, s);
            out_ += "  " + line + "\n";
        }
        return out_ + "}\n";
    }

 private:
    void header() {
        out_ = "kernel " + f_.name + "(";
        for (const Buffer& b : f_.buffers)
            out_ += (&b == f_.buffers.data() ? "" : ", ") + b.name + ": " + (b.out ? "out " : "") +
                    std::string(dtype_name(b.dtype));
        for (const Scalar& s : f_.scalars)
            out_ += (&s == f_.scalars.data() ? "; " : ", ") + s.name + ": " + std::string(dtype_name(s.dtype));
        out_ += ") {\n";
        for (const Group& g : f_.groups) {
            const char* roles[] = {"parallel", "reduce", "sequential"};
            out_ += std::string("  ") + roles[int(g.role)] + (g.axis ? " axis " : " ") + g.name + "\n";
        }
    }

    void count(const Statement& s) {
        if (const Store* store = std::get_if<Store>(&s)) { count(f_.access(store->out)); count(store->value); }
        if (const Reduce* reduce = std::get_if<Reduce>(&s)) count(reduce->value);
        if (const Contract* contract = std::get_if<Contract>(&s)) { count(contract->left); count(contract->right); }
        if (const Accumulate* a = std::get_if<Accumulate>(&s)) { count(f_.access(a->out)); count(a->value); }
        if (const Compact* c = std::get_if<Compact>(&s)) { count(c->where); count(c->value); }
    }
    void count(const Access& a) {
        for (const Indirect& at : a.at) count(at.index);
    }
    void count(ExprId e) {
        if (!e.valid() || uses_[e.index]++ > 0) return;
        const Expr& x = f_.expr(e);
        if (x.op == Op::load) count(f_.accesses[size_t(x.bits)]);
        for (ExprId operand : {x.a, x.b, x.c}) count(operand);
    }

    std::string text(const Store& s) {
        std::string to = text(f_.access(s.out));
        return to + " = " + text(s.value);
    }
    std::string text(const Reduce& r) {
        return value(r.result) + std::string(fold_name(r.fold)) + " over " + f_.groups[r.over.index].name + " of " +
               text(r.value);
    }
    std::string text(const Contract& c) {
        std::string left = text(c.left);
        return value(c.result) + "contract over " + f_.groups[c.over.index].name + " of " + left + ", " +
               text(c.right);
    }
    std::string text(const Accumulate& a) {
        std::string to = text(f_.access(a.out));
        return to + " " + std::string(update_sign(a.update)) + " " + text(a.value);
    }
    std::string text(const Compact& c) {
        std::string where = " where " + text(c.where);
        if (!c.out.valid()) return "count" + where;
        std::string to = "compact " + f_.buffers[c.out.index].name;
        if (c.value.valid()) return to + " = " + text(c.value) + where;
        return to + "(" + f_.scalars[c.row.index].name + ") = coordinates" + where;
    }
    static std::string value(int number) { return "%" + std::to_string(number) + " = "; }

    std::string text(const Access& a) {
        std::string s = f_.buffers[a.buffer.index].name + "[";
        for (size_t k = 0; k < a.groups.size(); ++k) s += (k ? ", " : "") + f_.groups[a.groups[k].index].name;
        for (const Indirect& at : a.at)
            s += (s.back() == '[' ? "at(" : ", at(") + text(at.index) + ", " +
                 f_.scalars[at.stride.index].name + ", " + f_.scalars[at.extent.index].name + ")";
        return s + "]";
    }
    std::string text(ExprId e) {
        const Expr& x = f_.expr(e);
        bool leaf = op_row(x.op).operands == 0 && !(x.op == Op::load && !f_.accesses[size_t(x.bits)].at.empty());
        if (leaf || uses_[e.index] < 2) return tree(x);
        if (names_[e.index].empty()) {
            std::string body = tree(x);
            names_[e.index] = "$" + std::to_string(named_++);
            out_ += "  " + names_[e.index] + " = " + body + "\n";
        }
        return names_[e.index];
    }
    std::string tree(const Expr& x) {
        switch (x.op) {
        case Op::constant: return constant(x);
        case Op::scalar: return f_.scalars[size_t(x.bits)].name;
        case Op::index: return "index(" + f_.groups[size_t(x.bits)].name + ")";
        case Op::load: return text(f_.accesses[size_t(x.bits)]);
        case Op::value: return "%" + std::to_string(x.bits);
        default: break;
        }
        std::string s = std::string(op_row(x.op).name) + "(" + text(x.a);
        if (x.b.valid()) s += ", " + text(x.b);
        if (x.c.valid()) s += ", " + text(x.c);
        if (op_row(x.op).gives == Gives::stated) s += ", " + std::string(dtype_name(x.dtype));
        return s + ")";
    }
    static double real_of(const Expr& x) {
        return with_type(x.dtype, [&](auto element) {
            std::memcpy(static_cast<void*>(&element), &x.bits, sizeof element);
            return is_real<decltype(element)> ? double(element) : 0.0;
        });
    }
    // The shortest decimal that reads back to the same bits; a NaN shows its bits, since it may carry a payload.
    static std::string constant(const Expr& x) {
        char text[64];
        std::to_chars_result end{text, {}};
        const double value = real_of(x);
        if (x.dtype == DType::boolean) return x.bits ? "true" : "false";
        if (std::isnan(value)) {
            end = std::to_chars(text, text + sizeof text, uint64_t(x.bits), 16);
            return "0x" + std::string(text, end.ptr) + ":" + std::string(dtype_name(x.dtype));
        }
        if (x.dtype == DType::f32) end = std::to_chars(text, text + sizeof text, float(value));
        else if (is_float(x.dtype)) end = std::to_chars(text, text + sizeof text, value);
        else if (is_unsigned(x.dtype)) end = std::to_chars(text, text + sizeof text, uint64_t(x.bits));
        else end = std::to_chars(text, text + sizeof text, x.bits);
        return std::string(text, end.ptr) + ":" + std::string(dtype_name(x.dtype));
    }

    const Function& f_;
    std::vector<int> uses_;
    std::vector<std::string> names_;
    int named_ = 0;
    std::string out_;
};
} // namespace

std::string print(const Function& f) { return Printer(f).run(); }

std::string canonical_text(const Function& f) {
    Function renamed = f;
    renamed.name = "k";
    for (size_t i = 0; i < f.buffers.size(); ++i) renamed.buffers[i].name = "b" + std::to_string(i);
    for (size_t i = 0; i < f.scalars.size(); ++i) renamed.scalars[i].name = "s" + std::to_string(i);
    for (size_t i = 0; i < f.groups.size(); ++i) renamed.groups[i].name = "g" + std::to_string(i);
    return print(renamed);
}

bool is_name(std::string_view text) {
    auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (text.empty() || !letter(text[0])) return false;
    for (char c : text)
        if (!letter(c) && !(c >= '0' && c <= '9')) return false;
    return true;
}

std::string_view fold_name(Fold fold) {
    constexpr std::string_view names[] = {"sum", "prod", "max", "min", "any", "all"};
    return names[int(fold)];
}
std::string_view update_sign(Update update) {
    constexpr std::string_view signs[] = {":=", "+=", "*=", "max=", "min="};
    return signs[int(update)];
}
} // namespace nereus::loop
