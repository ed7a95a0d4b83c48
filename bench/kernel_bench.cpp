// Times compiled kernels on one core: nanoseconds per launch, and GFLOP/s or GB/s where that says more.
// kernel_bench [target]
#include "codegen/codegen.h"
#include "exe/blob.h"
#include "loop/text.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

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

Bench compile(const char* text, const Target& target, bool panels = false) {
    loop::Function f = *loop::parse(text);
    double best = 1e9;
    loop::Scheduled scheduled = *loop::schedule(f, target.machine);
    if (panels) std::get<loop::ContractPlan>(scheduled.plan).panels = true;
    MachineCode code;
    for (int i = 0; i < 3; ++i) {
        clock_t start = clock();
        code = *codegen(std::span(&scheduled, 1), target);
        best = std::min(best, double(clock() - start) / CLOCKS_PER_SEC);
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
// GFLOP/s of multiply-adds in registers: what no kernel exceeds.
__attribute__((noinline, target("avx512f"))) double peak() {
    constexpr int steps = 20000;
    double best = 1e9;
    for (int round = 0; round < 200; ++round) {
        double start = seconds();
        for (int i = 0; i < steps; ++i)                  // ten chains hide what an instruction takes
            asm volatile("vfmadd231ps %%zmm0, %%zmm0, %%zmm1\n vfmadd231ps %%zmm0, %%zmm0, %%zmm2\n"
                         "vfmadd231ps %%zmm0, %%zmm0, %%zmm3\n vfmadd231ps %%zmm0, %%zmm0, %%zmm4\n"
                         "vfmadd231ps %%zmm0, %%zmm0, %%zmm5\n vfmadd231ps %%zmm0, %%zmm0, %%zmm6\n"
                         "vfmadd231ps %%zmm0, %%zmm0, %%zmm7\n vfmadd231ps %%zmm0, %%zmm0, %%zmm8\n"
                         "vfmadd231ps %%zmm0, %%zmm0, %%zmm9\n vfmadd231ps %%zmm0, %%zmm0, %%zmm10\n" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10");
        best = std::min(best, seconds() - start);
    }
    return 2.0 * 16 * 10 * steps / best / 1e9;
}

// Matrix products with the right factor in panels; the least of the classes of M is what a user meets.
void products(const Target& t) {
    const char* text = "kernel matmul(a: f32, b: f32, y: out f32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                       "; %0 = contract over k of a[i, m, k], b[i, k, n]; y[i, m, n] = %0 }";
    Bench rows = compile(text, t), panels = compile(text, t, true);
    const double most = t.level == 4 ? peak() : 0;
    std::printf("matmul: compile %.2f ms, %zu bytes; peak %.1f GFLOP/s\n", rows.compile_ms, rows.blob.size(), most);
    auto flops = [](int64_t m, int64_t k, int64_t n, double ns) { return 2.0 * double(m * k * n) / ns; };
    for (auto [k, n] : {std::pair<int64_t, int64_t>{384, 384}, {384, 1536}, {1536, 384}, {768, 768}, {768, 3072}, {3072, 768}})
        for (int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 17, 31, 64, 100, 128, 255, 512}) {
            auto time = [&](const Bench& b, int64_t along_n, int64_t along_k) {
                return flops(m, k, n, time_launch(b, {{{}, {}}, {{m}, {k, n}}, {{n}, {along_n, 1}}, {{k}, {1, along_k}}}, {m * k, k * n, m * n}));
            };
            const double packed = time(panels, 1, n), plain = time(rows, 1, n), turned = time(rows, k, 1);
            std::printf("  K=%-5lld N=%-5lld M=%-4lld panels %7.1f", (long long)k, (long long)n, (long long)m, packed);
            if (most > 0) std::printf(" (%3.0f %%)", 100 * packed / most);
            std::printf("  rows %7.1f  transposed %7.1f\n", plain, turned);
        }
}

// Convolutions, channels last, the picture padded: windows of taps x taps, `by` apart.
void convolutions(const Target& t) {
    const char* text = "kernel conv(x: f32, w: f32, y: out f32) { parallel b; parallel m; parallel axis n; reduce k"
                       "; %0 = contract over k of x[b, m, k], w[b, n, k]; y[b, m, n] = %0 }";
    Bench b = compile(text, t, true);
    std::printf("conv: compile %.2f ms, %zu bytes\n", b.compile_ms, b.blob.size());
    struct Row { int64_t in, out, size, taps, by; };
    for (Row r : {Row{64, 64, 80, 3, 1}, {64, 64, 40, 3, 1}, {64, 64, 20, 3, 1}, {16, 16, 160, 3, 1}, {32, 32, 80, 3, 1}, {128, 128, 20, 3, 1},
                  {32, 64, 80, 3, 2}, {16, 32, 160, 1, 1}, {64, 64, 80, 1, 1}, {128, 128, 40, 1, 1}, {256, 256, 20, 1, 1}, {80, 80, 40, 3, 1}}) {
        const int64_t wide = r.by * (r.size - 1) + r.taps, features = (r.out + 15) / 16 * 16;
        double ns = time_launch(b, {{{}, {}},
                                    {{r.size, r.size}, {r.by * wide * r.in, r.by * r.in, r.size * r.out, r.out}},
                                    {{r.out}, {1, 1}},
                                    {{r.taps, r.taps, r.in}, {wide * r.in, r.in, 1, r.taps * r.in, r.in, 1}}},
                                {wide * wide * r.in, r.taps * r.taps * r.in * features, r.size * r.size * r.out});
        const double flops = 2.0 * double(r.size * r.size * r.out * r.taps * r.taps * r.in);
        std::printf("  %lldx%lld %lld->%lld at %lld, by %lld: %7.1f GFLOP/s\n", (long long)r.taps, (long long)r.taps, (long long)r.in,
                    (long long)r.out, (long long)r.size, (long long)r.by, flops / ns);
    }
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

    products(t);
    convolutions(t);
    return 0;
}
