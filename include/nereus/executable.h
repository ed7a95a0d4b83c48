// nereus/executable.h - running a compiled program. This half of the library has no compiler in it: whatever
// shape, length or depth the arguments have, nothing is compiled here.
#pragma once
#include "nereus/value.h"
#include <functional>

namespace nereus {
class LoadedExecutable;                        // of the library
namespace api { struct ContextInside; }
} // namespace nereus

namespace nereus::v1 {
struct Parameter {
    std::string name;                          // without %
    std::string type;                          // Tensor[(n, 4), f32], {w: …, b: …}, Leaf(…) | Node(…)
};
// What an entry point takes and gives, as text; a size that the program computes is written _.
struct Signature {
    std::string name;
    std::vector<Parameter> parameters;
    std::string result;
    std::vector<std::string> sizes;            // the dims that arguments decide: n
};
// How large an executable is.
struct ExecutableCounts {
    int64_t kernels = 0, launches = 0, regions = 0, instructions = 0, code_bytes = 0, constant_bytes = 0;
};

// A constant tensor of a program: bytes that `owner` keeps alive and nobody changes.
struct Constant {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

// A compiled program. A small handle on something immutable: copy it and share it between threads.
class Executable {
 public:
    // Reads an artefact. It contains machine code: loading one is trusting whoever made it. Damage is
    // `corrupt`, another version or a processor that lacks something is `mismatch`. The constants of a file
    // stay in it: its pages are shared with whoever loads it too, here or in another process. So nobody may
    // write into the file while it is in use; to replace it by another of its name, as save() does, is fine.
    static Result<Executable> load(const std::string& path);
    static Result<Executable> from_bytes(std::span<const std::byte> bytes);
    // An artefact whose constants are not in it and stay where they are: what compile() hands over.
    static Result<Executable> from_parts(std::span<const std::byte> bytes, std::span<const Constant> constants);
    // Writes an artefact, whole or not at all. The same executable gives the same bytes.
    Status save(const std::string& path) const;
    Result<std::vector<std::byte>> to_bytes() const;

    // The entry points; the first is the one that a call means when it names none.
    std::vector<Signature> entries() const;
    // What the processor must have: x86-64-v2, x86-64-v3 or x86-64-v4.
    std::string_view target() const;
    ExecutableCounts counts() const;

 private:
    friend class Context;
    explicit Executable(std::shared_ptr<const LoadedExecutable> program) : program_(std::move(program)) {}
    std::shared_ptr<const LoadedExecutable> program_;
};

struct ContextOptions {
    int64_t memory_limit = 0;                  // bytes that one call may use; 0: what the machine has
    std::function<void(std::string_view)> print = {};      // where the program's print goes; empty: stderr
};
// Counters of a context.
struct Stats {
    int64_t calls = 0, plan_hits = 0, plan_misses = 0, region_runs = 0, launches = 0;     // since it was made
    int64_t peak_bytes = 0;                    // of the last call: the sum of these three
    int64_t arena_bytes = 0, object_bytes = 0, scratch_bytes = 0;
    int64_t leaked_objects = 0;                // always 0, or Nereus has a bug
};
// A dim of a signature with its number, as in {"n", 32}.
struct Size {
    std::string name;
    int64_t extent = 0;
};

// What one call at a time changes: make one per thread and use it again and again. After an error it is ready
// for the next call. Memory stays at the largest call's; it does not grow with the number of shapes seen.
class Context {
 public:
    static Result<Context> make(const Executable& executable, const ContextOptions& options = {});

    // Calls the first entry point with its arguments in order.
    Result<Value> call(std::span<const Value> arguments);
    Result<Value> call(std::initializer_list<Value> arguments) {
        return call(std::span(arguments.begin(), arguments.size()));
    }
    // Calls the entry point of that name.
    Result<Value> call(std::string_view entry, std::span<const Value> arguments);
    Result<Value> call(std::string_view entry, std::initializer_list<Value> arguments) {
        return call(entry, std::span(arguments.begin(), arguments.size()));
    }
    // Calls the first entry point, or the one named, with arguments by parameter name, in any order.
    Result<Value> call_named(std::span<const Field> arguments, std::string_view entry = {});
    Result<Value> call_named(std::initializer_list<Field> arguments, std::string_view entry = {}) {
        return call_named(std::span(arguments.begin(), arguments.size()), entry);
    }

    // Stats::peak_bytes of a call of the first entry point, or the one named, with these arguments, without calling
    // it. Read are constructors, lengths, shapes and whole numbers of rank 0, but no elements: exact to the byte, or an
    // upper bound where elements decide between ways. An error with `limit`: no bound follows without elements.
    Result<int64_t> peak(std::span<const Value> arguments, std::string_view entry = {}) const;
    template <std::same_as<Value> V>
    Result<int64_t> peak(std::initializer_list<V> arguments, std::string_view entry = {}) const {
        return peak(std::span<const Value>(arguments.begin(), arguments.size()), entry);
    }
    // The same from sizes alone, for any arguments that have them. `limit` too where sizes do not say how an argument
    // is built: a tree, a sequence.
    Result<int64_t> peak(std::span<const Size> sizes, std::string_view entry = {}) const;
    Result<int64_t> peak(std::initializer_list<Size> sizes, std::string_view entry = {}) const {
        return peak(std::span(sizes.begin(), sizes.size()), entry);
    }
    Stats stats() const;
    // Gives memory kept for the next call back to the system.
    void trim();
    // The only one that another thread may use during a call: that call fails soon, with `cancelled`.
    void cancel();

    Context(Context&& other) noexcept;
    Context& operator=(Context&& other) noexcept;
    ~Context();

 private:
    explicit Context(std::unique_ptr<api::ContextInside> inside);
    std::unique_ptr<api::ContextInside> inside_;
};
} // namespace nereus::v1
