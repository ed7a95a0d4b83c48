// Tables first, in the order in which they refer to each other; then the code of every function and plan program.
#include "exe/verify.h"
#include "exe/verify_code.h"
#include "exe/verify_door.h"
#include "tensor/shape.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr int64_t max_scratch = int64_t(1) << 30;

class TableVerifier {
 public:
    explicit TableVerifier(const Executable& exe) : exe_(exe) {}

    Status run() {
        TRY(pools());
        for (const KernelInfo& kernel : exe_.kernels) TRY(kernel_info(kernel));
        for (size_t i = 0; i < exe_.launches.size(); ++i) TRY(launch(i));
        for (size_t i = 0; i < exe_.functions.size(); ++i) {
            const FunctionInfo& f = exe_.functions[i];
            if (f.begin >= f.end || f.end > exe_.code.size())
                return wrong(function_name(i), "its code lies outside");
            if (f.params > f.registers) return wrong(function_name(i), "more parameters than registers");
        }
        for (size_t i = 0; i < exe_.regions.size(); ++i) TRY(region(i));
        std::vector<CodeRange> ranges = TRY(tile());
        for (const CodeRange& range : ranges) TRY(verify_code(exe_, range));
        return verify_door(exe_);
    }

 private:
    const Executable& exe_;

    static Error wrong(const std::string& where, const std::string& what) {
        return Error{Code::internal, where + ": " + what};
    }
    static Status below(const std::string& where, uint64_t index, uint64_t count, std::string_view what) {
        if (index < count) return {};
        return wrong(where, std::string(what) + " " + std::to_string(index) + " is out of range, there are " +
                                std::to_string(count));
    }
    std::string function_name(size_t i) const {
        return "function " + std::to_string(i) + " \"" + exe_.functions[i].name + "\"";
    }

    Status place(const std::string& who, Span where) {
        if (!where.known()) return {};
        TRY(below(who, uint64_t(where.source), exe_.sources.size(), "source"));
        if (where.line < 1 || where.column < 1 || where.length < 0) return wrong(who, "a place that no text has");
        return {};
    }

    Status pools() {
        for (size_t i = 0; i < exe_.lists.size(); ++i) {
            auto [offset, length] = exe_.lists[i];
            if (uint64_t(offset) + length > exe_.operands.size())
                return wrong("list " + std::to_string(i), "lies outside the operands");
        }
        for (uint32_t text : exe_.text_constants) TRY(below("the text constants", text, exe_.texts.size(), "text"));
        for (size_t i = 0; i < exe_.sites.size(); ++i) {
            std::string who = "site " + std::to_string(i);
            TRY(below(who, uint64_t(exe_.sites[i].code), uint64_t(Code::internal) + 1, "code"));
            TRY(place(who, exe_.sites[i].where));
        }
        for (size_t i = 0; i < exe_.entries.size(); ++i) TRY(place("entry " + std::to_string(i), exe_.entries[i].where));
        for (size_t i = 0; i < exe_.marks.size(); ++i) {
            std::string where = "mark " + std::to_string(i);
            TRY(below(where, exe_.marks[i].instruction, exe_.code.size(), "instruction"));
            TRY(below(where, exe_.marks[i].site, exe_.sites.size(), "site"));
            if (i > 0 && exe_.marks[i - 1].instruction >= exe_.marks[i].instruction)
                return wrong(where, "marks do not ascend");
        }
        return {};
    }

