#include "pack/occupied.h"
#include <algorithm>
#include <bit>

namespace nereus {
Occupied::Occupied(std::span<const PackBuffer> buffers) {
    for (const PackBuffer& buffer : buffers) {
        births_.push_back(buffer.first);
        for (size_t i = 0; i < buffer.more.size(); i += 2) births_.push_back(buffer.more[i]);
    }
    std::sort(births_.begin(), births_.end());
    births_.erase(std::unique(births_.begin(), births_.end()), births_.end());
    nodes_.resize(2 * std::bit_ceil(std::max<size_t>(births_.size(), 1)));
}

void Occupied::clear() {
    for (Node& node : nodes_) node.always.clear(), node.sometimes.clear();
}

void Occupied::add(Ranges& ranges, Bytes bytes) {
    auto from = std::lower_bound(ranges.begin(), ranges.end(), bytes.begin, [](Bytes r, int64_t at) { return r.end < at; });
    auto to = from;
    for (; to != ranges.end() && to->begin <= bytes.end; ++to)
        bytes = {std::min(bytes.begin, to->begin), std::max(bytes.end, to->end)};
    if (from == to) ranges.insert(from, bytes);
    else *from = bytes, ranges.erase(from + 1, to);
}

// Spans of births; what is alive from before a birth has one of its own.
template <class Visit> void Occupied::each_span(const PackBuffer& buffer, const Visit& visit) const {
    auto span = [&](uint32_t first, uint32_t last) {
        size_t begin = size_t(std::lower_bound(births_.begin(), births_.end(), first) - births_.begin());
        size_t end = size_t(std::upper_bound(births_.begin(), births_.end(), last) - births_.begin());
        visit(begin, end - 1);
    };
    span(buffer.first, buffer.last);
    for (size_t i = 0; i < buffer.more.size(); i += 2) span(buffer.more[i], buffer.more[i + 1]);
}

void Occupied::place(const PackBuffer& buffer, int64_t offset, int64_t bytes) {
    if (bytes == 0) return;
    each_span(buffer, [&](size_t first, size_t last) {
        place(1, 0, nodes_.size() / 2, first, last, {offset, offset + bytes});
    });
}

void Occupied::place(size_t node, size_t begin, size_t end, size_t first, size_t last, Bytes bytes) {
    if (last < begin || end <= first) return;
    add(nodes_[node].sometimes, bytes);
    if (first <= begin && end <= last + 1) return add(nodes_[node].always, bytes);
    place(2 * node, begin, (begin + end) / 2, first, last, bytes);
    place(2 * node + 1, (begin + end) / 2, end, first, last, bytes);
}

void Occupied::collect(size_t node, size_t begin, size_t end, size_t first, size_t last) {
    if (last < begin || end <= first) return;
    const bool inside = first <= begin && end <= last + 1;
    const Ranges& taken = inside ? nodes_[node].sometimes : nodes_[node].always;
    if (!taken.empty()) met_.push_back(&taken);
    if (inside) return;
    collect(2 * node, begin, (begin + end) / 2, first, last);
    collect(2 * node + 1, (begin + end) / 2, end, first, last);
}

int64_t Occupied::lowest(const PackBuffer& buffer, int64_t bytes) {
    met_.clear();
    each_span(buffer, [&](size_t first, size_t last) { collect(1, 0, nodes_.size() / 2, first, last); });
    int64_t at = 0;
    for (size_t free_in = 0, i = 0; free_in < met_.size(); i = (i + 1) % met_.size(), ++free_in) {
        const Ranges& taken = *met_[i];
        auto next = std::upper_bound(taken.begin(), taken.end(), at, [](int64_t offset, Bytes r) { return offset < r.end; });
        for (; next != taken.end() && next->begin < at + bytes; ++next) at = next->end, free_in = 0;
    }
    return at;
}
} // namespace nereus
