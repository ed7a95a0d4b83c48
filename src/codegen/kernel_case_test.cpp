#include "codegen/kernel_case.h"
#include "exe/cpu.h"
#include "loop/text.h"
#include "tensor/element.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace nereus::test {
using namespace loop;
namespace {
struct Number { double real = 0; int64_t whole = 0; };   // one of the two, by dtype

Number read(DType t, const std::byte* from) {
    return with_type(t, [&](auto v) {
        std::memcpy(static_cast<void*>(&v), from, sizeof v);
        return is_real<decltype(v)> ? Number{.real = double(v)} : Number{.whole = int64_t(to_word(v))};
    });
}
void write(DType t, Number n, std::byte* to) {
    const uint64_t word = is_float(t) ? word_of(t, n.real) : word_of(t, n.whole);
    std::memcpy(to, &word, size_t(size_of(t)));
}
Number from_bits(DType t, int64_t bits) { return read(t, reinterpret_cast<const std::byte*>(&bits)); }
int64_t wrap(DType t, uint64_t v) { return int64_t(word_of(t, v)); }
int64_t saturate(double v, DType t) { return int64_t(word_of(t, v)); }
// An operator on small floats gives one; others are compared with a tolerance.
Number settled(DType t, Number n) { return is_small_float(t) ? Number{.real = rounded(t, n.real)} : n; }
int64_t philox(int64_t key, int64_t counter, DType t) {
    uint32_t x[4] = {uint32_t(counter), uint32_t(uint64_t(counter) >> 32), 0, 0};
    uint32_t k0 = uint32_t(key), k1 = uint32_t(uint64_t(key) >> 32);
    for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
        uint64_t a = uint64_t(0xD2511F53) * x[0], b = uint64_t(0xCD9E8D57) * x[2];
        uint32_t y[4] = {uint32_t(b >> 32) ^ x[1] ^ k0, uint32_t(b), uint32_t(a >> 32) ^ x[3] ^ k1, uint32_t(a)};
        std::copy(y, y + 4, x);
    }
    return t == DType::i32 ? int32_t(x[0]) : int64_t(x[0] | uint64_t(x[1]) << 32);
}

class Interpreter {
 public:
    explicit Interpreter(const KernelCase& c) : c_(c), f_(c.f), at_(f_.groups.size()), values_(size_t(f_.values)) {
        out_.buffers = c.buffers;
        for (size_t g = 0; g < at_.size(); ++g) at_[g].assign(c.extents[g].size(), 0);
    }
    Outcome run() {
        std::vector<size_t> parallel, sequential;
        for (size_t g = 0; g < f_.groups.size(); ++g) {
            if (f_.groups[g].role == Role::parallel) parallel.push_back(g);
            if (f_.groups[g].role == Role::sequential) sequential.push_back(g);
        }
        if (!sequential.empty()) std::swap(parallel, sequential);      // order first, then everything beside it
        each(parallel, 0, [&] {
            if (!sequential.empty()) each(sequential, 0, [&] { body(); });
            else body();
        });
        return out_;
    }

 private:
    bool failed() const { return out_.fault != 0; }
    void fail(Fault fault) { if (!failed()) out_.fault = int32_t(fault); }

    template <class F> void each(const std::vector<size_t>& groups, size_t k, const F& run) {
        if (k == groups.size()) return failed() ? void() : run();
        points(groups[k], 0, [&] { each(groups, k + 1, run); });
    }
    void points(size_t g, size_t axis, const std::function<void()>& run) {
        if (axis == at_[g].size()) return run();
        for (at_[g][axis] = 0; at_[g][axis] < c_.extents[g][axis]; ++at_[g][axis]) points(g, axis + 1, run);
        at_[g][axis] = 0;
    }
    int64_t position(size_t g) {
        int64_t p = 0;
        for (size_t i = 0; i < at_[g].size(); ++i) p = p * c_.extents[g][i] + at_[g][i];
        return p;
    }
    std::byte* place(const Access& a) {
        int64_t offset = 0;
        for (GroupId g : a.groups) {
            const Dims& strides = c_.strides.at({a.buffer.index, g.index});
            for (size_t i = 0; i < strides.size(); ++i) offset += strides[i] * at_[g.index][i];
        }
        for (const Indirect& i : a.at) {
            int64_t index = eval(i.index).whole;
            if (index < 0 || index >= c_.scalars[i.extent.index]) { fail(Fault::index_range); return nullptr; }
            offset += index * c_.scalars[i.stride.index];
        }
        return out_.buffers[a.buffer.index].data() + offset * size_of(f_.buffers[a.buffer.index].dtype);
    }

