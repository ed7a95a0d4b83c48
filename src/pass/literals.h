// pass/literals.h - constants of a program as tensors, and tensors as constants.
#pragma once
#include "ir/op.h"

namespace nereus {
std::optional<HostTensor> tensor_of(const Literal& literal, DType dtype);        // text and () have none
// Nothing if it cannot be written in a program: no elements, or some that are infinite or not a number.
std::optional<Literal> literal_of(const HostTensor& tensor);
Literal given_literal(HostTensor tensor, std::string name);      // shares it
// What the operator makes of constant arguments, one per argument of the binding. Nothing: it fails, or gives several.
std::optional<HostTensor> run_operator(const Binding& binding, const std::vector<HostTensor>& args);
} // namespace nereus
