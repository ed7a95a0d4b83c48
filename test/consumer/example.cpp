#include <cstdio>
#include <nereus/nereus.hpp>
using nereus::Result, nereus::Value;

int main(int, char** argv) {
    Result<nereus::Executable> program = nereus::compile_file(argv[1]);     // once, for every tree and size
    if (!program) return std::fputs(program.error().text.c_str(), stderr), 1;
    Result<nereus::Context> context = nereus::Context::make(*program);      // one per thread
    if (!context) return std::fputs(context.error().text.c_str(), stderr), 1;

    auto leaf = [](float x, float y) {
        return Value::constructor("Leaf", {*Value::tensor<float>({2}, {x, y})});
    };
    auto node = [](Value left, Value right) { return Value::constructor("Node", {left, right}); };
    Value tree = node(leaf(1, 2), node(leaf(3, 4), leaf(5, 6)));
    Value w = *Value::tensor<float>({2, 4}, {.1f, .2f, .3f, .4f, .5f, .6f, .7f, .8f});
    Value cell = Value::record({{"w", w}, {"b", *Value::tensor<float>({2}, {0, -1})}});

    Result<Value> result = context->call({tree, cell});
    if (!result) return std::fputs(result.error().text.c_str(), stderr), 1;
    Value code = (*result)[0], depth = (*result)[1];
    for (float x : code.data<float>()) std::printf("%g ", x);
    std::printf("from a tree of depth %d\n", int(depth.item<int64_t>()));
    return program->save("tree.nrx") ? 0 : 1;       // for programs that link only Nereus::runtime
}
