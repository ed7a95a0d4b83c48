// base/error.h - what went wrong with an input: a code to act on, a text in the user's words, a place, a hint.
#pragma once
#include "base/span.h"
#include <string>
#include <string_view>
#include <vector>

namespace nereus {
enum class Code : uint8_t {
    usage,         // the call itself was wrong
    parse,         // text, JSON or npy that cannot be read
    name,          // an unknown or doubly declared name
    type,          // types or dtypes that do not fit
    shape,         // sizes that do not fit, at compile time or at run time
    value,         // an argument out of its domain: index range, zero divisor, failed assert
    unsupported,   // understood, and not offered
    io,            // a file that cannot be read or written
    corrupt,       // an artefact that is damaged
    mismatch,      // an artefact for another version or CPU
    memory,        // memory or a set limit ran out
    limit,         // nesting, size or count over what we accept
    cancelled,     // the caller asked to stop
    deadline,      // the time that the caller gave is over
    internal,      // our own mistake, found by a verifier
};
std::string_view code_name(Code code);

struct Note { Span where; std::string text; };

struct Error {
    Code code = Code::internal;
    std::string message;                  // lower case, no full stop: what was found and what was expected
    Span where = {};
    std::string hint = {};                // what to do about it; may be empty
    std::vector<Note> notes = {};         // other places that matter: the other origin, the call path
};
} // namespace nereus
