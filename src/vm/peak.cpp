// Context::peak: follows the code with the door sizes known and everything that comes from elements unknown. Frames and
// arenas are placed exactly as a run places them. Where an unknown number decides, both ways are followed; a state met
// before is not followed again, and a place passed often forgets what differed from time to time, as a loop's counter:
// loops with unknown ends come to rest as long as their sizes stay the same. Recursion of unknown depth does not.
// Does not count objects: their number follows from values.
#include "dim/relation.h"
#include "vm/arithmetic.h"
#include "vm/frame.h"
#include <map>
#include <set>

namespace nereus {
struct Context::PeakWalk {
    const LoadedExecutable& program;
    PackMode mode;
    const Executable& exe = program.exe();

    struct Word { bool known = false; uint64_t value = 0; };
    struct Activation {
        uint32_t function = 0, at = 0;                    // instruction
        int64_t begin = 0, arena = 0;                     // offsets on the range
        const Placement* placed = nullptr;                // of the region entered last
        std::vector<Word> regs;
    };
    using State = std::vector<Activation>;

    static constexpr int64_t max_steps = 20'000'000;
    int64_t steps = 0, highest = 0;
    bool finished = false;                                // some way leads to the end
    std::optional<Error> failure;                         // where the first way that fails does
    std::vector<State> open;
    std::set<std::vector<uint64_t>> met;
    struct Crossing { int visits = 0; State joined; };   // joined: what was known in all visits after the first few
    std::map<std::vector<uint64_t>, Crossing> crossings; // where unknown numbers decide: code and places of all frames
    static constexpr int exact_visits = 16;
    int64_t scratch = 0;                                  // of launches that have no slot for it
    std::map<std::pair<uint32_t, std::vector<int64_t>>, Placement> placements;

    Result<int64_t> run(const EntryInfo& entry, std::span<const int64_t> sizes,
                        std::span<const std::optional<int64_t>> numbers) {
        if (sizes.size() != entry.sizes)
            return Error{Code::usage, "expected " + std::to_string(entry.sizes) + " sizes, found " +
                                          std::to_string(sizes.size())};
        for (int64_t size : sizes)
            if (size < 0) return Error{Code::shape, "size " + std::to_string(size) + " is negative"};
        State first = {activation(entry.function, 0)};
        for (size_t i = 0; i < sizes.size(); ++i) first[0].regs[i] = {true, uint64_t(sizes[i])};
        for (size_t i = 0; i < std::min(numbers.size(), entry.param_leaves.size()); ++i)
            if (numbers[i] && entry.param_leaves[i].kind == DoorLeaf::Kind::number)
                first[0].regs[sizes.size() + i] = {true, uint64_t(*numbers[i])};
        open.push_back(std::move(first));
        while (!open.empty()) {
            State state = std::move(open.back());
            open.pop_back();
            while (TRY(step(state))) {}
        }
        if (!finished && failure) return *failure;
        return highest + scratch;
    }

    Activation activation(uint32_t function, int64_t begin) {
        const FunctionInfo& info = exe.functions[function];
        highest = std::max(highest, begin + Frame::bytes(info.registers));
        return {function, info.begin, begin, 0, nullptr, std::vector<Word>(info.registers)};
    }
    std::span<const uint32_t> list(uint32_t index) const {
        auto [offset, length] = exe.lists[index];
        return std::span(exe.operands).subspan(offset, length);
    }
    Error error(uint32_t at, Code code, std::string what) const {
        Error error{code, std::move(what)};
        error.where = program.site_at(exe.code.data() + at).where;
        return error;
    }
    Error unbounded(uint32_t at, std::string_view why) const {
        return error(at, Code::limit, "the peak has no bound that can be computed: " + std::string(why));
    }
    // This way ends in a failure of the program; others may not.
    bool fails(uint32_t at, Code code, std::string what) {
        if (!failure) failure = error(at, code, std::move(what));
        return false;
    }

