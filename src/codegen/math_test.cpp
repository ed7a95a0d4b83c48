// The stated errors of math.cpp, trig.cpp, inverse_trig.cpp and pow.cpp, against long double libm, on every target; special values exactly.
#include "codegen/kernel_case.h"
#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace nereus::test {
namespace {
template <class T> std::vector<T> evaluate(const char* op, const Target& target, const std::vector<T>& x) {
    std::string t = sizeof(T) == 4 ? "f32" : "f64";
    loop::Function f = parsed(("kernel k(x: " + t + ", y: out " + t + ") { parallel g; y[g] = " + op + "(x[g]) }").c_str());
    KernelCase c;
    c.f = f;
    Rng rng(1);
    make_dense(c, {{int64_t(x.size())}}, rng);
    c.buffers[0] = bytes_of(x);
    return as<T>(run(compile(f, target), c).buffers[1]);
}

template <class T> std::vector<T> evaluate_pow(const Target& target, const std::vector<T>& a, const std::vector<T>& b) {
    std::string t = sizeof(T) == 4 ? "f32" : "f64";
    loop::Function f = parsed(("kernel k(a: " + t + ", b: " + t + ", y: out " + t + ") { parallel g; y[g] = pow(a[g], b[g]) }").c_str());
    KernelCase c;
    c.f = f;
    Rng rng(1);
    make_dense(c, {{int64_t(a.size())}}, rng);
    c.buffers[0] = bytes_of(a);
    c.buffers[1] = bytes_of(b);
    return as<T>(run(compile(f, target), c).buffers[2]);
}

// Distance from the exact value in units of the last place of the rounded exact value.
template <class T> double ulps(T got, long double exact) {
    T rounded = T(exact);
    if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
    if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
    T unit = std::nextafter(std::fabs(rounded), T(INFINITY)) - std::fabs(rounded);
    return double(std::fabs((long double)got - exact) / unit);
}

template <class T> std::vector<T> samples(double low, double high) {
    Rng rng(11);
    std::vector<T> x;
    for (int i = 0; i < 60000; ++i) x.push_back(T(low + (high - low) * double(i) / 60000));
    for (int i = 0; i < 60000; ++i) {                    // every exponent, both signs
        uint64_t bits = rng();
        T v = sizeof(T) == 4 ? T(std::bit_cast<float>(uint32_t(bits))) : T(std::bit_cast<double>(bits));
        if (!std::isnan(v)) x.push_back(v);
    }
    for (int i = 0; i < 20000; ++i) x.push_back(T(1 + std::normal_distribution<double>(0, 0.02)(rng)));
    return x;
}

template <class T> void check(const char* op, long double (*exact)(long double), double low, double high, double bound) {
    std::vector<T> x = samples<T>(low, high);
    for (const Target& target : targets()) {
        std::vector<T> y = evaluate(op, target, x);
        double worst = 0;
        T at = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            double error = ulps(y[i], exact(x[i]));
            if (error > worst) worst = error, at = x[i];
        }
        EXPECT_LE(worst, bound) << op << sizeof(T) * 8 << " on " << target.name << " at " << at;
        testing::Test::RecordProperty((std::string(op) + std::to_string(sizeof(T) * 8) + target.name).c_str(), std::to_string(worst));
    }
}
} // namespace

TEST(Math, Exp) {
    check<float>("exp", std::exp, -110, 95, 1.1);
    check<double>("exp", std::exp, -750, 720, 1.0);
}
TEST(Math, Log) {
    check<float>("log", std::log, 1e-6, 40, 1.0);
    check<double>("log", std::log, 1e-6, 40, 1.0);
}
TEST(Math, Tanh) {
    check<float>("tanh", std::tanh, -12, 12, 2.0);
    check<double>("tanh", std::tanh, -25, 25, 2.0);
}

TEST(Math, Erf) {
    check<float>("erf", std::erf, -5, 5, 1.5);
    check<double>("erf", std::erf, -7, 7, 1.5);
}
// Of every size: the samples have every exponent.
TEST(Math, SinCos) {
    check<float>("sin", std::sin, -1e5, 1e5, 0.51);
    check<double>("sin", std::sin, -1e5, 1e5, 1.0);
    check<double>("sin", std::sin, -4, 4, 1.0);
    check<float>("cos", std::cos, -1e5, 1e5, 0.51);
    check<double>("cos", std::cos, -1e5, 1e5, 1.0);
    check<double>("cos", std::cos, -4, 4, 1.0);
}
TEST(Math, InverseTrig) {
    check<float>("atan", std::atan, -4, 4, 2.0);
    check<double>("atan", std::atan, -4, 4, 2.0);
    check<float>("asin", std::asin, -1, 1, 2.5);
    check<double>("asin", std::asin, -1, 1, 2.5);
    check<float>("acos", std::acos, -1, 1, 2.0);
    check<double>("acos", std::acos, -1, 1, 2.0);
}

// Next to multiples of pi/2, where nearly all digits of the argument cancel.
template <class T> void check_near_quarters() {
    std::vector<T> x;
    for (int64_t n = 1; n < 4000; ++n)
        for (long double scale : {1.0L, 257.0L, 65537.0L, 4294967297.0L}) x.push_back(T(1.57079632679489661923132169163975144L * scale * (long double)n));
    x.push_back(T(6381956970095103 * 0x1p797L));         // the double next to one
    for (const Target& target : targets())
        for (bool cosine : {false, true}) {
            std::vector<T> y = evaluate(cosine ? "cos" : "sin", target, x);
            for (size_t i = 0; i < x.size(); ++i) {
                if (!std::isfinite(x[i])) continue;
                ASSERT_LE(ulps(y[i], cosine ? std::cos((long double)x[i]) : std::sin((long double)x[i])), 1.5) << x[i] << " " << target.name;
            }
        }
}
TEST(Math, NextToQuarterTurns) {
    check_near_quarters<float>();
    check_near_quarters<double>();
}

