// Times what the compiler does before there is code: questions about sizes, and the stages on one program of 200 lines, which
// tools/bench writes: compiler_bench FOLDER [--counts | flags of Google Benchmark].
#include "base/file.h"
#include "dim/facts.h"
#include "driver/compile.h"
#include "ops/registry.h"
#include "rows.h"
#include "text/parse.h"
#include <cstdlib>

using namespace nereus;

namespace {
// Sizes as a convolution, an attention and a ragged batch have them. Answers are kept per state of the facts: a frame with
// a fact of its own makes every question a new one.
struct Sizes {
    Dims dims;
    Facts facts{dims};
    Dim n = size("n"), m = size("m"), d = size("d"), h = size("h"), k = size("k");
    Dim heads, longer, strided;
    int64_t last = 0;

    Sizes() {
        facts.assume_divides(8, d);
        facts.assume_less_equal(m, n);
        facts.assume_less_equal(dims.constant(1), k);
        facts.assume_less_equal(k, h);
        heads = dims.mul(dims.floor_div(d, dims.constant(8)), dims.constant(8));
        longer = dims.add(dims.scale(n, 2), dims.constant(3));
        strided = dims.add(dims.floor_div(dims.sub(h, k), dims.constant(2)), dims.constant(1));
    }
    Dim size(const char* name) { return dims.of(dims.new_symbol(name, SymKind::size)); }
    void in_frame(const std::function<void()>& ask) {
        facts.push();
        facts.assume_less_equal(n, dims.constant(1000 + last++ % 7));
        ask();
        facts.pop();
    }
    void want(Answer answer) {
        if (answer == Answer::yes) return;
        std::fprintf(stderr, "compiler_bench: what was asked is not proved\n");
        std::exit(1);
    }
};

Module parsed(const std::string& text) {
    Result<Module> module = parse("layers.nr", text, all_ops());
    if (module) return std::move(*module);
    std::fprintf(stderr, "compiler_bench: %s\n", module.error().message.c_str());
    std::exit(1);
}
} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: compiler_bench FOLDER [--counts]\n"), 2;
    Result<std::string> text = read_file(std::string(argv[1]) + "/layers.nr");
    if (!text) return std::fprintf(stderr, "compiler_bench: %s\n", text.error().message.c_str()), 1;
    Sizes s;
    auto framed = [&](std::function<void()> ask) { return [&s, ask] { s.in_frame(ask); }; };
    const Module module = parsed(*text);
    auto until = [&](const char* stage) {
        return [&module, stage] {
            if (!run_until(module, stage, {})) std::exit(1);
        };
    };
    constexpr int few = 5;
    const Row rows[] = {
        {"sizes: a frame with a fact", framed([] {}), 1, ""},
        {"sizes: prove ==", framed([&] {
             s.want(s.facts.equal(s.heads, s.d));
             s.want(s.facts.equal(s.dims.mul(s.heads, s.n), s.dims.mul(s.n, s.d)));
         }), 2, "sizes: a frame with a fact"},
        {"sizes: prove <=", framed([&] {
             s.want(s.facts.less_equal(s.m, s.longer));
             s.want(s.facts.less_equal(s.dims.constant(1), s.strided));
         }), 2, "sizes: a frame with a fact"},
        {"sizes: prove that it divides", framed([&] {
             s.want(s.facts.divides(8, s.d));
             s.want(s.facts.divides(4, s.dims.add(s.d, s.dims.scale(s.n, 12))));
         }), 2, "sizes: a frame with a fact"},
        {"sizes: form of a product", [&] {
             const Dim product[] = {s.longer, s.strided, s.heads, s.dims.add(s.m, s.dims.constant(s.last++ % 1000))};
             benchmark::DoNotOptimize(s.dims.product(product));
         }, 1, ""},
        {"200 lines: parse", [&] { benchmark::DoNotOptimize(parsed(*text)); }, 1, "", few},
        {"200 lines: types", until("specialise"), 1, "", few},
        {"200 lines: shapes", until("shapes"), 1, "200 lines: types", few},
        {"200 lines: passes", until("dead_code"), 1, "200 lines: shapes", few},
    };
    return measure(argc, argv, rows);
}
