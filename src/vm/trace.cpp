#include "vm/trace.h"
#include "exe/filled_params.h"
#include <algorithm>

namespace nereus {
void Trace::call(const std::string& entry) {
    frames_.clear();                                     // a call that failed left them open
    objects_.clear();
    next_frame_ = next_object_ = 0;
    line("call " + entry);
}

void Trace::frame(const std::string& function, int64_t bytes, std::span<const uint64_t> arguments) {
    std::vector<std::pair<std::string, int64_t>> held;
    for (uint64_t word : arguments)                      // no number looks like an address of the context's range
        if (auto found = buffer_at(reinterpret_cast<const void*>(word))) held.push_back(std::move(*found));
    frames_.push_back({next_frame_++, nullptr, nullptr});
    std::string number = std::to_string(frames_.back().number);
    line("frame " + number + " " + std::to_string(bytes) + " " + function);
    for (auto& [name, size] : held) line("hold " + number + " " + name + " " + std::to_string(size));
}

void Trace::region(const RegionPlan* plan, const std::byte* arena) {
    frames_.back().plan = plan;
    frames_.back().arena = arena;
}

void Trace::leave() {
    line("leave " + std::to_string(frames_.back().number));
    frames_.pop_back();
}

void Trace::kernel(const KernelInfo& kernel, const Launch& launch) {
    line("kernel " + std::to_string(kernel.scratch) + " " + kernel.name);
    int64_t points = 1, bytes = 0;
    for (size_t g = 0; g < kernel.layout.groups.size(); ++g) points *= launch.p[kernel.layout.group_slot(g) + 2];
    for (size_t i = 0; points > 0 && i < kernel.layout.buffers.size(); ++i) {
        int64_t elements = 1; // what is broadcast is touched once; of an indexed buffer the rows are counted
        for (size_t g = 0; g < kernel.layout.groups.size(); ++g)
            elements *= elements_along(kernel.layout, launch.p, g, i);
        bytes += elements * size_of(kernel.layout.buffers[i]);
    }
    line("work " + std::to_string(points) + " " + std::to_string(bytes));
    for (size_t i = 0; i < kernel.layout.buffers.size(); ++i) {
        bool out = std::find(kernel.outs.begin(), kernel.outs.end(), i) != kernel.outs.end();
        touch(out ? Touch::write : Touch::read, launch.buf[i], launch.bytes[i]);
    }
}

void Trace::copy(const void* to, const void* from, int64_t bytes) {
    line("copy");
    line("work 0 " + std::to_string(2 * bytes));
    touch(Touch::read, from, bytes);
    touch(Touch::write, to, bytes);
}

void Trace::touch(Touch touch, const void* at, int64_t bytes) {
    auto found = buffer_at(at);
    if (!found) return;                                  // an argument, a result or an object
    std::string_view how = touch == Touch::read ? "read " : bytes >= found->second ? "write " : "part ";
    line(std::string(how) + found->first + " " + std::to_string(found->second));
}

// A callee's frame may begin inside the arena of its caller, behind what lives across the call: the newest frame first.
std::optional<std::pair<std::string, int64_t>> Trace::buffer_at(const void* address) const {
    auto* at = static_cast<const std::byte*>(address);
    for (size_t f = frames_.size(); f-- > 0;) {
        const Open& open = frames_[f];
        if (!open.plan || at < open.arena || at >= open.arena + open.plan->arena_bytes) continue;
        for (size_t slot = 0; slot < open.plan->slot_offsets.size(); ++slot) {
            int64_t from = at - (open.arena + open.plan->slot_offsets[slot]), size = open.plan->slot_bytes[slot];
            if (from < 0 || from >= size) continue;
            return std::pair(std::to_string(open.number) + "." + std::to_string(slot), size);
        }
        return std::nullopt;
    }
    return std::nullopt;
}

void Trace::born(const void* object, int64_t bytes) {
    int64_t number = objects_[object] = next_object_++;
    line("born " + std::to_string(number) + " " + std::to_string(bytes));
}
void Trace::died(const void* object) {
    auto it = objects_.find(object);
    if (it == objects_.end()) return;                    // of a call that failed
    line("died " + std::to_string(it->second));
    objects_.erase(it);
}
} // namespace nereus
