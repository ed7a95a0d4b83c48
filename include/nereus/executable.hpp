// nereus/executable.hpp - running a compiled program. This half of the library has no compiler in it: whatever
// shape, length or depth the arguments have, nothing is compiled here.
#pragma once
#include "nereus/value.hpp"
#include <chrono>
#include <functional>

namespace nereus::v1 {
// A parameter, or a part of a result.
struct Port {
    std::string name;                          // a model's own for it, or that of the parameter, without %
    std::string type;                          // Tensor[(n, 4), f32], {w: …, b: …}, Leaf(…) | Node(…)
    std::vector<std::string> dims = {};        // of a tensor, as text
};
// What an entry point takes and gives, as text; a size that the program computes is written _.
struct Signature {
    std::string name;
    std::vector<Port> parameters;
    std::string result;
    std::vector<Port> results;                 // the parts of a tuple, or the one result
    std::vector<std::string> sizes;            // the dims that arguments decide: n
};
// How large an executable is.
struct ExecutableCounts {
    int64_t kernels = 0, launches = 0, regions = 0, instructions = 0, code_bytes = 0, constant_bytes = 0;
};

// A compiled program. A small handle on something immutable: copy it and share it between threads.
class Executable {
 public:
    // Reads an artefact. It contains machine code: loading one is trusting whoever made it. Damage is
    // `corrupt`, another version or a processor that lacks something is `mismatch`. The constants of a file
    // stay in it: its pages are shared with whoever loads it too, here or in another process. So nobody may
    // write into the file while it is in use; to replace it by another of its name, as save() does, is fine.
    static Result<Executable> load(const std::string& path) {
        return result([&](nereus_executable** out) { return nereus_executable_load(path.c_str(), out); });
    }
    static Result<Executable> from_bytes(std::span<const std::byte> bytes) {
        return result([&](nereus_executable** out) {
            return nereus_executable_load_bytes(bytes.empty() ? "" : static_cast<const void*>(bytes.data()), bytes.size(), out);
        });
    }
    // Writes an artefact, whole or not at all. The same executable gives the same bytes.
    Status save(const std::string& path) const {
        if (nereus_status* failed = nereus_executable_save(handle_.get(), path.c_str())) return detail::error_of(failed);
        return {};
    }
    Result<std::vector<std::byte>> to_bytes() const {
        return detail::guarded<std::vector<std::byte>>([&]() -> Result<std::vector<std::byte>> {
            nereus_bytes* bytes = nullptr;
            if (nereus_status* failed = nereus_executable_to_bytes(handle_.get(), &bytes)) return detail::error_of(failed);
            detail::OwnedBytes owned(bytes);
            const auto* data = reinterpret_cast<const std::byte*>(nereus_bytes_data(bytes));
            return std::vector<std::byte>(data, data + nereus_bytes_size(bytes));
        });
    }

    // The entry points; the first is the one that a call means when it names none.
    std::vector<Signature> entries() const {
        std::vector<Signature> out(nereus_executable_entry_count(handle_.get()));
        for (size_t i = 0; i < out.size(); ++i) {
            const nereus_entry* entry = nullptr;
            detail::succeed(nereus_executable_entry(handle_.get(), i, &entry));
            out[i] = {entry->name, ports(entry->parameters, entry->parameter_count), entry->result_type,
                      ports(entry->results, entry->result_count), {entry->sizes, entry->sizes + entry->size_count}};
        }
        return out;
    }
    // What the processor must have: x86-64-v2, x86-64-v3 or x86-64-v4.
    std::string_view target() const { return facts().target; }
    ExecutableCounts counts() const {
        const nereus_executable_facts f = facts();
        return {f.kernels, f.launches, f.regions, f.instructions, f.code_bytes, f.constant_bytes};
    }

    // The handle of nereus.h: borrowed here, taken over there.
    const nereus_executable* handle() const { return handle_.get(); }
    static Executable take(nereus_executable* handle) { return Executable(handle); }
    Executable(const Executable& other) noexcept : handle_(nereus_executable_retain(other.handle_.get())) {}
    Executable(Executable&& other) noexcept = default;
    Executable& operator=(Executable other) noexcept {
        handle_.swap(other.handle_);
        return *this;
    }
    ~Executable() = default;

