// Blocks, calls, branches and loops.
#include "emit/function.h"
#include <algorithm>

namespace nereus {
const std::unordered_set<ValueId>& EmitFunction::uses(BindingId id) {
    auto [it, fresh] = uses_.emplace(id.index, std::unordered_set<ValueId>());
    if (!fresh) return it->second;
    std::unordered_set<ValueId> all = used_within(function_[id]);
    for (ValueId arg : function_[id].args)
        if (kept(root(arg)) == Kept::object) all.insert(root(arg));
    return uses_[id.index] = std::move(all);
}

std::unordered_set<ValueId> EmitFunction::used_within(const Binding& b) {
    std::unordered_set<ValueId> all;
    for (BlockId nested : b.blocks) {
        for (BindingId inner : function_[nested].bindings)
            for (ValueId v : uses(inner)) all.insert(v);
        for (ValueId v : function_[nested].results)
            if (kept(root(v)) == Kept::object) all.insert(root(v));
    }
    return all;
}

namespace {
// The types of a value's parts, tuples taken apart, in order.
void collect_parts(const Types& types, TypeId id, std::vector<TypeId>& out) {
    if (types[id].kind != TypeKind::tuple) return out.push_back(id);
    for (TypeId part : std::vector<TypeId>(types[id].parts)) collect_parts(types, part, out);
}
} // namespace

// Writes the bindings, then lets `finish` take the results while what the block owns may still be moved.
void EmitFunction::block(BlockId id, std::span<const ValueId> adopted, const Targets& targets, const std::function<void()>& finish,
                         bool repeats) {
    const Block& block = function_[id];
    open_.push_back({id, 0, repeats});
    std::unordered_set<ValueId> outer = std::exchange(moving_, {});
    std::unordered_set<ValueId> owned(adopted.begin(), adopted.end()), made, made_last;
    for (BindingId b : block.bindings) {
        if (function_[b].form == Form::check && !done_first_.contains(&function_[b])) made_last.clear();
        for (ValueId result : function_[b].results) {
            made.insert(result), made_last.insert(result);
            if (kept(result) == Kept::object) owned.insert(result);
        }
    }
    // Whatever makes the result may write it in place. A check that follows may find that the size is another than expected,
    // unless both are one dim.
    for (size_t i = 0; i < targets.size(); ++i) {
        ValueId v = block.results[i];
        if (!targets[i] || kept(v) != Kept::address) continue;
        const bool fits = targets[i]->bytes.valid() && targets[i]->bytes == byte_size(function_[v].type);
        const std::unordered_set<ValueId>& able = fits ? made : made_last;
        if (!able.contains(v)) continue;
        wanted_.emplace(v, *targets[i]);
        want_beginnings(block, v, *targets[i], able);
    }

    std::vector<std::vector<ValueId>> last(block.bindings.size());
    std::unordered_set<ValueId> seen, results;
    for (ValueId v : block.results)
        if (owned.contains(root(v))) results.insert(root(v));
    seen = results;
    for (size_t i = block.bindings.size(); i-- > 0;) {
        const std::unordered_set<ValueId>& used = uses(block.bindings[i]);
        for (ValueId v : used)
            if (owned.contains(v) && seen.insert(v).second) last[i].push_back(v);
        for (ValueId v : function_[block.bindings[i]].results)
            if (owned.contains(v) && seen.insert(v).second) last[i].push_back(v);    // never used: dies where it is made
        std::sort(last[i].begin(), last[i].end());
    }
    for (ValueId v : adopted)
        if (!seen.contains(v)) release(v);
    for (size_t i = 0; i < block.bindings.size(); ++i) {
        moving_ = {last[i].begin(), last[i].end()};
        open_.back().at = i;
        binding(function_[block.bindings[i]], last[i]);
        for (ValueId v : last[i])
            if (moving_.contains(v)) release(v);
    }
    moving_ = results;
    ++step_;                                             // results are read after the last launch
    finish();
    std::vector<ValueId> left(moving_.begin(), moving_.end());
    std::sort(left.begin(), left.end());
    for (ValueId v : left) release(v);
    moving_ = std::move(outer);
    open_.pop_back();
}

// An address that is a block's result: in place already, or copied there.
void EmitFunction::settle(const Place& target, ValueId v) {
    if (auto it = places_.find(v); it != places_.end() && it->second.kind == target.kind && it->second.index == target.index) {
        touch(target);
        return;
    }
    copy_into(target, v);
}

void EmitFunction::binding(const Binding& b, std::vector<ValueId>& dying) {
    ++step_;
    std::string_view name = b.form == Form::op ? b.op->name : std::string_view();
    site_ = program_.site(Code::value, std::string(name), b.span);
    program_.mark(site_);
    auto one_object = [&](Opcode op, uint16_t x, uint32_t more) {
        std::vector<uint32_t> parts;
        for (ValueId arg : b.args) parts.push_back(take_object(arg));
        Reg reg = fresh();
        put(op, reg, program_.list(std::move(parts)), more, x);
        bind_object(b.results[0], reg);
    };
    switch (b.form) {
    case Form::literal: case Form::dim: immediate(b); break;
    case Form::check: b.args.empty() ? check(b) : narrow(b); break;
    case Form::call: call(b); break;
    case Form::if_: case Form::match: branch(b, dying); break;
    case Form::for_: case Form::while_: loop(b); break;
    case Form::construct: one_object(Opcode::new_data, uint16_t(b.index), program_.list(bound_dims(b))); break;
    case Form::tuple: one_object(Opcode::new_data, 0, program_.list({})); break;
    case Form::closure: one_object(Opcode::new_data, uint16_t(b.lambda), program_.list({})); break;
    case Form::seq: one_object(Opcode::new_seq, 0, 0); break;
    case Form::project: case Form::field: {
        Reg reg = fresh();
        put(Opcode::field, reg, object(b.args[0]), b.index);
        bind_part(b.results[0], reg);
        break;
    }
    case Form::op:
        if (std::optional<LowOp> low = low_op_of(b)) {
            switch (*low) {
            case LowOp::launch: launch(b); break;
            case LowOp::view: {
                Place at = place(b.args[0]);
                touch(at);
                places_[b.results[0]] = at;
                break;
            }
            case LowOp::copy: copy(b); break;
            case LowOp::numbers: {
                ValueId v = b.results[0];
                if (kept(v) == Kept::object) bind_object(v, new_tensor_object(function_[v].type));
                Place at = kept(v) == Kept::object ? place(v) : target_of(v);
                Reg base = address(at, Touch::write);
                for (size_t i = 0; i < b.args.size(); ++i) {
                    Reg to = fresh();
                    put(Opcode::add, to, base, constant(int64_t(i) * size_of(dtype(v))));
                    put(Opcode::write_scalar, to, number(b.args[i]), 0, uint16_t(dtype(v)));
                }
                break;
            }
            case LowOp::read: {
                Reg from = address(b.args[0]), reg = fresh();
                put(Opcode::read_scalar, reg, from, 0, uint16_t(dtype(b.results[0])));
                bind_number(b.results[0], reg);
                break;
            }
            case LowOp::open: case LowOp::rank: case LowOp::make: case LowOp::same_tails: case LowOp::same_but:
            case LowOp::shape_vector: case LowOp::element: unranked(b, *low); break;
            case LowOp::concat_seq: {
                Reg reg = fresh();
                int64_t axis = std::get<int64_t>(find_attribute(b, "axis")->value);
                put(Opcode::seq_concat, reg, object(b.args[0]), constant(axis), uint16_t(dtype(b.results[0])));
                bind_object(b.results[0], reg);
                break;
            }
            case LowOp::tag: case LowOp::bound_dim: {
                Reg reg = fresh();
                if (*low == LowOp::tag) put(Opcode::tag, reg, object(b.args[0]));
                else put(Opcode::bound_dim, reg, object(b.args[0]), b.index);
                bind_number(b.results[0], reg);
                break;
            }
            }
            break;
        }
        if (b.op->builtin != Builtin::none) builtin(b);
        else host_op(b);
        break;
    case Form::apply: case Form::function: case Form::record: case Form::update: case Form::index: case Form::lambda:
        invariant(false, "emit: not a lowered form");
    }
}

// What was read out of a container: a number is unpacked at once, an object gets one more owner.
void EmitFunction::bind_part(ValueId v, Reg borrowed) {
    if (kept(v) == Kept::number) {
        Reg reg = fresh();
        put(Opcode::scalar_value, reg, borrowed, 0, uint16_t(dtype(v)));
        bind_number(v, reg);
        return;
    }
    put(Opcode::retain, borrowed);
    bind_object(v, borrowed);
}

// Dims that a constructor binds: where a field of the declaration shows one alone, the argument tells its value.
std::vector<uint32_t> EmitFunction::bound_dims(const Binding& b) {
    std::vector<uint32_t> registers;
    if (!b.decl.valid()) return registers;
    const Constructor constructor = module().decls[b.decl.index].constructors[b.index];
    for (size_t k = 0; k < constructor.dims.size(); ++k) {
        std::optional<Dim> found = k < b.dims.size() ? std::optional(b.dims[k]) : std::nullopt;
        for (size_t i = 0; i < constructor.fields.size() && !found; ++i) {
            const Type declared = module().types[constructor.fields[i]], actual = type(b.args[i]);
            if (declared.kind != TypeKind::tensor || actual.kind != TypeKind::tensor) continue;
            for (size_t axis = 0; axis < declared.shape.dims.size() && !found; ++axis)
                if (dims().as_symbol(declared.shape.dims[axis]) == constructor.dims[k]) found = actual.shape.dims[axis];
        }
        registers.push_back(found ? dim(*found) : constant(0));
    }
    return registers;
}

void EmitFunction::call(const Binding& b) {
    const Signature& callee = program_.storage.functions[b.function.index].signature;
    std::vector<uint32_t> arguments, results;
    for (Dim d : b.dims) arguments.push_back(dim(d));
    std::vector<Reg> begins(b.args.size()), shared(b.results.size());            // addresses that are argument and result
    for (size_t i = 0; i < b.results.size(); ++i) {
        if (callee.begins_as[i] < 0) continue;
        ValueId result = b.results[i], initial = b.args[size_t(callee.begins_as[i])];
        if (kept(result) == Kept::object && kept(initial) == Kept::object && in_place_.mentions(b, root(initial)) == 1) {
            Reg whole = take_object(initial), own = fresh();
            put(Opcode::tensor_own, own, whole);
            bind_object(result, own);
            begins[size_t(callee.begins_as[i])] = shared[i] = address(place(result));
            continue;
        }
        if (kept(result) == Kept::object) bind_object(result, new_tensor_object(function_[result].type));
        std::optional<Place> taken = kept(result) == Kept::object ? std::nullopt : place_to_take(b, initial);
        if (taken && is_wanted_elsewhere(result, *taken)) taken.reset();
        if (taken) places_[result] = *taken;
        else copy_into(kept(result) == Kept::object ? place(result) : target_of(result), initial);
        begins[size_t(callee.begins_as[i])] = shared[i] = address(place(result));
    }
    std::unordered_set<ValueId> by_address;
    for (size_t i = 0; i < b.args.size(); ++i)
        if (callee.params[i] == Kept::address) by_address.insert(root(b.args[i]));
    for (size_t i = 0; i < b.args.size(); ++i) {         // objects belong to the callee from now on
        ValueId v = b.args[i];
        switch (callee.params[i]) {
        case Kept::number: arguments.push_back(number(v)); break;
        case Kept::address: arguments.push_back(begins[i] ? begins[i] : address(v)); break;
        case Kept::object:
            if (by_address.contains(root(v)) && moving_.contains(v)) {           // stays ours, so that its elements stay
                put(Opcode::retain, object(v));
                arguments.push_back(object(v));
            } else {
                arguments.push_back(take_object(v));
            }
            break;
        case Kept::nothing: break;
        }
    }
    for (size_t i = 0; i < b.defines.size(); ++i) results.push_back(fresh());
    for (size_t i = 0; i < b.results.size(); ++i) {
        ValueId v = b.results[i];
        if (shared[i]) {
            arguments.push_back(shared[i]);
        } else if (callee.results[i] == Kept::address) {
            if (kept(v) == Kept::object) bind_object(v, new_tensor_object(function_[v].type));
            arguments.push_back(address(kept(v) == Kept::object ? place(v) : target_of(v), Touch::write));
        } else {
            results.push_back(fresh());
        }
    }
    uint32_t prefix = uint32_t(region_.prefixes.size());
    region_.prefixes.push_back(step_);
    put(Opcode::call, b.function.index, program_.list(std::move(arguments)), program_.list(results), uint16_t(prefix));
    size_t next = 0;
    for (Sym symbol : b.defines) define(symbol, results[next++]);
    for (size_t i = 0; i < b.results.size(); ++i)
        if (callee.results[i] == Kept::number) bind_number(b.results[i], results[next++]);
        else if (callee.results[i] == Kept::object) bind_object(b.results[i], results[next++]);
}

// No arm: whatever should arrive never does. The values are there for those who ask for their registers.
void EmitFunction::unreachable(const Binding& b) {
    put(Opcode::fail, program_.site(Code::internal, "what no value reaches was reached", b.span));
    for (Sym symbol : b.defines) define(symbol, constant(0));
    for (ValueId v : b.results) {
        if (kept(v) == Kept::number) bind_number(v, constant(0));
        if (kept(v) == Kept::object) bind_object(v, constant(0));
        if (kept(v) == Kept::address) target_of(v);
    }
}

void EmitFunction::branch(const Binding& b, std::vector<ValueId>& dying) {
    if (b.blocks.empty()) return unreachable(b);
    auto is_result = [&](ValueId v) { return std::find(b.results.begin(), b.results.end(), v) != b.results.end(); };
    std::vector<ValueId> adopted = std::exchange(dying, {});         // each arm lets go of them
    std::copy_if(adopted.begin(), adopted.end(), std::back_inserter(dying), is_result);
    std::erase_if(adopted, is_result);                               // never used: dies behind the arms that make it
    for (ValueId v : adopted) moving_.erase(v);
    std::vector<Reg> registers(b.results.size()), defined;
    Targets targets(b.results.size());
    for (size_t i = 0; i < b.results.size(); ++i) {
        if (kept(b.results[i]) != Kept::address) {
            registers[i] = fresh();
        } else if (std::optional<Place> taken = place_for_arms(b, i)) {
            touch(*taken);
            targets[i] = places_[b.results[i]] = *taken;
        } else {
            targets[i] = target_of(b.results[i]);
        }
        targets[i]->bytes = byte_size(function_[b.results[i]].type);
    }
    for (size_t i = 0; i < b.defines.size(); ++i) defined.push_back(fresh());

    std::vector<uint32_t> to_end;
    lifetimes_.enter(Lifetimes::Kind::branch);
    Reg subject = number(b.args[0]);
    for (size_t arm = 0; arm < b.blocks.size(); ++arm) {
        bool last = arm + 1 == b.blocks.size();
        uint32_t skip = 0;
        if (!last) {
            Reg taken = subject;
            if (b.form == Form::match) {
                taken = fresh();
                put(Opcode::eq, taken, subject, constant(int64_t(arm)));
            }
            skip = put(Opcode::jump_unless, 0, taken);
        }
        open_scope();
        lifetimes_.part(++step_);
        const Block& body = function_[b.blocks[arm]];
        block(b.blocks[arm], adopted, targets, [&] {
            for (size_t i = 0; i < b.results.size(); ++i) {
                ValueId v = body.results[i];
                if (targets[i]) settle(*targets[i], v);
                else put(Opcode::move, registers[i], kept(b.results[i]) == Kept::number ? number(v) : take_object(v));
            }
            for (size_t i = 0; i < b.defines.size(); ++i) put(Opcode::move, defined[i], dim(body.dims[i]));
        });
        close_scope();
        ++step_;
        if (!last) {
            to_end.push_back(put(Opcode::jump));
            patch(skip, here());
        }
    }
    uint32_t end = here();
    for (uint32_t jump : to_end) patch(jump, end);
    lifetimes_.leave(step_++);
    for (size_t i = 0; i < b.defines.size(); ++i) define(b.defines[i], defined[i]);
    for (size_t i = 0; i < b.results.size(); ++i) {
        if (kept(b.results[i]) == Kept::number) bind_number(b.results[i], registers[i]);
        if (kept(b.results[i]) == Kept::object) bind_object(b.results[i], registers[i]);
    }
}

void EmitFunction::set_lifetimes() {
    std::vector<std::vector<StepSpan>> spans = lifetimes_.find(uint32_t(region_.slots.size()), step_ + 1);
    for (size_t i = 0; i < spans.size(); ++i) {
        region_.slots[i].first = spans[i][0].first;
        region_.slots[i].last = spans[i][0].last;
        for (size_t k = 1; k < spans[i].size(); ++k)
            region_.slots[i].more.insert(region_.slots[i].more.end(), {spans[i][k].first, spans[i][k].last});
    }
}

Status EmitFunction::run() {
    FunctionInfo& info = exe().functions[id_.index];
    info.name = function_.name;
    info.begin = uint32_t(exe().code.size());
    open_scope();
    for (Sym symbol : function_.symbols) define(symbol, fresh());
    Reg param = next_register_;
    for (Kept kept : storage_.signature.params) next_register_ += kept != Kept::nothing;
    const Block& body = function_[function_.body];
    Targets targets(body.results.size());
    std::vector<TypeId> expected;
    collect_parts(module().types, function_.result, expected);
    for (size_t i = 0; i < body.results.size(); ++i)
        if (storage_.signature.results[i] == Kept::address)
            targets[i] = Place{Place::Kind::reg, fresh(), {}, {}, byte_size(expected[i])};
    info.params = next_register_;
    for (size_t i = 0; i < function_.params.size(); ++i) {           // what is read off them comes after all parameters
        ValueId v = function_.params[i];
        switch (storage_.signature.params[i]) {
        case Kept::number: bind_number(v, param++); break;
        case Kept::address: places_[v] = Place{Place::Kind::reg, param++, {}, {}}; break;
        case Kept::object: bind_object(v, param++); break;
        case Kept::nothing: break;
        }
    }
    for (size_t i = 0; i < body.results.size(); ++i) {
        if (storage_.signature.begins_as[i] < 0) continue;
        ValueId v = function_.params[size_t(storage_.signature.begins_as[i])];
        places_[v] = *targets[i];
        given_place_.insert(v);
    }
    for (const Binding* b : first_checks(module(), function_)) {
        check(*b);
        done_first_.insert(b);
    }
    uint32_t enter = put(Opcode::enter);
    std::vector<uint32_t> results;
    std::vector<ValueId> given;                          // objects that whoever called has let go of
    for (size_t i = 0; i < function_.params.size(); ++i)
        if (storage_.signature.params[i] == Kept::object) given.push_back(function_.params[i]);
    block(function_.body, given, targets, [&] {
        for (Dim d : function_.result_dims) results.push_back(dim(d));
        for (size_t i = 0; i < body.results.size(); ++i) {
            ValueId v = body.results[i];
            if (targets[i]) settle(*targets[i], v);
            else if (storage_.signature.results[i] == Kept::number) results.push_back(number(v));
            else if (storage_.signature.results[i] == Kept::object) results.push_back(take_object(v));
        }
    });
    if (error_) return std::move(*error_);
    put(Opcode::leave, 0, program_.list(results));
    info.end = uint32_t(exe().code.size());
    info.registers = next_register_;
    info.results = uint32_t(results.size());
    if (has_region_) {
        constexpr size_t most = size_t(UINT16_MAX) + 1;              // the place of a callee's frame is in x of the call
        if (region_.prefixes.size() > most)
            return Error{Code::limit, "@" + function_.name + " makes more than " + std::to_string(most) + " calls", function_.span,
                         "put some of them into a function of their own"};
        exe().code[enter].a = uint32_t(exe().regions.size());
        region_.function = id_.index;
        set_lifetimes();
        plan_program();
        exe().regions.push_back(std::move(region_));
    } else {
        exe().code[enter] = Instruction{Opcode::jump, 0, enter + 1, 0, 0};         // nothing to plan
        for (uint32_t i = info.begin; i < info.end; ++i)
            if (exe().code[i].op == Opcode::call) exe().code[i].x = 0;             // callees begin right after our registers
    }
    return {};
}
} // namespace nereus
