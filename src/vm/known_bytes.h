// vm/known_bytes.h - the few bytes of a stretch of memory whose content is known without running anything: numbers that the
// host wrote there, and what kernels make of those.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nereus {
class KnownBytes {
 public:
    static constexpr int64_t largest = 512;              // of one load or store: more is not worth knowing
    static constexpr size_t most_cells = 1024;

    bool empty() const { return cells_.empty(); }
    void clear() { cells_.clear(); }
    // All of these bytes, if all are known.
    bool load(int64_t at, int64_t bytes, std::byte* out) const;
    void store(int64_t at, int64_t bytes, const std::byte* from);
    void forget(int64_t begin, int64_t end);
    // Keeps what is the same in both; true: something was forgotten.
    bool join(const KnownBytes& other);
    void describe(std::vector<uint64_t>& out) const;
    bool operator==(const KnownBytes&) const = default;

 private:
    struct Cell {                            // eight bytes; a bit of `known` per byte
        int64_t word;
        uint64_t value;                      // 0 where not known
        uint8_t known;
        bool operator==(const Cell&) const = default;
    };
    std::vector<Cell>::iterator from(int64_t word) {
        return std::lower_bound(cells_.begin(), cells_.end(), word, [](const Cell& cell, int64_t w) { return cell.word < w; });
    }
    std::vector<Cell> cells_;                // ascending
};
} // namespace nereus
