// tensor/kernel.h - the binary interface of a kernel, compiled or from the library. Compiled code depends on this
// layout: a change here is a new artefact version.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>

namespace nereus {
// What a kernel found wrong. The lowest failing task wins, so that the report is the same for every thread count.
enum class Fault : int32_t {
    none = 0, index_range = 1, zero_divisor = 2, bounds = 3 /* checked mode */, cancelled = 4, outside = 5 /* plugin/plugin.h */,
    told = 6,                      // `value` is the number of a text, made in the call's scope, that says what
    memory = 7,                    // of texts
};
class TextScope;                   // tensor/texts.h

struct KernelError {
    int64_t task;                  // the lowest failing task; INT64_MAX: none
    int32_t fault;                 // a Fault
    int32_t operand;               // which buffer
    int64_t index;                 // linear index of the element
    int64_t value;                 // the offending value, for instance the index that was out of range
    int64_t size;                  // index_range: what the index must be below
};

struct Launch {
    void* const* buf;              // buffers, in the order the kernel declares them; any alignment
    const int64_t* p;              // host-computed parameters: extents, strides, scalar bits
    int64_t* out;                  // late sizes
    KernelError* err;
    const int64_t* bytes;          // size of each buffer; read by checked kernels only
    const void* about;             // of a kernel from outside: plugin/plugin.h
};

// What asks a call to stop, for kernels from outside that work for long; compiled ones do not look.
struct Stop {
    const std::atomic<int32_t>* context = nullptr;
    const std::atomic<int32_t>* token = nullptr;
    int64_t deadline = 0;          // nanoseconds of the steady clock; 0: none

    bool asked() const {
        auto is_set = [](const std::atomic<int32_t>* flag) { return flag && flag->load(std::memory_order_relaxed) != 0; };
        if (is_set(context) || is_set(token)) return true;
        return deadline != 0 && std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count() >= deadline;
    }
};

struct Worker {
    void* scratch;                 // as many bytes as the schedule asked for, 64-byte aligned
    const Stop* stop;              // null: nothing does
    TextScope* texts;              // holds the texts that a kernel of the library makes
};

// Runs tasks [task_begin, task_end) of the grid; returns a Fault. Allocates nothing, writes inside its extents only.
using Kernel = int32_t (*)(const Launch*, int64_t task_begin, int64_t task_end, Worker*);
} // namespace nereus
