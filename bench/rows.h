// bench/rows.h - rows of the table that tools/bench makes: timed by Google Benchmark, or with --counts under callgrind, which
// dumps once per row.
#pragma once
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <span>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) (void)(name)
#endif

struct Row {
    const char* name;
    std::function<void()> call;
    double ops;                                           // in one call
    const char* minus;                                    // the row whose cost per call is taken off; empty: none
    int calls = 20;                                       // when they are counted
};

// PROGRAM FOLDER [--counts | flags of Google Benchmark]
inline int measure(int argc, char** argv, std::span<const Row> rows) {
    if (argc > 2 && std::strcmp(argv[2], "--counts") == 0) {
        for (const Row& row : rows) {
            row.call();                                   // what is made once is there already
            CALLGRIND_ZERO_STATS;
            for (int i = 0; i < row.calls; ++i) row.call();
            CALLGRIND_DUMP_STATS_AT(row.name);
            std::printf("%s\t%d\t%g\t%s\n", row.name, row.calls, row.ops, row.minus);
        }
        return 0;
    }
    for (const Row& row : rows)
        benchmark::RegisterBenchmark(row.name, [&row](benchmark::State& state) {
            for (auto _ : state) row.call();
            state.counters["ops"] = row.ops;
            state.SetLabel(row.minus);
        });
    --argc;
    benchmark::Initialize(&argc, argv + 1);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
