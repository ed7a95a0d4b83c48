// Slots lie in blocks that never move, each twice as large as the one before, so that a text is read without a lock. Its count
// goes up and down without one, too, as long as somebody else holds it: only the step to nothing, which frees the slot, and the
// look for a text are taken in turns.
#include "tensor/texts.h"
#include "base/invariant.h"
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <string>
#include <unordered_map>

namespace nereus {
namespace {
class Texts {
 public:
    Text intern(std::string_view text) {
        if (text.empty()) return Text();
        std::lock_guard lock(mutex_);
        auto known = numbers_.find(text);
        if (known != numbers_.end()) {
            slot(known->second).holders.fetch_add(1, std::memory_order_relaxed);
            return Text(known->second);
        }
        const uint32_t number = free_.empty() ? next_number() : free_.back();
        Slot& made = slot(number);
        made.text = text;
        made.holders.store(1, std::memory_order_relaxed);
        numbers_.emplace(made.text, number);
        if (!free_.empty()) free_.pop_back();
        return Text(number);
    }

    std::string_view text_of(Text text) {
        return text.number == 0 ? std::string_view() : std::string_view(held(text).text);
    }
    void hold(Text text) {
        if (text.number != 0) held(text).holders.fetch_add(1, std::memory_order_relaxed);
    }
    void let_go(Text text) {
        if (text.number == 0) return;
        Slot& of = held(text);
        int64_t holders = of.holders.load(std::memory_order_relaxed);
        while (holders > 1)
            if (of.holders.compare_exchange_weak(holders, holders - 1, std::memory_order_release)) return;
        std::lock_guard lock(mutex_);
        if (of.holders.fetch_sub(1, std::memory_order_acq_rel) > 1) return;          // found again meanwhile
        numbers_.erase(of.text);
        of.text = std::string();                         // its memory too
        free_.push_back(text.number);
    }
    int64_t count() {
        std::lock_guard lock(mutex_);
        return int64_t(numbers_.size());
    }

 private:
    struct Slot {
        std::string text;
        std::atomic<int64_t> holders = 0;
    };
    static constexpr int first_bits = 10;                // of the first block

    // Block b has the numbers from (2^b - 1) * 2^first_bits on.
    static int block_of(uint32_t number) { return std::bit_width((uint64_t(number) >> first_bits) + 1) - 1; }
    static uint64_t begin_of(int block) { return ((uint64_t(1) << block) - 1) << first_bits; }
    Slot& slot(uint32_t number) {
        const int block = block_of(number);
        return blocks_[size_t(block)].load(std::memory_order_acquire)[number - begin_of(block)];
    }
    Slot& held(Text text) {
        invariant(text.number < size_.load(std::memory_order_acquire), "the number of a text");
        Slot& found = slot(text.number);
        invariant(found.holders.load(std::memory_order_relaxed) > 0, "a text that somebody holds");
        return found;
    }
    uint32_t next_number() {
        const uint64_t number = size_.load(std::memory_order_relaxed);
        invariant(number <= UINT32_MAX, "memory ends before the numbers of texts do");
        const int block = block_of(uint32_t(number));
        if (!owned_[size_t(block)]) {
            owned_[size_t(block)] = std::make_unique<Slot[]>(uint64_t(1) << (block + first_bits));
            blocks_[size_t(block)].store(owned_[size_t(block)].get(), std::memory_order_release);
        }
        if (free_.capacity() < number) free_.reserve(2 * number);    // letting go must not run out of memory
        size_.store(number + 1, std::memory_order_release);
        return uint32_t(number);
    }

    std::mutex mutex_;
    std::unordered_map<std::string_view, uint32_t> numbers_;         // keys lie in the slots
    std::vector<uint32_t> free_;
    std::array<std::unique_ptr<Slot[]>, 33 - first_bits> owned_;
    std::array<std::atomic<Slot*>, 33 - first_bits> blocks_ = {};
    std::atomic<uint64_t> size_ = 1;                     // 0 is the empty text
};

// Never destroyed: tensors of static storage may outlive it else.
Texts& texts() {
    alignas(Texts) static std::byte memory[sizeof(Texts)];
    static Texts* table = new (memory) Texts();
    return *table;
}
} // namespace

Text intern(std::string_view text) { return texts().intern(text); }
std::string_view text_of(Text text) { return texts().text_of(text); }
void hold(std::span<const Text> all) {
    for (Text text : all) texts().hold(text);
}
void let_go(std::span<const Text> all) {
    for (Text text : all) texts().let_go(text);
}
int64_t texts_held() { return texts().count(); }

Text TextScope::make(std::string_view text) {
    if (text.empty()) return Text();
    const Text made = intern(text);
    std::lock_guard lock(mutex_);
    made_.push_back(made);
    bytes_ += int64_t(text.size() + sizeof(Text));
    return made;
}
void TextScope::clear() {
    constexpr size_t most_kept = 1 << 16;                // texts there is room for while nobody makes any
    let_go(made_);
    made_.clear();
    if (made_.capacity() > most_kept) made_.shrink_to_fit();
    bytes_ = 0;
}
bool TextScope::has_room(size_t bytes) const {
    std::lock_guard lock(mutex_);
    return int64_t(bytes) <= limit_ - bytes_;
}
} // namespace nereus
