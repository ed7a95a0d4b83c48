#include "codegen/kernel_case.h"
#include <gtest/gtest.h>

namespace nereus::test {
// Random shapes and layouts on every target, plain and checked, whole and task by task.
void check_kernel(const char* text, int cases, double tolerance, int64_t largest = 40) {
    loop::Function f = parsed(text);
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked});
            Rng rng(1);
            for (int i = 0; i < cases; ++i) {
                KernelCase c = random_case(f, rng, largest);
                Outcome expected = interpret(c), whole = run(k, c);
                std::string wrong = difference(c, whole, expected, tolerance);
                ASSERT_EQ(wrong, "") << target.name << (checked ? " checked" : "") << " case " << i << "\n" << text;
                Outcome split = run(k, c, Split::single_tasks_shuffled);
                ASSERT_EQ(split.fault, whole.fault);
                if (!whole.fault) { ASSERT_EQ(split.buffers, whole.buffers) << target.name << " case " << i; }
            }
        }
}

TEST(Map, Add) {
    check_kernel("kernel add(a: f32, b: f32, y: out f32) { parallel g; y[g] = add(a[g], b[g]) }", 100, 0);
}

TEST(Row, Sum) {
    check_kernel("kernel s(x: f32, y: out f32) { parallel g; reduce r; %0 = sum over r of x[g, r]; y[g] = %0 }", 150, 2e-4);
}
TEST(Row, Softmax) {
    check_kernel("kernel softmax(x: f32, y: out f32) { parallel g; reduce r; %0 = max over r of x[g, r]"
                 "; %1 = sum over r of exp(sub(x[g, r], %0)); y[g, r] = div(exp(sub(x[g, r], %0)), %1) }", 100, 1e-5);
}
TEST(Contract, Matmul) {
    check_kernel("kernel matmul(a: f32, b: f32, y: out f32) { parallel i; parallel axis m; parallel axis n; reduce axis k"
                 "; %0 = contract over k of a[i, m, k], b[i, k, n]; y[i, m, n] = %0 }", 60, 1e-4);
}
} // namespace nereus::test