 private:
    explicit Executable(nereus_executable* handle) noexcept : handle_(handle) {}
    template <class Make> static Result<Executable> result(Make&& make) {
        nereus_executable* made = nullptr;
        if (nereus_status* failed = make(&made)) return detail::error_of(failed);
        return Executable(made);
    }
    static std::vector<Port> ports(const nereus_port* const* all, size_t count) {
        std::vector<Port> out;
        for (size_t i = 0; i < count; ++i)
            out.push_back({all[i]->name, all[i]->type, {all[i]->dims, all[i]->dims + all[i]->dim_count}});
        return out;
    }
    nereus_executable_facts facts() const {
        nereus_executable_facts out{};
        out.struct_size = sizeof out;
        detail::succeed(nereus_executable_read_facts(handle_.get(), &out));
        return out;
    }
    std::unique_ptr<nereus_executable, detail::Release<nereus_executable_release>> handle_;
};

// Asks calls to stop: those that have it, and every later one, until it is reset. Copies share; any thread may use them.
class CancelToken {
 public:
    static Result<CancelToken> make() {
        nereus_cancel_token* made = nullptr;
        if (nereus_status* failed = nereus_cancel_token_create(&made)) return detail::error_of(failed);
        return CancelToken(made);
    }
    void trigger() { nereus_cancel_token_trigger(handle_.get()); }         // from signal handlers too
    void reset() { nereus_cancel_token_reset(handle_.get()); }
    bool triggered() const { return nereus_cancel_token_triggered(handle_.get()) != 0; }

    const nereus_cancel_token* handle() const { return handle_.get(); }
    CancelToken(const CancelToken& other) noexcept : handle_(nereus_cancel_token_retain(other.handle_.get())) {}
    CancelToken(CancelToken&& other) noexcept = default;
    CancelToken& operator=(CancelToken other) noexcept {
        handle_.swap(other.handle_);
        return *this;
    }
    ~CancelToken() = default;

 private:
    explicit CancelToken(nereus_cancel_token* handle) noexcept : handle_(handle) {}
    std::unique_ptr<nereus_cancel_token, detail::Release<nereus_cancel_token_release>> handle_;
};

// Memory of the caller for a tensor of the result: written there if it fits.
using Destination = nereus_destination;
struct CallOptions {
    std::string entry = {};                    // empty: the first
    std::optional<std::chrono::steady_clock::time_point> deadline = {};    // the call fails when it has passed
    const CancelToken* cancel = nullptr;
    std::span<const Destination> destinations = {};            // of the parts of the result, in order; nereus.h says it exactly
};
// Where the elements of results and the blocks of the object heap come from; nereus.h says it exactly.
struct Allocator {
    void* (*allocate)(void* user, size_t bytes, size_t alignment) = nullptr;
    void (*deallocate)(void* user, void* memory, size_t bytes) = nullptr;
    void* user = nullptr;
};
struct ContextOptions {
    int64_t memory_limit = 0;                  // bytes that one call may use; 0: what the machine has
    std::function<void(std::string_view)> print = {};      // where the program's print goes; empty: stderr; may not throw
    Allocator allocator = {};                  // of none: the library's own
    int threads = 1;                           // that a call may use, its own with them; results are the same bit for bit
};
// Counters of a context.
struct Stats {
    int64_t calls = 0, plan_hits = 0, plan_misses = 0, region_runs = 0, launches = 0;     // since it was made
    int64_t peak_bytes = 0;                    // of the last call: the sum of these three
    int64_t arena_bytes = 0, object_bytes = 0, scratch_bytes = 0;
    int64_t leaked_objects = 0;                // always 0, or Nereus has a bug
    int64_t kept_bytes = 0;                    // held now for the next call; 0 after trim()
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
    static Result<Context> make(const Executable& executable, const ContextOptions& options = {}) {
        return detail::guarded<Context>([&]() -> Result<Context> {
            Context out;
            nereus_context_options asked{};
            asked.struct_size = sizeof asked;
            asked.memory_limit = options.memory_limit;
            asked.threads = options.threads;
            asked.allocate = options.allocator.allocate, asked.deallocate = options.allocator.deallocate;
            asked.allocator_user = options.allocator.user;
            if (options.print) {
                out.print_ = std::make_unique<Print>(options.print);
                asked.log = [](void* user, nereus_log_kind, const char* text, size_t size) { (*static_cast<Print*>(user))({text, size}); };
                asked.log_user = out.print_.get();
            }
            nereus_context* made = nullptr;
            if (nereus_status* failed = nereus_context_create(executable.handle(), &asked, &made)) return detail::error_of(failed);
            out.handle_.reset(made);
            return out;
        });
    }