    Number eval(ExprId id) {
        const Expr& x = f_.expr(id);
        DType t = x.dtype;
        if (failed()) return {};
        switch (x.op) {
        case Op::constant: return from_bits(t, x.bits);
        case Op::scalar: return from_bits(t, c_.scalars[size_t(x.bits)]);
        case Op::index: return {.whole = position(size_t(x.bits))};
        case Op::load: { std::byte* p = place(f_.accesses[size_t(x.bits)]); return p ? read(t, p) : Number(); }
        case Op::value: return values_[size_t(x.bits)];
        default: break;
        }
        Number a = eval(x.a), b = x.b.valid() ? eval(x.b) : Number(), c = x.c.valid() ? eval(x.c) : Number();
        if (failed()) return {};
        DType from = f_.expr(x.a).dtype;
        if (x.op == Op::cast) {
            if (t == DType::boolean) return {.whole = is_float(from) ? a.real != 0 : a.whole != 0};
            if (is_small_float(t) && !is_float(from)) {         // rounded once
                const uint64_t word = is_unsigned(from) ? word_of(t, uint64_t(a.whole)) : word_of(t, a.whole);
                return from_bits(t, int64_t(word));
            }
            if (is_float(t))
                return settled(t, {.real = is_float(from)       ? a.real
                                           : is_unsigned(from) ? double(uint64_t(a.whole)) : double(a.whole)});
            return {.whole = is_float(from) ? saturate(a.real, t) : wrap(t, uint64_t(a.whole))};
        }
        if (x.op == Op::bit_cast) {
            std::byte bits[8];
            write(from, a, bits);
            return read(t, bits);
        }
        if (x.op == Op::select) return a.whole ? b : c;
        if (x.op == Op::philox) return {.whole = philox(a.whole, b.whole, t)};
        return is_float(from) ? settled(t, real(x.op, a.real, b.real)) : whole(x.op, from, a.whole, b.whole);
    }
    static Number real(Op op, double a, double b) {
        switch (op) {
        case Op::neg: return {.real = -a};
        case Op::abs: return {.real = std::fabs(a)};
        case Op::exp: return {.real = std::exp(a)};
        case Op::log: return {.real = std::log(a)};
        case Op::sqrt: return {.real = std::sqrt(a)};
        case Op::tanh: return {.real = std::tanh(a)};
        case Op::erf: return {.real = std::erf(a)};
        case Op::sin: return {.real = std::sin(a)};
        case Op::cos: return {.real = std::cos(a)};
        case Op::asin: return {.real = std::asin(a)};
        case Op::acos: return {.real = std::acos(a)};
        case Op::atan: return {.real = std::atan(a)};
        case Op::pow: return {.real = std::pow(a, b)};
        case Op::floor: return {.real = std::floor(a)};
        case Op::ceil: return {.real = std::ceil(a)};
        case Op::round: return {.real = std::nearbyint(a)};
        case Op::add: return {.real = a + b};
        case Op::sub: return {.real = a - b};
        case Op::mul: return {.real = a * b};
        case Op::div: return {.real = a / b};
        case Op::mod: {
            double rest = std::fmod(a, b);
            if (rest == 0) return {.real = std::copysign(0.0, b)};
            return {.real = (rest < 0) != (b < 0) ? rest + b : rest};
        }
        case Op::rem: return {.real = std::fmod(a, b)};
        case Op::floor_div: {
            if (b == 0) return {.real = a / b};
            double rest = std::fmod(a, b), quotient = (a - rest) / b;
            if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
            return {.real = quotient == 0 ? std::copysign(0.0, a / b) : std::floor(quotient + 0.5)};
        }
        case Op::max: return {.real = std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b)};
        case Op::min: return {.real = std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b)};
        case Op::eq: return {.whole = a == b};
        case Op::ne: return {.whole = a != b};
        case Op::lt: return {.whole = a < b};
        case Op::le: return {.whole = a <= b};
        case Op::gt: return {.whole = a > b};
        case Op::ge: return {.whole = a >= b};
        default: ADD_FAILURE() << "operator on floats"; return {};
        }
    }
    Number whole(Op op, DType t, int64_t a, int64_t b) {
        uint64_t x = uint64_t(a), y = uint64_t(b), bits = uint64_t(8 * size_of(t) - 1);
        auto divide = [&]() -> int64_t { return b == -1 ? wrap(t, -x) : a / b; };
        auto less = [&](int64_t left, int64_t right) { return is_unsigned(t) ? uint64_t(left) < uint64_t(right) : left < right; };
        switch (op) {
        case Op::neg: return {.whole = wrap(t, -x)};
        case Op::abs: return {.whole = less(a, 0) ? wrap(t, -x) : a};
        case Op::add: return {.whole = wrap(t, x + y)};
        case Op::sub: return {.whole = wrap(t, x - y)};
        case Op::mul: return {.whole = wrap(t, x * y)};
        case Op::div: case Op::floor_div: case Op::mod: case Op::rem: {
            if (b == 0) { fail(Fault::zero_divisor); return {}; }
            if (is_unsigned(t)) return {.whole = int64_t(op == Op::mod || op == Op::rem ? x % y : x / y)};
            int64_t quotient = divide(), rest = b == -1 ? 0 : a % b;
            bool adjust = rest != 0 && (rest < 0) != (b < 0);
            if (op == Op::div) return {.whole = quotient};
            if (op == Op::rem) return {.whole = rest};
            return {.whole = op == Op::mod ? rest + (adjust ? b : 0) : quotient - adjust};
        }
        case Op::pow: {
            if (less(b, 0)) return {.whole = a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0};
            uint64_t power = 1;
            for (uint64_t square = x; y > 0; y >>= 1, square *= square) power *= y & 1 ? square : 1;
            return {.whole = wrap(t, power)};
        }
        case Op::max: return {.whole = less(a, b) ? b : a};
        case Op::min: return {.whole = less(b, a) ? b : a};
        case Op::logical_not: return {.whole = !a};
        case Op::logical_and: case Op::bit_and: return {.whole = a & b};
        case Op::logical_or: case Op::bit_or: return {.whole = a | b};
        case Op::bit_xor: return {.whole = a ^ b};
        case Op::shift_left: return {.whole = wrap(t, x << (y & bits))};
        case Op::shift_right: return {.whole = wrap(t, (x & ~uint64_t(0) >> (63 - bits)) >> (y & bits))};
        case Op::eq: return {.whole = a == b};
        case Op::ne: return {.whole = a != b};
        case Op::lt: return {.whole = less(a, b)};
        case Op::le: return {.whole = !less(b, a)};
        case Op::gt: return {.whole = less(b, a)};
        case Op::ge: return {.whole = !less(a, b)};
        default: ADD_FAILURE() << "operator on integers"; return {};
        }
    }

    Number combine(Op op, DType t, Number a, Number b) {
        return is_float(t) ? real(op, a.real, b.real) : whole(op, t, a.whole, b.whole);
    }
    void body() {
        for (const Statement& s : f_.body) {
            if (failed()) return;
            std::visit([&](const auto& statement) { run(statement); }, s);
        }
    }
    void run(const Store& s) {
        std::vector<size_t> inner;
        const Access& to = f_.access(s.out);
        for (GroupId g : to.groups)
            if (f_.groups[g.index].role == Role::reduce) inner.push_back(g.index);
        each(inner, 0, [&] { put(to, eval(s.value)); });
    }
    void put(const Access& to, Number value) {
        std::byte* p = failed() ? nullptr : place(to);
        if (p) write(f_.buffers[to.buffer.index].dtype, value, p);
    }
    void run(const Reduce& r) {
        DType t = f_.expr(r.value).dtype;
        constexpr Op ops[] = {Op::add, Op::mul, Op::max, Op::min, Op::logical_or, Op::logical_and};
        double infinity = INFINITY;
        int64_t lowest = is_unsigned(t) ? 0 : INT64_MIN >> (63 - precision(t)), highest = wrap(t, uint64_t(~lowest));
        Number starts[] = {{0, 0}, {1, 1}, {-infinity, lowest}, {infinity, highest}, {0, 0}, {0, 1}};
        Number sum = starts[int(r.fold)];
        each({r.over.index}, 0, [&] { sum = combine(ops[int(r.fold)], t, sum, eval(r.value)); });
        values_[size_t(r.result)] = settled(t, sum);
    }
    void run(const Contract& c) {
        DType t = f_.expr(c.left).dtype;
        Number sum;
        each({c.over.index}, 0, [&] {
            Number left = eval(c.left), right = eval(c.right);
            sum = combine(Op::add, t, sum, combine(Op::mul, t, left, right));
        });
        values_[size_t(c.result)] = settled(t, sum);
    }
    void run(const Accumulate& a) {
        const Access& to = f_.access(a.out);
        DType t = f_.buffers[to.buffer.index].dtype;
        Number value = eval(a.value);
        std::byte* p = failed() ? nullptr : place(to);
        if (!p) return;
        constexpr Op ops[] = {Op::add, Op::add, Op::mul, Op::max, Op::min};
        write(t, a.update == Update::set ? value : combine(ops[int(a.update)], t, read(t, p), value), p);
    }
    void run(const Compact& c) {
        if (!eval(c.where).whole || failed()) return;
        int64_t k = out_.out++;
        if (!c.out.valid()) return;
        DType t = f_.buffers[c.out.index].dtype;
        std::byte* base = out_.buffers[c.out.index].data();
        if (c.value.valid()) return write(t, eval(c.value), base + k * size_of(t));
        for (size_t axis = 0; axis < at_[0].size(); ++axis)
            write(t, {.whole = at_[0][axis]}, base + (int64_t(axis) * c_.scalars[c.row.index] + k) * 8);
    }

    const KernelCase& c_;
    const Function& f_;
    std::vector<Dims> at_;
    std::vector<Number> values_;
    Outcome out_;
};
} // namespace

