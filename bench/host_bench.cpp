// Times what the host does around kernels: calls, launches, branches, recursion, plans. Programs come as artefacts, so
// that no compiler is inside and callgrind can count it: host_bench FOLDER [flags of Google Benchmark], or
// host_bench FOLDER --counts under callgrind, which dumps once per row. tools/bench makes the table.
#include "base/file.h"
#include "exe/artefact.h"
#include "exe/text.h"
#include "rows.h"
#include "vm/context.h"
#include <cstdio>
#include <cstring>
using namespace nereus;

namespace {
int32_t nothing(const Launch*, int64_t, int64_t, Worker*) { return 0; }
const Kernel library[] = {nothing};

template <class T> T good(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "host_bench: %s\n", result.error().message.c_str());
    std::exit(1);
}

// One entry, called again and again with the same tensors.
struct Calls {
    std::unique_ptr<Context> context;
    std::vector<std::vector<HostTensor>> args;            // taken in turn
    std::vector<HostTensor> results;
    size_t next = 0;

    Calls(Executable exe, std::vector<std::vector<HostTensor>> args) : args(std::move(args)) {
        context = good(Context::make(good(LoadedExecutable::load(std::move(exe), library)), {.memory_limit = 1 << 28}));
        results.resize(context->program().exe().entries[0].result_leaves.size());
        for (size_t i = 0; i < 2 * this->args.size(); ++i) one();
    }
    void one() {
        Status done = context->run(context->program().exe().entries[0], args[next], results);
        if (!done) std::fprintf(stderr, "host_bench: %s\n", done.error().message.c_str()), std::exit(1);
        if (++next == args.size()) next = 0;
    }
};

Executable artefact(const std::string& folder, const std::string& name) {
    std::string bytes = good(read_file(folder + "/" + name + ".nrx"));
    return good(load(std::as_bytes(std::span(bytes))));
}
std::vector<std::vector<HostTensor>> numbers(int64_t n) { return {{HostTensor::scalar(n)}}; }
std::vector<std::vector<HostTensor>> vectors(int64_t first, int64_t count) {
    std::vector<std::vector<HostTensor>> all;
    for (int64_t n = first; n < first + count; ++n) {
        HostTensor x = good(HostTensor::make(DType::f32, {n}));
        std::memset(good(x.mutable_bytes()), 0, size_t(x.byte_size()));
        all.push_back({x});
    }
    return all;
}

// A list of launches of a kernel that does nothing.
Executable launches(int count) {
    std::string launch, list;
    for (int i = 0; i < count; ++i) {
        launch += "launch {buffers: [{index: 0, bytes: p1}, {index: 1, bytes: p1}], groups: [{extents: [p0], strides: [1, 1]}]}\n";
        list += (i > 0 ? ", " : "") + std::to_string(i);
    }
    return good(assemble(
        "type {axes: [0]}\ntype {dtype: i64}\n"
        "kernel {name: \"nothing\", library: true, layout: {groups: [{buffers: [0, 1]}], buffers: [f32, f32]}}\nsite {}\n" + launch +
        "entry {name: \"f\", sizes: 1, size_names: [\"n\"], params: [{name: \"x\"}], param_leaves: [{kind: address}], result_type: 1, "
        "result_leaves: [{kind: number, type: 1}]}\n"
        "region {key: [0], slots: [{bytes: p1, last: 1}, {bytes: p1, last: 1}], lists: [[" + list + "]]}\n"
        "function f(2) -> 1 { enter 0 run 0 leave (r0) }\n"
        "plan 0 { r2 = load_constant 4 r1 = size_mul r0, r2 leave () }\n"));
}
} // namespace

int main(int argc, char** argv) {
    if (argc < 2) return std::fprintf(stderr, "usage: host_bench FOLDER [--counts]\n"), 2;
    const std::string folder = argv[1];
    constexpr int64_t many = 1000;
    auto entry = [&](const char* name, std::vector<std::vector<HostTensor>> args) {
        auto calls = std::make_shared<Calls>(artefact(folder, name), std::move(args));
        return [calls] { calls->one(); };
    };
    auto listed = [](int count) {
        auto calls = std::make_shared<Calls>(launches(count), vectors(8, 1));
        return [calls] { calls->one(); };
    };
    volatile Kernel kernel = nothing;
    auto direct = [&] {
        Launch launch = {};
        for (int i = 0; i < 100; ++i) {
            Kernel k = kernel;
            benchmark::DoNotOptimize(k(&launch, 0, 1, nullptr));
        }
    };
    HostTensor flag = good(HostTensor::make(DType::boolean, {}));
    *good(flag.mutable_bytes()) = std::byte(1);
    const Row rows[] = {
        {"empty call", entry("empty", numbers(1)), 1, ""},
        {"kernel called directly", direct, 100, ""},
        {"call with one launch", listed(1), 1, ""},
        {"launch in a list", listed(101), 100, "call with one launch"},
        {"loop step", entry("plain_loop", numbers(many)), many, "empty call"},
        {"if", entry("if_loop", {{HostTensor::scalar(many), flag}}), many, "loop step"},
        {"match", entry("match_loop", numbers(many)), many, "loop step"},
        {"closure call", entry("closure_loop", numbers(many)), many, "loop step"},
        {"recursion step", entry("recursion", numbers(many)), many, "empty call"},
        {"plan-cache hit, last shape", listed(1), 1, "empty call"},
        {"call, one kernel, 8 shapes", entry("one_kernel", vectors(1, 8)), 1, ""},
        {"100 buffers, seen shape", entry("hundred", vectors(8, 1)), 1, ""},
        {"plan miss, 100 buffers", entry("hundred", vectors(8, 200)), 1, "100 buffers, seen shape"},
    };
    return measure(argc, argv, rows);
}
