// nereus/result.h - what a function gives back: its result, or why there is none. A function that returns a
// Result throws nothing; the others throw only what std::string and std::vector throw when memory runs out.
// Write nereus::Value; the v1 is in the names that binaries link to, so that versions cannot be mixed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nereus::v1 {
// What kind of mistake it was: for programs to act on.
enum class Code : uint8_t {
    usage,         // the call itself was wrong
    parse,         // text or JSON that cannot be read
    name,          // an unknown or doubly declared name
    type,          // types or dtypes that do not fit
    shape,         // sizes that do not fit, at compile time or at run time
    value,         // an argument out of its domain: index range, zero divisor, failed assert
    unsupported,   // understood, and not offered
    io,            // a file that cannot be read or written
    corrupt,       // an artefact that is damaged
    mismatch,      // an artefact for another version or CPU
    memory,        // memory or a set limit ran out
    limit,         // nesting, size or count over what is accepted
    cancelled,     // the caller asked to stop
    internal,      // a mistake in Nereus itself
};
// The code as a word: "shape".
std::string_view code_name(Code code);

// A place in a program. No file: the error has no place.
struct Place {
    std::string file;
    int32_t line = 0, column = 0;              // both count from 1; columns count bytes
};

struct Error {
    Code code = Code::internal;
    std::string message;                       // what was found and what was expected
    Place where = {};
    std::string hint = {};                     // what to do about it; may be empty
    std::string text = {};                     // for people: place, message, the line with a mark, hint
};

// Prints what was done wrong with the library and ends the program: for mistakes in the calling code only.
[[noreturn]] void misuse(std::string_view what);

// A T, or the error that came instead. Reading the one that is not there is a misuse; it ends the program.
template <class T> class [[nodiscard]] Result {
 public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(std::move(error)) {}

    // Is there a value?
    explicit operator bool() const { return content_.index() == 0; }
    // The value.
    T& operator*() & { require(); return *std::get_if<0>(&content_); }
    const T& operator*() const& { require(); return *std::get_if<0>(&content_); }
    T operator*() && { require(); return std::move(*std::get_if<0>(&content_)); }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }
    // The error.
    const Error& error() const {
        if (*this) misuse("error() of a result that is a success");
        return *std::get_if<1>(&content_);
    }

 private:
    void require() const { if (!*this) misuse("the value of a failed result was read\n" + error().text); }
    std::variant<T, Error> content_;
};

// Success, or an error.
template <> class [[nodiscard]] Result<void> {
 public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    // Did it succeed?
    explicit operator bool() const { return !error_; }
    // The error.
    const Error& error() const {
        if (!error_) misuse("error() of a result that is a success");
        return *error_;
    }

 private:
    std::optional<Error> error_;
};
using Status = Result<void>;
} // namespace nereus::v1

namespace nereus {
using namespace v1;
} // namespace nereus
