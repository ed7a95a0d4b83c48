// Two walks. The first looks at every instruction alone: operands, counts, targets. The second goes from block to block, in
// order of code, and keeps the registers written on every way to a block and the region entered last. Once is enough: a jump
// back must find that what held at its target holds still.
#include "exe/verify_code.h"
#include "exe/extents.h"
#include "dim/relation.h"
#include "exe/verify.h"
#include "tensor/shape.h"
#include <algorithm>
#include <unordered_map>

namespace nereus {
namespace {
constexpr int64_t none_entered = -1, mixed = -2;          // else the index of a region
constexpr size_t max_flow_words = size_t(1) << 27;        // what the second walk may ask for

struct State {
    std::vector<uint64_t> written;
    int64_t region = none_entered;
};

class CodeVerifier {
 public:
    CodeVerifier(const Executable& exe, const CodeRange& range) : exe_(exe), range_(range) {}

    Status run() {
        for (at_ = range_.begin; at_ < range_.end; ++at_) {
            TRY(operands());
            TRY(shape());
        }
        at_ = range_.end - 1;
        if (falls_through(exe_.code[at_].op)) return wrong("control runs past the end");
        return flow();
    }

 private:
    const Executable& exe_;
    const CodeRange& range_;
    uint32_t at_ = 0;                                     // the instruction looked at

    const Instruction& in() const { return exe_.code[at_]; }
    static bool is_jump(Opcode op) { return op == Opcode::jump || op == Opcode::jump_if || op == Opcode::jump_unless; }
    static bool falls_through(Opcode op) {
        return op != Opcode::jump && op != Opcode::leave && op != Opcode::fail;
    }
    std::span<const uint32_t> list(uint32_t index) const {
        auto [offset, length] = exe_.lists[index];
        return std::span(exe_.operands).subspan(offset, length);
    }
    Error wrong(const std::string& what) const {
        std::string name = size_t(in().op) < size_t(opcode_count) ? std::string(opcode_row(in().op).name) : "?";
        return Error{Code::internal, range_.name + ", instruction " + std::to_string(at_ - range_.begin) +
                                         " (" + name + "): " + what};
    }
    Status below(uint64_t index, uint64_t count, std::string_view what) const {
        if (index < count) return {};
        return wrong(std::string(what) + " " + std::to_string(index) + " is out of range, there are " +
                     std::to_string(count));
    }

    Status operands() {
        if (size_t(in().op) >= size_t(opcode_count)) return wrong("no such instruction");
        const OpcodeRow& row = opcode_row(in().op);
        TRY(operand(row.x, in().x));
        TRY(operand(row.a, in().a));
        TRY(operand(row.b, in().b));
        return operand(row.c, in().c);
    }
    Status operand(OperandKind kind, uint32_t value) {
        switch (kind) {
        case OperandKind::none: return value == 0 ? Status() : wrong("an operand that is not used is not 0");
        case OperandKind::def:
        case OperandKind::use:
        case OperandKind::def_use: return below(value, range_.registers, "register");
        case OperandKind::target:
            if (value < range_.begin || value >= range_.end) return wrong("the target lies outside");
            return {};
        case OperandKind::constant: return below(value, exe_.constants.size(), "constant");
        case OperandKind::uses: case OperandKind::defs:
            TRY(below(value, exe_.lists.size(), "list"));
            for (uint32_t reg : list(value)) TRY(below(reg, range_.registers, "register"));
            return {};
        case OperandKind::numbers: return below(value, exe_.lists.size(), "list");
        case OperandKind::function: return below(value, exe_.functions.size(), "function");
        case OperandKind::region:
            TRY(below(value, exe_.regions.size(), "region"));
            if (&exe_.functions[exe_.regions[value].function] != range_.function)
                return wrong("the region is another function's");
            return {};
        case OperandKind::launch: return below(value, exe_.launches.size(), "launch");
        case OperandKind::site: return below(value, exe_.sites.size(), "site");
        case OperandKind::dtype: return below(value, dtype_count, "dtype");
        case OperandKind::relation: return below(value, uint64_t(Relation::compatible) + 1, "relation");
        case OperandKind::weight: return below(value, exe_.weights.size(), "weight");
        case OperandKind::text_constant: return below(value, exe_.text_constants.size() + 1, "element of the constants");
        case OperandKind::number:
        case OperandKind::run_list:
        case OperandKind::slot:
        case OperandKind::prefix: return {};
        }
        return {};
    }

