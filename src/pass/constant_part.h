// pass/constant_part.h - the part of a program that depends on constants only, as a program of its own, and the program
// with what that gives in its place. Who runs it in between is the driver's business (driver/init.h).
#pragma once
#include "ir/op.h"

namespace nereus {
struct ConstantPlace { FunctionId function; ValueId value; };

struct ConstantPart {
    Module program;                          // one function, @init, that takes nothing and gives all values, as a tuple if several
    std::vector<ConstantPlace> places;       // of the values in the program it was taken from; empty: there is no such part
};

// Tensors of known size that operators make of constants, directly or by way of others, where somebody else uses them. Not
// those that are cheaper to make than to keep (full, iota, and views of them), not large ones that take more bytes than the
// constants they are made of (weights that are unpacked from bytes to floats), and no more than `most_bytes` together.
// `failing`: with operators that may fail; they fail alike wherever they stand, so if @init gives its values, none does.
ConstantPart constant_part(const Module& module, bool failing, int64_t most_bytes);

// Each value as a constant; a large one shares the tensor. A small one that cannot be written (empty, not finite) stays
// what it was.
Module with_constants(Module module, const std::vector<ConstantPlace>& places, const std::vector<HostTensor>& tensors);
} // namespace nereus
