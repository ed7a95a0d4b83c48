#include "generator/smaller_values.h"
#include <cmath>

namespace nereus::gen {
namespace {
Value with_children(const Value& value, std::vector<Value> parts) {
    switch (value.kind()) {
    case Value::Kind::tensor: return value;
    case Value::Kind::tuple: return Value::tuple(std::move(parts));
    case Value::Kind::seq: return Value::seq(std::move(parts));
    case Value::Kind::ctor: return Value::ctor(std::string(value.ctor_name()), std::move(parts));
    case Value::Kind::record: break;
    }
    std::vector<Field> fields;
    for (size_t i = 0; i < parts.size(); ++i) fields.push_back({value.field_names()[i], parts[i]});
    return Value::record(std::move(fields));
}

// Rounded to halves: short to read, and still different from each other.
void add_rounded(const Value& value, std::vector<Value>& out) {
    const HostTensor& x = value.tensor();
    if (x.dtype() != DType::f64 && x.dtype() != DType::i64) return;
    HostTensor copy = *HostTensor::make(x.dtype(), x.shape());
    std::byte* to = *copy.mutable_bytes();
    bool changed = false;
    for (int64_t i = 0; i < x.count(); ++i) {
        double was = x.as_f64(i), now = x.dtype() == DType::f64 ? std::round(was * 2) / 2 : std::trunc(was / 2);
        changed = changed || was != now;
        if (x.dtype() == DType::f64) reinterpret_cast<double*>(to)[i] = now;
        else reinterpret_cast<int64_t*>(to)[i] = int64_t(now);
    }
    if (changed) out.push_back(Value::tensor(std::move(copy)));
}
} // namespace

std::vector<Value> smaller_values(const Value& value) {
    std::vector<Value> out;
    if (value.is(Value::Kind::tensor)) {
        add_rounded(value, out);
        return out;
    }
    std::vector<Value> parts(value.children().begin(), value.children().end());
    if (value.is(Value::Kind::ctor))
        for (const Value& part : parts)
            if (part.is(Value::Kind::ctor)) out.push_back(part);             // a tail, a branch
    if (value.is(Value::Kind::seq))
        for (size_t i = 0; i < parts.size(); ++i) {
            std::vector<Value> fewer = parts;
            fewer.erase(fewer.begin() + int64_t(i));
            out.push_back(Value::seq(std::move(fewer)));
        }
    for (size_t i = 0; i < parts.size(); ++i)
        for (const Value& smaller : smaller_values(parts[i])) {
            std::vector<Value> changed = parts;
            changed[i] = smaller;
            out.push_back(with_children(value, std::move(changed)));
        }
    return out;
}
} // namespace nereus::gen