    // What the kinds of operands do not say.
    Status shape() {
        if (!range_.function && in().op > Opcode::jump_unless && in().op != Opcode::leave &&
            in().op != Opcode::check && in().op != Opcode::fail)
            return wrong("a plan program computes numbers only");
        switch (in().op) {
        case Opcode::call: {
            const FunctionInfo& callee = exe_.functions[in().a];
            TRY(counts(list(in().b).size(), callee.params, "arguments"));
            return counts(list(in().c).size(), callee.results, "results");
        }
        case Opcode::leave: return counts(list(in().b).size(), range_.results, "results");
        case Opcode::launch: return launch(exe_.launches[in().a]);
        case Opcode::new_tensor: case Opcode::new_output: return below(list(in().b).size(), max_rank + 1, "rank");
        case Opcode::new_shaped: return extents(list(in().b), list(in().c));
        case Opcode::tensor_dim_back: case Opcode::tensor_rest: case Opcode::tensor_before: return below(in().c, max_rank + 1, "axis");
        case Opcode::seq_stack: return below(list(in().c).size(), max_rank + 1, "rank");
        case Opcode::tensor_dim: return below(in().c, max_rank, "axis");
        case Opcode::seq_set: return counts(list(in().b).size(), 3, "parts");
        case Opcode::vector_at: return counts(list(in().b).size(), 4, "parts");
        case Opcode::print:
            TRY(counts(list(in().c).size(), list(in().b).size(), "types"));
            for (uint32_t type : list(in().c)) TRY(below(type, exe_.door_types.size(), "door type"));
            return {};
        case Opcode::observe: return below(in().a, exe_.door_types.size(), "door type");
        case Opcode::check_fit:
            if (list(in().c).empty()) return wrong("nothing to look at");
            return below(in().b, exe_.door_types.size(), "door type");
        default: return {};
        }
    }
    Status counts(size_t found, size_t expected, std::string_view what) const {
        if (found == expected) return {};
        return wrong("expected " + std::to_string(expected) + " " + std::string(what) + ", found " +
                     std::to_string(found));
    }
    Status extents(std::span<const uint32_t> registers, std::span<const uint32_t> parts) const {
        size_t taken = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            TRY(below(parts[i], uint32_t(ExtentPart::without) + 1, "part"));
            taken += extent_registers(ExtentPart(parts[i]));
            bool numbered = ExtentPart(parts[i]) == ExtentPart::tail || ExtentPart(parts[i]) == ExtentPart::head;
            if (numbered && ++i == parts.size()) return wrong("a tail or head without its number");
        }
        return counts(registers.size(), taken, "registers");
    }
    Status launch(const LaunchInfo& launch) const {
        Status status;
        auto source = [&](const IntSource& from) {
            if (!status) return;
            if (from.kind == IntSource::Kind::plan)
                status = wrong("a launch by registers knows no plan registers");
            if (from.kind == IntSource::Kind::reg)
                status = below(uint64_t(from.value), range_.registers, "register");
        };
        each_source(launch, source);
        TRY(std::move(status));
        for (const LaunchBuffer& buffer : launch.buffers)
            if (buffer.kind == LaunchBuffer::Kind::address || buffer.kind == LaunchBuffer::Kind::object)
                TRY(below(buffer.index, range_.registers, "register"));
        for (uint32_t reg : launch.late) TRY(below(reg, range_.registers, "register"));
        return {};
    }
    template <class Visit> static void each_source(const LaunchInfo& launch, const Visit& visit) {
        for (const LaunchBuffer& buffer : launch.buffers) visit(buffer.bytes);
        for (const LaunchGroup& group : launch.groups) {
            for (const IntSource& source : group.extents) visit(source);
            for (const IntSource& source : group.strides) visit(source);
        }
        for (const IntSource& source : launch.scalars) visit(source);
    }

