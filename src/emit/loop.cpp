// Loops. A carried number or object has one register. A carried tensor of constant size has one slot if the old value is
// read for the last time before the new one is written, or in writing it over; else two that change roles after each trip.
#include "emit/function.h"
#include <algorithm>

namespace nereus {
void EmitFunction::loop(const Binding& b) {
    const bool counted = b.form == Form::for_;
    const Block& body = function_[b.blocks.back()];
    const size_t first = counted ? 1 : 0, states = body.params.size() - first, yields = body.results.size() - states;
    struct State { Kept kept; bool constant = false; Reg current = 0, next = 0, made = 0; Place at; };
    std::vector<State> state(states);

    const std::unordered_set<ValueId> inside = used_within(b);
    std::vector<ValueId> borrowed;                       // read by the body on every trip, so no state may take it over
    for (ValueId v : moving_)
        if (inside.contains(v)) borrowed.push_back(v);
    for (ValueId v : borrowed) moving_.erase(v);

    std::vector<Reg> carried;                            // symbols first: types of states mention them
    for (Dim initial : b.dims) {
        carried.push_back(fresh());
        put(Opcode::move, carried.back(), dim(initial));
    }
    for (size_t i = 0; i < states; ++i) {
        State& s = state[i];
        ValueId param = body.params[first + i], initial = b.args[first + i];
        s.kept = kept(param);
        s.constant = body.results[i] == param;
        switch (s.kept) {
        case Kept::number: put(Opcode::move, s.current = fresh(), number(initial)); break;
        case Kept::object: {
            Reg taken = take_object(initial);
            put(Opcode::move, s.current = fresh(), taken);
            break;
        }
        case Kept::address: {
            if (s.constant && kept(initial) != Kept::number) {
                s.at = place(initial);
                break;
            }
            bool one_slot = in_place_.gives_way(body, param, body.results[i]);
            bool same_size = byte_size(function_[param].type) == byte_size(function_[initial].type);
            if (std::optional<Place> taken = one_slot && same_size ? place_to_take(b, initial) : std::nullopt) {
                touch(s.at = *taken);
                break;
            }
            Place one = new_slot(function_[param].type);
            copy_into(one, initial);
            if (one_slot) {
                s.at = one;
                break;
            }
            Place other = new_slot(function_[param].type);
            touch(other, Touch::write);
            put(Opcode::slot, s.current = fresh(), one.index);
            put(Opcode::slot, s.next = fresh(), other.index);
            s.at = Place{Place::Kind::reg, s.current, {one.index, other.index}, {}};
            break;
        }
        case Kept::nothing: break;
        }
    }
    std::vector<Place> stacked(yields);                  // where yields of known size are collected
    std::vector<Reg> collected(yields), bases(yields);
    for (size_t y = 0; y < yields; ++y) {
        ValueId result = b.results[states + y];
        if (kept(result) == Kept::address) {
            stacked[y] = target_of(result);
            bases[y] = fresh();
            put(Opcode::move, bases[y], address(stacked[y], Touch::write));
        } else {
            put(Opcode::new_seq, collected[y] = fresh(), program_.list({}));
        }
    }
    Reg counter = fresh();
    put(Opcode::load_constant, counter, program_.constant(0));

    lifetimes_.enter(Lifetimes::Kind::loop);
    lifetimes_.part(++step_);
    open_scope();
    uint32_t head = here();
    for (size_t i = 0; i < body.symbols.size(); ++i) define(body.symbols[i], carried[i]);
    if (counted) bind_number(body.params[0], counter);
    for (size_t i = 0; i < states; ++i) {
        ValueId param = body.params[first + i];
        if (state[i].kept == Kept::number) bind_number(param, state[i].current);
        if (state[i].kept == Kept::object) bind_object(param, state[i].current);
        if (state[i].kept == Kept::address) places_[param] = state[i].at;
    }
    uint32_t exit = 0;
    if (counted) {
        Reg more = fresh();
        put(Opcode::lt, more, counter, number(b.args[0]));
        exit = put(Opcode::jump_unless, 0, more);
    } else {
        Reg more = fresh();
        block(b.blocks[0], {}, {}, [&] { put(Opcode::move, more, number(function_[b.blocks[0]].results[0])); }, true);
        exit = put(Opcode::jump_unless, 0, more);
    }
    lifetimes_.part(++step_ + 1);
    Targets targets(body.results.size());
    std::vector<ValueId> adopted;
    for (size_t i = 0; i < states; ++i) {
        if (state[i].kept == Kept::object) adopted.push_back(body.params[first + i]);
        if (state[i].kept != Kept::address || state[i].constant) continue;
        targets[i] = state[i].next ? Place{Place::Kind::reg, state[i].next, state[i].at.slots, {}} : state[i].at;
        targets[i]->bytes = byte_size(function_[body.params[first + i]].type);
    }
    for (size_t y = 0; y < yields; ++y)
        if (bases[y]) {
            ValueId v = body.results[states + y];
            Reg offset = fresh(), to = fresh();
            put(Opcode::size_mul, offset, counter, dim(byte_size(function_[v].type)));
            put(Opcode::size_add, to, bases[y], offset);
            targets[states + y] = Place{Place::Kind::reg, to, stacked[y].slots, {}};
        }
    std::vector<Reg> next_symbols;
    block(b.blocks.back(), adopted, targets, [&] {
        for (size_t i = 0; i < body.results.size(); ++i) {
            ValueId v = body.results[i];
            if (targets[i]) { settle(*targets[i], v); continue; }
            if (i >= states) {
                Reg item = take_object(v);
                put(Opcode::seq_push, collected[i - states], collected[i - states], item);
            } else if (state[i].kept == Kept::number || state[i].kept == Kept::object) {
                Reg value = state[i].kept == Kept::number ? number(v) : take_object(v);
                put(Opcode::move, state[i].made = fresh(), value);
            }
        }
        for (Dim next : body.dims) {
            next_symbols.push_back(fresh());
            put(Opcode::move, next_symbols.back(), dim(next));
        }
    }, true);
    flush();                                             // launches read the registers that change now
    for (State& s : state) {
        if (s.made) put(Opcode::move, s.current, s.made);
        if (s.kept == Kept::address && s.next) {
            Reg hold = fresh();
            put(Opcode::move, hold, s.current);
            put(Opcode::move, s.current, s.next);
            put(Opcode::move, s.next, hold);
        }
    }
    for (size_t i = 0; i < next_symbols.size(); ++i) put(Opcode::move, carried[i], next_symbols[i]);
    ++step_;
    for (State& s : state)
        if (s.next) touch(s.at);                         // either slot may be the one that is read next
    put(Opcode::add, counter, counter, constant(1));
    put(Opcode::jump, head);
    close_scope();
    patch(exit, here());
    lifetimes_.leave(step_++);

    program_.mark(program_.site(Code::value, "", b.span));
    for (size_t i = 0; i < b.defines.size(); ++i) define(b.defines[i], carried[i]);
    for (size_t i = 0; i < states; ++i) {
        if (state[i].kept == Kept::number) bind_number(b.results[i], state[i].current);
        if (state[i].kept == Kept::object) bind_object(b.results[i], state[i].current);
        if (state[i].kept == Kept::address) places_[b.results[i]] = state[i].at;
    }
    for (size_t y = 0; y < yields; ++y)
        if (!bases[y]) {
            ValueId result = b.results[states + y];
            const bool ranked = type(result).shape.ranked;         // else rows may turn out not to fit each other
            uint32_t extents = program_.list(ranked ? dim_registers(function_[result].type) : std::vector<uint32_t>{});
            Reg reg = fresh();
            put(Opcode::seq_stack, reg, collected[y], extents, uint16_t(dtype(result)));
            put(Opcode::release, collected[y]);
            bind_object(result, reg);
        }
    moving_.insert(borrowed.begin(), borrowed.end());
}
} // namespace nereus