Outcome interpret(const KernelCase& c) { return Interpreter(c).run(); }

loop::Function parsed(const char* text) {
    Result<Function> f = parse(text);
    if (!f) ADD_FAILURE() << f.error().message << "\n" << text;
    return f ? *f : Function();
}

std::vector<Target> targets() {
    std::vector<Target> all;
    for (const char* name : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "host"}) {
        Target t = *target_named(name);
        if (t.level <= cpu_level()) all.push_back(t);
    }
    return all;
}

void fill_random(Bytes& bytes, DType t, Rng& rng) {
    for (size_t i = 0; i + size_t(size_of(t)) <= bytes.size(); i += size_t(size_of(t))) {
        Number n;
        uint64_t pick = rng() % 16;
        n.real = std::normal_distribution<double>(0, 2)(rng);
        n.whole = int64_t(rng() % 19) - 9;
        if (pick == 0) n.real = std::round(n.real);
        if (pick == 1) n.whole = int64_t(rng());
        if (t == DType::boolean) n.whole = rng() & 1;
        write(t, n, bytes.data() + i);
    }
}

static void size_buffers(KernelCase& c, Rng& rng) {
    c.buffers.clear();
    for (size_t b = 0; b < c.f.buffers.size(); ++b) {
        int64_t last = 0;
        bool empty = false;
        for (size_t g = 0; g < c.f.groups.size(); ++g) {
            auto found = c.strides.find({b, g});
            if (found == c.strides.end()) continue;
            for (size_t i = 0; i < found->second.size(); ++i) {
                last += found->second[i] * std::max<int64_t>(c.extents[g][i] - 1, 0);
                empty |= c.extents[g][i] == 0;
            }
        }
        c.buffers.emplace_back(empty ? 0 : size_t((last + 1) * size_of(c.f.buffers[b].dtype)));
        fill_random(c.buffers.back(), c.f.buffers[b].dtype, rng);
    }
}

