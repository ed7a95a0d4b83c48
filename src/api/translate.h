// api/translate.h - results of the rooms as public ones. Comes before the public headers: inside the rooms
// `Value` means the room's own, so their headers are read first. Inline, because both libraries need it and
// neither exports it.
#pragma once
#include "base/result.h"
#include "nereus/result.h"
#include <charconv>
#include <new>

namespace nereus::api {
static_assert(int(v1::Code::usage) == int(nereus::Code::usage) &&
              int(v1::Code::io) == int(nereus::Code::io) &&
              int(v1::Code::internal) == int(nereus::Code::internal));

// "file:line:column", as run-time errors carry it.
inline v1::Place place_from(std::string_view text) {
    v1::Place place;
    for (int32_t* number : {&place.column, &place.line}) {
        size_t colon = text.rfind(':');
        if (colon == std::string_view::npos) return {};
        auto [end, failure] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), *number);
        if (failure != std::errc() || end != text.data() + text.size()) return {};
        text = text.substr(0, colon);
    }
    place.file = text;
    return place;
}

inline v1::Error translate(nereus::Error error) {
    v1::Error out{v1::Code(error.code), std::move(error.message), {}, std::move(error.hint), {}};
    if (!error.notes.empty() && !error.notes[0].where.known()) {
        out.where = place_from(error.notes[0].text);
        out.text = error.notes[0].text + ": ";
    }
    out.text += "error: " + out.message + "\n";
    if (!out.hint.empty()) out.text += "hint: " + out.hint + "\n";
    return out;
}

// Allocates nothing: the texts are short enough for a string to hold them itself.
inline v1::Error out_of_memory() { return {v1::Code::memory, "out of memory", {}, {}, "out of memory\n"}; }

// Runs what may fail in a room. Rooms return errors; only the standard library throws, when memory runs out.
template <class T, class Work> v1::Result<T> guarded(Work&& work) {
    try {
        nereus::Result<T> result = work();
        if (!result) return translate(std::move(result).error());
        if constexpr (std::is_void_v<T>) return {};
        else return std::move(result).take();
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    }
}
} // namespace nereus::api
