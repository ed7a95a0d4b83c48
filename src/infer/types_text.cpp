#include "infer/types_text.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr size_t longest = 200;                          // bytes: types can be far larger than a message should be

class TermWriter {
 public:
    TermWriter(const Module& module, const Terms& terms, bool to_paste = false)
        : module_(module), terms_(terms), to_paste_(to_paste) {}

    void write(TermId id, int depth = 0) {
        if (out.size() > longest || depth > 20) { out += "…"; return; }
        const TypeTerm& term = terms_[id];
        switch (term.kind) {
        case TermKind::unknown: case TermKind::dtype_unknown:
            out += !term.declared.empty() ? term.declared[0].name : to_paste_ ? "…" : "_";
            break;
        case TermKind::dtype: out += dtype_name(term.dtype); break;
        case TermKind::tensor: out += "Tensor[.., ", element(terms_.part(id, 0)), out += "]"; break;
        case TermKind::tuple: out += "(", list(terms_.parts(id), depth), out += ")"; break;
        case TermKind::ref: out += "Ref[", list(terms_.parts(id), depth), out += "]"; break;
        case TermKind::seq: out += "Seq[", list(terms_.parts(id), depth), out += "]"; break;
        case TermKind::function: {
            std::span<const TermId> parts = terms_.parts(id);
            out += "fn(", list(parts.first(parts.size() - 1), depth), out += ") -> ";
            write(parts.back(), depth + 1);
            break;
        }
        case TermKind::data: data(id, term.decl, depth); break;
        }
    }
    void element(TermId id) {
        const TypeTerm& term = terms_[id];
        bool open = term.kind == TermKind::dtype_unknown && term.declared.empty();
        if (open && to_paste_) out += dtype_name(default_dtype(term.of));
        else if (open) out += class_word(term.of);
        else write(id);
    }
    static std::string_view class_word(DTypeClass of) {
        switch (of) {
        case DTypeClass::any: return "_";
        case DTypeClass::num: return "number";
        case DTypeClass::integer: return "integer";
        case DTypeClass::real: return "float";
        }
        return "_";
    }
    std::string out;

 private:
    void list(std::span<const TermId> parts, int depth) {
        for (size_t i = 0; i < parts.size(); ++i) {
            if (i) out += ", ";
            if (out.size() > longest) { out += "…"; return; }
            write(parts[i], depth + 1);
        }
    }
    void data(TermId id, DeclId decl, int depth) {
        out += module_[decl].name;
        size_t next = 0, shown = 0;
        for (const TypeParam& param : module_[decl].params) {
            out += shown++ ? ", " : "[";
            switch (param.kind) {
            case TypeParam::Kind::type: write(terms_.part(id, next++), depth + 1); break;
            case TypeParam::Kind::dtype: element(terms_.part(id, next++)); break;
            case TypeParam::Kind::shape: out += ".."; break;
            case TypeParam::Kind::dim: out += "?"; break;
            }
        }
        if (shown) out += "]";
    }
    const Module& module_;
    const Terms& terms_;
    bool to_paste_;
};

// Edits between two words, two swapped letters being one; limit + 1 stands for more.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
    if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
    std::vector<size_t> before, above, row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        before = std::move(above), above = std::move(row), row.assign(b.size() + 1, i);
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}
} // namespace

std::string text_of(const Module& module, const Terms& terms, TermId id) {
    TermWriter writer(module, terms);
    writer.write(id);
    return writer.out;
}

std::string paste_text(const Module& module, const Terms& terms, TermId id) {
    TermWriter writer(module, terms, true);
    writer.write(id);
    return writer.out;
}