    Status kernel_info(const KernelInfo& kernel) {
        std::string where = "kernel \"" + kernel.name + "\"";
        if (!kernel.library) TRY(below(where, kernel.offset, exe_.blob.size(), "code offset"));
        if (kernel.scratch < 0 || kernel.scratch > max_scratch)
            return wrong(where, "scratch of " + std::to_string(kernel.scratch) + " bytes");
        const ParamLayout& layout = kernel.layout;
        for (uint16_t out : kernel.outs) TRY(below(where, out, layout.buffers.size(), "buffer"));
        if (layout.groups.size() > max_groups)
            return wrong(where, "more than " + std::to_string(max_groups) + " groups");
        if (layout.scalars < 0) return wrong(where, "a negative number of scalars");
        for (DType dtype : layout.buffers) TRY(below(where, uint64_t(dtype), dtype_count, "dtype"));
        for (const GroupLayout& group : layout.groups)
            for (size_t i = 0; i < group.buffers.size(); ++i) {
                TRY(below(where, group.buffers[i], layout.buffers.size(), "buffer"));
                if (i > 0 && group.buffers[i - 1] >= group.buffers[i])
                    return wrong(where, "the buffers of a group do not ascend");
            }
        for (GridLayout::Dim dim : layout.grid.dims) {
            TRY(below(where, dim.group, layout.groups.size(), "group"));
            if (dim.tile < 1) return wrong(where, "a tile of " + std::to_string(dim.tile));
        }
        for (uint16_t group : layout.grid.work) TRY(below(where, group, layout.groups.size(), "group"));
        if (layout.grid.align < 1 || layout.grid.target < 0) return wrong(where, "a grid that cannot be cut");
        return {};
    }

    Status launch(size_t index) {
        const LaunchInfo& launch = exe_.launches[index];
        std::string where = "launch " + std::to_string(index);
        TRY(below(where, launch.kernel, exe_.kernels.size(), "kernel"));
        TRY(below(where, launch.site, exe_.sites.size(), "site"));
        const ParamLayout& layout = exe_.kernels[launch.kernel].layout;
        if (launch.buffers.size() != layout.buffers.size())
            return wrong(where, "does not bind every buffer of its kernel");
        if (launch.groups.size() != layout.groups.size())
            return wrong(where, "does not bind every group of its kernel");
        if (launch.scalars.size() != size_t(layout.scalars))
            return wrong(where, "does not bind every scalar of its kernel");
        if (launch.late.size() > max_late)
            return wrong(where, "more than " + std::to_string(max_late) + " late sizes");
        for (size_t g = 0; g < launch.groups.size(); ++g) {
            const LaunchGroup& group = launch.groups[g];
            if (group.extents.size() > max_rank)
                return wrong(where, "a group of rank " + std::to_string(group.extents.size()));
            if (group.strides.size() != group.extents.size() * layout.groups[g].buffers.size())
                return wrong(where, "strides do not match the buffers and axes of group " + std::to_string(g));
        }
        for (const LaunchBuffer& buffer : launch.buffers) {
            if (buffer.kind == LaunchBuffer::Kind::texts) TRY(below(where, buffer.index, exe_.text_constants.size() + 1, "element of the constants"));
            if (buffer.kind != LaunchBuffer::Kind::weights) continue;
            TRY(below(where, buffer.index, exe_.weights.size(), "weight"));
            if (buffer.bytes.kind == IntSource::Kind::constant && buffer.bytes.value > int64_t(exe_.weights[buffer.index].size()))
                return wrong(where, "a weight of fewer bytes than it reads");
        }
        return {};
    }

