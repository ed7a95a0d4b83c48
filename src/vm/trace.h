// vm/trace.h - what a call makes, touches and leaves, as lines of text: whoever reads them can count live memory without
// knowing how it was placed. A context that traces places every buffer apart, so that an address names one buffer.
//
//   call f                  a call of an entry begins
//   frame 3 184 g           frame 3, of function g, begins: its header and registers in bytes; it ends with `leave 3`
//   kernel 0 tanh           a launch, with its scratch; `copy`, and lines `read`, `write` without one, are the host's
//   work 512 8192           of the launch or copy above: points it computes (multiply-adds of a contraction), bytes it touches
//   hold 4 3.1 4096         was handed to frame 4, which begins: an argument, or where a result shall be written
//   read 3.1 4096           by the launch above: slot 1 of frame 3, of so many bytes in all; `write`: all of it, `part`: some
//   born 17 96              an object of so many bytes; it ends with `died 17`
#pragma once
#include "vm/region_plan.h"
#include <functional>
#include <optional>
#include <unordered_map>

namespace nereus {
class Trace {
 public:
    explicit Trace(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
    enum class Touch : uint8_t { read, write };

    void call(const std::string& entry);
    void frame(const std::string& function, int64_t bytes, std::span<const uint64_t> arguments);
    void region(const RegionPlan* plan, const std::byte* arena);     // of the newest frame, from here on
    void leave();
    void kernel(const KernelInfo& kernel, const Launch& launch);
    void copy(const void* to, const void* from, int64_t bytes);
    void touch(Touch touch, const void* at, int64_t bytes);
    void born(const void* object, int64_t bytes);
    void died(const void* object);

 private:
    struct Open { int64_t number; const RegionPlan* plan; const std::byte* arena; };
    void line(std::string_view text) { write_(text); }
    std::optional<std::pair<std::string, int64_t>> buffer_at(const void* at) const;      // its name and size

    std::function<void(std::string_view)> write_;
    std::vector<Open> frames_;
    int64_t next_frame_ = 0, next_object_ = 0;
    std::unordered_map<const void*, int64_t> objects_;
};
} // namespace nereus
