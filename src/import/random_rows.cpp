// Numbers at random.
#include "import/node_text.h"
#include "import/text_writer.h"
#include <bit>

namespace nereus::onnx {
namespace {
// As the node says, or its own: made from a name that no other node has, so that every run of a model is the same.
std::string seed(NodeText& n) {
    if (n.attribute("seed")) return std::to_string(std::bit_cast<uint32_t>(float(n.real("seed", 0))));
    constexpr uint64_t fnv_offset = 14695981039346656037u, fnv_prime = 1099511628211u;
    uint64_t hash = fnv_offset;
    for (char c : n.fresh("seed")) hash = (hash ^ static_cast<unsigned char>(c)) * fnv_prime;
    return std::to_string(hash >> 1);
}

// The type that the node names, or else that of a tensor; of neither f32.
std::string as_named(NodeText& n, const std::string& made, const std::string& like) {
    const ElemType type = n.elem_type("dtype", ElemType::undefined);
    if (type == ElemType::undefined) return like.empty() ? made : "onnx_cast_like(" + made + ", " + like + ")";
    const std::string_view dtype = dtype_text(type);
    if (dtype.empty()) n.refuse("attribute 'dtype' says " + std::string(onnx_type_name(type)) + ", which is not offered");
    return "cast(" + made + ", " + std::string(dtype) + ")";
}

void drawn(NodeText& n, std::string_view function, const std::string& numbers) {
    const std::string like = n.has(0) ? n.in(0) : "";
    const std::string shape = like.empty() ? vector_text(n.integers("shape").value_or(std::vector<int64_t>())) : "shape_of(" + like + ")";
    n.give(as_named(n, std::string(function) + "(" + shape + ", " + seed(n) + ", " + numbers + ")", like));
}
void normal(NodeText& n) { drawn(n, "onnx_random_normal", real_text(n.real("mean", 0), true) + ", " + real_text(n.real("scale", 1), true)); }
void uniform(NodeText& n) { drawn(n, "onnx_random_uniform", real_text(n.real("low", 0), true) + ", " + real_text(n.real("high", 1), true)); }

void bernoulli(NodeText& n) { n.give(as_named(n, "onnx_bernoulli(" + n.in(0) + ", " + seed(n) + ")", n.in(0))); }
void multinomial(NodeText& n) {
    const std::string made = "onnx_multinomial(" + n.in(0) + ", " + std::to_string(n.integer("sample_size", 1)) + ", " + seed(n) + ")";
    n.give(n.attribute("dtype") ? as_named(n, made, "") : "cast(" + made + ", i32)");
}
} // namespace

std::span<const OpRow> random_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"RandomNormal",      1,    "",         "",                      "", normal},
        {"RandomNormalLike",  1,    "",         "",                      "", normal},
        {"RandomUniform",     1,    "",         "",                      "", uniform},
        {"RandomUniformLike", 1,    "",         "",                      "", uniform},
        {"Bernoulli",         15,   "",         "",                      "", bernoulli},
        {"Multinomial",       7,    "",         "",                      "", multinomial},
    };
    return rows;
}
} // namespace nereus::onnx
