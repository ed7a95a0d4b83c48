// api/guard.h - the edge between the rooms and C: arguments are looked at before they are used, errors become statuses, and
// no exception gets out. Rooms return errors; only the standard library throws, when memory runs out or a size is asked for that
// none could have. Inline, because both libraries need it and neither exports it.
#pragma once
#include "base/diagnostics.h"
#include "base/result.h"
#include "exe/source_texts.h"
#include "nereus/nereus.h"
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>

namespace nereus::api {
static_assert(NEREUS_ERROR_USAGE == int(Code::usage) + 1 && NEREUS_ERROR_IO == int(Code::io) + 1 &&
              NEREUS_ERROR_DEADLINE == int(Code::deadline) + 1 && NEREUS_ERROR_INTERNAL == int(Code::internal) + 1);

// `sources`: the texts it is about, if there are. In a model the node is the place, not a line.
// `whole`: the file that an error without a place is about; empty: none.
inline nereus_status* status_of(const Error& error, std::span<const SourceText> sources = {}, const std::string& whole = {}) {
    nereus_status_options options{};
    options.struct_size = sizeof options;
    options.code = nereus_code(error.code) + 1;
    options.message = error.message.c_str(), options.hint = error.hint.c_str();
    std::string text;
    if (error.where.known() && size_t(error.where.source) < sources.size()) {
        const SourceText* model = model_of(error, sources);
        text = render(error, sources);
        options.file = (model ? *model : sources[size_t(error.where.source)]).path.c_str(), options.text = text.c_str();
        if (!model) options.line = error.where.line, options.column = error.where.column;
    } else if (!whole.empty()) {
        text = whole + ": error: " + error.message + "\n" + (error.hint.empty() ? "" : "hint: " + error.hint + "\n");
        options.file = whole.c_str(), options.text = text.c_str();
    }
    return nereus_status_create(&options);
}
// `exe`: the program it is about; null: none.
inline nereus_status* status_of(const Error& error, const Executable* exe) { return status_of(error, exe ? source_texts(*exe) : std::vector<SourceText>()); }
inline nereus_status* out_of_memory() {
    nereus_status_options options{};
    options.struct_size = sizeof options;
    options.code = NEREUS_ERROR_MEMORY, options.message = "out of memory";
    return nereus_status_create(&options);
}

template <class Work> nereus_status* at_the_edge(Work&& work, const Executable* exe = nullptr) noexcept {
    try {
        Status status = work();
        return status ? nullptr : status_of(status.error(), exe);
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    } catch (const std::length_error&) {
        return out_of_memory();
    }
}

inline Status given(const void* argument, const char* name) {
    if (argument) return {};
    return Error{Code::usage, std::string(name) + " is NULL"};
}
// `count` pointers, none of them NULL.
template <class T> Result<std::span<T* const>> given_list(T* const* items, size_t count, const char* name) {
    if (count == 0) return std::span<T* const>();
    TRY(given(items, name));
    for (size_t i = 0; i < count; ++i)
        if (!items[i]) return Error{Code::usage, std::string(name) + "[" + std::to_string(i) + "] is NULL"};
    return std::span<T* const>(items, count);
}

// The struct of the caller, who may know fewer fields of it than we do, or more: those must be 0, or they would be ignored.
template <class T> Result<T> options_of(const T* options) {
    T out{};
    out.struct_size = sizeof out;
    if (!options) return out;
    constexpr size_t most = 4096;
    const size_t size = options->struct_size;
    if (size < sizeof size || size > most)
        return Error{Code::usage, "struct_size of the options is " + std::to_string(size), {}, "set it to the sizeof of the struct"};
    const auto* bytes = reinterpret_cast<const char*>(options);
    for (size_t i = sizeof out; i < size; ++i)
        if (bytes[i] != 0) return Error{Code::unsupported, "the options have a field that this version of the library does not know"};
    std::memcpy(&out, options, std::min(size, sizeof out));
    return out;
}
// Fills in what the caller's struct has.
template <class T> Status give_struct(T from, T* out, const char* name) {
    TRY(given(out, name));
    from.struct_size = out->struct_size;
    if (out->struct_size < sizeof out->struct_size)
        return Error{Code::usage, "struct_size of " + std::string(name) + " is not set", {}, "set it to the sizeof of the struct"};
    std::memcpy(out, &from, std::min(out->struct_size, sizeof from));
    return {};
}
} // namespace nereus::api
