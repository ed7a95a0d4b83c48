// Fourier transforms of any length in n log n steps. A length whose primes are at most 7 is transformed in stages, one per factor:
// from one place to another and back, so that frequencies come out in order (Stockham). Any other length n is a convolution
// (Bluestein): as jk = (j² + k² - (k - j)²) / 2, the sum of x[j] w^jk is that of x[j] w^(j²/2) with w^(-j²/2), times w^(k²/2). It is done
// with transforms of a length m of at least 2n - 1 that has small primes. All is computed in f64; every power of w is made from its
// exact angle. The other direction is the same with the two parts exchanged, before and after.
#include "library/kernels.h"
#include "library/params.h"
#include "tensor/element.h"
#include <cmath>
#include <numbers>
#include <utility>

namespace nereus {
namespace {
struct Complex { double re, im; };
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
Complex exchanged(Complex a) { return {a.im, a.re}; }

// e to the power -2 pi i k / n, for 0 <= k < n. Integers find the eighth of the circle: cos and sin are of a small angle.
Complex turn(int64_t k, int64_t n) {
    const int64_t eighth = 8 * k / n, rest = 8 * k - eighth * n;
    const double angle = std::numbers::pi / 4 * (double(eighth % 2 ? n - rest : rest) / double(n));
    double re = std::cos(angle), im = std::sin(angle);
    if ((eighth + 1) & 2) std::swap(re, im);             // nearer to the vertical axis
    return {eighth >= 2 && eighth < 6 ? -re : re, eighth >= 4 ? im : -im};
}

// The factor of the next stage; 0: there is a prime above 7.
int radix_of(int64_t n) {
    for (int radix : {4, 2, 3, 5, 7})
        if (n % radix == 0) return radix;
    return 0;
}
bool has_small_primes(int64_t n) {
    while (n > 1) {
        const int radix = radix_of(n);
        if (radix == 0) return false;
        n /= radix;
    }
    return true;
}
// Of the transforms that are made for n points. Otherwise 4, 5, 6 or 7 times a power of 2, so less than 5/4 (2n - 1).
int64_t transform_length(int64_t n) {
    if (has_small_primes(n)) return n;
    const int64_t least = 2 * n - 1;
    int64_t power = 1, factor = 4;
    while (7 * power < least) power *= 2;
    while (factor * power < least) ++factor;
    return factor * power;
}

// The transform of a few points, in place. Of an odd number, points j and p - j have the same cosine and opposite sines.
template <int p> struct Butterfly {
    double cosine[p], sine[p];
    Butterfly() {
        for (int i = 0; i < p; ++i) {
            const Complex root = turn(i, p);
            cosine[i] = root.re, sine[i] = root.im;
        }
    }
    void operator()(Complex* a) const {
        constexpr int half = p / 2;
        Complex sum[half], difference[half];
        for (int j = 1; j <= half; ++j) sum[j - 1] = a[j] + a[p - j], difference[j - 1] = a[j] - a[p - j];
        const Complex first = a[0];
        for (const Complex& each : sum) a[0] = a[0] + each;
        for (int r = 1; r <= half; ++r) {
            Complex even = first, odd = {0, 0};
            for (int j = 1; j <= half; ++j) {
                const double c = cosine[j * r % p], s = sine[j * r % p];
                even.re += c * sum[j - 1].re, even.im += c * sum[j - 1].im;
                odd.re -= s * difference[j - 1].im, odd.im += s * difference[j - 1].re;
            }
            a[r] = even + odd, a[p - r] = even - odd;
        }
    }
};
template <> struct Butterfly<2> {
    void operator()(Complex* a) const {
        const Complex b = a[0];
        a[0] = b + a[1], a[1] = b - a[1];
    }
};
template <> struct Butterfly<4> {
    void operator()(Complex* a) const {
        const Complex b = a[0] + a[2], c = a[0] - a[2], d = a[1] + a[3], e = a[1] - a[3], turned{e.im, -e.re};
        a[0] = b + d, a[1] = c + turned, a[2] = b - d, a[3] = c - turned;
    }
};

// `stride` sequences of p * rest points, interleaved in x, become p times as many of `rest` points in y.
template <int p> void stage(int64_t rest, int64_t stride, const Complex* turns, const Complex* x, Complex* y) {
    const Butterfly<p> butterfly;
    for (int64_t q = 0; q < rest; ++q, turns += p - 1)
        for (int64_t k = 0; k < stride; ++k) {
            Complex a[p];
            for (int t = 0; t < p; ++t) a[t] = x[k + stride * (q + rest * t)];
            butterfly(a);
            Complex* to = y + k + stride * p * q;
            to[0] = a[0];
            for (int r = 1; r < p; ++r) to[stride * r] = a[r] * turns[r - 1];
        }
}

// Of the points in x, with y for help; returns where the frequencies are.
Complex* transform(int64_t n, const Complex* turns, Complex* x, Complex* y) {
    for (int64_t left = n, stride = 1; left > 1; std::swap(x, y)) {
        const int radix = radix_of(left);
        left /= radix;
        switch (radix) {
        case 2: stage<2>(left, stride, turns, x, y); break;
        case 3: stage<3>(left, stride, turns, x, y); break;
        case 4: stage<4>(left, stride, turns, x, y); break;
        case 5: stage<5>(left, stride, turns, x, y); break;
        case 7: stage<7>(left, stride, turns, x, y); break;
        default: break;                                  // a length has small primes
        }
        turns += left * (radix - 1), stride *= radix;
    }
    return x;
}

// What all lines of n points share: fft_table makes it. chirp and spectrum are of convolutions alone.
struct Table {
    int64_t points, length;
    Complex *turns, *chirp, *spectrum;       // length, points, length: 6 per point at most

