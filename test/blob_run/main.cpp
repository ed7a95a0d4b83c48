// Runs one kernel from a file: proof that compiled code needs no compiler. The file holds, as 64-bit words, the entry
// offset, the number of parameter slots and the parameters, then the blob. The kernel is y[g] = a[g] + b[g] on f32;
// a counts up from 0, b is 0.5; prints y.
#include "base/file.h"
#include "exe/blob.h"
#include <cstdio>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
    using namespace nereus;
    if (argc != 3) return 2;
    Result<std::string> file = read_file(argv[1]);
    if (!file) return 1;
    auto word = [&](size_t i) { int64_t v; std::memcpy(&v, file->data() + 8 * i, 8); return v; };
    std::vector<int64_t> p;
    for (int64_t i = 0; i < word(1); ++i) p.push_back(word(2 + size_t(i)));
    std::string_view code = std::string_view(*file).substr(8 * (2 + p.size()));
    Result<CodeBlob> blob = CodeBlob::map(std::as_bytes(std::span(code)));
    if (!blob) return 1;
    size_t n = size_t(std::atoi(argv[2]));
    std::vector<float> a(n), b(n, 0.5f), y(n);
    for (size_t i = 0; i < n; ++i) a[i] = float(i);
    void* buffers[] = {a.data(), b.data(), y.data()};
    KernelError error{INT64_MAX, 0, 0, 0, 0};
    Launch launch{buffers, p.data(), nullptr, &error, nullptr};
    Worker worker{nullptr, nullptr};
    if (blob->entry(size_t(word(0)))(&launch, 0, p[0], &worker) != 0) return 1;
    for (float v : y) std::printf("%g ", double(v));
    return 0;
}
