#include "vm/context.h"
#include "api/cancel_token.h"
#include "api/executable.h"
#include "api/size_binding.h"
#include "api/value_handle.h"
#include "vm/workers.h"
#include <mutex>
#include <optional>

using namespace nereus;
using namespace nereus::api;

struct nereus_context {
    std::shared_ptr<const LoadedExecutable> program;
    ContextOptions options;
    std::mutex replacing;                    // cancel comes from other threads
    std::unique_ptr<Context> context = {};   // none: memory ran out inside of it, and the next call makes a new one
    std::atomic<bool> busy = false;
    std::vector<Value> arguments = {};       // of the running call; kept for its capacity
    std::vector<CallOptions::Destination> destinations = {};     // and these

    Status make() {
        if (context) return {};
        std::unique_ptr<Context> made = TRY(Context::make(program, options));
        std::lock_guard lock(replacing);
        context = std::move(made);
        return {};
    }
    void drop() {
        std::lock_guard lock(replacing);
        context.reset();
    }

    Result<const EntryInfo*> entry(const char* asked) const {
        std::string_view name = asked ? asked : "";
        if (name.starts_with("@")) name.remove_prefix(1);
        if (name.empty() && !program->exe().entries.empty()) return &program->exe().entries[0];
        if (const EntryInfo* found = program->find_entry(name)) return found;
        std::string names;
        for (const EntryInfo& known : program->exe().entries) names += (names.empty() ? "@" : ", @") + known.name;
        return Error{Code::name, "the executable has no entry point @" + std::string(name), {}, "it has " + names};
    }

    static bool overlap(const CallOptions::Destination& to, const std::byte* other, int64_t bytes) {
        auto begin = [](const std::byte* at) { return reinterpret_cast<uintptr_t>(at); };
        return to.data && other && begin(to.data) < begin(other) + uintptr_t(bytes) && begin(other) < begin(to.data) + uintptr_t(to.bytes);
    }
    // Of a model its own alone: what they became in the language may be another input's there.
    static const std::string& name_of(const DoorParam& param) { return param.model_name.empty() ? param.name : param.model_name; }
    static std::string said(const DoorParam& param) { return param.model_name.empty() ? "argument %" + param.name : "input '" + param.model_name + "'"; }
    Status take_named(const EntryInfo& entry, std::span<const char* const> names, std::span<const nereus_value* const> values) {
        for (const char* name : names) {
            bool known = false;
            for (const DoorParam& param : entry.params) known |= name_of(param) == name;
            if (known) continue;
            const bool is_model = !entry.params.empty() && !entry.params[0].model_name.empty();
            return Error{Code::usage, is_model ? "the model has no input '" + std::string(name) + "'" : "@" + entry.name + " has no parameter %" + name};
        }
        for (const DoorParam& param : entry.params) {
            const nereus_value* found = nullptr;
            for (size_t i = 0; i < names.size(); ++i) {
                if (name_of(param) != names[i]) continue;
                if (found) return Error{Code::usage, said(param) + " is given twice"};
                found = values[i];
            }
            if (!found) return Error{Code::usage, said(param) + " is missing"};
            arguments.push_back(*Borrowed(found));
        }
        return {};
    }

    Result<Value> call(const nereus_call_options& call, const nereus_value* const* values, size_t count) {
        TRY(make());
        std::span<const nereus_value* const> all = TRY(given_list(values, count, "arguments"));
        const EntryInfo& called = *TRY(entry(call.entry));
        if (call.names) TRY(take_named(called, TRY(given_list(call.names, count, "names")), all));
        else
            for (const nereus_value* value : all) arguments.push_back(*Borrowed(value));
        if (call.destination_count > 0) TRY(given(call.destinations, "destinations"));
        for (size_t i = 0; i < call.destination_count; ++i) {
            const nereus_destination& to = call.destinations[i];
            destinations.push_back({static_cast<std::byte*>(to.data), int64_t(std::min(to.bytes, size_t(INT64_MAX)))});
        }
        TRY(check_destinations(called));
        return context->run(called, arguments, {call.cancel ? &call.cancel->triggered : nullptr, call.deadline, destinations});
    }
    // What is lent for results is nobody's argument: a result of the last call that lies there, for example.
    Status check_destinations(const EntryInfo& called) const {
        for (size_t i = 0; i < std::min(destinations.size(), called.result_leaves.size()); ++i) {
            for (const Value& argument : arguments)
                if (argument.is(Value::Kind::tensor) && overlap(destinations[i], argument.tensor().bytes(), argument.tensor().byte_size()))
                    return Error{Code::usage, "destinations[" + std::to_string(i) + "] overlaps an argument"};
            for (size_t before = 0; before < i; ++before)
                if (overlap(destinations[i], destinations[before].data, destinations[before].bytes))
                    return Error{Code::usage, "destinations[" + std::to_string(i) + "] overlaps destinations[" + std::to_string(before) + "]"};
            const DoorType& type = program->exe().door_types[called.result_leaves[i].type];
            if (type.kind == DoorType::Kind::tensor && reinterpret_cast<uintptr_t>(destinations[i].data) % uintptr_t(size_of(type.dtype)) != 0)
                return Error{Code::usage, "destinations[" + std::to_string(i) + "] is not aligned for " + std::string(dtype_name(type.dtype))};
        }
        return {};
    }
};

