// The transform of every length against the sum that defines it, in memory that has no byte too many.
#include "exe/launch_params.h"
#include "library/library.h"
#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace nereus {
namespace {
using Points = std::vector<std::complex<double>>;
constexpr double untouched = -7.25e300;
constexpr size_t margin = 16;

// f64 numbers with a margin behind them that nobody may write to.
struct Memory {
    std::vector<double> numbers;
    explicit Memory(int64_t count) : numbers(size_t(count) + margin, untouched) {}
    bool overrun() const { return !std::all_of(numbers.end() - margin, numbers.end(), [](double x) { return x == untouched; }); }
};

void run(std::string_view kernel, const ParamLayout& layout, std::vector<GroupShape> groups, std::vector<int64_t> scalars, std::vector<void*> buffers) {
    std::vector<int64_t> p(64);
    ASSERT_GT(fill_params(layout, groups, scalars, p), 0);
    const Launch launch{.buf = buffers.data(), .p = p.data()};
    EXPECT_EQ(library()[*library_index(kernel)](&launch, 0, p[0], nullptr), 0);
}

// Lines of n points each, by so many workers.
Points transformed(const Points& x, int64_t n, int64_t workers, bool inverse) {
    const int64_t lines = int64_t(x.size()) / std::max<int64_t>(n, 1), one = 1, whole[] = {2 * n, 2 * n}, step[] = {2, 2}, own = 10 * n;
    Memory table(12 * n), scratch_of_table(5 * n), scratch(10 * n * workers), y(2 * n * lines);
    Points from = x;
    const ParamLayout making{.groups = {{}, {}}, .buffers = {DType::f64, DType::f64}, .grid = {.dims = {{0, 1}}}};
    run("fft_table", making, {{{&one, 1}, {}}, {{&n, 1}, {}}}, {}, {table.numbers.data(), scratch_of_table.numbers.data()});
    const ParamLayout using_it{.groups = {{{3}}, {{0, 1}}, {{0, 1}}}, .buffers = {DType::f64, DType::f64, DType::f64, DType::f64}, .scalars = 1, .grid = {.dims = {{0, 1}}}};
    run("fft_f64", using_it, {{{&workers, 1}, {&own, 1}}, {{&lines, 1}, whole}, {{&n, 1}, step}}, {inverse},
        {from.data(), y.numbers.data(), table.numbers.data(), scratch.numbers.data()});
    EXPECT_FALSE(table.overrun() || scratch_of_table.overrun() || scratch.overrun() || y.overrun()) << n;
    EXPECT_EQ(from, x);
    Points out;
    for (size_t i = 0; i < x.size(); ++i) out.emplace_back(y.numbers[2 * i], y.numbers[2 * i + 1]);
    return out;
}

// How far the transform is from the sum, in units of rounding of a typical frequency.
double error(int64_t n, int64_t lines, bool inverse) {
    std::mt19937_64 random{uint64_t(n)};
    std::uniform_real_distribution<double> any(-1, 1);
    Points x;
    for (int64_t i = 0; i < n * lines; ++i) x.emplace_back(any(random), any(random));
    const Points found = transformed(x, n, std::min<int64_t>(lines, 2), inverse);
    std::vector<std::complex<long double>> powers;
    for (int64_t k = 0; k < n; ++k) powers.push_back(std::polar(1.0L, (inverse ? 2 : -2) * std::numbers::pi_v<long double> * k / n));
    long double most = 0;
    for (int64_t line = 0; line < lines; ++line)
        for (int64_t k = 0; k < n; ++k) {
            long double re = 0, im = 0;
            for (int64_t i = 0, at = 0; i < n; ++i, at = (at + k) % n) {
                const std::complex<double> z = x[size_t(line * n + i)];
                const std::complex<long double> w = powers[size_t(at)];
                re += z.real() * w.real() - z.imag() * w.imag(), im += z.real() * w.imag() + z.imag() * w.real();
            }
            const std::complex<double> z = found[size_t(line * n + k)];
            most = std::max({most, std::abs(z.real() - re), std::abs(z.imag() - im)});
        }
    return double(most / std::sqrt((long double)std::max<int64_t>(n, 1))) / 0x1p-53;
}
} // namespace

TEST(Fft, EveryLengthIsTheSum) {
    for (int64_t n = 0; n <= 260; ++n) EXPECT_LT(error(n, 3, n % 2 != 0), 16) << n;
}
TEST(Fft, LongLines) {
    for (int64_t n : {1024, 1031, 2187, 2401, 3125, 4096, 5003, 5040}) EXPECT_LT(error(n, 1, false), 16) << n;
}
TEST(Fft, NothingToTransform) { EXPECT_EQ(transformed({}, 5, 1, false).size(), 0u); }
} // namespace nereus
