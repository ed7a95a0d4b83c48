// Loads what example.cpp saved and calls it with the same arguments, as JSON; links the runtime alone.
#include <cstdio>
#include <nereus/executable.hpp>
using nereus::Value;

constexpr const char* tree_json = R"({"ctor": "Node", "args": [
    {"ctor": "Leaf", "args": [{"dtype": "f32", "shape": [2], "data": [1, 2]}]},
    {"ctor": "Node", "args": [
        {"ctor": "Leaf", "args": [{"dtype": "f32", "shape": [2], "data": [3, 4]}]},
        {"ctor": "Leaf", "args": [{"dtype": "f32", "shape": [2], "data": [5, 6]}]}]}]})";
constexpr const char* cell_json = R"({"record": {
    "b": {"dtype": "f32", "shape": [2], "data": [0, -1]},
    "w": {"dtype": "f32", "shape": [2, 4], "data": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]}}})";

int main(int, char** argv) {
    nereus::Result<nereus::Executable> program = nereus::Executable::load(argv[1]);
    if (!program) return std::fputs(program.error().text.c_str(), stderr), 1;
    nereus::Result<nereus::Context> context =
        nereus::Context::make(*program, {.memory_limit = 1 << 20, .print = {}});
    if (!context) return std::fputs(context.error().text.c_str(), stderr), 1;
    nereus::Result<Value> tree = Value::from_json(tree_json), cell = Value::from_json(cell_json);
    if (!tree || !cell) return 1;
    nereus::Result<Value> result = context->call_named({{"p", *cell}, {"t", *tree}});
    if (!result) return std::fputs(result.error().text.c_str(), stderr), 1;
    Value code = (*result)[0];
    for (float x : code.data<float>()) std::printf("%g ", x);
    std::printf("from a tree of depth %d\n", int((*result)[1].item<int64_t>()));
    return 0;
}
