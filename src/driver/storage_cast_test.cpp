// Casts from and to the types that are only stored, compiled against eval, code by code: at every number of theirs, at the middle of
// two, and next to both.
#include "driver/compile.h"
#include "eval/eval.h"
#include "exe/cpu.h"
#include "library/library.h"
#include "text/parse.h"
#include "ops/registry.h"
#include "value/text.h"
#include "vm/context.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
std::vector<double> interesting() {
    std::vector<double> found = {0.0, -0.0, NAN, -NAN, INFINITY, -INFINITY, 1e300, -1e300, 5e-324, 0x1p-127, 0x1p-128, 0x1.4p-127, 0x1.8p-127, 0x1.cp-127,
                                 0x1p127, 0x1.8p127, 0x1p31, 0x1p31 + 4096, 0x1p63, 0x1p62 + 4096, -9.5, 17.9, 1e9};
    for (const StorageRow& row : storage_rows)
        with_type(row.dtype, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (is_storage(dtype_of<T>))
                for (int code = 0; code < T::row.mask(); ++code) {
                    const double here = double(WideOf<T>(T::of_code(uint8_t(code)))), next = double(WideOf<T>(T::of_code(uint8_t(code + 1))));
                    for (double x : {here, (here + next) / 2, here + (here - next) / 2})
                        for (double y : {x, x * (1 + 0x1p-45), x * (1 - 0x1p-45), x * (1 + 0x1p-22), x * (1 - 0x1p-22)}) found.push_back(y);
                }
        });
    return found;
}
HostTensor tensor_of(DType dtype) {
    std::vector<uint64_t> words;
    if (is_storage(dtype))
        for (int code = 0; code <= storage_row(dtype).mask(); ++code) words.push_back(uint64_t(code));
    else if (is_float(dtype) || size_of(dtype) < 4)
        for (double x : interesting()) words.push_back(word_of(dtype, x));
    else {
        std::mt19937_64 random(5);
        for (int64_t x = -600; x <= 600; ++x) words.push_back(word_of(dtype, x));
        for (int i = 0; i < 2000; ++i) words.push_back(word_of(dtype, int64_t(random()) >> random() % 60));
        for (int64_t x : {int64_t(1) << 62, INT64_MAX, INT64_MIN, int64_t(1) << 53})
            for (int64_t off : {-1, 0, 1}) words.push_back(word_of(dtype, int64_t(uint64_t(x) + uint64_t(off))));
    }
    HostTensor made = *HostTensor::make(dtype, {int64_t(words.size())});
    std::byte* at = *made.mutable_bytes();
    for (uint64_t word : words) std::memcpy(at, &word, size_t(size_of(dtype))), at += size_of(dtype);
    return made;
}

class StorageCast : public testing::TestWithParam<const char*> {};

TEST_P(StorageCast, CompiledAgreesWithEval) {
    if (GetParam() == std::string("x86-64-v3") && cpu_level() < 3) GTEST_SKIP() << "this processor has no AVX2";
    for (const DTypeRow& from : dtype_rows) {
        if (is_text(from.dtype)) continue;               // its elements are no codes of bits: strings_test
        std::string results;
        for (const DTypeRow& to : dtype_rows)
            for (std::string rule : {"", ", saturate=false", ", round=\"down\"", ", round=\"nearest\"", ", saturate=false, round=\"nearest\""}) {
                const bool has_rule = is_storage(to.dtype) && storage_row(to.dtype).sort != StorageSort::whole;
                if (!is_storage(from.dtype) && !is_storage(to.dtype)) continue;
                if (!rule.empty() && (!has_rule || (rule.find("round") != rule.npos && to.dtype != DType::f8e8m0))) continue;
                results += (results.empty() ? "" : ", ") + ("cast(%a, " + std::string(to.name) + rule + ")");
            }
        ParseInput input;
        input.path = "test.nr";
        input.text = "def @main(%a: Tensor[(n), " + std::string(from.name) + "]) { (" + results + ") }";
        Result<Module> parsed = parse(std::move(input), all_ops(), nullptr);
        ASSERT_TRUE(parsed) << parsed.error().message;
        CompileOptions options;
        options.target = GetParam();
        Result<Module> shaped = run_until(*parsed, "shapes", options);
        ASSERT_TRUE(shaped) << shaped.error().message;
        Result<Executable> exe = compile(*parsed, options);
        ASSERT_TRUE(exe) << exe.error().message;
        std::shared_ptr<const LoadedExecutable> loaded = *LoadedExecutable::load(std::move(*exe), library());
        const std::vector<Value> args = {Value::tensor(tensor_of(from.dtype))};
        Result<Value> expected = eval(*shaped, FunctionId(0), args), found = (*Context::make(loaded, {}))->run(loaded->exe().entries[0], args);
        ASSERT_TRUE(expected && found);
        for (size_t part = 0; part < expected->children().size(); ++part) {
            const HostTensor &e = expected->children()[part].tensor(), &f = found->children()[part].tensor(), &x = args[0].tensor();
            for (int64_t i = 0; i < e.count(); ++i) {
                const int64_t size = size_of(e.dtype());
                const bool both_nan = std::isnan(e.as_f64(i)) && std::isnan(f.as_f64(i)) && !is_storage(e.dtype());
                if (both_nan || std::memcmp(e.bytes() + i * size, f.bytes() + i * size, size_t(size)) == 0) continue;
                FAIL() << from.name << " " << x.as_f64(i) << " to " << dtype_name(e.dtype()) << ": " << f.as_f64(i) << ", expected " << e.as_f64(i) << "; part " << part;
            }
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Targets, StorageCast, testing::Values("x86-64-v2", "x86-64-v3", "host"));
} // namespace
} // namespace nereus