namespace {
// Holds a context for as long as one function uses it.
class Use {
 public:
    static Result<Use> of(nereus_context* context) {
        TRY(given(context, "context"));
        if (context->busy.exchange(true, std::memory_order_acquire))
            return Error{Code::usage, "the context is in use by another call", {}, "make a context for every thread"};
        return Use(context);
    }
    Use(Use&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
    ~Use() {
        if (context_) context_->busy.store(false, std::memory_order_release);
    }

 private:
    explicit Use(nereus_context* context) : context_(context) {}
    nereus_context* context_;
};
const Executable* exe_of(const nereus_context* context) { return context ? &context->program->exe() : nullptr; }
} // namespace

extern "C" {
nereus_status* nereus_context_create(const nereus_executable* executable, const nereus_context_options* given_options, nereus_context** out_context) {
    return at_the_edge([&]() -> Status {
        TRY(given(executable, "executable"));
        TRY(given(out_context, "out_context"));
        const nereus_context_options asked = TRY(options_of(given_options));
        if (asked.memory_limit < 0) return Error{Code::usage, "memory_limit is negative: " + std::to_string(asked.memory_limit)};
        if (asked.threads < 0 || asked.threads > most_threads) return Error{Code::usage, "threads is from 0 to " + std::to_string(most_threads) + ", not " + std::to_string(asked.threads)};
        if (!asked.allocate != !asked.deallocate) return Error{Code::usage, "allocate and deallocate are given together or not at all"};
        ContextOptions options;
        options.memory_limit = asked.memory_limit;
        options.threads = std::max(1, asked.threads);
        options.allocator = {asked.allocate, asked.deallocate, asked.allocator_user};
        if (asked.log)
            options.print = [log = asked.log, user = asked.log_user](std::string_view line) { log(user, NEREUS_LOG_PRINT, std::string(line).c_str(), line.size()); };
        std::unique_ptr<nereus_context> made(new nereus_context{executable->program, std::move(options), {}});
        TRY(made->make());
        *out_context = made.release();
        return {};
    });
}
void nereus_context_release(nereus_context* context) { std::unique_ptr<nereus_context> last(context); }

int64_t nereus_deadline_in(int64_t nanoseconds) {
    int64_t deadline;
    if (__builtin_add_overflow(steady_nanoseconds(), nanoseconds, &deadline)) deadline = nanoseconds > 0 ? INT64_MAX : 1;
    return deadline == 0 ? 1 : deadline;                 // 0 is none
}

nereus_status* nereus_context_call(nereus_context* context, const nereus_call_options* given_options,
                                   const nereus_value* const* arguments, size_t count, nereus_value** out_result) {
    std::optional<Use> use;                              // until nothing of the call is left in the context
    auto work = [&]() -> Status {
        TRY(given(out_result, "out_result"));
        const nereus_call_options options = TRY(options_of(given_options));
        use.emplace(TRY(Use::of(context)));
        Result<Value> result = context->call(options, arguments, count);
        context->arguments.clear();
        context->destinations.clear();
        *out_result = hand_out(TRY(std::move(result)));
        return {};
    };
    try {
        Status status = work();
        return status ? nullptr : status_of(status.error(), exe_of(context));
    } catch (const std::bad_alloc&) {                    // half a call is left in it
        if (use) context->arguments.clear(), context->destinations.clear(), context->drop();
        return out_of_memory();
    } catch (const std::length_error&) {
        if (use) context->arguments.clear(), context->destinations.clear(), context->drop();
        return out_of_memory();
    }
}
void nereus_context_cancel(nereus_context* context) {
    if (!context) return;
    std::lock_guard lock(context->replacing);
    if (context->context) context->context->cancel();
}

nereus_status* nereus_context_peak(nereus_context* context, const char* entry, const nereus_value* const* arguments, size_t count, int64_t* out_bytes) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_bytes, "out_bytes"));
        Use use = TRY(Use::of(context));
        const EntryInfo& asked = *TRY(context->entry(entry));
        std::vector<Value> values = TRY(values_of(arguments, count, "arguments"));
        TRY(context->make());
        *out_bytes = TRY(context->context->peak(asked, values));
        return {};
    }, exe_of(context));
}
nereus_status* nereus_context_peak_of_sizes(nereus_context* context, const char* entry, const char* const* names, const int64_t* extents,
                                            size_t count, int64_t* out_bytes) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_bytes, "out_bytes"));
        Use use = TRY(Use::of(context));
        std::span<const char* const> named = TRY(given_list(names, count, "names"));
        if (count > 0) TRY(given(extents, "extents"));
        const EntryInfo& asked = *TRY(context->entry(entry));
        Bindings bindings;
        for (size_t i = 0; i < count; ++i) bindings[named[i]] = extents[i];
        std::vector<int64_t> sizes = TRY(bind_sizes(asked, bindings));
        TRY(context->make());
        *out_bytes = TRY(context->context->peak(asked, sizes));
        return {};
    }, exe_of(context));
}
nereus_status* nereus_context_stats(const nereus_context* context, nereus_stats* out_stats) {
    return at_the_edge([&]() -> Status {
        TRY(given(context, "context"));
        const Stats s = context->context ? context->context->stats() : Stats();
        return give_struct(nereus_stats{0, s.calls, s.plan_hits, s.plan_misses, s.region_runs, s.launches, s.peak_bytes, s.arena_bytes, s.object_bytes,
                                        s.scratch_bytes, s.leaked_objects, s.kept_bytes}, out_stats, "out_stats");
    });
}
nereus_status* nereus_context_trim(nereus_context* context) {
    return at_the_edge([&]() -> Status {
        Use use = TRY(Use::of(context));
        if (context->context) context->context->trim();
        return {};
    });
}
} // extern "C"
