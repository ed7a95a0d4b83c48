// api/translate.h - results of the rooms as public ones. Comes before the public headers: inside the rooms
// `Value` means the room's own, so their headers are read first. Inline, because both libraries need it and
// neither exports it.
#pragma once
#include "base/result.h"
#include "exe/executable.h"
#include "nereus/result.h"
#include <new>
#include <span>

namespace nereus::api {
static_assert(int(v1::Code::usage) == int(nereus::Code::usage) &&
              int(v1::Code::io) == int(nereus::Code::io) &&
              int(v1::Code::internal) == int(nereus::Code::internal));

// `sources`: those of the executable in which it was found, if in one.
inline v1::Error translate(nereus::Error error, std::span<const SourceInfo> sources = {}) {
    v1::Error out{v1::Code(error.code), std::move(error.message), {}, std::move(error.hint), {}};
    if (error.where.known() && size_t(error.where.source) < sources.size()) {
        out.where = {sources[size_t(error.where.source)].path, error.where.line, error.where.column};
        out.text = out.where.file + ":" + std::to_string(out.where.line) + ":" + std::to_string(out.where.column) + ": ";
    }
    out.text += "error: " + out.message + "\n";
    if (!out.hint.empty()) out.text += "hint: " + out.hint + "\n";
    return out;
}

// Allocates nothing: the texts are short enough for a string to hold them itself.
inline v1::Error out_of_memory() { return {v1::Code::memory, "out of memory", {}, {}, "out of memory\n"}; }

// Runs what may fail in a room. Rooms return errors; only the standard library throws, when memory runs out.
template <class T, class Work> v1::Result<T> guarded(Work&& work, std::span<const SourceInfo> sources = {}) {
    try {
        nereus::Result<T> result = work();
        if (!result) return translate(std::move(result).error(), sources);
        if constexpr (std::is_void_v<T>) return {};
        else return std::move(result).take();
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    }
}
} // namespace nereus::api
