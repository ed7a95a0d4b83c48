// pack/occupied.h - which bytes are taken when, for many buffers: a tree over time, each node with the bytes taken in its
// part of it. Bytes that lie side by side are one range, so that a stack of buffers costs no more than one.
#pragma once
#include "pack/pack.h"
#include <vector>

namespace nereus {
class Occupied {
 public:
    explicit Occupied(std::span<const PackBuffer> buffers);          // that will be placed or asked for

    // The lowest offset where so many bytes are free as long as the buffer is alive.
    int64_t lowest(const PackBuffer& buffer, int64_t bytes);
    void place(const PackBuffer& buffer, int64_t offset, int64_t bytes);
    void clear();

 private:
    struct Bytes { int64_t begin, end; };
    using Ranges = std::vector<Bytes>;                   // ascending, with gaps between them
    struct Node { Ranges always, sometimes; };           // taken in all of its time; in some of it, what is below included

    static void add(Ranges& ranges, Bytes bytes);
    template <class Visit> void each_span(const PackBuffer& buffer, const Visit& visit) const;
    void collect(size_t node, size_t begin, size_t end, size_t first, size_t last);
    void place(size_t node, size_t begin, size_t end, size_t first, size_t last, Bytes bytes);

    std::vector<uint32_t> births_;                       // ascending: two lifetimes meet when one of them begins, or never
    std::vector<Node> nodes_;                            // the children of i are 2i and 2i + 1; the root is 1
    std::vector<const Ranges*> met_;                     // by the buffer asked for
};
} // namespace nereus
