// exe/opcode.h - the instructions of the host program: one table gives name, operands and meaning. The assembler, the
// disassembler, the verifier and the loop that executes them read this truth and no other.
//
// A register is one 64-bit word: a number (integers sign-extended, bool 0 or 1), an address, or an object. Objects are
// reference-counted: an instruction *owns* what it writes unless it says "borrowed"; arguments are borrowed unless it
// says "takes".
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace nereus {
enum class Opcode : uint16_t {
    move, load_constant,
    add, sub, mul, div, floor_div, mod, min, max, neg, wrap,
    size_add, size_sub, size_mul, size_bcast, size_round,
    eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_not, move_if,
    jump, jump_if, jump_unless,
    call, leave, enter, run, launch, check, fail,
    slot, weights, new_output, read_scalar, write_scalar, copy,
    new_tensor, new_shaped, new_scalar, new_data, new_seq, new_ref,
    tensor_data, tensor_dim, tensor_rank, tensor_dim_back, tensor_rest, tensor_before, tensor_bytes, tensor_same,
    tensor_same_but, tensor_shape, scalar_value, tag, field, bound_dim,
    seq_length, seq_get, seq_push, seq_set, seq_stack, ref_read, ref_write,
    retain, release, equal, print, observe, check_fit, seq_concat, tensor_own, texts,
    vector_at,
};
inline constexpr int opcode_count = int(Opcode::vector_at) + 1;

// x is 16 bits wide, the others 32.
struct Instruction { Opcode op; uint16_t x = 0; uint32_t a = 0, b = 0, c = 0; bool operator==(const Instruction&) const = default; };

enum class OperandKind : uint8_t {
    none, def, use, def_use, target, number, constant, uses, defs, function, region, run_list, launch, site, dtype, relation,
    weight, slot, prefix, numbers, text_constant,
};
struct OpcodeRow {
    Opcode op;
    std::string_view name;
    OperandKind x, a, b, c;
    std::string_view meaning;               // R[a]: register a; L[b]: the registers of operand list b
};
std::span<const OpcodeRow> opcode_rows();   // in order of Opcode
inline const OpcodeRow& opcode_row(Opcode op) { return opcode_rows()[size_t(op)]; }
} // namespace nereus
