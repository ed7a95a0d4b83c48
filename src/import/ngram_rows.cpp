// N-grams that are counted: TfIdfVectorizer.
#include "import/node_text.h"
#include <algorithm>
#include <limits>

namespace nereus::onnx {
namespace {
// The pool holds the 1-grams, then the 2-grams and so on; the n-grams are numbered through.
struct Pool {
    std::vector<int64_t> starts, places;               // where the n-grams of each length begin; where in the output each is counted
    std::vector<float> weights;                        // of each; empty: 1
    int64_t size = 0;                                  // in elements
};

std::optional<Pool> pool_of(NodeText& n, size_t elements) {
    Pool pool{n.integers("ngram_counts").value_or(std::vector<int64_t>()), n.integers("ngram_indexes").value_or(std::vector<int64_t>()),
              n.reals("weights").value_or(std::vector<float>()), int64_t(elements)};
    std::vector<int64_t> ends = pool.starts;
    ends.push_back(pool.size);
    int64_t grams = 0;
    bool fits = ends[0] == 0 && std::ranges::is_sorted(ends);
    for (size_t i = 0; fits && i + 1 < ends.size(); ++i) {
        fits = (ends[i + 1] - ends[i]) % int64_t(i + 1) == 0;
        grams += (ends[i + 1] - ends[i]) / int64_t(i + 1);
    }
    fits = fits && std::ssize(pool.places) == grams && (pool.weights.empty() || std::ssize(pool.weights) == grams) &&
           std::ranges::all_of(pool.places, [](int64_t place) { return place >= 0 && place < std::numeric_limits<int64_t>::max(); });
    if (fits) return pool;
    n.refuse("its pool has " + std::to_string(pool.size) + " elements, which do not fit ngram_counts, ngram_indexes and weights");
    return std::nullopt;
}

void tf_idf(NodeText& n) {
    // Texts are taken for their places among those of the pool, -1 for others; equal ones have equal places.
    const std::optional<std::vector<std::string_view>> texts = n.words("pool_strings");
    std::optional<std::vector<int64_t>> numbers = n.integers("pool_int64s");
    std::string x = n.in(0);
    if (texts && !texts->empty()) {
        std::vector<std::string_view> different(texts->begin(), texts->end());
        std::ranges::sort(different);
        different.erase(std::ranges::unique(different).begin(), different.end());
        numbers.emplace();
        for (std::string_view text : *texts) numbers->push_back(std::ranges::lower_bound(different, text) - different.begin());
        x = n.named("places", "onnx_mapped(" + x + ", " + n.named("words", texts_text(different)) + ", iota(" + std::to_string(different.size()) + "), -1)");
    }
    if (!numbers) return n.refuse("it has no pool");
    const std::optional<Pool> pool = pool_of(n, numbers->size());
    if (!pool) return;
    static constexpr std::string_view modes[] = {"TF", "IDF", "TFIDF"};
    const size_t mode = size_t(std::ranges::find(modes, n.word("mode", "")) - modes);
    const int64_t shortest = n.integer("min_gram_length", 1), longest = n.integer("max_gram_length", 1), skips = n.integer("max_skip_count", 0);
    const int64_t steps = std::min(skips, std::numeric_limits<int64_t>::max() - 1) + 1;
    if (mode == std::size(modes)) return n.refuse("attribute 'mode' is '" + std::string(n.word("mode", "")) + "', expected TF, IDF or TFIDF");
    if (shortest < 1 || longest < shortest || skips < 0) return n.refuse("its n-grams are from " + std::to_string(shortest) + " to " + std::to_string(longest) + " long, with up to " + std::to_string(skips) + " skipped");

    const std::string rows = n.named("rows", "onnx_gram_rows(cast(" + x + ", i64))");
    std::string counts;
    std::vector<int64_t> places;
    std::vector<float> weights;
    int64_t gram = 0;
    for (int64_t length = 1; length <= std::ssize(pool->starts); ++length) {
        const int64_t first = pool->starts[size_t(length - 1)], last = length < std::ssize(pool->starts) ? pool->starts[size_t(length)] : pool->size;
        const int64_t count = (last - first) / length, before = std::exchange(gram, gram + count);
        if (count == 0 || length < shortest || length > longest) continue;
        const std::vector<int64_t> elements(numbers->begin() + first, numbers->begin() + last);
        counts += (counts.empty() ? "" : ", ") + n.named("counts", "onnx_gram_counts(" + rows + ", " + n.table("grams", {count, length}, elements) + ", " + std::to_string(length == 1 ? 1 : steps) + ")");
        places.insert(places.end(), pool->places.begin() + before, pool->places.begin() + gram);
        if (!pool->weights.empty()) weights.insert(weights.end(), pool->weights.begin() + before, pool->weights.begin() + gram);
    }
    const int64_t size = pool->places.empty() ? 0 : std::ranges::max(pool->places) + 1;
    if (counts.empty()) counts = "full([shape_of(" + rows + ")[0], 0], cast(0.0, f32))";
    const std::string weight = weights.empty() ? "cast(1.0, f32)" : n.table("weights", {std::ssize(weights)}, weights);
    n.give("onnx_tf_idf(concat([" + counts + "], axis=1), " + weight + ", " + n.table("places", {std::ssize(places)}, places) + ", " + std::to_string(size) + ", " + std::to_string(mode) + ", " + x + ")");
}
} // namespace

std::span<const OpRow> ngram_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"TfIdfVectorizer",   9,    "",         "",                      "", tf_idf},
    };
    return rows;
}
} // namespace nereus::onnx
