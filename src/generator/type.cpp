#include "generator/type.h"
#include "base/invariant.h"
#include <algorithm>

namespace nereus::gen {
Type scalar(DType dtype) { return {.dtype = dtype}; }
Type tensor(DType dtype, std::vector<Dim> dims) { return {.dtype = dtype, .dims = std::move(dims)}; }
Type tuple(std::vector<Type> items) { return {.kind = Kind::tuple, .parts = std::move(items)}; }
Type seq(Type element) { return {.kind = Kind::seq, .parts = {std::move(element)}}; }
Type ref(Type element) { return {.kind = Kind::ref, .parts = {std::move(element)}}; }
Type fn(std::vector<Type> params, Type result) {
    params.push_back(std::move(result));
    return {.kind = Kind::fn, .parts = std::move(params)};
}
Type data(std::string name, std::vector<Type> args, std::vector<Dim> dims) {
    return {.kind = Kind::data, .dims = std::move(dims), .name = std::move(name), .parts = std::move(args)};
}

bool fits(const Type& have, const Type& want) {
    if (have.kind != want.kind || have.dtype != want.dtype || have.ranked != want.ranked || have.name != want.name) return false;
    if (have.dims.size() != want.dims.size() || have.parts.size() != want.parts.size()) return false;
    for (size_t i = 0; i < have.dims.size(); ++i)
        if (!want.dims[i].any() && have.dims[i] != want.dims[i]) return false;
    for (size_t i = 0; i < have.parts.size(); ++i)
        if (!fits(have.parts[i], want.parts[i])) return false;
    return true;
}

bool has_any(const Type& type) {
    return std::any_of(type.dims.begin(), type.dims.end(), [](const Dim& d) { return d.any(); }) ||
           std::any_of(type.parts.begin(), type.parts.end(), has_any);
}

bool holds(const Type& type, Kind kind) {
    return type.kind == kind || std::any_of(type.parts.begin(), type.parts.end(), [&](const Type& t) { return holds(t, kind); });
}

bool holds_float(const Type& type) {
    if (type.kind == Kind::data && type.parts.empty()) return true;      // the declared ones without arguments hold floats
    return type.is_float() || std::any_of(type.parts.begin(), type.parts.end(), holds_float);
}

Type forget_dims(Type type) {
    for (Dim& d : type.dims) d = {};
    for (Type& part : type.parts) part = forget_dims(std::move(part));
    return type;
}

Type forget_variables(Type type) {
    for (Dim& d : type.dims)
        if (d.text.find('%') != std::string::npos) d = {};
    for (Type& part : type.parts) part = forget_variables(std::move(part));
    return type;
}

Type forget_names(Type type) {
    for (Dim& d : type.dims)
        if (!d.text.empty() && d.text.find('%') == std::string::npos) d = {};
    for (Type& part : type.parts) part = forget_names(std::move(part));
    return type;
}

namespace {
std::string list(const std::vector<Type>& types, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += (i ? ", " : "") + to_text(types[i]);
    return out;
}
std::string shape_text(const std::vector<Dim>& dims) {
    std::string out;
    for (const Dim& d : dims) out += (out.empty() ? "" : ", ") + (d.any() || d.text.find('%') != std::string::npos ? "?" : d.expression());
    return out;
}
} // namespace

std::string to_text(const Type& type) {
    switch (type.kind) {
    case Kind::tensor: {
        std::string dtype(dtype_name(type.dtype));
        if (!type.ranked) return "Tensor[.., " + dtype + "]";
        return type.dims.empty() ? dtype : "Tensor[(" + shape_text(type.dims) + "), " + dtype + "]";
    }
    case Kind::tuple: return "(" + list(type.parts, type.parts.size()) + ")";
    case Kind::data: {
        std::string args = list(type.parts, type.parts.size());
        if (!type.dims.empty()) args += (args.empty() ? "" : ", ") + shape_text(type.dims);
        return args.empty() ? type.name : type.name + "[" + args + "]";
    }
    case Kind::seq: return "Seq[" + to_text(type.parts[0]) + "]";
    case Kind::ref: return "Ref[" + to_text(type.parts[0]) + "]";
    case Kind::fn: return "fn(" + list(type.parts, type.parts.size() - 1) + ") -> " + to_text(type.parts.back());
    case Kind::param: return type.name;
    }
    return {};
}

namespace {
Type parameter(const char* name) { return {.kind = Kind::param, .name = name}; }
std::vector<Declared> make_declared() {
    const Type a = parameter("a"), whole = scalar(DType::i64), real = scalar(DType::f64);
    const Type vector_n = tensor(DType::f64, {Dim{.text = "n"}}), vector_d = tensor(DType::f64, {Dim{.text = "d"}});
    return {
        {"List", "type List[a] = Nil | Cons(a, List[a])", {"a"}, {}, {}, {{"Nil", {}}, {"Cons", {a, data("List", {a})}}}, {}},
        {"Tree", "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])", {"a"}, {}, {},
         {{"Leaf", {a}}, {"Node", {data("Tree", {a}), data("Tree", {a})}}}, {}},
        {"Option", "type Option[a] = None | Some(a)", {"a"}, {}, {}, {{"None", {}}, {"Some", {a}}}, {}},
        {"Form", "type Form = Number(f64) | Count(i64) | Plus(Form, Form) | Scaled(Form, f64)", {}, {}, {},
         {{"Number", {real}}, {"Count", {whole}}, {"Plus", {data("Form"), data("Form")}}, {"Scaled", {data("Form"), real}}}, {}},
        {"Rose", "type Rose[a] = Rose(a, List[Rose[a]])", {"a"}, {}, {}, {{"Rose", {a, data("List", {data("Rose", {a})})}}}, {}},
        {"Vec", "type Vec = Vec[n](Tensor[(n), f64], Tensor[(n), f64])", {}, {}, {}, {{"Vec", {vector_n, vector_n}}}, "n"},
        {"Box", "type Box[a] = {val: a, tag: i64}", {"a"}, {}, {"val", "tag"}, {{"Box", {a, whole}}}, {}},
        {"Pair", "type Pair[a] = {one: a, two: a}", {"a"}, {}, {"one", "two"}, {{"Pair", {a, a}}}, {}},
        {"Layer", "type Layer[d: dim] = {w: Tensor[(2, d), f64], b: Tensor[(d), f64], on: bool}", {}, {"d"}, {"w", "b", "on"},
         {{"Layer", {tensor(DType::f64, {Dim{.number = 2}, Dim{.text = "d"}}), vector_d, scalar(DType::boolean)}}}, {}},
    };
}

Type substitute(Type type, const Type& whole, const Declared& decl) {
    if (type.kind == Kind::param)
        for (size_t i = 0; i < decl.params.size(); ++i)
            if (decl.params[i] == type.name) return whole.parts[i];
    for (Dim& d : type.dims) {
        for (size_t i = 0; i < decl.dims.size(); ++i)
            if (decl.dims[i] == d.text) d = whole.dims[i];
        if (!decl.bound.empty() && d.text == decl.bound) d = {};
    }
    for (Type& part : type.parts) part = substitute(std::move(part), whole, decl);
    return type;
}
} // namespace

const std::vector<Declared>& declared() {
    static const std::vector<Declared> all = make_declared();
    return all;
}

const Declared& declaration_of(const Type& type) {
    for (const Declared& decl : declared())
        if (decl.name == type.name) return decl;
    invariant(false, "the type is declared");
    return declared()[0];
}

std::vector<Type> fields_of(const Type& type, const Constructor& constructor) {
    std::vector<Type> fields;
    for (const Type& field : constructor.fields) fields.push_back(substitute(field, type, declaration_of(type)));
    return fields;
}
} // namespace nereus::gen
