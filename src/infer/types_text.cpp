#include "infer/types_text.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr size_t longest = 200;                          // bytes: types can be far larger than a message should be

constexpr size_t nowhere = SIZE_MAX;

class TermWriter {
 public:
    TermWriter(const Module& module, const Terms& terms, bool to_paste = false)
        : module_(module), terms_(terms), to_paste_(to_paste) {}

    void write(TermId id) { write(id, 0, nowhere); }
    // The part at the end of the path is marked; `brief`: what does not lead there reads "…".
    void write_marked(TermId id, std::span<const uint32_t> path, bool brief) {
        path_ = path, brief_ = brief;
        write(id, 0, 0);
    }
    std::string out;
    size_t mark_begin = 0, mark_end = 0;

 private:
    static std::string_view class_word(DTypeClass of) {
        switch (of) {
        case DTypeClass::any: return "_";
        case DTypeClass::equal: return "_";
        case DTypeClass::basic: return "_";
        case DTypeClass::num: return "number";
        case DTypeClass::integer: return "integer";
        case DTypeClass::real: return "float";
        }
        return "_";
    }

    // `along`: steps of the path that led here; nowhere: it leads elsewhere.
    void write(TermId id, int depth, size_t along) {
        const bool marked = along == path_.size() && !path_.empty();
        if (marked) mark_begin = out.size();
        if (brief_ && along == nowhere) out += "…";
        else if (!brief_ && (out.size() > longest || depth > 20)) out += "…";
        else if (marked && depth > 0 && brief_ && terms_[id].count > 0) shorten(id);
        else term(id, depth, along);
        if (marked) mark_end = out.size();
    }
    void shorten(TermId id) {                            // a marked part of a type that is too long as it is
        TermWriter inner(module_, terms_, to_paste_);
        inner.write(id);
        out += inner.out;
    }
    void term(TermId id, int depth, size_t along) {
        const TypeTerm& term = terms_[id];
        std::span<const TermId> parts = terms_.parts(id);
        switch (term.kind) {
        case TermKind::unknown: case TermKind::dtype_unknown:
            out += !term.declared.empty() ? term.declared[0].name : to_paste_ ? "…" : "_";
            break;
        case TermKind::dtype: out += dtype_name(term.dtype); break;
        case TermKind::tensor: out += "Tensor[.., ", element(id, 0, along), out += "]"; break;
        case TermKind::tuple: out += "(", list(parts, depth, along), out += ")"; break;
        case TermKind::ref: out += "Ref[", list(parts, depth, along), out += "]"; break;
        case TermKind::seq: out += "Seq[", list(parts, depth, along), out += "]"; break;
        case TermKind::function:
            out += "fn(", list(parts.first(parts.size() - 1), depth, along), out += ") -> ";
            part(parts.back(), uint32_t(parts.size() - 1), depth, along);
            break;
        case TermKind::data: data(id, term.decl, depth, along); break;
        }
    }
    size_t step(uint32_t index, size_t along) const {
        return along != nowhere && along < path_.size() && path_[along] == index ? along + 1 : nowhere;
    }
    void part(TermId id, uint32_t index, int depth, size_t along) { write(id, depth + 1, step(index, along)); }
    void element(TermId whole, uint32_t index, size_t along) {
        TermId id = terms_.part(whole, index);
        const TypeTerm& term = terms_[id];
        const bool marked = step(index, along) == path_.size() && !path_.empty();
        bool open = term.kind == TermKind::dtype_unknown && term.declared.empty();
        if (marked) mark_begin = out.size();
        if (open && to_paste_) out += dtype_name(default_dtype(term.of));
        else if (open) out += class_word(term.of);
        else if (term.kind == TermKind::dtype) out += dtype_name(term.dtype);
        else this->term(id, 0, nowhere);
        if (marked) mark_end = out.size();
    }
    void list(std::span<const TermId> parts, int depth, size_t along) {
        for (uint32_t i = 0; i < parts.size(); ++i) {
            if (i) out += ", ";
            if (!brief_ && out.size() > longest) { out += "…"; return; }
            part(parts[i], i, depth, along);
        }
    }
    void data(TermId id, DeclId decl, int depth, size_t along) {
        out += module_[decl].name;
        uint32_t next = 0, shown = 0;
        for (const TypeParam& param : module_[decl].params) {
            out += shown++ ? ", " : "[";
            switch (param.kind) {
            case TypeParam::Kind::type: part(terms_.part(id, next), next, depth, along), ++next; break;
            case TypeParam::Kind::dtype: element(id, next, along), ++next; break;
            case TypeParam::Kind::shape: out += ".."; break;
            case TypeParam::Kind::dim: out += "?"; break;
            }
        }
        if (shown) out += "]";
    }
    const Module& module_;
    const Terms& terms_;
    bool to_paste_, brief_ = false;
    std::span<const uint32_t> path_ = {};
};

std::string marks_under(std::string_view line, size_t begin, size_t end) {
    auto columns = [&](size_t from, size_t to) {         // continuation bytes take no place
        return size_t(std::count_if(line.begin() + ptrdiff_t(from), line.begin() + ptrdiff_t(to),
                                    [](char c) { return (uint8_t(c) & 0xc0) != 0x80; }));
    };
    size_t width = std::max<size_t>(1, columns(begin, end));
    return std::string(columns(0, begin), ' ') + "^" + std::string(width - 1, '~');
}

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
        case DTypeClass::equal: return "a number, bool or text";
        case DTypeClass::basic: return "a number or bool";
        case DTypeClass::num: return "a number";
        case DTypeClass::integer: return "an integer";
        case DTypeClass::real: return "a float";
        }
    }
    return text_of(module, terms, id);
}

std::string clash_text(const Module& module, const Terms& terms, const Clash& clash) {
    return "expected " + part_text(module, terms, clash.expected) + ", found " + part_text(module, terms, clash.found);
}

bool says_it_all(const Terms& terms, const Clash& clash, TermId expected) {
    return clash.path.empty() || (clash.path.size() == 1 && terms[expected].kind == TermKind::tensor);
}

std::string both_types(const Module& module, const Terms& terms, const Clash& clash, TermId expected, TermId found) {
    constexpr size_t widest = 100;
    std::string text;
    for (bool brief : {false, true}) {
        text.clear();
        size_t width = 0;
        for (const auto& [word, id] : {std::pair("expected ", expected), std::pair("found    ", found)}) {
            TermWriter writer(module, terms);
            writer.write_marked(id, clash.path, brief);
            text += "\n    " + std::string(word) + writer.out + "\n             " +
                    marks_under(writer.out, writer.mark_begin, writer.mark_end);
            width = std::max(width, writer.out.size());
        }
        if (width <= widest) break;
    }
    return "the types differ where they are marked" + text;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> names) {
    size_t limit = wrong.size() > 4 ? 2 : 1, best = limit + 1;
    const std::string* nearest = nullptr;
    for (const std::string& name : names) {
        size_t away = distance(wrong, name, limit);
        if (away < best && away < std::max(wrong.size(), name.size())) best = away, nearest = &name;
    }
    return nearest ? ", did you mean `" + *nearest + "`?" : "";
}
} // namespace nereus
