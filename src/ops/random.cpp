// ops/random.cpp - counter-based random numbers: each element is a function of key, counter and its index alone.
//
// The element at row-major index i comes from one block of Philox4x32-10 (Salmon et al., 2011):
//   c = counter + i mod 2^64;  words w = (c mod 2^32, c div 2^32, 0, 0);  key (key mod 2^32, key div 2^32)
//   ten times:  w = (hi(0xCD9E8D57 * w2) ^ w1 ^ k0,  lo(0xCD9E8D57 * w2),  hi(0xD2511F53 * w0) ^ w3 ^ k1,
//               lo(0xD2511F53 * w0)), and between rounds k0 += 0x9E3779B9, k1 += 0xBB67AE85, both mod 2^32
// and of the result w, with u = w0 + 2^32 * w1:
//   floats with p bits: f64 (u >> 11) * 2^-53, others (w0 >> 32 - p) * 2^-p     integers: the low bits of u     bool: w0 odd
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"

namespace nereus {
namespace {
struct Words { uint32_t w0, w1, w2, w3; };

Words philox(uint64_t key, uint64_t counter) {
    uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
    Words w{uint32_t(counter), uint32_t(counter >> 32), 0, 0};
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t p0 = uint64_t(0xD2511F53u) * w.w0, p1 = uint64_t(0xCD9E8D57u) * w.w2;
        w = {uint32_t(p1 >> 32) ^ w.w1 ^ k0, uint32_t(p1), uint32_t(p0 >> 32) ^ w.w3 ^ k1, uint32_t(p0)};
    }
    return w;
}

template <class T> T element_of(Words w) {
    uint64_t both = w.w0 + (uint64_t(w.w1) << 32);
    if constexpr (std::is_same_v<T, double>) return double(both >> 11) * 0x1p-53;
    else if constexpr (is_real<T>) return T(std::ldexp(double(w.w0 >> (32 - precision(dtype_of<T>))), -precision(dtype_of<T>)));
    else if constexpr (std::is_same_v<T, bool>) return w.w0 & 1;
    else return T(both);
}

Result<Tensors> random_eval(const EvalArgs& args) {
    uint64_t key = uint64_t(args.sizes[0][0]), counter = uint64_t(args.sizes[1][0]);
    HostTensor y = TRY(HostTensor::make(*args.dtype("dtype"), args.sizes[2]));
    return with_number(y.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < out.size(); ++i) out[i] = element_of<T>(philox(key, counter + i));
        return Tensors{std::move(y)};
    });
}

constexpr OpParam random_params[] = {{"key", ParamKind::size},
                                     {"counter", ParamKind::size},
                                     {"shape", ParamKind::sizes},
                                     {"dtype", ParamKind::dtype}};

constexpr OpDef rows[] = {
    {.name = "random", .doc = "uniform in [0, 1) for floats, all bits for integers; element i follows from key and counter + i alone",
     .params = random_params, .scheme = "-> $dtype", .eval = random_eval,
     .lower = lower_random},
};
} // namespace

std::span<const OpDef> random_ops() { return rows; }
} // namespace nereus
