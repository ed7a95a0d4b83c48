// Times compiled kernels on one core: nanoseconds per launch, and GFLOP/s or GB/s where that says more.
// kernel_bench [target]
#include "codegen/codegen.h"
#include "exe/blob.h"
#include "loop/text.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace nereus;
using Dims = std::vector<int64_t>;

namespace {
double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Bench {
    loop::Scheduled scheduled;
    CodeBlob blob;
    Kernel kernel;
    double compile_ms;
};

Bench compile(const char* text, const Target& target) {
    loop::Function f = *loop::parse(text);
    double best = 1e9;
    loop::Scheduled scheduled = *loop::schedule(f, target.machine);
    MachineCode code;
    for (int i = 0; i < 3; ++i) {
        double start = seconds();
        code = *codegen(std::span(&scheduled, 1), target);
        best = std::min(best, seconds() - start);
    }
    CodeBlob blob = CodeBlob::map(code.blob).take();
    Kernel kernel = blob.entry(code.entries[0]);
    return {std::move(scheduled), std::move(blob), kernel, best * 1e3};
}

// groups: extents and strides per group, as fill_params takes them; sizes: elements of each buffer.
double time_launch(const Bench& b, const std::vector<std::pair<Dims, Dims>>& groups, const Dims& sizes, bool print = false) {
    std::vector<GroupShape> shapes;
    std::vector<int32_t> ranks;
    for (const auto& [extents, strides] : groups) {
        shapes.push_back({extents, strides});
        ranks.push_back(int32_t(extents.size()));
    }
    Dims p(size_t(param_slots(b.scheduled.params, ranks)));
    fill_params(b.scheduled.params, shapes, Dims(size_t(b.scheduled.params.scalars)), p);
    std::vector<std::vector<char>> memory;
    std::vector<void*> buffers;
    for (int64_t n : sizes) {
        memory.emplace_back(size_t(n) * 8 + 64);
        for (size_t i = 0; i + 4 <= memory.back().size(); i += 4) *reinterpret_cast<float*>(memory.back().data() + i) = float(i % 97) * 0.01f;
        buffers.push_back(reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(memory.back().data()) + 63) / 64 * 64));
    }
    std::vector<char> scratch(size_t(b.scheduled.scratch_bytes) + 64);
    Worker worker{reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64), nullptr};
    KernelError error{INT64_MAX, 0, 0, 0, 0};
    int64_t out[1];
    Launch launch{buffers.data(), p.data(), out, &error, nullptr};
    double best = 1e9;
    int64_t rounds = 1;
    for (int i = 0; i < 12; ++i) {
        double start = seconds();
        for (int64_t r = 0; r < rounds; ++r) b.kernel(&launch, 0, p[0], &worker);
        double each = (seconds() - start) / double(rounds);
        best = std::min(best, each);
        rounds = std::max<int64_t>(1, int64_t(0.01 / each));
    }
    if (print) std::printf("%lld tasks ", (long long)p[0]);
    return best * 1e9;
}
} // namespace