    Status region(size_t index) {
        const RegionInfo& region = exe_.regions[index];
        std::string where = "region " + std::to_string(index);
        TRY(below(where, region.function, exe_.functions.size(), "function"));
        const FunctionInfo& function = exe_.functions[region.function];
        TRY(below(where, region.plan_begin, exe_.code.size(), "instruction"));
        if (region.key.size() > region.plan_registers)
            return wrong(where, "the key does not fit the plan registers");
        for (uint32_t reg : region.key) TRY(below(where, reg, function.registers, "register"));
        for (const SlotInfo& slot : region.slots) {
            if (slot.first > slot.last) return wrong(where, "a slot that dies before it is born");
            uint32_t last = slot.last;
            if (slot.more.size() % 2 != 0) return wrong(where, "a slot with half a lifetime");
            for (size_t k = 0; k < slot.more.size(); last = slot.more[k + 1], k += 2)
                if (slot.more[k] <= last || slot.more[k + 1] < slot.more[k])
                    return wrong(where, "a slot whose lifetimes are not in order");
            if (slot.bytes.kind == IntSource::Kind::reg)
                return wrong(where, "the size of a slot follows from the key");
            TRY(planned(where, slot.bytes, region));
        }
        for (const std::vector<uint32_t>& list : region.lists)
            for (uint32_t launch : list) {
                TRY(below(where, launch, exe_.launches.size(), "launch"));
                TRY(bound_launch(where + ", launch " + std::to_string(launch), exe_.launches[launch], region));
            }
        return {};
    }
    Status planned(const std::string& where, const IntSource& source, const RegionInfo& region) {
        if (source.kind != IntSource::Kind::plan) return {};
        return below(where, uint64_t(source.value), region.plan_registers, "plan register");
    }
    // In a list all sizes follow from the key; scalars and addresses are patched in from registers.
    Status bound_launch(const std::string& where, const LaunchInfo& launch, const RegionInfo& region) {
        uint32_t registers = exe_.functions[region.function].registers;
        auto size = [&](const IntSource& source) -> Status {
            if (source.kind == IntSource::Kind::reg)
                return wrong(where, "a size in a list comes from a register");
            return planned(where, source, region);
        };
        if (!launch.late.empty()) return wrong(where, "late sizes in a list");
        if (launch.scratch >= 0) TRY(below(where, uint64_t(launch.scratch), region.slots.size(), "slot"));
        for (const LaunchBuffer& buffer : launch.buffers) {
            TRY(size(buffer.bytes));
            if (buffer.kind == LaunchBuffer::Kind::slot)
                TRY(below(where, buffer.index, region.slots.size(), "slot"));
            else if (buffer.kind != LaunchBuffer::Kind::weights && buffer.kind != LaunchBuffer::Kind::texts)
                TRY(below(where, buffer.index, registers, "register"));
        }
        for (const LaunchGroup& group : launch.groups) {
            for (const IntSource& source : group.extents) TRY(size(source));
            for (const IntSource& source : group.strides) TRY(size(source));
        }
        for (const IntSource& scalar : launch.scalars) {
            TRY(planned(where, scalar, region));
            if (scalar.kind == IntSource::Kind::reg)
                TRY(below(where, uint64_t(scalar.value), registers, "register"));
        }
        return {};
    }

    // Functions and plan programs, in order of code; what begins where the last ended leaves no instruction unseen.
    Result<std::vector<CodeRange>> tile() {
        std::vector<CodeRange> ranges;
        for (size_t i = 0; i < exe_.functions.size(); ++i) {
            const FunctionInfo& f = exe_.functions[i];
            ranges.push_back({f.begin, f.end, f.registers, f.params, f.results, &f, nullptr, function_name(i)});
        }
        for (size_t i = 0; i < exe_.regions.size(); ++i) {
            const RegionInfo& region = exe_.regions[i];
            ranges.push_back({region.plan_begin, 0, region.plan_registers, uint32_t(region.key.size()), 0,
                              nullptr, &region, "plan of region " + std::to_string(i)});
        }
        std::sort(ranges.begin(), ranges.end(),
                  [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
        uint64_t at = 0, definitions = 0;
        for (size_t i = 0; i < ranges.size(); ++i) {
            CodeRange& range = ranges[i];
            if (range.begin != at) return wrong(range.name, "does not begin where the code before it ends");
            uint32_t limit = i + 1 < ranges.size() ? ranges[i + 1].begin : uint32_t(exe_.code.size());
            if (range.region)
                for (range.end = range.begin; range.end < limit;)
                    if (exe_.code[range.end++].op == Opcode::leave) break;
            if (range.end <= range.begin || range.end > limit) return wrong(range.name, "overlaps what follows");
            at = range.end;
            definitions = range.params;                    // a register that nothing writes is of no use
            for (uint32_t k = range.begin; k < range.end; ++k) definitions += defined(exe_.code[k]);
            if (range.registers > definitions)
                return wrong(range.name, std::to_string(range.registers) + " registers, but " +
                                             std::to_string(definitions) + " are written");
        }
        if (at != exe_.code.size()) return wrong("code", "there are instructions in no function");
        return ranges;
    }
    uint64_t defined(const Instruction& in) const {
        if (size_t(in.op) >= size_t(opcode_count)) return 0;
        const OpcodeRow& row = opcode_row(in.op);
        if (in.op == Opcode::launch) return max_late;
        if (row.c == OperandKind::defs && in.c < exe_.lists.size()) return exe_.lists[in.c].second;
        return row.a == OperandKind::def;
    }
};
} // namespace

Status verify(const Executable& exe) { return TableVerifier(exe).run(); }
} // namespace nereus
