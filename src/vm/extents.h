// vm/extents.h - extents of tensors whose rank is known only when they arrive.
#pragma once
#include "base/result.h"
#include "exe/extents.h"
#include "tensor/shape.h"
#include <algorithm>
#include <span>

namespace nereus {
// A tensor of these extents exists, so a product without a zero fits.
int64_t extent_product(std::span<const int64_t> extents);

// Equal ranks and extents, whatever they are at `axis`, which counts from the end where negative.
bool same_extents_but(std::span<const int64_t> a, std::span<const int64_t> b, int axis);
// Equal extents from axis from_a of a and from_b of b on.
bool same_tails(std::span<const int64_t> a, size_t from_a, std::span<const int64_t> b, size_t from_b);

// Extents that are collected part by part; `out` has room for max_rank.
struct ExtentList {
    int64_t* out;
    size_t rank = 0;
    Status add(std::span<const int64_t> extents);
    Status add_inferred(std::span<const int64_t> sizes, int64_t total);      // one -1 is what is left of `total`
    void keep_last(size_t count);
    Status reduce(std::span<const int64_t> axes, bool keep);                 // at these axes 1, or nothing
    Status check() const;                                // none is negative
};

// What exe/extents.h says. `source` reads a register: number(reg); dims(reg), of the tensor object in it;
// elements(reg, count, out), i64s at the address in it.
template <class Source>
Status gather_extents(std::span<const uint32_t> registers, std::span<const uint32_t> parts, Source& source, ExtentList& list) {
    auto next = [&, at = size_t(0)]() mutable { return registers[at++]; };
    for (size_t i = 0; i < parts.size(); ++i) {
        switch (ExtentPart(parts[i])) {
        case ExtentPart::number: case ExtentPart::unless: {
            int64_t extent = source.number(next());
            if (ExtentPart(parts[i]) == ExtentPart::unless && source.number(next()) != 0) break;
            TRY(list.add({&extent, 1}));
            break;
        }
        case ExtentPart::tail: {
            std::span<const int64_t> dims = source.dims(next());
            TRY(list.add(dims.subspan(std::min<size_t>(parts[++i], dims.size()))));
            break;
        }
        case ExtentPart::head: {
            std::span<const int64_t> dims = source.dims(next());
            TRY(list.add(dims.first(dims.size() - std::min<size_t>(parts[++i], dims.size()))));
            break;
        }
        case ExtentPart::elements: {
            uint32_t address = next();
            size_t count = size_t(source.number(next()));
            int64_t total = source.number(next()), sizes[max_rank];
            if (count <= max_rank) source.elements(address, count, sizes);
            TRY(list.add_inferred({sizes, count}, total));
            break;
        }
        case ExtentPart::last: list.keep_last(size_t(source.number(next()))); break;
        case ExtentPart::ones: case ExtentPart::without: {
            uint32_t address = next();
            size_t count = size_t(source.number(next()));
            int64_t axes[max_rank];
            if (count > list.rank) return Error{Code::shape, std::to_string(count) + " axes for rank " + std::to_string(list.rank)};
            source.elements(address, count, axes);
            TRY(list.reduce({axes, count}, ExtentPart(parts[i]) == ExtentPart::ones));
            break;
        }
        }
    }
    return list.check();
}
} // namespace nereus