    // Calls the first entry point, or the one of the options, with its arguments in order. Results have their real shapes,
    // also where only the run decides them.
    Result<Value> call(std::span<const Value> arguments, const CallOptions& options = {}) {
        return run(arguments.size(), Value::handles(arguments), nullptr, options);
    }
    Result<Value> call(std::initializer_list<Value> arguments, const CallOptions& options = {}) {
        return call(std::span(arguments.begin(), arguments.size()), options);
    }
    // Calls the entry point of that name.
    Result<Value> call(std::string_view entry, std::span<const Value> arguments) {
        return detail::guarded<Value>([&] { return call(arguments, {.entry = std::string(entry)}); });
    }
    Result<Value> call(std::string_view entry, std::initializer_list<Value> arguments) {
        return call(entry, std::span(arguments.begin(), arguments.size()));
    }
    // The same with arguments by the names of parameters or of a model's inputs, in any order.
    Result<Value> call_named(std::span<const Field> arguments, const CallOptions& options = {}) {
        return detail::guarded<Value>([&] {
            std::vector<const char*> names;
            std::vector<const nereus_value*> values;
            for (const Field& field : arguments) names.push_back(field.name.c_str()), values.push_back(field.value.handle());
            names.push_back(nullptr);          // not NULL as a whole, also of no arguments
            return run(values.size(), values.data(), names.data(), options);
        });
    }
    Result<Value> call_named(std::initializer_list<Field> arguments, const CallOptions& options = {}) {
        return call_named(std::span(arguments.begin(), arguments.size()), options);
    }

    // Stats::peak_bytes of a call of the first entry point, or the one named, with these arguments, without calling
    // it. Read are constructors, lengths, shapes and whole numbers of rank 0, but no elements: exact to the byte, or an
    // upper bound where elements decide between ways. An error with `limit`: no bound follows without elements.
    Result<int64_t> peak(std::span<const Value> arguments, const std::string& entry = {}) const {
        int64_t bytes = 0;
        if (nereus_status* failed = nereus_context_peak(handle_.get(), entry.c_str(), Value::handles(arguments), arguments.size(), &bytes))
            return detail::error_of(failed);
        return bytes;
    }
    template <std::same_as<Value> V> Result<int64_t> peak(std::initializer_list<V> arguments, const std::string& entry = {}) const {
        return peak(std::span<const Value>(arguments.begin(), arguments.size()), entry);
    }
    // The same from sizes alone, for any arguments that have them. `limit` too where sizes do not say how an argument
    // is built: a tree, a sequence.
    Result<int64_t> peak(std::span<const Size> sizes, const std::string& entry = {}) const {
        return detail::guarded<int64_t>([&]() -> Result<int64_t> {
            std::vector<const char*> names;
            std::vector<int64_t> extents;
            for (const Size& size : sizes) names.push_back(size.name.c_str()), extents.push_back(size.extent);
            int64_t bytes = 0;
            if (nereus_status* failed = nereus_context_peak_of_sizes(handle_.get(), entry.c_str(), names.data(), extents.data(), names.size(), &bytes))
                return detail::error_of(failed);
            return bytes;
        });
    }
    Result<int64_t> peak(std::initializer_list<Size> sizes, const std::string& entry = {}) const {
        return peak(std::span(sizes.begin(), sizes.size()), entry);
    }
    Stats stats() const {
        nereus_stats s{};
        s.struct_size = sizeof s;
        detail::succeed(nereus_context_stats(handle_.get(), &s));
        return {s.calls, s.plan_hits, s.plan_misses, s.region_runs, s.launches,
                s.peak_bytes, s.arena_bytes, s.object_bytes, s.scratch_bytes, s.leaked_objects, s.kept_bytes};
    }
    // Gives memory kept for the next call back to the system.
    void trim() { detail::succeed(nereus_context_trim(handle_.get())); }
    // The only one that another thread may use during a call: that call fails soon, with `cancelled`.
    void cancel() { nereus_context_cancel(handle_.get()); }

    nereus_context* handle() const { return handle_.get(); }

 private:
    using Print = std::function<void(std::string_view)>;
    Context() = default;
    Result<Value> run(size_t count, const nereus_value* const* arguments, const char* const* names, const CallOptions& options) {
        nereus_call_options asked{};
        asked.struct_size = sizeof asked;
        asked.entry = options.entry.c_str();
        asked.names = names;
        if (options.deadline) {
            asked.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(options.deadline->time_since_epoch()).count();
            if (asked.deadline <= 0) asked.deadline = 1;       // 0 is none
        }
        asked.cancel = options.cancel ? options.cancel->handle() : nullptr;
        asked.destinations = options.destinations.data(), asked.destination_count = options.destinations.size();
        nereus_value* result = nullptr;
        if (nereus_status* failed = nereus_context_call(handle_.get(), &asked, arguments, count, &result)) return detail::error_of(failed);
        return Value::take(result);
    }
    std::unique_ptr<Print> print_;             // outlives the context, which calls it
    std::unique_ptr<nereus_context, detail::Release<nereus_context_release>> handle_;
};
} // namespace nereus::v1
