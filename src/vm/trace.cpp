#include "vm/trace.h"
#include <algorithm>

namespace nereus {
void Trace::call(const std::string& entry) {
    frames_.clear();                                     // a call that failed left them open
    objects_.clear();
    next_frame_ = next_object_ = 0;
    line("call " + entry);
}

void Trace::frame(const std::string& function, int64_t bytes) {
    frames_.push_back({next_frame_++, nullptr, nullptr});
    line("frame " + std::to_string(frames_.back().number) + " " + std::to_string(bytes) + " " + function);
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
    for (size_t i = 0; i < kernel.layout.buffers.size(); ++i) {
        bool out = std::find(kernel.outs.begin(), kernel.outs.end(), i) != kernel.outs.end();
        touch(out ? Touch::write : Touch::read, launch.buf[i], launch.bytes[i]);
    }
}

void Trace::copy(const void* to, const void* from, int64_t bytes) {
    line("copy");
    touch(Touch::read, from, bytes);
    touch(Touch::write, to, bytes);
}

// A callee's frame may begin inside the arena of its caller, behind what lives across the call: the newest frame first.
void Trace::touch(Touch touch, const void* address, int64_t bytes) {
    auto* at = static_cast<const std::byte*>(address);
    for (size_t f = frames_.size(); f-- > 0;) {
        const Open& open = frames_[f];
        if (!open.plan || at < open.arena || at >= open.arena + open.plan->arena_bytes) continue;
        for (size_t slot = 0; slot < open.plan->slot_offsets.size(); ++slot) {
            int64_t from = at - (open.arena + open.plan->slot_offsets[slot]), size = open.plan->slot_bytes[slot];
            if (from < 0 || from >= size) continue;
            std::string_view how = touch == Touch::read ? "read " : bytes >= size ? "write " : "part ";
            line(std::string(how) + std::to_string(open.number) + "." + std::to_string(slot) + " " + std::to_string(size));
        }
        return;
    }
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