// (buffer, group) pairs that some access names, each buffer's in order of its groups.
static std::vector<std::vector<size_t>> groups_by_buffer(const Function& f) {
    std::vector<std::vector<size_t>> named(f.buffers.size());
    for (const Access& a : f.accesses)
        for (GroupId g : a.groups) named[a.buffer.index].push_back(g.index);
    for (std::vector<size_t>& groups : named) {
        std::sort(groups.begin(), groups.end());
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    }
    return named;
}

void make_dense(KernelCase& c, const std::vector<Dims>& extents, Rng& rng) {
    c.extents = extents;
    c.strides.clear();
    std::vector<std::vector<size_t>> named = groups_by_buffer(c.f);
    for (size_t b = 0; b < named.size(); ++b) {
        int64_t stride = 1;
        for (size_t k = named[b].size(); k-- > 0;) {
            size_t g = named[b][k];
            Dims& strides = c.strides[{b, g}];
            strides.assign(extents[g].size(), 0);
            for (size_t i = strides.size(); i-- > 0;) {
                strides[i] = stride;
                stride *= std::max<int64_t>(extents[g][i], 1);
            }
        }
    }
    size_buffers(c, rng);
}

// Keeps the interpreter quick.
static void bound_points(std::vector<Dims>& extents) {
    for (;;) {
        int64_t points = 1, *largest = nullptr;
        for (Dims& group : extents)
            for (int64_t& extent : group) {
                points *= std::max<int64_t>(extent, 1);
                if (!largest || extent > *largest) largest = &extent;
            }
        if (points <= 20000) return;
        *largest /= 2;
    }
}