int main(int argc, char** argv) {
    Target t = *target_named(argc > 1 ? argv[1] : "host");
    Bench add = compile("kernel add(a: f32, b: f32, y: out f32) { parallel g; y[g] = add(a[g], b[g]) }", t);
    std::printf("add: compile %.2f ms, %zu bytes\n", add.compile_ms, add.blob.size());
    for (int64_t n : {1, 10, 100, 1000, 4096, 100000, 4000000}) {
        double ns = time_launch(add, {{{n}, {1, 1, 1}}}, {n, n, n});
        std::printf("  n=%-8lld %10.1f ns  %6.1f GB/s\n", (long long)n, ns, 12.0 * double(n) / ns);
    }
    double ns = time_launch(add, {{{1000, 100}, {100, 1, 0, 1, 100, 1}}}, {100000, 100, 100000});
    std::printf("  [1000,100]+[100]   %10.1f ns\n", ns);
    ns = time_launch(add, {{{1000, 100}, {100, 1, 1, 0, 100, 1}}}, {100000, 1000, 100000});
    std::printf("  [1000,100]+[1000,1]%10.1f ns\n", ns);
    ns = time_launch(add, {{{300, 300}, {300, 1, 1, 300, 300, 1}}}, {90000, 90000, 90000});
    std::printf("  [300,300]+[300,300]^T %7.1f ns\n", ns);

    Bench exp = compile("kernel k(a: f32, y: out f32) { parallel g; y[g] = exp(a[g]) }", t);
    ns = time_launch(exp, {{{4096}, {1, 1}}}, {4096, 4096});
    std::printf("exp: compile %.2f ms; %.3f ns/element\n", exp.compile_ms, ns / 4096);
    Bench tanh = compile("kernel k(a: f32, y: out f32) { parallel g; y[g] = tanh(a[g]) }", t);
    ns = time_launch(tanh, {{{4096}, {1, 1}}}, {4096, 4096});
    std::printf("tanh: compile %.2f ms; %.3f ns/element\n", tanh.compile_ms, ns / 4096);

    Bench sum = compile("kernel s(x: f32, y: out f32) { parallel g; reduce r; %0 = sum over r of x[g, r]; y[g] = %0 }", t);
    std::printf("sum: compile %.2f ms, %zu bytes\n", sum.compile_ms, sum.blob.size());
    for (int64_t rows : {1, 128, 1000}) {
        ns = time_launch(sum, {{{rows}, {1000, 1}}, {{1000}, {1}}}, {rows * 1000, rows});
        std::printf("  rows    [%lld,1000] over 1 %10.1f ns %6.1f GB/s\n", (long long)rows, ns, 4e3 * double(rows) / ns);
    }
    ns = time_launch(sum, {{{1000}, {1, 1}}, {{1000}, {1000}}}, {1000000, 1000});
    std::printf("  columns [1000,1000] over 0 %10.1f ns %6.1f GB/s\n", ns, 4e6 / ns);

    Bench softmax = compile("kernel softmax(x: f32, y: out f32) { parallel g; reduce r; %0 = max over r of x[g, r]"
                            "; %1 = sum over r of exp(sub(x[g, r], %0)); y[g, r] = div(exp(sub(x[g, r], %0)), %1) }", t);
    std::printf("softmax: compile %.2f ms, %zu bytes\n", softmax.compile_ms, softmax.blob.size());
    for (auto [rows, columns] : {std::pair<int64_t, int64_t>{12, 16}, {128, 128}, {512, 512}}) {
        ns = time_launch(softmax, {{{rows}, {columns, columns}}, {{columns}, {1, 1}}}, {rows * columns, rows * columns});
        std::printf("  [%lld,%lld] %10.2f us\n", (long long)rows, (long long)columns, ns / 1e3);
    }

    Bench matmul = compile("kernel matmul(a: f32, b: f32, y: out f32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                           "; %0 = contract over k of a[i, m, k], b[i, k, n]; y[i, m, n] = %0 }", t);
    std::printf("matmul: compile %.2f ms, %zu bytes\n", matmul.compile_ms, matmul.blob.size());
    for (int64_t m : {1, 4, 7, 16, 64, 256})
        for (auto [k, n] : {std::pair<int64_t, int64_t>{64, 64}, {384, 384}, {768, 768}, {64, 10}, {512, 1000}}) {
            ns = time_launch(matmul, {{{}, {}}, {{m}, {k, n}}, {{n}, {1, 1}}, {{k}, {1, n}}}, {m * k, k * n, m * n});
            double turned = time_launch(matmul, {{{}, {}}, {{m}, {k, n}}, {{n}, {k, 1}}, {{k}, {1, 1}}}, {m * k, k * n, m * n});
            std::printf("  M=%-4lld K=%-4lld N=%-4lld %8.1f GFLOP/s, B transposed %8.1f\n", (long long)m, (long long)k, (long long)n,
                        2.0 * double(m * k * n) / ns, 2.0 * double(m * k * n) / turned);
        }
    return 0;
}