template <class T> void check_powers(double bound) {
    Rng rng(3);
    std::vector<T> a, b;
    const double most = sizeof(T) == 4 ? 105 : 750;      // of |b log(a)|
    for (int i = 0; i < 200000; ++i) {
        T x = sizeof(T) == 4 ? T(std::bit_cast<float>(uint32_t(rng()))) : T(std::bit_cast<double>(uint64_t(rng())));
        if (i % 3 == 0 || !std::isfinite(x)) x = T(1 + std::normal_distribution<double>(0, 0.05)(rng));
        x = std::fabs(x);
        a.push_back(x);
        b.push_back(T(std::uniform_real_distribution<>(-most, most)(rng) / double(std::log(x))));
        if (i % 5 == 0) b.back() = std::round(b.back()), a.back() = -a.back();
    }
    for (const Target& target : targets()) {
        std::vector<T> y = evaluate_pow(target, a, b);
        double worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < a.size(); ++i) {
            double error = ulps(y[i], std::pow((long double)a[i], (long double)b[i]));
            if (error > worst) worst = error, at = i;
        }
        EXPECT_LE(worst, bound) << sizeof(T) * 8 << " on " << target.name << " at " << a[at] << " to the power " << b[at];
    }
}
template <class T> void check_special_powers() {
    const T inf = INFINITY, huge = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
    std::vector<T> a, b;
    const T values[] = {0, T(-0.0), 1, -1, 2, -2, 3, -3, T(0.5), T(-0.5), T(2.5), inf, -inf, T(NAN), huge, -huge, tiny, -tiny, T(16777217), T(1e15 + 1)};
    for (T x : values)
        for (T y : values) a.push_back(x), b.push_back(y);
    for (const Target& target : targets()) {
        std::vector<T> y = evaluate_pow(target, a, b);
        for (size_t i = 0; i < a.size(); ++i) {
            const T exact = T(std::pow(double(a[i]), double(b[i])));
            EXPECT_LE(ulps(y[i], exact), 2) << a[i] << " to the power " << b[i] << " " << target.name;
            EXPECT_TRUE(std::isnan(exact) || std::signbit(exact) == std::signbit(y[i])) << a[i] << " to the power " << b[i];
        }
    }
}
TEST(Math, Pow) {
    check_powers<float>(0.51);
    check_powers<double>(2.0);
    check_special_powers<float>();
    check_special_powers<double>();
}

template <class T> void check_special_values() {
    T inf = INFINITY, tiny = std::numeric_limits<T>::denorm_min(), huge = std::numeric_limits<T>::max();
    std::vector<T> x = {T(NAN), inf, -inf, T(0), T(-0.0), tiny, -tiny, huge, -huge, T(1e30), T(-1e30), T(1), T(-1)};
    for (const Target& target : targets()) {
        std::vector<T> e = evaluate("exp", target, x), l = evaluate("log", target, x), t = evaluate("tanh", target, x);
        EXPECT_TRUE(std::isnan(e[0]) && std::isnan(l[0]) && std::isnan(t[0]));
        std::vector<T> exps = {inf, 0, 1, 1, 1, 1, inf, 0, inf, 0};
        for (size_t i = 0; i < exps.size(); ++i) EXPECT_EQ(e[i + 1], exps[i]) << "exp " << x[i + 1] << " " << target.name;
        EXPECT_EQ(l[1], inf);
        EXPECT_TRUE(std::isnan(l[2]) && std::isnan(l[6]) && std::isnan(l[8]) && std::isnan(l[12]));
        EXPECT_EQ(l[3], -inf);
        EXPECT_EQ(l[4], -inf);
        EXPECT_EQ(l[5], std::log(tiny));
        EXPECT_EQ(l[11], 0);
        std::vector<T> tanhs = {1, -1, 0, T(-0.0), tiny, -tiny, 1, -1, 1, -1};
        for (size_t i = 0; i < tanhs.size(); ++i) {
            EXPECT_EQ(t[i + 1], tanhs[i]) << "tanh " << x[i + 1] << " " << target.name;
            EXPECT_EQ(std::signbit(t[i + 1]), std::signbit(tanhs[i]));
        }
    }
}
// Signs of zeros, ends and NaN, as C has them.
template <class T> void check_special_functions() {
    const T inf = INFINITY, tiny = std::numeric_limits<T>::denorm_min();
    std::vector<T> x = {T(NAN), inf, -inf, T(0), T(-0.0), tiny, -tiny, T(1), T(-1), T(2), T(-2)};
    struct Row { const char* op; double (*exact)(double); };
    const Row rows[] = {{"erf", std::erf}, {"sin", std::sin}, {"cos", std::cos}, {"asin", std::asin}, {"acos", std::acos}, {"atan", std::atan}};
    for (const Target& target : targets())
        for (const Row& row : rows) {
            std::vector<T> y = evaluate(row.op, target, x);
            for (size_t i = 0; i < x.size(); ++i) {
                const double exact = row.exact(double(x[i]));
                EXPECT_LE(ulps(y[i], exact), 2) << row.op << " " << x[i] << " " << target.name;
                EXPECT_TRUE(std::isnan(exact) || std::signbit(exact) == std::signbit(y[i])) << row.op << " " << x[i] << " " << target.name;
            }
        }
}
TEST(Math, SpecialFunctions) {
    check_special_functions<float>();
    check_special_functions<double>();
}
TEST(Math, SpecialValues) {
    check_special_values<float>();
    check_special_values<double>();
}
} // namespace nereus::test