    Table(int64_t points, void* at)
        : points(points), length(transform_length(points)), turns(static_cast<Complex*>(at)), chirp(turns + length), spectrum(chirp + points) {}
    bool convolves() const { return length != points; }

    void make_turns() const {
        Complex* to = turns;
        for (int64_t left = length; left > 1;) {
            const int64_t whole = left, radix = radix_of(left);
            left /= radix;
            for (int64_t q = 0; q < left; ++q)
                for (int64_t r = 1; r < radix; ++r) *to++ = turn(q * r, whole);
        }
    }
    void make_chirp(Complex* spare) const {
        for (int64_t k = 0, square = 0; k < points; square = (square + 2 * k + 1) % (2 * points), ++k) chirp[k] = turn(square, 2 * points);
        std::fill_n(spectrum, length, Complex{0, 0});
        const double share = 1 / double(length);         // the way back is not divided
        for (int64_t k = 0; k < points; ++k) spectrum[k] = spectrum[k == 0 ? 0 : length - k] = {chirp[k].re * share, -chirp[k].im * share};
        const Complex* made = transform(length, turns, spectrum, spare);
        if (made != spectrum) std::copy_n(made, length, spectrum);
    }
};

int32_t table(const Launch* launch, int64_t, int64_t, Worker*) {
    const int64_t n = GroupParams(launch, 1).points;
    if (n == 0) return 0;
    const Table made(n, launch->buf[0]);
    made.make_turns();
    if (made.convolves()) made.make_chirp(static_cast<Complex*>(launch->buf[1]));
    return 0;
}

// A line as it lies in a tensor of T; `inverse`: with its parts exchanged.
template <class T> struct Line {
    std::byte* at;
    int64_t step;
    bool inverse;

    Complex get(int64_t i) const {
        const Complex z{double(load_element<T>(at + i * step)), double(load_element<T>(at + i * step + sizeof(T)))};
        return inverse ? exchanged(z) : z;
    }
    void put(int64_t i, Complex z) const {
        if (inverse) z = exchanged(z);
        store_element(at + i * step, T(z.re)), store_element(at + i * step + sizeof(T), T(z.im));
    }
};

template <class T> void transform_line(const Table& table, const Line<T>& x, const Line<T>& y, Complex* scratch) {
    const int64_t n = table.points, m = table.length;
    Complex *a = scratch, *b = scratch + m;
    if (!table.convolves()) {
        for (int64_t i = 0; i < n; ++i) a[i] = x.get(i);
        const Complex* found = transform(n, table.turns, a, b);
        for (int64_t i = 0; i < n; ++i) y.put(i, found[i]);
        return;
    }
    for (int64_t i = 0; i < n; ++i) a[i] = x.get(i) * table.chirp[i];
    std::fill(a + n, a + m, Complex{0, 0});
    Complex* there = transform(m, table.turns, a, b);
    for (int64_t i = 0; i < m; ++i) there[i] = exchanged(there[i] * table.spectrum[i]);
    const Complex* back = transform(m, table.turns, there, there == a ? b : a);
    for (int64_t i = 0; i < n; ++i) y.put(i, exchanged(back[i]) * table.chirp[i]);
}

template <class T> int32_t lines(const Launch* launch, int64_t task_begin, int64_t task_end, Worker*) {
    const GroupParams workers(launch, 0), all(launch, 1), line(launch, 2);
    if (line.points == 0) return 0;
    const bool inverse = launch->p[2 + 3 * 3] != 0;
    const Table table(line.points, launch->buf[2]);
    auto line_of = [&](int buffer, int64_t i) {
        return Line<T>{static_cast<std::byte*>(launch->buf[buffer]) + all.offset(buffer, i), line.stride(buffer), inverse};
    };
    const Tasks own = items_of(launch, task_begin, task_end, workers.points);
    for (int64_t worker = own.begin; worker < own.end; ++worker) {
        Complex* scratch = reinterpret_cast<Complex*>(static_cast<std::byte*>(launch->buf[3]) + workers.offset(0, worker));
        for (int64_t i = worker; i < all.points; i += workers.points) transform_line(table, line_of(0, i), line_of(1, i), scratch);
    }
    return 0;
}

constexpr Kernel kernels[] = {table, lines<float>, lines<double>, lines<F16>, lines<BF16>};
constexpr std::string_view names[] = {"fft_table", "fft_f32", "fft_f64", "fft_f16", "fft_bf16"};
static_assert(std::size(kernels) == std::size(names));
} // namespace

std::span<const Kernel> fft_kernels() { return kernels; }
std::optional<uint32_t> fft_kernel_index(std::string_view name) {
    const auto found = std::find(std::begin(names), std::end(names), name);
    return found == std::end(names) ? std::nullopt : std::optional(uint32_t(found - std::begin(names)));
}
} // namespace nereus