    // ---- the second walk
    Status flow() {
        size_t words = (range_.registers + 63) / 64;
        std::vector<uint32_t> block_at(range_.end - range_.begin, 0);   // the block an instruction begins, plus 1
        std::vector<uint32_t> begins;
        auto begin_block = [&](uint32_t at) {
            if (at < range_.end) block_at[at - range_.begin] = 1;
        };
        begin_block(range_.begin);
        for (uint32_t i = range_.begin; i < range_.end; ++i) {
            Opcode op = exe_.code[i].op;
            if (is_jump(op)) begin_block(exe_.code[i].a);
            if (is_jump(op) || !falls_through(op)) begin_block(i + 1);
        }
        for (uint32_t i = range_.begin; i < range_.end; ++i)
            if (block_at[i - range_.begin]) {
                begins.push_back(i);
                block_at[i - range_.begin] = uint32_t(begins.size());
            }
        std::vector<uint32_t> last_jump_back(begins.size(), 0);         // to this block; 0: none
        for (uint32_t i = range_.begin; i < range_.end; ++i)
            if (is_jump(exe_.code[i].op) && exe_.code[i].a <= i) last_jump_back[block_at[exe_.code[i].a - range_.begin] - 1] = i;

        std::unordered_map<uint32_t, State> states;      // of blocks that are reached, as long as something may yet lead to them
        State first{std::vector<uint64_t>(words), none_entered};
        for (uint32_t reg = 0; reg < range_.params; ++reg) write(first, reg);
        states.emplace(0, std::move(first));
        for (uint32_t block = 0; block < begins.size(); ++block) {
            auto reached = states.find(block);
            if (reached == states.end()) continue;
            const bool is_head = last_jump_back[block] >= begins[block];
            if (is_head && enters_another(reached->second.region, begins[block], last_jump_back[block])) reached->second.region = mixed;
            State now = is_head ? reached->second : std::move(reached->second);
            if (!is_head) states.erase(reached);
            uint32_t end = block + 1 < begins.size() ? begins[block + 1] : range_.end;
            for (at_ = begins[block]; at_ < end; ++at_) {
                TRY(step(now));
                auto reach = [&](uint32_t target) -> Status {
                    uint32_t next = block_at[target - range_.begin] - 1;
                    if (next > block) {
                        auto [known, is_new] = states.try_emplace(next, now);
                        if (!is_new) join(known->second, now);
                        if (words > max_flow_words / states.size()) return wrong("too many registers and blocks");
                        return {};
                    }
                    auto head = states.find(next);
                    if (head == states.end()) return wrong("a jump back to where control has not been");
                    if (join(head->second, now)) return wrong("a jump back to where more was known");
                    if (last_jump_back[next] == at_) states.erase(head);
                    return {};
                };
                if (is_jump(in().op)) TRY(reach(in().a));
                if (at_ + 1 == end && falls_through(in().op)) TRY(reach(end));
            }
        }
        return {};
    }
    bool enters_another(int64_t region, uint32_t first, uint32_t last) const {
        return std::any_of(exe_.code.begin() + first, exe_.code.begin() + last,
                           [&](const Instruction& in) { return in.op == Opcode::enter && in.a != region; });
    }
    static bool join(State& into, const State& from) {
        bool changed = false;
        for (size_t i = 0; i < into.written.size(); ++i) {
            uint64_t both = into.written[i] & from.written[i];
            changed |= both != into.written[i];
            into.written[i] = both;
        }
        if (into.region != from.region && into.region != mixed) {
            into.region = mixed;
            changed = true;
        }
        return changed;
    }
    static void write(State& state, uint32_t reg) { state.written[reg / 64] |= uint64_t(1) << (reg % 64); }
    Status read(const State& state, uint64_t reg) const {
        if (state.written[size_t(reg / 64)] >> (reg % 64) & 1) return {};
        return wrong("register " + std::to_string(reg) + " is read before it is written");
    }