    // One instruction; false: this way has come to its end.
    Result<bool> step(State& state) {
        Activation& top = state.back();
        const Instruction& in = exe.code[top.at];
        if (++steps > max_steps) return unbounded(top.at, "too many steps");
        if (is_arithmetic(in.op)) return compute(top, in);
        switch (in.op) {
        case Opcode::load_constant: top.regs[in.a] = {true, uint64_t(exe.constants[in.b])}; break;
        case Opcode::move_if:
            if (!top.regs[in.c].known) top.regs[in.a] = {};
            else if (top.regs[in.c].value) top.regs[in.a] = top.regs[in.b];
            break;
        case Opcode::jump: top.at = in.a; return true;
        case Opcode::jump_if: case Opcode::jump_unless: return branch(state, in);
        case Opcode::check: {
            Word b = top.regs[in.b], c = top.regs[in.c];
            if (b.known && c.known && !holds(Relation(in.x), int64_t(b.value), int64_t(c.value)))
                return fails(top.at, exe.sites[in.a].code, exe.sites[in.a].what);
            break;
        }
        case Opcode::fail: return fails(top.at, exe.sites[in.a].code, exe.sites[in.a].what);
        case Opcode::enter: TRY(enter(top, in)); break;
        case Opcode::call: {
            const FunctionInfo& caller = exe.functions[top.function];
            Activation next = activation(in.a, top.placed ? top.arena + top.placed->prefixes[in.x]
                                                          : top.begin + Frame::bytes(caller.registers));
            std::span<const uint32_t> arguments = list(in.b);
            for (size_t i = 0; i < arguments.size(); ++i) next.regs[i] = top.regs[arguments[i]];
            steps += 8 + int64_t(next.regs.size());       // bounds what an endless recursion takes
            state.push_back(std::move(next));
            return true;
        }
        case Opcode::leave: {
            if (state.size() == 1) return finished = true, false;
            Activation& caller = state[state.size() - 2];
            std::span<const uint32_t> from = list(in.b), to = list(exe.code[caller.at].c);
            for (size_t i = 0; i < from.size(); ++i) caller.regs[to[i]] = top.regs[from[i]];
            ++caller.at;
            state.pop_back();
            return true;
        }
        case Opcode::launch:
            for (uint32_t reg : exe.launches[in.a].late) top.regs[reg] = {};
            use_scratch(exe.launches[in.a]);
            break;
        default: // reads elements or objects, or writes no register at all
            if (opcode_row(in.op).a == OperandKind::def) top.regs[in.a] = {};
        }
        ++top.at;
        return true;
    }
    bool compute(Activation& top, const Instruction& in) {
        bool two = opcode_row(in.op).c == OperandKind::use;
        Word b = top.regs[in.b], c = two ? top.regs[in.c] : Word{true, 0}, out;
        out.known = b.known && c.known;
        if (out.known && !arithmetic(in.op, b.value, c.value, out.value))
            return fails(top.at, Code::shape, "the sizes of the program fail");
        top.regs[in.a] = out;
        ++top.at;
        return true;
    }
    bool branch(State& state, const Instruction& in) {
        Activation& top = state.back();
        Word when = top.regs[in.b];
        if (when.known) {
            top.at = (when.value != 0) == (in.op == Opcode::jump_if) ? in.a : top.at + 1;
            return true;
        }
        std::vector<uint64_t> key, place;
        for (const Activation& each : state) {
            place.insert(place.end(), {uint64_t(each.function) << 32 | each.at, uint64_t(each.begin),
                                       reinterpret_cast<uint64_t>(each.placed)});
            for (Word word : each.regs) key.insert(key.end(), {uint64_t(word.known), word.value});
        }
        steps += int64_t(key.size() + place.size());
        key.insert(key.end(), place.begin(), place.end());
        if (!met.insert(std::move(key)).second) return false;
        Crossing& crossing = crossings[std::move(place)];
        if (++crossing.visits > exact_visits) {
            if (crossing.joined.empty()) crossing.joined = state;
            else if (!join(crossing.joined, state)) return false;
            state = crossing.joined;
        }
        open.push_back(state);
        open.back().back().at = in.a;
        ++state.back().at;
        return true;
    }
    // Forgets in `a` what is not so in `b`, which stands at the same place; false: there was nothing to forget.
    static bool join(State& a, const State& b) {
        bool changed = false;
        for (size_t f = 0; f < a.size(); ++f)
            for (size_t r = 0; r < a[f].regs.size(); ++r) {
                Word &word = a[f].regs[r], other = b[f].regs[r];
                if (!word.known || (other.known && other.value == word.value)) continue;
                word = {};
                changed = true;
            }
        return changed;
    }
    void use_scratch(const LaunchInfo& launch) {
        if (launch.scratch < 0) scratch = std::max(scratch, exe.kernels[launch.kernel].scratch);
    }

    Status enter(Activation& top, const Instruction& in) {
        const RegionInfo& region = exe.regions[in.a];
        std::vector<int64_t> key;
        for (uint32_t reg : region.key) {
            if (!top.regs[reg].known)
                return unbounded(top.at, "sizes here are known only after something has executed");
            key.push_back(int64_t(top.regs[reg].value));
        }
        auto [place, fresh] = placements.try_emplace({in.a, key});
        if (fresh) {
            std::vector<int64_t> values = TRY(plan_values(top.at, region, key));
            place->second = TRY(place_slots(region, values, mode));
        }
        for (const std::vector<uint32_t>& each : region.lists)
            for (uint32_t launch : each) use_scratch(exe.launches[launch]);
        top.placed = &place->second;
        top.arena = (top.begin + Frame::bytes(exe.functions[top.function].registers) + slot_alignment - 1) /
                    slot_alignment * slot_alignment;
        int64_t end;
        if (__builtin_add_overflow(top.arena, place->second.arena_bytes, &end))
            return error(top.at, Code::memory, "the sizes of the program's buffers overflow");
        highest = std::max(highest, end);
        return {};
    }
    // The plan program, in which all is known.
    Result<std::vector<int64_t>> plan_values(uint32_t at, const RegionInfo& region,
                                             const std::vector<int64_t>& key) {
        std::vector<Word> regs(region.plan_registers);
        for (size_t i = 0; i < key.size(); ++i) regs[i] = {true, uint64_t(key[i])};
        State state = {{region.function, region.plan_begin, 0, 0, nullptr, std::move(regs)}};
        for (;;) {
            bool ends = exe.code[state[0].at].op == Opcode::leave;
            if (ends) break;
            if (!TRY(step(state))) return failure ? *failure : unbounded(at, "the sizes of a region fail");
        }
        std::vector<int64_t> values;
        for (Word word : state[0].regs) values.push_back(int64_t(word.value));
        return values;
    }
};

Result<int64_t> Context::peak(const EntryInfo& entry, std::span<const int64_t> door_sizes,
                              std::span<const std::optional<int64_t>> numbers) const {
    return PeakWalk{*program_, options_.pack}.run(entry, door_sizes, numbers);
}
} // namespace nereus
