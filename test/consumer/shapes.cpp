// One compile, then trees of many depths and sizes on one context, compared with the same recursion in C++.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nereus/nereus.hpp>
using nereus::Value;
using Vector = std::vector<float>;

static void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "shapes: %s\n", what.c_str());
    std::exit(1);
}
static float next_random() {
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return float(state >> 8) / float(1 << 24) - 0.5f;
}
static Vector random_vector(int64_t n) {
    Vector v(static_cast<size_t>(n));
    for (float& x : v) x = next_random();
    return v;
}

// A random tree, and what the program computes from it.
struct Encoded { Value tree; Vector code; int64_t depth; };
static Encoded random_tree(int64_t d, int levels, const Vector& w, const Vector& b) {
    if (levels == 0 || next_random() > 0.3f) {
        Vector x = random_vector(d);
        return {Value::constructor("Leaf", {*Value::tensor<float>({d}, x)}), x, 1};
    }
    Encoded l = random_tree(d, levels - 1, w, b), r = random_tree(d, levels - 1, w, b);
    Vector code;
    for (size_t i = 0; i < size_t(d); ++i) {
        double sum = b[i];
        for (size_t k = 0; k < size_t(d); ++k) {
            sum += double(w[i * 2 * size_t(d) + k]) * l.code[k];
            sum += double(w[i * 2 * size_t(d) + size_t(d) + k]) * r.code[k];
        }
        code.push_back(float(std::tanh(sum)));
    }
    return {Value::constructor("Node", {l.tree, r.tree}), code, 1 + std::max(l.depth, r.depth)};
}

int main(int, char** argv) {
    nereus::Result<nereus::Executable> program = nereus::compile_file(argv[1], {.entry = "main"});
    require(bool(program), program ? "" : program.error().text);
    nereus::Signature signature = program->entries().at(0);
    require(signature.parameters.at(0).type == "Leaf(Tensor[(d), f32]) | Node(Leaf|Node, Leaf|Node)",
            signature.parameters[0].type);
    nereus::Context context = *nereus::Context::make(*program);
    for (int call = 0; call < 50; ++call) {
        int64_t d = call % 7 == 0 ? 0 : 1 + call % 19;
        Vector w = random_vector(d * 2 * d), b = random_vector(d);
        Encoded expected = random_tree(d, 8, w, b);
        Value cell = Value::record(
            {{"w", *Value::tensor<float>({d, 2 * d}, w)}, {"b", *Value::tensor<float>({d}, b)}});
        nereus::Result<Value> found = context.call({expected.tree, cell});
        require(bool(found), found ? "" : found.error().text);
        Value wanted =
            Value::tuple({*Value::tensor<float>({d}, expected.code), Value::scalar(expected.depth)});
        std::optional<std::string> difference =
            found->difference(wanted, {.relative = 1e-4, .absolute = 1e-5});
        require(!difference, difference ? *difference : "");
    }
    nereus::Result<Value> refused = context.call({Value::scalar(1.0f), Value()});
    require(!refused && refused.error().code == nereus::Code::type, "a scalar was taken for a tree");
    require(context.stats().calls == 50 && context.stats().leaked_objects == 0, "the counters are wrong");
    std::printf("50 shapes agree\n");
}
