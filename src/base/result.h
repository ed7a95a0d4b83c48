// base/result.h - a value or an Error; TRY passes the error on. The only macro of ours.
#pragma once
#include "base/error.h"
#include "base/invariant.h"
#include <memory>
#include <optional>
#include <utility>

namespace nereus {
template <class T> class [[nodiscard]] Result {
 public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
    explicit operator bool() const { return !error_; }
    const Error& error() const& { invariant(bool(error_), "error() of a success"); return *error_; }
    Error error() && { invariant(bool(error_), "error() of a success"); return std::move(*error_); }
    T& operator*() { invariant(!error_, "value of a failure"); return *value_; }
    const T& operator*() const { invariant(!error_, "value of a failure"); return *value_; }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }
    T take() && { invariant(!error_, "value of a failure"); return std::move(*value_); }

 private:
    std::optional<T> value_;
    std::unique_ptr<Error> error_;        // out of line: a success stays small
};

template <> class [[nodiscard]] Result<void> {
 public:
    Result() = default;
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
    explicit operator bool() const { return !error_; }
    const Error& error() const& { invariant(bool(error_), "error() of a success"); return *error_; }
    Error error() && { invariant(bool(error_), "error() of a success"); return std::move(*error_); }
    void take() && { invariant(!error_, "value of a failure"); }

 private:
    std::unique_ptr<Error> error_;
};
using Status = Result<void>;
} // namespace nereus

#define TRY(...) __extension__({ auto r_ = (__VA_ARGS__); if (!r_) return std::move(r_).error(); std::move(r_).take(); })
