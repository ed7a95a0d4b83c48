#include "generator/nudge.h"
#include "ops/tolerance.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <map>

namespace nereus::gen {
namespace {
// Every float by `change`, which gets it and its counterpart in `other`.
using Change = std::function<double(double here, double there)>;
Value changed(const Value& value, const Value& other, const Change& change) {
    if (value.is(Value::Kind::tensor)) {
        const HostTensor &x = value.tensor(), &y = other.tensor();
        if (!is_float(x.dtype())) return value;
        HostTensor copy = *HostTensor::make(x.dtype(), x.shape());
        std::byte* to = *copy.mutable_bytes();
        for (int64_t i = 0; i < x.count(); ++i) {
            const uint64_t made = word_of(x.dtype(), change(x.as_f64(i), y.as_f64(i)));
            std::memcpy(to + i * size_of(x.dtype()), &made, size_t(size_of(x.dtype())));
        }
        return Value::tensor(std::move(copy));
    }
    std::vector<Value> parts;
    for (size_t i = 0; i < value.children().size(); ++i) parts.push_back(changed(value.children()[i], other.children()[i], change));
    switch (value.kind()) {
    case Value::Kind::tensor: break;
    case Value::Kind::tuple: return Value::tuple(std::move(parts));
    case Value::Kind::seq: return Value::seq(std::move(parts));
    case Value::Kind::ctor: return Value::ctor(std::string(value.ctor_name()), std::move(parts));
    case Value::Kind::record: {
        std::vector<Field> fields;
        for (size_t i = 0; i < parts.size(); ++i) fields.push_back({value.field_names()[i], parts[i]});
        return Value::record(std::move(fields));
    }
    }
    return value;
}
} // namespace

Value nudged(const Value& value, double relative, std::mt19937_64& random) {
    std::uniform_real_distribution<> any(-relative, relative);
    return changed(value, value, [&](double x, double) { return x + (std::fabs(x) + 0.01) * any(random); });
}
Module with_nudged_literals(Module module, double units, std::mt19937_64& random) {
    std::uniform_real_distribution<> any(-units, units);
    std::map<float, double> moves;           // as f32: the same literal may be of either dtype
    for (Function& f : module.functions)
        for (Binding& b : f.bindings)
            for (double& x : b.literal.reals) {
                if (x * 1024 == std::floor(x * 1024)) continue;
                const auto [move, is_new] = moves.try_emplace(float(std::fabs(x)));
                if (is_new) move->second = any(random);
                x += x * move->second * epsilon(*module.types[f[b.results[0]].type].element.dtype);
            }
    return module;
}
Value random_direction(const Value& value, std::mt19937_64& random) {
    std::uniform_real_distribution<> any(-1, 1);
    return changed(value, value, [&](double, double) { return any(random); });
}
Value moved_along(const Value& value, const Value& direction, double by) {
    return changed(value, direction, [&](double x, double d) { return x + by * d; });
}
double dot(const Value& a, const Value& b, double& out_scale) {
    double sum = 0;
    changed(a, b, [&](double x, double y) {
        sum += x * y;
        out_scale += std::fabs(x * y);
        return x;
    });
    return sum;
}
} // namespace nereus::gen
