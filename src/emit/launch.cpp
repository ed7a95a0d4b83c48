// A launch whose sizes follow from the key joins the list being collected and is bound once per plan; one whose sizes
// are found on the way is bound from registers each time.
#include "emit/function.h"

namespace nereus {
void EmitFunction::launch(const Binding& b) {
    uint32_t spec_index = uint32_t(std::get<int64_t>(find_attribute(b, "launch")->value));
    const LaunchSpec& spec = program_.lowered.launches[spec_index];
    const uint32_t kernel = program_.lowered.launch_kernel[spec_index];
    const ParamLayout& layout = kernels_.kernels[kernel].params;
    const loop::Function& function = kernels_.kernels[kernel].function;

    bool planned = spec.late.empty();
    for (const LaunchSpec::Group& group : spec.groups) {
        for (Dim extent : group.extents) planned &= at_entry(extent);
        for (auto& [buffer, strides] : group.strides)
            for (const Stride& stride : strides) planned &= at_entry(stride.step) && (!stride.one.valid() || at_entry(stride.one));
    }
    for (ValueId v : spec.buffers) planned &= type(v).shape.ranked && at_entry(byte_size(function_[v].type));
    auto number = [&](Dim value, Dim one = {}) { return planned ? source(value, one) : frame_source(value, one); };

    LaunchInfo made;
    made.kernel = kernel;
    made.site = site_;
    made.step = step_;
    for (size_t i = 0; i < spec.buffers.size(); ++i) {
        ValueId v = spec.buffers[i];
        LaunchBuffer buffer;
        if (function.buffers[i].out && kept(v) == Kept::object && !places_.contains(v)) bind_object(v, new_tensor_object(function_[v].type));
        bool first = function.buffers[i].out && !places_.contains(v);
        Place at = first ? target_of(v) : place(v);
        touch(at, first ? Touch::write : Touch::use);    // a second launch writes parts of what the first has made
        switch (at.kind) {
        case Place::Kind::slot: buffer.kind = LaunchBuffer::Kind::slot; break;
        case Place::Kind::reg: buffer.kind = LaunchBuffer::Kind::address; break;
        case Place::Kind::object: buffer.kind = LaunchBuffer::Kind::object; break;
        case Place::Kind::texts: buffer.kind = LaunchBuffer::Kind::texts; break;
        case Place::Kind::weights: buffer.kind = LaunchBuffer::Kind::weights; break;
        }
        buffer.index = at.index;
        if (type(v).shape.ranked) {
            buffer.bytes = number(byte_size(function_[v].type));
        } else {
            buffer.bytes = {IntSource::Kind::reg, fresh()};
            put(Opcode::tensor_bytes, Reg(buffer.bytes.value), registers_[v.index]);
        }
        made.buffers.push_back(buffer);
    }
    if (int64_t bytes = kernels_.kernels[kernel].scratch_bytes; bytes > 0) {
        Place scratch = new_slot(IntSource{IntSource::Kind::constant, bytes});
        touch(scratch, Touch::write);                    // a buffer like others, alive during this launch only
        made.scratch = int32_t(scratch.index);
    }
    for (size_t g = 0; g < spec.groups.size(); ++g) {
        const LaunchSpec::Group& group = spec.groups[g];
        LaunchGroup bound;
        for (Dim extent : group.extents) bound.extents.push_back(number(extent));
        for (uint16_t wanted : layout.groups[g].buffers)
            for (auto& [buffer, strides] : group.strides)
                if (buffer == wanted)
                    for (const Stride& stride : strides) bound.strides.push_back(number(stride.step, stride.one));
        made.groups.push_back(std::move(bound));
    }
    for (const LaunchSpec::Scalar& scalar : spec.scalars) {
        if (scalar.value.valid()) made.scalars.push_back({IntSource::Kind::reg, EmitFunction::number(scalar.value)});
        else made.scalars.push_back(number(scalar.dim));
    }
    for (Sym symbol : spec.late) {
        Reg reg = fresh();
        made.late.push_back(reg);
        define(symbol, reg);
    }
    uint32_t index = uint32_t(exe().launches.size());
    exe().launches.push_back(std::move(made));
    if (planned) {
        has_region_ = true;
        pending_.push_back(index);
    } else {
        put(Opcode::launch, index);
    }
}
} // namespace nereus
