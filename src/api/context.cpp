#include "api/size_binding.h"
#include "vm/context.h"
#include "api/value_inside.h"
#include "nereus/executable.h"
#include <mutex>

namespace nereus::api {
struct ContextInside {
    std::shared_ptr<const LoadedExecutable> program;
    nereus::ContextOptions options;
    std::mutex replacing;                      // cancel() comes from other threads
    std::unique_ptr<nereus::Context> context = {};
    std::vector<nereus::Value> arguments = {};   // of the running call; kept for its capacity

    nereus::Status make() {
        std::unique_ptr<nereus::Context> made = TRY(nereus::Context::make(program, options));
        std::lock_guard lock(replacing);
        context = std::move(made);
        return {};
    }

    nereus::Result<const EntryInfo*> entry(std::string_view name) const {
        if (name.starts_with("@")) name.remove_prefix(1);
        if (name.empty() && !program->exe().entries.empty()) return &program->exe().entries[0];
        if (const EntryInfo* found = program->find_entry(name)) return found;
        std::string names;
        for (const EntryInfo& known : program->exe().entries)
            names += (names.empty() ? "@" : ", @") + known.name;
        std::string what = "the executable has no entry point @" + std::string(name);
        return nereus::Error{nereus::Code::name, std::move(what), {}, "it has " + names};
    }

    nereus::Status order(const EntryInfo& entry, std::span<const v1::Field> named) {
        auto is_named = [](const v1::Field& field, const std::string& name) { return field.name == name; };
        for (const DoorParam& param : entry.params) {
            const v1::Field* found = nullptr;
            for (const v1::Field& field : named) {
                if (!is_named(field, param.name)) continue;
                if (found)
                    return nereus::Error{nereus::Code::usage, "argument %" + param.name + " is given twice"};
                found = &field;
            }
            if (!found) return nereus::Error{nereus::Code::usage, "argument %" + param.name + " is missing"};
            arguments.push_back(ValueInside::of(found->value));
        }
        for (const v1::Field& field : named) {
            bool known = false;
            for (const DoorParam& param : entry.params) known |= is_named(field, param.name);
            if (!known)
                return nereus::Error{nereus::Code::usage,
                                     "@" + entry.name + " has no parameter %" + field.name};
        }
        return {};
    }

    // `fill` appends the arguments of the entry.
    template <class Fill> v1::Result<v1::Value> call(std::string_view name, Fill&& fill) {
        try {
            auto run = [&]() -> nereus::Result<nereus::Value> {
                if (!context) TRY(make());
                const EntryInfo& called = *TRY(entry(name));
                TRY(fill(called));
                return context->run(called, arguments);
            };
            nereus::Result<nereus::Value> result = run();
            arguments.clear();
            if (!result) return translate(std::move(result).error(), program->exe().sources);
            return ValueInside::wrap(std::move(result).take());
        } catch (const std::bad_alloc&) {      // half a call is left in it: the next one gets a new context
            arguments.clear();
            std::lock_guard lock(replacing);
            context.reset();
            return out_of_memory();
        }
    }
};
} // namespace nereus::api

namespace nereus::v1 {
using api::ValueInside;

Context::Context(std::unique_ptr<api::ContextInside> inside) : inside_(std::move(inside)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

Result<Context> Context::make(const Executable& executable, const ContextOptions& options) {
    return api::guarded<Context>([&]() -> nereus::Result<Context> {
        nereus::ContextOptions inner;
        inner.memory_limit = options.memory_limit;
        inner.print = options.print;
        std::unique_ptr<api::ContextInside> inside(
            new api::ContextInside{executable.program_, std::move(inner), {}});
        TRY(inside->make());
        return Context(std::move(inside));
    });
}

Result<Value> Context::call(std::string_view entry, std::span<const Value> arguments) {
    return inside_->call(entry, [&](const EntryInfo&) -> nereus::Status {
        for (const Value& value : arguments) inside_->arguments.push_back(ValueInside::of(value));
        return {};
    });
}
Result<Value> Context::call(std::span<const Value> arguments) { return call(std::string_view(), arguments); }
Result<Value> Context::call_named(std::span<const Field> arguments, std::string_view entry) {
    return inside_->call(entry, [&](const EntryInfo& called) { return inside_->order(called, arguments); });
}

Result<int64_t> Context::peak(std::span<const Value> arguments, std::string_view entry) const {
    return api::guarded<int64_t>([&]() -> nereus::Result<int64_t> {
        const EntryInfo& asked = *TRY(inside_->entry(entry));
        std::vector<nereus::Value> inner;
        for (const Value& value : arguments) inner.push_back(ValueInside::of(value));
        if (!inside_->context) TRY(inside_->make());
        return inside_->context->peak(asked, inner);
    }, inside_->program->exe().sources);
}
Result<int64_t> Context::peak(std::span<const Size> sizes, std::string_view entry) const {
    return api::guarded<int64_t>([&]() -> nereus::Result<int64_t> {
        const EntryInfo& asked = *TRY(inside_->entry(entry));
        api::Bindings bindings;
        for (const Size& size : sizes) bindings[size.name] = size.extent;
        std::vector<int64_t> bound = TRY(api::bind_sizes(asked, bindings));
        if (!inside_->context) TRY(inside_->make());
        return inside_->context->peak(asked, bound);
    }, inside_->program->exe().sources);
}

Stats Context::stats() const {
    if (!inside_->context) return {};
    const nereus::Stats& s = inside_->context->stats();
    return {s.calls, s.plan_hits, s.plan_misses, s.region_runs, s.launches,
            s.peak_bytes, s.arena_bytes, s.object_bytes, s.scratch_bytes, s.leaked_objects};
}
void Context::trim() {
    if (inside_->context) inside_->context->trim();
}
void Context::cancel() {
    std::lock_guard lock(inside_->replacing);
    if (inside_->context) inside_->context->cancel();
}
} // namespace nereus::v1