namespace {
std::string list_text(const Module& module, std::span<const TypeId> types) {
    std::string text;
    for (TypeId type : types) text += (text.empty() ? "" : ", ") + text_of(module, type);
    return text;
}
std::string element_text(const Module& module, const Element& element) {
    if (element.dtype) return std::string(dtype_name(*element.dtype));
    return element.var.valid() ? module.vars[element.var.index].name : "_";
}
std::string dim_text(const Module& module, Dim dim) { return dim.valid() ? module.dims.to_string(dim) : "?"; }
std::string shape_text(const Module& module, const Shape& shape) {
    std::string text;
    for (Dim dim : shape.dims) text += (text.empty() ? "" : ", ") + dim_text(module, dim);
    std::string tail = shape.ranked ? "" : ".." + (shape.tail.valid() ? module.vars[shape.tail.index].name : "");
    if (text.empty() && !shape.ranked) return tail;
    return "(" + text + (shape.ranked ? "" : ", " + tail) + ")";
}
} // namespace

std::string text_of(const Module& module, TypeId written) {
    const Type& type = module.types[written];
    switch (type.kind) {
    case TypeKind::hole: return "_";
    case TypeKind::var: return module.vars[type.var.index].name;
    case TypeKind::ref: return "Ref[" + list_text(module, type.parts) + "]";
    case TypeKind::seq: return "Seq[" + list_text(module, type.parts) + "]";
    case TypeKind::tuple: return "(" + list_text(module, type.parts) + ")";
    case TypeKind::function: {
        std::span<const TypeId> params = std::span(type.parts).first(type.parts.size() - 1);
        return "fn(" + list_text(module, params) + ") -> " + text_of(module, type.parts.back());
    }
    case TypeKind::tensor:
        if (type.shape == Shape{}) return element_text(module, type.element);
        return "Tensor[" + shape_text(module, type.shape) + ", " + element_text(module, type.element) + "]";
    case TypeKind::data: break;
    }
    std::string text;
    for (const TypeArg& arg : type.args) {
        text += text.empty() ? "[" : ", ";
        if (const TypeId* inner = std::get_if<TypeId>(&arg)) text += text_of(module, *inner);
        if (const Dim* dim = std::get_if<Dim>(&arg)) text += dim_text(module, *dim);
        if (const Element* element = std::get_if<Element>(&arg)) text += element_text(module, *element);
        if (const Shape* shape = std::get_if<Shape>(&arg)) text += shape_text(module, *shape);
    }
    return module[type.decl].name + text + (text.empty() ? "" : "]");
}

std::string part_text(const Module& module, const Terms& terms, TermId id) {
    const TypeTerm& term = terms[id];
    if (!term.declared.empty()) return "`" + term.declared[0].name + "`";
    if (term.kind == TermKind::dtype_unknown) {
        switch (term.of) {
        case DTypeClass::any: return "any dtype";
        case DTypeClass::num: return "a number";
        case DTypeClass::integer: return "an integer";
        case DTypeClass::real: return "a float";
        }
    }
    return text_of(module, terms, id);
}

std::string clash_text(const Module& module, const Terms& terms, const Clash& clash, TermId expected, TermId found) {
    std::string text = "expected " + part_text(module, terms, clash.expected) + ", found " +
                       part_text(module, terms, clash.found);
    auto holds = [&](TermId whole, TermId part) {        // the part says it all: it is the type, or its dtype
        whole = terms.find(whole), part = terms.find(part);
        return whole == part || (terms[whole].kind == TermKind::tensor && terms.find(terms.part(whole, 0)) == part);
    };
    // A merged composite shows its expected side on both; then the whole types say nothing new.
    if (holds(expected, clash.expected) || holds(found, clash.found)) return text;
    return text + ", inside " + text_of(module, terms, expected);
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> names) {
    size_t limit = wrong.size() > 4 ? 2 : 1, best = limit + 1;
    const std::string* nearest = nullptr;
    for (const std::string& name : names) {
        size_t away = distance(wrong, name, limit);
        if (away < best) best = away, nearest = &name;
    }
    return nearest ? ", did you mean `" + *nearest + "`?" : "";
}
} // namespace nereus
