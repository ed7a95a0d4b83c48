// Bytes that are known although nothing runs: numbers that the host writes to memory, shapes, constants, and what kernels
// compute from these alone. Such kernels are small, and are run: a trip count that passes through memory stays a number.
//
// What is not initialised is never read by a program, so a buffer that is written for the first time may be taken for zeros.
#include "vm/peak_walk.h"
#include "vm/scalar.h"
#include <cstring>

namespace nereus {
bool Context::PeakWalk::load(const State& state, Word address, int64_t bytes, std::byte* out) const {
    if (state.blind || bytes > KnownBytes::largest) return false;
    switch (address.kind) {
    case Word::Kind::elements: {
        const ShadowHeap::Thing* tensor = state.heap.find(address);
        return tensor && tensor->elements.load(address.offset, bytes, out);
    }
    case Word::Kind::range: return state.range.load(int64_t(address.value), bytes, out);
    case Word::Kind::memory: std::memcpy(out, reinterpret_cast<const std::byte*>(address.value), size_t(bytes)); return true;
    case Word::Kind::unknown: case Word::Kind::number: case Word::Kind::at_most: case Word::Kind::object: case Word::Kind::outside: break;
    }
    return false;
}

void Context::PeakWalk::store(State& state, Word address, int64_t bytes, const std::byte* from) {
    ShadowHeap::Thing* tensor = address.kind == Word::Kind::elements ? state.heap.find(address) : nullptr;
    if (!tensor && address.kind != Word::Kind::range) return forget(state, address, bytes);
    if (tensor) tensor->written = true;
    if (!state.blind) (tensor ? tensor->elements : state.range).store(tensor ? address.offset : int64_t(address.value), bytes, from);
}

void Context::PeakWalk::forget(State& state, Word address, int64_t bytes) {
    switch (address.kind) {
    case Word::Kind::outside: return;
    case Word::Kind::range: return state.range.forget(int64_t(address.value), int64_t(address.value) + bytes);
    case Word::Kind::elements:
        if (ShadowHeap::Thing* tensor = state.heap.find(address)) {
            tensor->written = true;
            tensor->elements.forget(address.offset, address.offset + bytes);
            return;
        }
        break;
    case Word::Kind::unknown: case Word::Kind::number: case Word::Kind::at_most: case Word::Kind::object: case Word::Kind::memory: break;
    }
    state.blind = true;
}

Word Context::PeakWalk::load_number(const State& state, Word address, DType dtype) const {
    std::byte at[8] = {};
    if (!is_host_number(dtype) || !load(state, address, size_of(dtype), at)) return {};
    return Word::number(int64_t(load_scalar(dtype, at)));
}
void Context::PeakWalk::store_number(State& state, Word address, DType dtype, Word number) {
    std::byte at[8] = {};
    if (!is_host_number(dtype) || !number.is_number()) return forget(state, address, size_of(dtype));
    store_scalar(dtype, at, number.value);
    store(state, address, size_of(dtype), at);
}
void Context::PeakWalk::copy(State& state, Word to, Word from, Word bytes) {
    std::byte moved[KnownBytes::largest];
    if (!bytes.is_number()) forget(state, to, INT32_MAX);
    else if (load(state, from, int64_t(bytes.value), moved)) store(state, to, int64_t(bytes.value), moved);
    else forget(state, to, int64_t(bytes.value));
}

std::optional<int64_t> Context::PeakWalk::read(const State& state, const IntSource& source) const {
    const Activation& top = state.frames.back();
    switch (source.kind) {
    case IntSource::Kind::constant: return source.value;
    case IntSource::Kind::plan: return top.placed->values[size_t(source.value)];
    case IntSource::Kind::reg: break;
    }
    Word word = state.regs[top.regs + size_t(source.value)];
    return word.is_number() ? std::optional(int64_t(word.value)) : std::nullopt;
}

Word Context::PeakWalk::buffer_address(const State& state, const LaunchBuffer& buffer) const {
    const Activation& top = state.frames.back();
    switch (buffer.kind) {
    case LaunchBuffer::Kind::slot: return {Word::Kind::range, 0, uint64_t(top.arena + top.placed->slot_offsets[buffer.index])};
    case LaunchBuffer::Kind::texts: return {};           // no number of the host program is there
    case LaunchBuffer::Kind::weights: return {Word::Kind::memory, 0, reinterpret_cast<uint64_t>(exe.weights[buffer.index].data())};
    case LaunchBuffer::Kind::address: return state.regs[top.regs + buffer.index];
    case LaunchBuffer::Kind::object: break;
    }
    Word object = state.regs[top.regs + buffer.index];
    return object.kind == Word::Kind::object ? Word{Word::Kind::elements, 0, object.value} : Word{};
}

void Context::PeakWalk::launch(State& state, const LaunchInfo& launch) {
    Word late;                               // counts points of the launch that are so; of one from outside, the check behind it says more
    if (exe.kernels[launch.kernel].offset == KernelInfo::outside) {
        late = {Word::Kind::at_most, 0, INT64_MAX};
    } else if (!launch.late.empty() && !launch.groups.empty()) {
        int64_t points = 1;
        bool known = true;
        for (const IntSource& extent : launch.groups[0].extents) {
            std::optional<int64_t> size = read(state, extent);
            known = known && size && *size >= 0 && !__builtin_mul_overflow(points, *size, &points);
        }
        if (known) late = {Word::Kind::at_most, 0, uint64_t(points)};
    }
    for (uint32_t reg : launch.late) state.regs[state.frames.back().regs + reg] = late;
    if (!state.blind && compute(state, launch)) return;
    for (uint16_t out : exe.kernels[launch.kernel].outs) {
        const LaunchBuffer& buffer = launch.buffers[out];
        forget(state, buffer_address(state, buffer), read(state, buffer.bytes).value_or(INT32_MAX));
    }
}

// Runs a kernel all of whose inputs are known; false: they are not, or are more than we care to know.
bool Context::PeakWalk::compute(State& state, const LaunchInfo& info) {
    const KernelInfo& kernel = exe.kernels[info.kernel];
    const Activation& top = state.frames.back();
    for (DType dtype : kernel.layout.buffers)
        if (is_float(dtype) || is_text(dtype)) return false;
    auto starts_here = [&](const SlotInfo& slot) {
        bool starts = slot.first == info.step;
        for (size_t i = 0; i < slot.more.size(); i += 2) starts |= slot.more[i] == info.step;
        return starts;
    };
    std::vector<std::vector<std::byte>> memory;
    std::vector<void*> buffers;
    std::vector<int64_t> sizes;
    for (size_t b = 0; b < info.buffers.size(); ++b) {
        const LaunchBuffer& buffer = info.buffers[b];
        Word address = buffer_address(state, buffer);
        std::optional<int64_t> bytes = read(state, buffer.bytes);
        if (!bytes || *bytes < 0 || *bytes > KnownBytes::largest) return false;
        std::vector<std::byte>& here = memory.emplace_back(size_t(2 * KnownBytes::largest));
        if (!load(state, address, *bytes, here.data())) {
            const ShadowHeap::Thing* tensor = address.kind == Word::Kind::elements ? state.heap.find(address) : nullptr;
            bool out = std::find(kernel.outs.begin(), kernel.outs.end(), b) != kernel.outs.end();
            bool fresh = tensor ? !tensor->written
                                : buffer.kind == LaunchBuffer::Kind::slot &&
                                      starts_here(exe.regions[top.region].slots[buffer.index]);
            if (!out || !fresh) return false;
            std::fill(here.begin(), here.end(), std::byte(0));
        }
        buffers.push_back(here.data());
        sizes.push_back(*bytes);
    }
    // Buffers that are one for the launch are one here.
    for (size_t b = 0; b < buffers.size(); ++b)
        for (size_t a = 0; a < b; ++a)
            if (buffer_address(state, info.buffers[a]) == buffer_address(state, info.buffers[b])) buffers[b] = buffers[a];

    std::vector<uint64_t> registers(exe.functions[top.function].registers);
    std::vector<int32_t> ranks;
    bool known = true;
    auto use = [&](const std::vector<IntSource>& sources) {
        for (const IntSource& source : sources) {
            known &= read(state, source).has_value();
            if (source.kind == IntSource::Kind::reg) registers[size_t(source.value)] = uint64_t(read(state, source).value_or(0));
        }
    };
    for (const LaunchGroup& group : info.groups) {
        use(group.extents);
        use(group.strides);
        ranks.push_back(int32_t(group.extents.size()));
    }
    use(info.scalars);
    if (!known) return false;
    std::vector<int64_t> params(size_t(param_slots(kernel.layout, ranks)));
    int64_t unused = 0, late[4] = {};
    std::span<const int64_t> values;
    if (top.placed) values = top.placed->values;
    int64_t tasks = bind_params(info, kernel, values, registers, params, unused);
    if (tasks < 0) return false;
    std::vector<std::byte> scratch(size_t(kernel.scratch + slot_alignment));
    KernelError error{.task = INT64_MAX};
    Worker worker{Frame::align(scratch.data()), nullptr, nullptr};
    Launch launch{buffers.data(), params.data(), late, &error, sizes.data(), program.about(info.kernel)};
    if (program.kernel(info.kernel)(&launch, 0, tasks, &worker) != 0 || error.fault != 0) return false;
    for (uint16_t out : kernel.outs)
        store(state, buffer_address(state, info.buffers[out]), sizes[out], static_cast<const std::byte*>(buffers[out]));
    for (size_t i = 0; i < info.late.size(); ++i)
        state.regs[state.frames.back().regs + info.late[i]] = Word::number(late[i]);
    return true;
}
} // namespace nereus
