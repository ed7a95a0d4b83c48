#include "strings/match.h"
#include <re2/re2.h>

namespace nereus {
struct Matcher::Compiled { re2::RE2 expression; };

Matcher::Matcher(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

Result<Matcher> Matcher::of(std::string_view pattern) {
    re2::RE2::Options options(re2::RE2::Quiet);
    auto compiled = std::unique_ptr<Compiled>(new Compiled{re2::RE2(re2::StringPiece(pattern.data(), pattern.size()), options)});
    if (!compiled->expression.ok())
        return Error{Code::value, "'" + std::string(pattern.substr(0, 60)) + "' is no pattern: " + compiled->expression.error()};
    return Matcher(std::move(compiled));
}

bool Matcher::matches_all(std::string_view text) const {
    return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}
} // namespace nereus
