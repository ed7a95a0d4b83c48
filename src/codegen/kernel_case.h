// codegen/kernel_case.h - for tests: a loop function bound to shapes and data, run by compiled code and by a plain
// interpreter that walks every point in row-major order with no thought of speed.
#pragma once
#include "codegen/codegen.h"
#include "exe/blob.h"
#include "tensor/kernel.h"
#include <cstring>
#include <map>
#include <random>

namespace nereus::test {
using Bytes = std::vector<std::byte>;
using Dims = std::vector<int64_t>;
using Rng = std::mt19937_64;

struct KernelCase {
    loop::Function f;
    std::vector<Dims> extents;                           // by group
    std::map<std::pair<size_t, size_t>, Dims> strides;   // (buffer, group): elements
    Dims scalars;                                        // bits
    std::vector<Bytes> buffers;
};

struct Outcome {
    std::vector<Bytes> buffers;
    int64_t out = 0;                                     // Launch.out[0]
    int32_t fault = 0;
    KernelError error{INT64_MAX, 0, 0, 0, 0, 0};
    int64_t tasks = 0;
};

// Random ranks, extents (0, 1 and primes among them), broadcasts, permuted and padded layouts, data of every kind.
KernelCase random_case(loop::Function f, Rng& rng);
void make_dense(KernelCase& c, const std::vector<Dims>& extents, Rng& rng);      // row-major buffers, groups in order
void fill_random(Bytes& bytes, DType t, Rng& rng);

Outcome interpret(const KernelCase& c);

struct Compiled {
    loop::Scheduled scheduled;
    CodeBlob blob;
    Kernel kernel;
};
Compiled compile(const loop::Function& f, const Target& target, CodegenOptions options = {});
Compiled compile(loop::Scheduled scheduled, const Target& target, CodegenOptions options = {});
enum class Split { whole, single_tasks_shuffled };
Outcome run(const Compiled& k, const KernelCase& c, Split split = Split::whole);

// "" if equal: integers exactly, floats within `tolerance` relative to magnitude (NaN equals NaN).
std::string difference(const KernelCase& c, const Outcome& got, const Outcome& expected, double tolerance);

std::vector<Target> targets();                           // those this processor can run

// Random cases on every target, plain and checked, whole and task by task, against the interpreter; the results of
// both ways of splitting agree bitwise, and so do the faults.
void check_kernel(const char* text, int cases, double tolerance);
loop::Function parsed(const char* text);
template <class T> std::vector<T> as(const Bytes& b) {
    std::vector<T> v(b.size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), b.data(), v.size() * sizeof(T));
    return v;
}
template <class T> Bytes bytes_of(const std::vector<T>& v) {
    Bytes b(v.size() * sizeof(T));
    if (!b.empty()) std::memcpy(b.data(), v.data(), b.size());
    return b;
}
} // namespace nereus::test