    Status step(State& state) {
        const OpcodeRow& row = opcode_row(in().op);
        const std::pair<OperandKind, uint32_t> parts[] = {{row.a, in().a}, {row.b, in().b}, {row.c, in().c}};
        for (auto [kind, value] : parts) {
            if (kind == OperandKind::use || kind == OperandKind::def_use) TRY(read(state, value));
            if (kind == OperandKind::uses)
                for (uint32_t reg : list(value)) TRY(read(state, reg));
        }
        TRY(region_step(state));
        for (auto [kind, value] : parts) {
            if (kind == OperandKind::def) write(state, value);
            if (kind == OperandKind::defs)
                for (uint32_t reg : list(value)) write(state, reg);
        }
        if (range_.region && in().op == Opcode::leave) return plan_result(state);
        return {};
    }
    Status region_step(State& state) {
        switch (in().op) {
        case Opcode::enter:
            for (uint32_t reg : exe_.regions[in().a].key) TRY(read(state, reg));
            state.region = in().a;
            return {};
        case Opcode::call:
            if (state.region == none_entered) return in().x == 0 ? Status() : wrong("a prefix without a region");
            return below(in().x, TRY(entered(state))->prefixes.size(), "prefix");
        case Opcode::slot: return below(in().b, TRY(entered(state))->slots.size(), "slot");
        case Opcode::run: {
            const RegionInfo& region = *TRY(entered(state));
            TRY(below(in().a, region.lists.size(), "run list"));
            for (uint32_t index : region.lists[in().a]) TRY(launch_reads(state, exe_.launches[index]));
            return {};
        }
        case Opcode::launch: {
            const LaunchInfo& launch = exe_.launches[in().a];
            for (const LaunchBuffer& buffer : launch.buffers)
                if (buffer.kind == LaunchBuffer::Kind::slot)
                    TRY(below(buffer.index, TRY(entered(state))->slots.size(), "slot"));
            if (launch.scratch >= 0)
                TRY(below(uint64_t(launch.scratch), TRY(entered(state))->slots.size(), "slot"));
            TRY(launch_reads(state, launch));
            for (uint32_t reg : launch.late) write(state, reg);
            return {};
        }
        default: return {};
        }
    }
    Result<const RegionInfo*> entered(const State& state) const {
        if (state.region == none_entered) return wrong("no region has been entered");
        if (state.region == mixed) return wrong("the region differs with the path taken");
        return &exe_.regions[size_t(state.region)];
    }
    Status launch_reads(const State& state, const LaunchInfo& launch) const {
        Status status;
        each_source(launch, [&](const IntSource& source) {
            if (status && source.kind == IntSource::Kind::reg) status = read(state, uint64_t(source.value));
        });
        TRY(std::move(status));
        for (const LaunchBuffer& buffer : launch.buffers)
            if (buffer.kind == LaunchBuffer::Kind::address || buffer.kind == LaunchBuffer::Kind::object)
                TRY(read(state, buffer.index));
        return {};
    }
    Status plan_result(const State& state) const {
        Status status;
        auto source = [&](const IntSource& from) {
            if (status && from.kind == IntSource::Kind::plan) status = read(state, uint64_t(from.value));
        };
        for (const SlotInfo& slot : range_.region->slots) source(slot.bytes);
        for (const std::vector<uint32_t>& list : range_.region->lists)
            for (uint32_t index : list) each_source(exe_.launches[index], source);
        return status;
    }
};
} // namespace

Status verify_code(const Executable& exe, const CodeRange& range) { return CodeVerifier(exe, range).run(); }
} // namespace nereus