KernelCase random_case(Function f, Rng& rng) {
    KernelCase c;
    c.f = std::move(f);
    for (const Scalar& s : c.f.scalars)                  // three, in its dtype
        c.scalars.push_back(int64_t(word_of(s.dtype, s.dtype == DType::boolean ? 1.0 : 3.0)));
    auto extent = [&]() -> int64_t {
        constexpr int64_t usual[] = {0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 37, 64, 67, 97};
        uint64_t pick = rng() % 24;
        return pick < 15 ? usual[pick + 1] : pick == 15 ? usual[0] : int64_t(1 + rng() % 40);
    };
    for (const Group& g : c.f.groups) {
        Dims extents;
        size_t rank = g.axis ? 1 : rng() % 4;
        for (size_t i = 0; i < rank; ++i) extents.push_back(i + 1 < rank ? std::min<int64_t>(extent(), 5) : extent());
        c.extents.push_back(extents);
    }
    bound_points(c.extents);
    std::vector<std::vector<size_t>> named = groups_by_buffer(c.f);
    for (size_t b = 0; b < named.size(); ++b) {
        std::vector<std::pair<size_t, size_t>> axes;
        for (size_t g : named[b]) {
            c.strides[{b, g}].assign(c.extents[g].size(), 0);
            for (size_t i = 0; i < c.extents[g].size(); ++i) axes.push_back({g, i});
        }
        if (rng() % 3 == 0) std::shuffle(axes.begin(), axes.end(), rng);
        bool out = c.f.buffers[b].out, pads = rng() % 4 == 0;
        int64_t stride = !out && rng() % 6 == 0 ? 2 : 1;
        for (size_t k = axes.size(); k-- > 0;) {
            auto [g, i] = axes[k];
            if (!out && rng() % 6 == 0) continue;        // broadcast
            c.strides[{b, g}][i] = stride;
            stride = stride * std::max<int64_t>(c.extents[g][i], 1) + (pads && rng() % 2);
        }
    }
    size_buffers(c, rng);
    return c;
}

Compiled compile(const Function& f, const Target& target, CodegenOptions options) {
    Result<Scheduled> scheduled = schedule(f, target.machine);
    EXPECT_TRUE(scheduled) << (scheduled ? "" : scheduled.error().message);
    return compile(std::move(*scheduled), target, std::move(options));
}
Compiled compile(Scheduled scheduled, const Target& target, CodegenOptions options) {
    Result<MachineCode> code = codegen(std::span(&scheduled, 1), target, options);
    EXPECT_TRUE(code) << (code ? "" : code.error().message);
    CodeBlob blob = CodeBlob::map(code->blob).take();
    Kernel kernel = blob.entry(code->entries[0]);
    return Compiled{std::move(scheduled), std::move(blob), kernel};
}

