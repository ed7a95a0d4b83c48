// strings/match.h - regular expressions in the syntax of RE2.
#pragma once
#include "base/result.h"
#include <memory>
#include <string_view>

namespace nereus {
class Matcher {
 public:
    static Result<Matcher> of(std::string_view pattern);         // refused with the reason: value
    bool matches_all(std::string_view text) const;               // from its first to its last character
    Matcher(Matcher&&) noexcept;
    Matcher& operator=(Matcher&&) noexcept;
    ~Matcher();

 private:
    struct Compiled;
    explicit Matcher(std::unique_ptr<Compiled> compiled);
    std::unique_ptr<Compiled> compiled_;
};
} // namespace nereus
