// The stated errors of math.cpp, against long double libm, on every target; special values exactly.
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
TEST(Math, SpecialValues) {
    check_special_values<float>();
    check_special_values<double>();
}
} // namespace nereus::test
