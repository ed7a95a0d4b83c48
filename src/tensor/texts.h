// tensor/texts.h - the one table of texts: what the elements of tensors of str are numbers of. Of a process, for all threads.
//
// A text is there while somebody holds it: a tensor from outside or for outside (tensor/text_tensor.h), an executable its
// constants, a call what its kernels make (TextScope). Numbers of texts that are gone are given again, so memory is bounded
// by the most texts there were at one time.
#pragma once
#include "tensor/text.h"
#include <cstddef>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace nereus {
// The number of a text, held once more.
Text intern(std::string_view text);
// Of a text that somebody holds; valid as long.
std::string_view text_of(Text text);
void hold(std::span<const Text> texts);      // once more, each of which somebody holds already
void let_go(std::span<const Text> texts);
int64_t texts_held();                        // how many there are, but for the empty one

// Holds what is made while it lives: the texts of one call. Of several threads at once.
class TextScope {
 public:
    TextScope() = default;
    TextScope(const TextScope&) = delete;
    TextScope& operator=(const TextScope&) = delete;
    ~TextScope() { clear(); }
    Text make(std::string_view text);
    void clear();
    void set_limit(int64_t bytes) { limit_ = bytes; }
    // Whether texts of so many bytes more may be made: else the maker fails for lack of memory.
    bool has_room(size_t bytes) const;

 private:
    mutable std::mutex mutex_;
    std::vector<Text> made_;
    int64_t bytes_ = 0, limit_ = INT64_MAX;
};
} // namespace nereus
