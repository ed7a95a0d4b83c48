// What the host program does itself: arithmetic on numbers, cells, sequences, checks.
#include "emit/function.h"
#include "ir/check_text.h"
#include <algorithm>

namespace nereus {
void EmitFunction::host_op(const Binding& b) {
    ValueId result = b.results[0];
    DType to = dtype(result);
    Reg reg = fresh();
    auto two = [&](Opcode op) { put(op, reg, number(b.args[0]), number(b.args[1])); };
    switch (b.op->host) {
    case HostOp::add: two(Opcode::add); break;
    case HostOp::sub: two(Opcode::sub); break;
    case HostOp::mul: two(Opcode::mul); break;
    case HostOp::div: two(Opcode::div); break;
    case HostOp::floor_div: two(Opcode::floor_div); break;
    case HostOp::mod: two(Opcode::mod); break;
    case HostOp::min: two(Opcode::min); break;
    case HostOp::max: two(Opcode::max); break;
    case HostOp::eq: two(Opcode::eq); break;
    case HostOp::ne: two(Opcode::ne); break;
    case HostOp::lt: two(Opcode::lt); break;
    case HostOp::le: two(Opcode::le); break;
    case HostOp::gt: two(Opcode::gt); break;
    case HostOp::ge: two(Opcode::ge); break;
    case HostOp::logical_and: two(Opcode::logical_and); break;
    case HostOp::logical_or: two(Opcode::logical_or); break;
    case HostOp::logical_not: put(Opcode::logical_not, reg, number(b.args[0])); break;
    case HostOp::neg: put(Opcode::neg, reg, number(b.args[0])); break;
    case HostOp::select:
        put(Opcode::move, reg, number(b.args[2]));
        put(Opcode::move_if, reg, number(b.args[1]), number(b.args[0]));
        break;
    case HostOp::cast:
        if (to == DType::boolean) put(Opcode::ne, reg, number(b.args[0]), constant(0));
        else put(Opcode::move, reg, number(b.args[0]));
        break;
    case HostOp::none: invariant(false, "emit: not a host operation");
    }
    bind_number(result, wrapped(reg, to));
}

// Registers hold 64 bits.
Reg EmitFunction::wrapped(Reg number, DType to) {
    if (!is_integer(to) || size_of(to) == 8) return number;
    Reg reg = fresh();
    put(Opcode::wrap, reg, number, 0, uint16_t(to));
    return reg;
}

void EmitFunction::builtin(const Binding& b) {
    switch (b.op->builtin) {
    case Builtin::ref: {
        Reg content = take_object(b.args[0]), reg = fresh();
        put(Opcode::new_ref, reg, content);
        bind_object(b.results[0], reg);
        return;
    }
    case Builtin::read: {
        Reg reg = fresh();
        put(Opcode::ref_read, reg, object(b.args[0]));
        bind_part(b.results[0], reg);
        return;
    }
    case Builtin::write: {
        Reg content = take_object(b.args[1]);
        put(Opcode::ref_write, object(b.args[0]), content);
        return;
    }
    case Builtin::push: {
        Reg seq = take_object(b.args[0]), item = take_object(b.args[1]), reg = fresh();
        put(Opcode::seq_push, reg, seq, item);
        bind_object(b.results[0], reg);
        return;
    }
    case Builtin::set: {
        Reg seq = take_object(b.args[0]), index = number(b.args[1]), item = take_object(b.args[2]), reg = fresh();
        put(Opcode::seq_set, reg, program_.list({seq, index, item}));
        bind_object(b.results[0], reg);
        return;
    }
    case Builtin::seq_get: {
        Reg reg = fresh();
        put(Opcode::seq_get, reg, object(b.args[0]), number(b.args[1]));
        bind_part(b.results[0], reg);
        return;
    }
    case Builtin::length: {
        Reg reg = fresh();
        put(Opcode::seq_length, reg, object(b.args[0]));
        bind_number(b.results[0], reg);
        return;
    }
    case Builtin::print: case Builtin::equal: {
        std::vector<uint32_t> parts;
        for (ValueId arg : b.args) parts.push_back(take_object(arg));
        if (b.op->builtin == Builtin::equal) {
            Reg reg = fresh();
            put(Opcode::equal, reg, parts[0], parts[1]);
            bind_number(b.results[0], reg);
        } else {
            std::vector<uint32_t> types;
            for (ValueId arg : b.args) {
                Result<uint32_t> type = program_.plain_door_type(function_[arg].type, "what is printed");
                if (type) {
                    types.push_back(*type);
                } else if (!error_) {
                    error_ = std::move(type).error();
                    error_->where = b.span;
                }
            }
            const Attribute* text = find_attribute(b, "text");
            uint32_t site = program_.site(Code::value, text ? std::get<std::string>(text->value) : std::string(), b.span);
            put(Opcode::print, site, program_.list(parts), program_.list(types));
        }
        for (uint32_t part : parts) put(Opcode::release, part);
        return;
    }
    case Builtin::assert_: {
        const Attribute* message = find_attribute(b, "message");
        uint32_t site = program_.site(Code::value, "assertion failed" + (message ? ": " + std::get<std::string>(message->value) : std::string()), b.span);
        put(Opcode::check, site, number(b.args[0]), constant(1), uint16_t(Relation::equal));
        return;
    }
    case Builtin::none: case Builtin::stop_gradient: case Builtin::grad: case Builtin::leaves: break;
    }
    invariant(false, "emit: not a lowered builtin");
}

uint32_t check_site(EmitProgram& program, const Binding& b) {
    const Attribute* what = find_attribute(b, "what");
    std::string text = what ? std::get<std::string>(what->value) : std::string("sizes do not fit");
    if (!find_attribute(b, "whole")) text = check_text(program.module(), b.fact, compared(text, b.fact.relation));     // else it says it all
    return program.site(Code::shape, std::move(text), b.span);
}

void EmitFunction::check(const Binding& b) {
    if (done_first_.contains(&b)) return;
    uint32_t site = check_site(program_, b);
    Reg left = dim(b.fact.left), right = dim(b.fact.right);
    put(Opcode::check, site, left, right, uint16_t(b.fact.relation));
}

std::vector<const Binding*> first_checks(const Module& module, const Function& function) {
    std::vector<const Binding*> found;
    auto known = [&](Dim d) {
        if (module.dims.of_shape(d)) return false;
        for (Sym s : module.dims.symbols_of(d))
            if (std::find(function.symbols.begin(), function.symbols.end(), s) == function.symbols.end()) return false;
        return true;
    };
    for (BindingId id : function[function.body].bindings) {
        const Binding& b = function[id];
        bool stays = b.form == Form::call || !b.blocks.empty() ||
                     (b.form == Form::op && (b.op->effect == Effect::writes || b.op->effect == Effect::io));
        if (stays) break;
        if (b.form == Form::check && b.args.empty() && known(b.fact.left) && known(b.fact.right)) found.push_back(&b);
    }
    return found;
}
} // namespace nereus
