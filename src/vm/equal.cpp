#include "vm/heap.h"
#include "tensor/element.h"
#include <cmath>

namespace nereus {
namespace {
template <class T> bool equal_elements(const TensorObject& a, const TensorObject& b, int64_t count) {
    const T *x = reinterpret_cast<const T*>(a.data), *y = reinterpret_cast<const T*>(b.data);
    for (int64_t i = 0; i < count; ++i)
        if constexpr (!is_real<T>) {
            if (x[i] != y[i]) return false;
        } else if (x[i] != y[i] && !(std::isnan(double(x[i])) && std::isnan(double(y[i])))) return false;     // a structure equals itself
    return true;
}

bool equal_tensors(const TensorObject& a, const TensorObject& b) {
    if (a.dtype != b.dtype || a.count != b.count) return false;
    int64_t count = 1;
    for (uint32_t i = 0; i < a.count; ++i) {
        if (a.dims[i] != b.dims[i]) return false;
        count *= a.dims[i];
    }
    return with_type(a.dtype, [&](auto zero) { return equal_elements<decltype(zero)>(a, b, count); });
}
} // namespace

bool Heap::equal(const Object* a, const Object* b) {
    comparing_.assign(1, {a, b});
    while (!comparing_.empty()) {
        auto [x, y] = comparing_.back();
        comparing_.pop_back();
        if (x->kind != y->kind) return false;
        switch (x->kind) {
        case ObjectKind::tensor:
            if (!equal_tensors(*static_cast<const TensorObject*>(x), *static_cast<const TensorObject*>(y))) return false;
            break;
        case ObjectKind::data:
            if (x->tag != y->tag || x->count != y->count) return false;
            for (uint32_t i = x->count; i-- > 0;)
                comparing_.emplace_back(static_cast<const DataObject*>(x)->fields[i], static_cast<const DataObject*>(y)->fields[i]);
            break;
        case ObjectKind::seq:
            if (x->count != y->count) return false;
            for (uint32_t i = x->count; i-- > 0;)
                comparing_.emplace_back(static_cast<const SeqObject*>(x)->items->at[i], static_cast<const SeqObject*>(y)->items->at[i]);
            break;
        case ObjectKind::ref:
            if (x != y) return false;
            break;
        }
    }
    return true;
}
} // namespace nereus
