// nereus/result.hpp - what a function gives back: its result, or why there is none. A function that returns a Result throws
// nothing; the others throw only what std::string and std::vector throw when memory runs out.
// These classes are a thin layer over nereus.h, compiled into the program that uses them: no C++ crosses into the library.
// Write nereus::Value; the v1 keeps the names of a later layer apart.
#pragma once
#include "nereus/nereus.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nereus::v1 {
// What kind of mistake it was: for programs to act on. nereus.h says when each is met.
enum class Code : int32_t {
    usage = NEREUS_ERROR_USAGE, parse = NEREUS_ERROR_PARSE, name = NEREUS_ERROR_NAME, type = NEREUS_ERROR_TYPE,
    shape = NEREUS_ERROR_SHAPE, value = NEREUS_ERROR_VALUE, unsupported = NEREUS_ERROR_UNSUPPORTED, io = NEREUS_ERROR_IO,
    corrupt = NEREUS_ERROR_CORRUPT, mismatch = NEREUS_ERROR_MISMATCH, memory = NEREUS_ERROR_MEMORY, limit = NEREUS_ERROR_LIMIT,
    cancelled = NEREUS_ERROR_CANCELLED, deadline = NEREUS_ERROR_DEADLINE, internal = NEREUS_ERROR_INTERNAL,
};
// The code as a word: "shape".
inline std::string_view code_name(Code code) {
    const char* name = nereus_code_name(nereus_code(code));
    return name ? name : "";
}

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
[[noreturn]] inline void misuse(std::string_view what) {
    std::fprintf(stderr, "nereus: %.*s\n", int(what.size()), what.data());
    std::abort();
}

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

namespace detail {
template <auto release> struct Release {
    template <class T> void operator()(T* handle) const { release(handle); }
};
using OwnedStatus = std::unique_ptr<nereus_status, Release<nereus_status_release>>;
using OwnedBytes = std::unique_ptr<nereus_bytes, Release<nereus_bytes_release>>;

// A status that is an error. Short texts, such as that of no memory, need no memory.
inline Error error_of(nereus_status* failed) {
    OwnedStatus status(failed);
    try {
        return {Code(nereus_status_code(failed)), nereus_status_message(failed),
                {nereus_status_file(failed), nereus_status_line(failed), nereus_status_column(failed)},
                nereus_status_hint(failed), nereus_status_text(failed)};
    } catch (const std::bad_alloc&) { return {Code::memory, "out of memory", {}, {}, "out of memory\n"}; }
}
// For functions that give no Result.
inline void succeed(nereus_status* status) {
    if (!status) return;
    if (nereus_status_code(status) == NEREUS_ERROR_MEMORY) {
        nereus_status_release(status);
        throw std::bad_alloc();
    }
    misuse(error_of(status).text);
}
inline std::string text_of(nereus_bytes* bytes) {
    OwnedBytes owned(bytes);
    return {nereus_bytes_data(bytes), nereus_bytes_size(bytes)};
}
// Apart, as it is rare, and as GCC 12 takes parts of it for not initialised where it is written in place.
[[gnu::noinline]] inline Error out_of_memory() { return Error{Code::memory, "out of memory", {}, {}, "out of memory\n"}; }
// Runs what may throw bad_alloc.
template <class T, class Work> Result<T> guarded(Work&& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) { return out_of_memory(); }
}
} // namespace detail
} // namespace nereus::v1

namespace nereus {
using namespace v1;
} // namespace nereus
