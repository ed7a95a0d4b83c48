#include "emit/function.h"

namespace nereus {
namespace {
// May stand before launches that were collected earlier: computes from registers only, or makes new memory.
bool passes_launches(Opcode op) {
    switch (op) {
    case Opcode::move: case Opcode::load_constant: case Opcode::add: case Opcode::sub: case Opcode::mul: case Opcode::min:
    case Opcode::max: case Opcode::neg: case Opcode::wrap: case Opcode::size_add: case Opcode::size_sub: case Opcode::size_mul:
    case Opcode::size_bcast: case Opcode::size_round: case Opcode::eq: case Opcode::ne: case Opcode::lt: case Opcode::le: case Opcode::gt: case Opcode::ge:
    case Opcode::logical_and: case Opcode::logical_or: case Opcode::logical_not: case Opcode::slot: case Opcode::weights: case Opcode::texts:
    case Opcode::new_tensor: case Opcode::new_output: case Opcode::tensor_data: case Opcode::tensor_dim: case Opcode::tensor_rank:
    case Opcode::tensor_dim_back: case Opcode::tensor_rest: case Opcode::tensor_before: case Opcode::tensor_bytes:
    case Opcode::tensor_same: case Opcode::tensor_same_but: case Opcode::tensor_shape:
    case Opcode::tag: case Opcode::field: case Opcode::bound_dim: case Opcode::seq_length: case Opcode::retain: return true;
    case Opcode::div: case Opcode::floor_div: case Opcode::mod: case Opcode::move_if: case Opcode::jump: case Opcode::jump_if:
    case Opcode::jump_unless: case Opcode::call: case Opcode::leave: case Opcode::enter: case Opcode::run: case Opcode::launch:
    case Opcode::check: case Opcode::fail: case Opcode::read_scalar: case Opcode::write_scalar: case Opcode::copy:
    case Opcode::new_shaped: case Opcode::new_scalar: case Opcode::new_data: case Opcode::new_seq: case Opcode::new_ref: case Opcode::scalar_value:
    case Opcode::seq_get: case Opcode::seq_push: case Opcode::seq_set: case Opcode::seq_stack: case Opcode::ref_read:
    case Opcode::ref_write: case Opcode::release: case Opcode::equal: case Opcode::print:
    case Opcode::observe: case Opcode::check_fit: case Opcode::seq_concat: case Opcode::tensor_own: case Opcode::vector_at: return false;
    }
    return false;
}
} // namespace

uint32_t EmitFunction::put(Opcode op, uint32_t a, uint32_t b, uint32_t c, uint16_t x) {
    if (!passes_launches(op)) flush();
    exe().code.push_back(Instruction{op, x, a, b, c});
    return uint32_t(exe().code.size() - 1);
}

void EmitFunction::flush() {
    if (pending_.empty()) return;
    uint32_t list = uint32_t(region_.lists.size());
    region_.lists.push_back(std::move(pending_));
    pending_.clear();
    exe().code.push_back(Instruction{Opcode::run, 0, list, 0, 0});
}

uint32_t EmitFunction::here() {
    flush();
    return uint32_t(exe().code.size());
}

Reg EmitFunction::constant(int64_t value) {
    Reg reg = fresh();
    put(Opcode::load_constant, reg, program_.constant(value));
    return reg;
}
} // namespace nereus
