#include "vm/peak_walk.h"
#include "dim/relation.h"
#include "vm/arithmetic.h"
#include "vm/site_text.h"

namespace nereus {
Error Context::PeakWalk::error(uint32_t at, Code code, std::string what) const {
    Error error{code, std::move(what)};
    error.where = program.site_at(exe.code.data() + at).where;
    return error;
}
Error Context::PeakWalk::unbounded(uint32_t at, std::string_view why) const {
    return error(at, Code::limit, "the peak has no bound that can be computed: " + std::string(why));
}
Context::PeakWalk::Step Context::PeakWalk::refuse(const State& state, std::string_view why) {
    refusal = unbounded(state.frames.back().at, why);
    return Step::refused;
}
Context::PeakWalk::Step Context::PeakWalk::fails(const State& state, Code code, std::string what) {
    if (!failure) failure = error(state.frames.back().at, code, std::move(what));
    return Step::end;
}

Result<int64_t> Context::PeakWalk::run(const EntryInfo& entry, ShadowHeap heap, std::span<const Word> arguments) {
    State first;
    first.heap = std::move(heap);
    first.frames.push_back(activation(first, entry.function, 0));
    std::copy(arguments.begin(), arguments.end(), first.regs.begin());
    open.push_back(std::move(first));
    while (!open.empty()) {
        State state = std::move(open.back());
        open.pop_back();
        Step last;
        while ((last = step(state)) == Step::on) {}
        if (last == Step::refused) return *refusal;
        objects = std::max(objects, state.heap.high_water());
    }
    if (!finished && failure) return *failure;
    return highest + objects + scratch;
}

Context::PeakWalk::Activation Context::PeakWalk::activation(State& state, uint32_t function, int64_t begin) {
    const FunctionInfo& info = exe.functions[function];
    highest = std::max(highest, begin + Frame::bytes(info.registers));
    Activation made{.function = function, .at = info.begin, .begin = begin, .regs = state.regs.size()};
    state.regs.resize(state.regs.size() + info.registers);
    steps += info.registers / 4;
    return made;
}

Context::PeakWalk::Step Context::PeakWalk::step(State& state) {
    Activation& top = state.frames.back();
    const Instruction& in = exe.code[top.at];
    Word* R = registers(state);
    if (++steps > max_steps) return refuse(state, "too many steps");
    if (is_arithmetic(in.op)) return compute(state, in);
    switch (in.op) {
    case Opcode::load_constant: R[in.a] = Word::number(exe.constants[in.b]); break;
    case Opcode::move_if:
        if (!R[in.c].is_number()) {
            if (R[in.a] != R[in.b]) R[in.a] = {};
        } else if (R[in.c].value) {
            R[in.a] = R[in.b];
        }
        break;
    case Opcode::jump: top.at = in.a; return Step::on;
    case Opcode::jump_if: case Opcode::jump_unless: return branch(state, in);
    case Opcode::check: {
        Word b = R[in.b], c = R[in.c];
        if (b.is_number() && c.is_number() && !holds(Relation(in.x), int64_t(b.value), int64_t(c.value)))
            return fails(state, exe.sites[in.a].code, with_registers(check_text(exe.sites[in.a], int64_t(b.value), int64_t(c.value)), [&](uint32_t reg, bool is_shape) {
                             if (!is_shape) return R[reg].is_number() ? std::to_string(int64_t(R[reg].value)) : std::string("?");
                             const auto* tensor = state.heap.find(R[reg]);
                             return tensor ? nereus::shape_text(tensor->dims) : std::string("?");
                         }));
        if (Relation(in.x) != Relation::less_equal || b.kind != Word::Kind::at_most) break;
        if (c.is_size()) R[in.b].value = std::min(b.value, c.value);
        else if (b.value == INT64_MAX) R[in.b] = {};     // a launch from outside gave it, and nothing bounds it
        break;
    }
    case Opcode::fail: return fails(state, exe.sites[in.a].code, exe.sites[in.a].what);
    case Opcode::enter: return enter(state, in);
    case Opcode::call: return call(state, in);
    case Opcode::leave: return leave(state, in);
    case Opcode::run:
        for (uint32_t each : exe.regions[top.region].lists[in.a]) launch(state, exe.launches[each]);
        break;
    case Opcode::launch:
        use_scratch(exe.launches[in.a]);
        launch(state, exe.launches[in.a]);
        break;
    default: return object(state, in);
    }
    ++top.at;
    return Step::on;
}

Word Context::PeakWalk::moved(Word address, Word by) {
    if (address.kind == Word::Kind::outside) return address;
    if (!by.is_number()) return {};
    if (address.kind == Word::Kind::elements && by.value < INT32_MAX - address.offset) address.offset += uint32_t(by.value);
    else if (address.kind == Word::Kind::range || address.kind == Word::Kind::memory) address.value += by.value;
    else return {};
    return address;
}

// From sizes that are only bounded: what grows with them is bounded too.
static Word bounded(Opcode op, Word b, Word c) {
    Word out{Word::Kind::at_most, 0, 0};
    switch (op) {
    case Opcode::add: case Opcode::size_add: op = Opcode::size_add; break;
    case Opcode::mul: case Opcode::size_mul: op = Opcode::size_mul; break;
    case Opcode::min: case Opcode::max: case Opcode::size_round: break;
    case Opcode::size_bcast: op = Opcode::max; break;
    default: return {};
    }
    return arithmetic(op, b.value, c.value, out.value) ? out : Word{};
}

Context::PeakWalk::Step Context::PeakWalk::compute(State& state, const Instruction& in) {
    Word* R = registers(state);
    Activation& top = state.frames.back();
    ++top.at;
    if (in.op == Opcode::move) return R[in.a] = R[in.b], Step::on;
    bool two = opcode_row(in.op).c == OperandKind::use;
    Word b = R[in.b], c = two ? R[in.c] : Word::number(0), out;
    if (b.is_number() && c.is_number()) {
        out.kind = Word::Kind::number;
        if (!arithmetic(in.op, b.value, c.value, out.value, DType(in.x))) {
            --top.at;
            return fails(state, Code::shape, "the sizes of the program fail");
        }
    } else if (b.is_size() && c.is_size()) {
        out = bounded(in.op, b, c);
    } else if (in.op == Opcode::add || in.op == Opcode::size_add) {
        out = moved(b.is_number() ? c : b, b.is_number() ? b : c);
    }
    R[in.a] = out;
    return Step::on;
}

Context::PeakWalk::Step Context::PeakWalk::call(State& state, const Instruction& in) {
    if (state.regs.size() > max_registers) return refuse(state, "the recursion is too deep");
    const Activation& top = state.frames.back();
    const size_t caller = top.regs;
    const int64_t begin = top.placed ? top.arena + top.placed->prefixes[in.x]
                                     : top.begin + Frame::bytes(exe.functions[top.function].registers);
    Activation next = activation(state, in.a, begin);
    std::span<const uint32_t> arguments = list(in.b);
    for (size_t i = 0; i < arguments.size(); ++i) state.regs[next.regs + i] = state.regs[caller + arguments[i]];
    state.range.forget(begin, INT64_MAX - 8);
    state.frames.push_back(next);
    return Step::on;
}

Context::PeakWalk::Step Context::PeakWalk::leave(State& state, const Instruction& in) {
    if (state.frames.size() == 1) return finished = true, Step::end;
    const size_t callee = state.frames.back().regs;
    Activation& caller = state.frames[state.frames.size() - 2];
    std::span<const uint32_t> from = list(in.b), to = list(exe.code[caller.at].c);
    for (size_t i = 0; i < from.size(); ++i) state.regs[caller.regs + to[i]] = state.regs[callee + from[i]];
    ++caller.at;
    state.frames.pop_back();
    state.regs.resize(callee);
    return Step::on;
}

bool Context::PeakWalk::join(State& a, const State& b) {
    bool changed = a.heap.join(a.regs, b.heap, b.regs);
    changed |= a.range.join(b.range);
    if (b.blind && !a.blind) a.blind = changed = true;
    return changed;
}

Context::PeakWalk::Step Context::PeakWalk::branch(State& state, const Instruction& in) {
    Activation& top = state.frames.back();
    Word when = registers(state)[in.b];
    if (when.is_number()) {
        top.at = (when.value != 0) == (in.op == Opcode::jump_if) ? in.a : top.at + 1;
        return Step::on;
    }
    std::vector<uint64_t> key, place;
    for (const Activation& each : state.frames)
        place.insert(place.end(), {uint64_t(each.function) << 32 | each.at, uint64_t(each.begin),
                                   reinterpret_cast<uint64_t>(each.placed)});
    key = place;
    key.push_back(state.blind);
    state.range.describe(key);
    state.heap.describe(state.regs, key);
    steps += 8 * int64_t(key.size());
    if (!met.insert(std::move(key)).second) return Step::end;
    Crossing& crossing = crossings[std::move(place)];
    if (++crossing.visits > exact_visits) {
        State& joined = crossing.joined;
        if (crossing.visits > joined_visits) return refuse(state, "objects here differ from time to time");
        if (joined.frames.empty()) joined = state;
        else if (!join(joined, state)) return Step::end;
        state = joined;
    }
    open.push_back(state);
    open.back().frames.back().at = in.a;
    ++state.frames.back().at;
    return Step::on;
}

Context::PeakWalk::Step Context::PeakWalk::enter(State& state, const Instruction& in) {
    Activation& top = state.frames.back();
    const RegionInfo& region = exe.regions[in.a];
    std::vector<int64_t> key;
    for (uint32_t reg : region.key) {
        Word word = registers(state)[reg];
        if (!word.is_number()) return refuse(state, "sizes here are known only after something has executed");
        key.push_back(int64_t(word.value));
    }
    auto [place, fresh] = placements.try_emplace({in.a, key});
    if (fresh) {
        Result<std::vector<int64_t>> values = plan_values(top.at, region, key);
        Result<Placement> placed = values ? place_slots(region, *values, mode) : values.error();
        if (!placed) return refusal = std::move(placed).error(), Step::refused;
        static_cast<Placement&>(place->second) = std::move(*placed);
        place->second.values = std::move(*values);
        for (const std::vector<uint32_t>& each : region.lists)
            for (uint32_t launch : each) use_scratch(exe.launches[launch]);
    }
    top.placed = &place->second;
    top.arena = (top.begin + Frame::bytes(exe.functions[top.function].registers) + slot_alignment - 1) /
                slot_alignment * slot_alignment;
    int64_t end;
    if (__builtin_add_overflow(top.arena, place->second.arena_bytes, &end)) {
        refusal = error(top.at, Code::memory, "the sizes of the program's buffers overflow");
        return Step::refused;
    }
    highest = std::max(highest, end);
    top.region = in.a;
    ++top.at;
    return Step::on;
}

// The plan program, in which all is known.
Result<std::vector<int64_t>> Context::PeakWalk::plan_values(uint32_t at, const RegionInfo& region, const std::vector<int64_t>& key) {
    State state;
    state.frames.push_back({.function = region.function, .at = region.plan_begin});
    state.regs.resize(region.plan_registers);
    for (size_t i = 0; i < key.size(); ++i) state.regs[i] = Word::number(key[i]);
    while (exe.code[state.frames[0].at].op != Opcode::leave) {
        Step last = step(state);
        if (last == Step::refused) return *refusal;
        if (last == Step::end) return failure ? *failure : unbounded(at, "the sizes of a region fail");
    }
    std::vector<int64_t> values;
    for (Word word : state.regs) values.push_back(int64_t(word.value));
    return values;
}
} // namespace nereus
