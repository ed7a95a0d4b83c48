// vm/context.h - one call's mutable state, reused from call to call: frames and arenas, objects, plans. Used by one
// thread at a time; any number of contexts share one executable. After an error it is ready for the next call.
#pragma once
#include "value/value.h"
#include "vm/heap.h"
#include "vm/plan_cache.h"
#include "vm/range.h"
#include <atomic>
#include <functional>
#include <optional>

namespace nereus {
struct ContextOptions {
    int64_t memory_limit = 0;                // bytes of frames, arenas, objects and scratch; 0: what the machine can give
    PackMode pack = PackMode::packed;
    size_t plans_per_region = 64;            // how many keys a region remembers
    Allocator allocator = {};                // of the elements of results and of the heap's blocks
    int threads = 1;                         // that a launch may use, this one with them; results are the same bit for bit
    uint64_t shuffle_seed = 1;               // checked programs run the tasks of a grid alone, in this random order
    std::function<void(std::string_view)> print;         // where print() goes; empty: stderr
    std::function<void(std::string_view)> trace;         // gets the lines of vm/trace.h; buffers then lie apart
    bool profile = false;                    // measures launches: launch_times()
    // Told of each launch that ran.
    std::function<void(const LaunchInfo&, const Launch&, int64_t nanoseconds)> launched = {};
};

// What holds for one call.
struct CallOptions {
    const std::atomic<int32_t>* cancel = nullptr;        // not 0: the call fails soon (cancelled); others may watch it too
    int64_t deadline = 0;                    // nanoseconds of the steady clock, after which it fails (deadline); 0: none
    struct Destination { std::byte* data = nullptr; int64_t bytes = 0; };
    // Per leaf of the result: memory for a tensor that fits in; null or more leaves than these: the allocator's.
    std::span<const Destination> destinations = {};
};
int64_t steady_nanoseconds();                // now, on the clock of deadlines
// Of one launch of the program, over all calls.
struct LaunchTime { int64_t runs = 0, nanoseconds = 0; };

struct Stats {
    int64_t calls = 0, plan_hits = 0, plan_misses = 0, region_runs = 0, launches = 0;
    int64_t peak_bytes = 0;                  // of the last call: frames and arenas at their highest, objects, scratch
    int64_t arena_bytes = 0, object_bytes = 0, scratch_bytes = 0;
    int64_t leaked_objects = 0;              // over all calls; anything but 0 is a mistake of ours
    int64_t kept_bytes = 0;                  // for the next call, now: frames and arenas, blocks of objects, scratch
};

class Context {
 public:
    static Result<std::unique_ptr<Context>> make(std::shared_ptr<const LoadedExecutable> program, ContextOptions options = {});
    ~Context();

    Result<Value> run(const EntryInfo& entry, std::span<const Value> args, const CallOptions& options = {});
    // For entries whose parameters and results are tensors: a result that already has the right dtype and shape and no
    // other owner is written in place, so that a second call at the same shapes allocates nothing.
    Status run(const EntryInfo& entry, std::span<const HostTensor> args, std::span<HostTensor> results);

    // Stats::peak_bytes of a call with these arguments, without running it, to the byte: read are the structure of values
    // (constructors, lengths, shapes) and whole numbers of rank 0, but no elements. An upper bound where elements decide
    // between ways. No bound found (limit): a size, a depth or an object follows from elements.
    Result<int64_t> peak(const EntryInfo& entry, std::span<const Value> args) const;
    // The same for any arguments that give these door sizes; `numbers`, per leaf of the parameters: those that are known,
    // such as a number of trips or a depth. Refused (limit) too where sizes do not say which structure an argument has.
    Result<int64_t> peak(const EntryInfo& entry, std::span<const int64_t> door_sizes,
                         std::span<const std::optional<int64_t>> numbers = {}) const;

    const LoadedExecutable& program() const { return *program_; }
    const Stats& stats() const { return stats_; }    // after a call, failed or not
    std::span<const LaunchTime> launch_times() const { return launch_times_; }       // by LaunchInfo; none unless it profiles
    void trim();                             // gives cached memory back
    void cancel() { cancel_.store(1, std::memory_order_relaxed); }   // from any thread: the running call fails soon

 private:
    struct Frame;
    struct Door;                             // vm/door.cpp: arguments in, results out
    friend struct Door;
    struct PeakWalk;                         // vm/peak_walk.h

