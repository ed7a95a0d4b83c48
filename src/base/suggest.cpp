#include "base/suggest.h"
#include <algorithm>

namespace nereus {
namespace {
// Insertions, deletions, replacements and swaps of neighbours.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        next[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                next[j] = std::min(next[j], before[j - 2] + 1);
        }
        std::swap(before, row);
        std::swap(row, next);
    }
    return row[b.size()];
}
} // namespace

std::string nearest(std::string_view name, std::span<const std::string_view> known) {
    if (name.size() > 100) return {};                    // a hostile name must not cost the square of its length
    size_t best = std::max<size_t>(1, (name.size() + 2) / 3) + 1;
    std::string_view found;
    for (std::string_view candidate : known) {
        size_t longer = std::max(candidate.size(), name.size()), shorter = std::min(candidate.size(), name.size());
        if (longer - shorter >= best) continue;
        size_t d = distance(name, candidate);
        if (d >= longer) continue;                       // nothing in common
        if (d > 1 && 2 * d >= longer && candidate.front() != name.front()) continue;     // as much apart, from the first letter on
        if (d < best || (d == best && !found.empty() && candidate < found)) {
            best = d;
            found = candidate;
        }
    }
    return std::string(found);
}

std::string did_you_mean(std::string_view prefix, std::string_view name, std::span<const std::string_view> known) {
    std::string found = nearest(name, known);
    return found.empty() ? "" : "did you mean `" + std::string(prefix) + found + "`?";
}
} // namespace nereus