Outcome run(const Compiled& k, const KernelCase& c, Split split) {
    const ParamLayout& layout = k.scheduled.params;
    std::vector<Dims> flat(layout.groups.size());
    std::vector<GroupShape> shapes;
    std::vector<int32_t> ranks;
    for (size_t g = 0; g < layout.groups.size(); ++g) {
        for (uint16_t b : layout.groups[g].buffers) {
            const Dims& strides = c.strides.at({b, g});
            flat[g].insert(flat[g].end(), strides.begin(), strides.end());
        }
        shapes.push_back({c.extents[g], flat[g]});
        ranks.push_back(int32_t(c.extents[g].size()));
    }
    Dims p(size_t(param_slots(layout, ranks)));
    EXPECT_GE(fill_params(layout, shapes, c.scalars, p), 0);
    std::vector<std::byte> scratch(size_t(k.scheduled.scratch_bytes) + 64);
    auto aligned = (reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64;
    Worker worker{reinterpret_cast<void*>(aligned), nullptr};

    Outcome result;
    result.buffers = c.buffers;
    result.tasks = p[0];
    // Guard bytes on both sides: compiled code writes past its extents under no circumstances.
    constexpr size_t guard = 256;
    std::vector<Bytes> guarded;
    std::vector<void*> pointers;
    Dims sizes;
    for (const Bytes& b : c.buffers) {
        guarded.emplace_back(b.size() + 2 * guard, std::byte(0xa5));
        std::copy(b.begin(), b.end(), guarded.back().begin() + guard);
        sizes.push_back(int64_t(b.size()));
    }
    for (Bytes& b : guarded) pointers.push_back(b.data() + guard);
    Launch launch{pointers.data(), p.data(), &result.out, &result.error, sizes.data()};
    if (split == Split::whole) {
        result.fault = k.kernel(&launch, 0, p[0], &worker);
    } else {
        std::vector<int64_t> tasks;
        for (int64_t t = 0; t < p[0]; ++t) tasks.push_back(t);
        std::shuffle(tasks.begin(), tasks.end(), Rng(7));
        for (int64_t t : tasks) result.fault = std::max(result.fault, k.kernel(&launch, t, t + 1, &worker));
        if (result.fault) result.fault = result.error.fault;
    }
    for (size_t b = 0; b < guarded.size(); ++b) {
        const Bytes& g = guarded[b];
        bool clean = std::all_of(g.begin(), g.begin() + guard, [](std::byte x) { return x == std::byte(0xa5); }) &&
                     std::all_of(g.end() - guard, g.end(), [](std::byte x) { return x == std::byte(0xa5); });
        EXPECT_TRUE(clean) << "buffer " << b << " was overrun";
        std::copy(g.begin() + guard, g.end() - guard, result.buffers[b].begin());
        if (!c.f.buffers[b].out) { EXPECT_EQ(result.buffers[b], c.buffers[b]) << "an input was written"; }
    }
    return result;
}

void check_kernel(const char* text, int cases, double tolerance) {
    Function f = parsed(text);
    Rng rng(1);
    std::vector<KernelCase> bound;
    std::vector<Outcome> expected;
    for (int i = 0; i < cases; ++i) {
        bound.push_back(random_case(f, rng));
        expected.push_back(interpret(bound.back()));
    }
    for (const Target& target : targets())
        for (bool checked : {false, true}) {
            Compiled k = compile(f, target, {.checked = checked});
            for (size_t i = 0; i < bound.size(); ++i) {
                const KernelCase& c = bound[i];
                Outcome whole = run(k, c), split = run(k, c, Split::single_tasks_shuffled);
                std::string where = target.name + (checked ? " checked" : "") + " case " + std::to_string(i) + "\n" + text;
                ASSERT_EQ(difference(c, whole, expected[i], tolerance), "") << where;
                ASSERT_EQ(split.fault, whole.fault) << where;
                ASSERT_EQ(std::memcmp(&split.error, &whole.error, sizeof whole.error), 0) << where;
                if (whole.fault) continue;
                ASSERT_EQ(split.buffers, whole.buffers) << where;
            }
        }
}

std::string difference(const KernelCase& c, const Outcome& got, const Outcome& expected, double tolerance) {
    if (got.fault != expected.fault)
        return "fault " + std::to_string(got.fault) + ", expected " + std::to_string(expected.fault);
    if (got.fault) return "";
    if (got.out != expected.out) return "count " + std::to_string(got.out) + ", expected " + std::to_string(expected.out);
    for (size_t b = 0; b < c.f.buffers.size(); ++b) {
        DType t = c.f.buffers[b].dtype;
        for (size_t i = 0; i < got.buffers[b].size(); i += size_t(size_of(t))) {
            Number x = read(t, got.buffers[b].data() + i), y = read(t, expected.buffers[b].data() + i);
            bool same = is_float(t) ? x.real == y.real || (std::isnan(x.real) && std::isnan(y.real)) ||
                                          std::fabs(x.real - y.real) <= tolerance * std::max(1.0, std::fabs(y.real))
                                    : x.whole == y.whole;
            if (!same)
                return c.f.buffers[b].name + " element " + std::to_string(i / size_t(size_of(t))) + ": " +
                       (is_float(t) ? std::to_string(x.real) + ", expected " + std::to_string(y.real)
                                    : std::to_string(x.whole) + ", expected " + std::to_string(y.whole));
        }
    }
    return "";
}
} // namespace nereus::test