    Context(std::shared_ptr<const LoadedExecutable> program, ContextOptions options, AddressRange range);
    Status call(const EntryInfo& entry, std::span<const uint64_t> arguments, std::span<uint64_t> results);
    void begin_call(const EntryInfo& entry, const CallOptions& options = {});
    // Asked by whatever can go on for long: jumps back, calls, launches. The clock is read at every `clock_steps`th question.
    bool stops(int clock_steps) { return (watched_ || cancel_.load(std::memory_order_relaxed) != 0) && must_stop(clock_steps); }
    bool must_stop(int clock_steps);         // true: stop_ says why
    // May that many bytes of the range be used from there on? Shares the limit with the objects.
    bool reserve(const std::byte* at, int64_t bytes);
    bool reserve_scratch(int64_t bytes);     // of one thread, for one launch
    bool execute(Frame* frame);              // until that frame returns; false: error_ says why
    bool enter_region(Frame* frame, uint32_t region, const Instruction* at);
    RegionPlan* plan_region(uint32_t region, std::span<const int64_t> key, const Instruction* at);
    bool run_list(Frame* frame, uint32_t list);
    bool run_launch(Frame* frame, uint32_t launch);
    bool run_kernel(Kernel kernel, const Launch& launch, int64_t tasks, const LaunchInfo& info);
    int32_t run_tasks(Kernel kernel, const Launch& launch, int64_t tasks, const LaunchInfo& info);
    int32_t run_shuffled(Kernel kernel, const Launch& launch, int64_t tasks);
    int32_t run_shared(Kernel kernel, const Launch& launch, int64_t tasks);
    void equip_helpers();
    void poison_dead(const Frame& frame, uint32_t step);
    void leave_region(Frame* frame);
    Result<std::byte*> new_output(DType dtype, std::span<const int64_t> dims, uint32_t leaf);
    Result<std::byte*> output_memory(DType dtype, std::span<const int64_t> dims, uint32_t leaf);     // not counted
    void print(const Site& site, std::span<const uint32_t> values, std::span<const uint32_t> types, const uint64_t* regs);
    void end_call(bool failed);              // objects and texts of the call, and results that nobody took
    int64_t kept_bytes() const { return range_.kept() + heap_.resident_bytes() + int64_t(scratch_.capacity() + helpers_scratch_.capacity()); }
    void tell_calls(const Frame* frame);     // in error_
    void unwind(Frame* frame);               // unpins the plans of all frames of a failed call

    bool fault(const Instruction* at, Code code, std::string what);  // sets error_ unless set; always false
    bool fault(const Site& site, Code code, std::string what);
    bool out_of_memory(const Instruction* at);
    std::string stop_text() const;
    const Site& maker_of_largest(const RegionPlan& plan, const Instruction* at) const;
    std::string limit_text() const;
    bool no_tensor(const Instruction* at, DType dtype, std::span<const int64_t> dims);   // why there is none

    std::shared_ptr<const LoadedExecutable> program_;
    ContextOptions options_;
    AddressRange range_;
    Heap heap_;
    TextScope texts_;                        // what the running call has made
    std::vector<PlanCache> regions_;
    std::vector<uint64_t> plan_frame_;       // of plan programs: the peak is the same for a hit and a miss
    std::vector<std::byte> scratch_;         // for launches without a slot for it
    std::byte* own_scratch_ = nullptr;       // in it, aligned
    Stop may_stop_ = {};                     // the running call
    Worker worker_ = {};
    KernelError kernel_error_ = {};
    struct Share { Launch launch; Worker worker; KernelError error; int32_t fault; };
    std::vector<Share> shares_;              // of the threads of a launch; none where there is one
    std::vector<std::byte> helpers_scratch_; // of all but the first
    int64_t helpers_bytes_ = 0;              // what that takes
    std::vector<void*> launch_buffers_;      // of the launch that is bound from registers
    std::vector<int64_t> launch_bytes_, launch_params_;
    int64_t late_[4] = {};
    std::vector<int64_t> looked_;            // door sizes of the value being looked at
    std::vector<uint64_t> arguments_, results_;
    std::vector<uint64_t> words_;            // result leaves of the running call, as the program left them
    std::span<HostTensor> outputs_;          // and those it wrote into tensors
    std::vector<HostTensor> output_storage_;
    int64_t output_bytes_ = 0;               // of this call
    Frame* current_ = nullptr;               // where a failing call stopped
    std::optional<Error> error_;
    std::atomic<int32_t> cancel_ = 0;
    CallOptions call_;                       // of the running call
    bool watched_ = false;                   // it has something to look at besides cancel_
    int steps_ = 0;                          // questions since the clock was read
    Code stop_ = Code::cancelled;
    uint64_t random_;
    std::unique_ptr<Trace> trace_;           // null: nobody watches
    std::vector<LaunchTime> launch_times_;   // empty: nobody measures
    Stats stats_;
};
} // namespace nereus
