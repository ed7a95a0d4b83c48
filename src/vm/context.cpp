#include "vm/frame.h"
#include "vm/trace.h"
#include "vm/workers.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <tuple>

namespace nereus {
static constexpr int64_t smallest_range = int64_t(16) << 20;

// What a thread needs, whichever kernel it runs.
static int64_t aligned_scratch(const Executable& exe) {
    int64_t most = 0;
    for (const KernelInfo& kernel : exe.kernels) most = std::max(most, kernel.scratch);
    return (most + slot_alignment - 1) / slot_alignment * slot_alignment;
}

Result<std::unique_ptr<Context>> Context::make(std::shared_ptr<const LoadedExecutable> program, ContextOptions options) {
    bool chosen = options.memory_limit > 0;
    if (!chosen) options.memory_limit = available_memory();
    Result<AddressRange> reserved = AddressRange::reserve(options.memory_limit);
    for (; !reserved && !chosen && options.memory_limit > smallest_range; reserved = AddressRange::reserve(options.memory_limit))
        options.memory_limit /= 2;                       // the process has a limit of its own
    AddressRange range = TRY(std::move(reserved));
    return std::unique_ptr<Context>(new Context(std::move(program), std::move(options), std::move(range)));
}

Context::Context(std::shared_ptr<const LoadedExecutable> program, ContextOptions options, AddressRange range)
    : program_(std::move(program)), options_(std::move(options)), range_(std::move(range)), heap_(options_.memory_limit, options_.allocator),
      regions_(program_->exe().regions.size()), random_(options_.shuffle_seed) {
    worker_.texts = &texts_;
    worker_.stop = &may_stop_;
    launch_buffers_.resize(program_->max_buffers());
    launch_bytes_.resize(program_->max_buffers());
    launch_params_.resize(size_t(program_->max_params()));
    options_.threads = std::clamp(options_.threads, 1, most_threads);
    if (options_.threads > 1) helpers_bytes_ = (options_.threads - 1) * aligned_scratch(program_->exe()) + slot_alignment;
    if (options_.profile) launch_times_.resize(program_->exe().launches.size());
    if (!options_.trace) return;
    options_.pack = PackMode::apart;
    trace_ = std::make_unique<Trace>(options_.trace);
    heap_.set_trace(trace_.get());
}
Context::~Context() = default;

void Context::equip_helpers() {
    shares_.resize(size_t(options_.threads));
    helpers_scratch_.resize(size_t(helpers_bytes_));
    std::byte* at = Frame::align(helpers_scratch_.data());
    for (size_t i = 1; i < shares_.size(); ++i, at += aligned_scratch(program_->exe())) shares_[i].worker = {at, worker_.stop, &texts_};
}

void Context::trim() {
    heap_.trim();
    range_.trim();
    scratch_ = helpers_scratch_ = std::vector<std::byte>();
    own_scratch_ = nullptr;
    for (PlanCache& cache : regions_) cache = PlanCache();
    for (std::vector<uint64_t>* words : {&plan_frame_, &arguments_, &results_, &words_}) *words = std::vector<uint64_t>();
    looked_ = std::vector<int64_t>();
    stats_.kept_bytes = kept_bytes();
}

int64_t steady_nanoseconds() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void Context::begin_call(const EntryInfo& entry, const CallOptions& options) {
    if (trace_) trace_->call(entry.name);
    error_.reset();
    cancel_.store(0, std::memory_order_relaxed);
    call_ = options;
    watched_ = options.cancel || options.deadline != 0;
    may_stop_ = {&cancel_, options.cancel, options.deadline};
    steps_ = 0;
    range_.reset_high_water();
    heap_.reset_high_water();
    heap_.set_limit(options_.memory_limit);
    texts_.set_limit(options_.memory_limit);
    stats_.arena_bytes = output_bytes_ = 0;
    stats_.scratch_bytes = helpers_bytes_;
    if (helpers_bytes_ > 0 && helpers_scratch_.empty()) equip_helpers();
}

void Context::end_call(bool failed) {
    stats_.object_bytes = heap_.high_water();
    stats_.peak_bytes = stats_.arena_bytes + stats_.object_bytes + stats_.scratch_bytes;
    stats_.leaked_objects += heap_.end_call(failed);
    if (failed)                              // they may be full of texts that go now
        for (HostTensor& output : outputs_)
            if (is_text(output.dtype())) output = HostTensor();
    outputs_ = {};
    output_storage_.clear();                 // a failed call may have filled some of them
    texts_.clear();
    stats_.kept_bytes = kept_bytes();
}

bool Context::reserve(const std::byte* at, int64_t bytes) {
    int64_t end;
    if (__builtin_add_overflow(at - range_.begin(), bytes, &end)) return false;
    if (end <= range_.high_water()) return true;
    // objects at their highest, not now: what they free stays cached for the rest of the call
    int64_t left = options_.memory_limit - output_bytes_ - stats_.scratch_bytes;
    if (end > left - heap_.high_water() || !range_.ensure(end)) return false;
    heap_.set_limit(left - end);
    return true;
}

bool Context::reserve_scratch(int64_t bytes) {
    const int64_t in_all = bytes + helpers_bytes_;
    if (in_all <= stats_.scratch_bytes) return true;
    int64_t left = options_.memory_limit - output_bytes_ - range_.high_water();
    if (in_all > left - heap_.high_water()) return false;
    stats_.scratch_bytes = in_all;
    heap_.set_limit(left - in_all);
    size_t room = size_t(bytes + slot_alignment);
    if (scratch_.size() < room) {
        scratch_ = std::vector<std::byte>();             // nothing in it outlives a launch
        scratch_.resize(room);
        own_scratch_ = Frame::align(scratch_.data());
    }
    return true;
}

Status Context::call(const EntryInfo& entry, std::span<const uint64_t> arguments, std::span<uint64_t> results) {
    const FunctionInfo& function = program_->exe().functions[entry.function];
    results_.resize(std::max<size_t>(results_.size(), function.results));
    auto* frame = reinterpret_cast<Frame*>(range_.begin());
    bool fits = reserve(range_.begin(), Frame::bytes(function.registers));
    ++stats_.calls;
    if (fits) {
        frame->caller = nullptr;
        frame->resume = program_->exe().code.data() + function.begin;
        frame->plan = nullptr;
        frame->arena = nullptr;
        frame->function = entry.function;
        std::copy(arguments.begin(), arguments.end(), frame->regs);
        if (trace_) trace_->frame(function.name, Frame::bytes(function.registers), {});
    } else {
        out_of_memory(nullptr);
    }
    current_ = frame;
    bool done = fits && (stops(1) ? fault(nullptr, stop_, stop_text()) : execute(frame));
    stats_.arena_bytes = range_.high_water();
    if (!done) {
        if (fits) tell_calls(current_), unwind(current_);
        return std::move(*error_);
    }
    std::copy_n(results_.begin(), results.size(), results.begin());
    return {};
}

// Where the calls stand that led to the error; of deep recursion the nearest.
void Context::tell_calls(const Frame* frame) {
    constexpr int most = 8;
    std::vector<Note>& notes = error_->notes;
    auto begin = [](const Span& span) { return std::tuple(span.source, span.line, span.column); };
    for (frame = frame->caller; frame && frame->caller && std::ssize(notes) < most; frame = frame->caller) {       // the last one is the door
        const Span where = program_->site_at(frame->resume).where;
        if (where.known() && begin(where) != begin(notes.empty() ? error_->where : notes.back().where)) notes.push_back({where, "called from here"});
    }
}

void Context::unwind(Frame* frame) {
    for (; frame; frame = frame->caller) leave_region(frame);
}

void Context::leave_region(Frame* frame) {
    if (!frame->plan) return;
    regions_[frame->region].unpin(frame->plan);
    frame->plan = nullptr;
}

bool Context::enter_region(Frame* frame, uint32_t index, const Instruction* at) {
    const RegionInfo& region = program_->exe().regions[index];
    const FunctionInfo& function = program_->exe().functions[frame->function];
    PlanCache& cache = regions_[index];
    leave_region(frame);                     // a loop may enter again, with another key
    std::byte* arena = Frame::align(frame->end(function));
    RegionPlan* plan = cache.find(region.key, frame->regs);
    if (plan) {
        ++stats_.plan_hits;
    } else {
        std::vector<int64_t> key;
        for (uint32_t reg : region.key) key.push_back(int64_t(frame->regs[reg]));
        if (!(plan = plan_region(index, key, at))) return false;
        ++stats_.plan_misses;
    }
    if (!reserve(arena, plan->arena_bytes) || !reserve_scratch(plan->scratch_bytes)) return fault(maker_of_largest(*plan, at), Code::memory, limit_text());
    cache.pin(plan);
    frame->plan = plan;
    frame->region = index;
    frame->arena = arena;
    if (plan->arena != arena) plan->bind_arena(arena);
    if (trace_) trace_->region(plan, arena);
    if (program_->exe().checked) std::memset(arena, 0xff, size_t(plan->arena_bytes));   // what is read before it is written shows
    return true;
}

// An arena is too large because of its largest slot most of all: the launch that is the first to use it is to blame.
const Site& Context::maker_of_largest(const RegionPlan& plan, const Instruction* at) const {
    const size_t largest = size_t(std::max_element(plan.slot_bytes.begin(), plan.slot_bytes.end()) - plan.slot_bytes.begin());
    for (const std::vector<uint32_t>& list : plan.region->lists)
        for (uint32_t index : list) {
            const LaunchInfo& launch = program_->exe().launches[index];
            for (const LaunchBuffer& buffer : launch.buffers)
                if (buffer.kind == LaunchBuffer::Kind::slot && buffer.index == largest) return program_->exe().sites[launch.site];
        }
    return program_->site_at(at);
}

RegionPlan* Context::plan_region(uint32_t index, std::span<const int64_t> key, const Instruction* at) {
    const RegionInfo& region = program_->exe().regions[index];
    plan_frame_.resize(std::max(plan_frame_.size(), size_t(Frame::bytes(region.plan_registers)) / 8));
    auto* frame = reinterpret_cast<Frame*>(plan_frame_.data());
    *frame = Frame{nullptr, program_->exe().code.data() + region.plan_begin, nullptr, nullptr, region.function, 0};
    std::copy(key.begin(), key.end(), frame->regs);
    if (!execute(frame)) return nullptr;
    std::span<const int64_t> values(reinterpret_cast<const int64_t*>(frame->regs), region.plan_registers);
    Result<std::unique_ptr<RegionPlan>> made = make_region_plan(*program_, region, key, values, options_.pack);
    if (!made) return fault(at, made.error().code, made.error().message), nullptr;
    return regions_[index].add(std::move(*made), options_.plans_per_region);
}

bool Context::run_list(Frame* frame, uint32_t list) {
    RegionPlan& plan = *frame->plan;
    if (plan.arena != frame->arena) plan.bind_arena(frame->arena);       // a call of ourselves moved it
    ++stats_.region_runs;
    for (uint32_t i = plan.list_begin[list]; i < plan.list_begin[list + 1]; ++i) {
        BoundLaunch& bound = plan.launches[i];
        for (uint32_t p = bound.patch_begin; p < bound.patch_end; ++p) {
            const Patch& patch = plan.patches[p];
            uint64_t word = frame->regs[patch.reg];
            switch (patch.kind) {
            case Patch::Kind::address: plan.buffers[patch.at] = reinterpret_cast<void*>(word); break;
            case Patch::Kind::object: plan.buffers[patch.at] = reinterpret_cast<TensorObject*>(word)->data; break;
            case Patch::Kind::param: plan.params[patch.at] = int64_t(word); break;
            }
        }
        const LaunchInfo& info = program_->exe().launches[bound.info];
        bound.launch.err = &kernel_error_;
        bound.launch.out = late_;
        worker_.scratch = bound.scratch ? bound.scratch : own_scratch_;
        if (!run_kernel(bound.kernel, bound.launch, bound.tasks, info)) return false;
        if (program_->exe().checked) poison_dead(*frame, info.step);
    }
    return true;
}

// Fills what just died with a pattern that is NaN, true and a wild index at once, so that a late read shows.
void Context::poison_dead(const Frame& frame, uint32_t step) {
    if (!frame.plan) return;
    const RegionPlan& plan = *frame.plan;
    for (size_t i = 0; i < plan.slot_offsets.size(); ++i)
        if (plan.region->slots[i].dies_at(step)) std::memset(frame.arena + plan.slot_offsets[i], 0xff, size_t(plan.slot_bytes[i]));
}

bool Context::run_launch(Frame* frame, uint32_t index) {
    const LaunchInfo& info = program_->exe().launches[index];
    const KernelInfo& kernel = program_->exe().kernels[info.kernel];
    std::span<const uint64_t> regs(frame->regs, program_->exe().functions[frame->function].registers);
    for (size_t b = 0; b < info.buffers.size(); ++b) {
        const LaunchBuffer& buffer = info.buffers[b];
        void*& out = launch_buffers_[b];
        switch (buffer.kind) {
        case LaunchBuffer::Kind::slot: out = frame->arena + frame->plan->slot_offsets[buffer.index]; break;
        case LaunchBuffer::Kind::address: out = reinterpret_cast<void*>(regs[buffer.index]); break;
        case LaunchBuffer::Kind::object: out = reinterpret_cast<TensorObject*>(regs[buffer.index])->data; break;
        case LaunchBuffer::Kind::texts: out = const_cast<Text*>(program_->texts() + buffer.index); break;
        case LaunchBuffer::Kind::weights: out = const_cast<std::byte*>(program_->exe().weights[buffer.index].data()); break;
        }
        launch_bytes_[b] = buffer.bytes.kind == IntSource::Kind::reg ? int64_t(regs[size_t(buffer.bytes.value)]) : buffer.bytes.value;
    }
    int64_t scratch = 0, tasks = bind_params(info, kernel, {}, regs, launch_params_, scratch);
    if (tasks < 0) return fault(program_->exe().sites[info.site], Code::shape, "the sizes of a tensor overflow or are negative");
    if (!reserve_scratch(scratch)) return fault(program_->exe().sites[info.site], Code::memory, limit_text());
    worker_.scratch = info.scratch >= 0 ? frame->arena + frame->plan->slot_offsets[size_t(info.scratch)] : own_scratch_;
    Launch launch{launch_buffers_.data(), launch_params_.data(), late_, &kernel_error_, launch_bytes_.data(), program_->about(info.kernel)};
    if (!run_kernel(program_->kernel(info.kernel), launch, tasks, info)) return false;
    for (size_t i = 0; i < info.late.size(); ++i) frame->regs[info.late[i]] = uint64_t(late_[i]);
    if (program_->exe().checked) poison_dead(*frame, info.step);
    return true;
}

bool Context::run_kernel(Kernel kernel, const Launch& launch, int64_t tasks, const LaunchInfo& info) {
    ++stats_.launches;
    if (stops(1)) return fault(program_->exe().sites[info.site], stop_, stop_text());
    if (trace_) trace_->kernel(program_->exe().kernels[info.kernel], launch);
    kernel_error_.task = INT64_MAX;
    kernel_error_.fault = 0;
    const bool is_timed = options_.launched || !launch_times_.empty();
    const auto begin = is_timed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const int32_t result = run_tasks(kernel, launch, tasks, info);
    if (is_timed) {
        const int64_t took = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
        if (options_.launched) options_.launched(info, launch, took);
        if (!launch_times_.empty()) {
            LaunchTime& time = launch_times_[size_t(&info - program_->exe().launches.data())];
            time.runs++;
            time.nanoseconds += took;
        }
    }
    if (result == 0) return true;
    const Site& site = program_->exe().sites[info.site];
    switch (Fault(kernel_error_.fault != 0 ? kernel_error_.fault : result)) {
    case Fault::index_range:
        if (kernel_error_.value < 0) return fault(site, Code::value, "index " + std::to_string(kernel_error_.value) + " is negative");
        return fault(site, Code::value, "index " + std::to_string(kernel_error_.value) + " is out of range for size " + std::to_string(kernel_error_.size));
    case Fault::zero_divisor: return fault(site, Code::value, "division by zero");
    case Fault::bounds:
        return fault(site, Code::internal, "kernel " + program_->exe().kernels[info.kernel].name + " left buffer " +
                                               std::to_string(kernel_error_.operand) + " at element " +
                                               std::to_string(kernel_error_.index));
    case Fault::cancelled:
        if (!must_stop(1)) stop_ = Code::cancelled;      // the token is reset already
        return fault(site, stop_, stop_text());
    case Fault::told: return fault(site, Code::value, std::string(text_of(Text(kernel_error_.value))));
    case Fault::memory: return fault(site, Code::memory, limit_text());
    case Fault::outside: return fault(site, Code::value, take_plugin_message());
    case Fault::none: break;
    }
    return fault(site, Code::internal, "a kernel failed without a reason");
}

// Small launches are over before another thread is awake; the library's, and those that tell sizes, are of one piece.
int32_t Context::run_tasks(Kernel kernel, const Launch& launch, int64_t tasks, const LaunchInfo& info) {
    constexpr int64_t worth_sharing = 16;                // a task takes a microsecond or two (loop/schedule.cpp)
    if (program_->exe().checked) return run_shuffled(kernel, launch, tasks);
    if (shares_.empty() || tasks < worth_sharing || !info.late.empty() || program_->exe().kernels[info.kernel].library) return kernel(&launch, 0, tasks, &worker_);
    return run_shared(kernel, launch, tasks);
}

int32_t Context::run_shuffled(Kernel kernel, const Launch& launch, int64_t tasks) {
    std::vector<int64_t> order(static_cast<size_t>(tasks));
    for (int64_t i = 0; i < tasks; ++i) order[size_t(i)] = i;
    std::mt19937_64 random(random_++);
    std::shuffle(order.begin(), order.end(), random);
    int32_t result = 0;
    for (int64_t task : order)
        if (int32_t found = kernel(&launch, task, task + 1, &worker_)) result = found;
    return result;
}

// A kernel tells its lowest failing task, and so does this: what begins behind a range that failed need not run.
int32_t Context::run_shared(Kernel kernel, const Launch& launch, int64_t tasks) {
    shares_[0].worker = worker_;
    for (Share& share : shares_) {
        share.launch = launch;
        share.launch.err = &share.error;
        share.error = {.task = INT64_MAX};
        share.fault = 0;
    }
    std::atomic<int64_t> first_failed = INT64_MAX;
    const int64_t range = std::clamp<int64_t>(tasks / (4 * std::ssize(shares_)), 1, 64);
    auto run = [&](int64_t begin, int64_t end, int who) {
        Share& share = shares_[size_t(who)];
        int64_t failed = first_failed.load(std::memory_order_relaxed);
        if (begin > failed) return;
        const int32_t fault = kernel(&share.launch, begin, end, &share.worker);
        if (fault == 0) return;
        share.fault = fault;
        while (begin < failed && !first_failed.compare_exchange_weak(failed, begin, std::memory_order_relaxed)) {}
    };
    share_tasks({tasks, range, run}, options_.threads);
    int32_t fault = 0;
    for (const Share& share : shares_)
        if (share.fault != 0 && (fault == 0 || share.error.task < kernel_error_.task)) fault = share.fault, kernel_error_ = share.error;
    return fault;
}

Result<std::byte*> Context::new_output(DType dtype, std::span<const int64_t> dims, uint32_t leaf) {
    int64_t bytes = TRY(byte_count(dtype, dims)), used = range_.high_water() + heap_.high_water() + stats_.scratch_bytes;
    if (bytes > options_.memory_limit - output_bytes_ - used) return Error{Code::memory, limit_text()};
    output_bytes_ += bytes;
    heap_.set_limit(options_.memory_limit - output_bytes_ - range_.high_water() - stats_.scratch_bytes);
    return output_memory(dtype, dims, leaf);
}

Result<std::byte*> Context::output_memory(DType dtype, std::span<const int64_t> dims, uint32_t leaf) {
    HostTensor& out = outputs_[leaf];
    if (leaf < call_.destinations.size()) {
        const CallOptions::Destination& to = call_.destinations[leaf];
        const int64_t bytes = TRY(byte_count(dtype, dims));
        if (to.data && bytes > 0 && bytes <= to.bytes) {
            out = TRY(HostTensor::over(dtype, Extents(dims.begin(), dims.end()), to.data));
            return to.data;
        }
    }
    if (out.dtype() != dtype || !std::equal(dims.begin(), dims.end(), out.shape().begin(), out.shape().end()) || !out.bytes())
        out = TRY(HostTensor::make(dtype, Extents(dims.begin(), dims.end()), options_.allocator));
    return out.mutable_bytes();
}

bool Context::must_stop(int clock_steps) {
    stop_ = Code::cancelled;
    if (cancel_.load(std::memory_order_relaxed) != 0 || (call_.cancel && call_.cancel->load(std::memory_order_relaxed) != 0)) return true;
    if (call_.deadline == 0 || ++steps_ < clock_steps) return false;
    steps_ = 0;
    stop_ = Code::deadline;
    return steady_nanoseconds() >= call_.deadline;
}
std::string Context::stop_text() const {
    return stop_ == Code::deadline ? "the time given for the call is over" : "the call was cancelled";
}

bool Context::fault(const Site& site, Code code, std::string what) {
    if (error_) return false;
    Error error{code, std::move(what)};
    error.where = site.where;
    error.hint = site.hint;
    error_ = std::move(error);
    return false;
}
bool Context::fault(const Instruction* at, Code code, std::string what) {
    static const Site nowhere;
    return fault(at ? program_->site_at(at) : nowhere, code, std::move(what));
}
bool Context::no_tensor(const Instruction* at, DType dtype, std::span<const int64_t> dims) {
    Result<int64_t> bytes = byte_count(dtype, dims);
    return bytes ? out_of_memory(at) : fault(at, bytes.error().code, bytes.error().message);
}
std::string Context::limit_text() const {
    return "out of memory: the limit is " + std::to_string(options_.memory_limit) + " bytes";
}
bool Context::out_of_memory(const Instruction* at) {
    return fault(at, Code::memory, limit_text());
}
} // namespace nereus
