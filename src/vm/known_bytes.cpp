#include "vm/known_bytes.h"

namespace nereus {
bool KnownBytes::load(int64_t at, int64_t bytes, std::byte* out) const {
    if (bytes > largest) return false;
    auto cell = const_cast<KnownBytes*>(this)->from(at >> 3);
    for (int64_t i = at; i < at + bytes; ++i) {
        while (cell != cells_.end() && cell->word < i >> 3) ++cell;
        if (cell == cells_.end() || cell->word != i >> 3 || !(cell->known >> (i & 7) & 1)) return false;
        out[i - at] = std::byte(cell->value >> (8 * (i & 7)));
    }
    return true;
}

void KnownBytes::store(int64_t at, int64_t bytes, const std::byte* data) {
    if (bytes > largest || cells_.size() > most_cells) return forget(at, at + bytes);
    for (int64_t i = at; i < at + bytes; ++i) {
        auto cell = from(i >> 3);
        if (cell == cells_.end() || cell->word != i >> 3) cell = cells_.insert(cell, Cell{i >> 3, 0, 0});
        const int shift = int(8 * (i & 7));
        cell->value = (cell->value & ~(uint64_t(0xff) << shift)) | uint64_t(data[i - at]) << shift;
        cell->known = uint8_t(cell->known | 1 << (i & 7));
    }
}

void KnownBytes::forget(int64_t begin, int64_t end) {
    if (cells_.empty()) return;
    for (auto cell = from(begin >> 3); cell != cells_.end() && cell->word * 8 < end; ++cell)
        for (int64_t i = std::max(begin, cell->word * 8); i < std::min(end, cell->word * 8 + 8); ++i) {
            cell->known = uint8_t(cell->known & ~(1 << (i & 7)));
            cell->value &= ~(uint64_t(0xff) << (8 * (i & 7)));
        }
    std::erase_if(cells_, [](const Cell& cell) { return cell.known == 0; });
}

bool KnownBytes::join(const KnownBytes& other) {
    bool changed = false;
    auto theirs = other.cells_.begin();
    for (Cell& cell : cells_) {
        while (theirs != other.cells_.end() && theirs->word < cell.word) ++theirs;
        if (theirs != other.cells_.end() && *theirs == cell) continue;
        cell.known = 0;                      // all eight: a number is known whole or not at all
        changed = true;
    }
    std::erase_if(cells_, [](const Cell& cell) { return cell.known == 0; });
    return changed;
}

void KnownBytes::describe(std::vector<uint64_t>& out) const {
    out.push_back(cells_.size());
    for (const Cell& cell : cells_) out.insert(out.end(), {uint64_t(cell.word), cell.value, cell.known});
}
} // namespace nereus
