// ops/outside.h - operators from outside (plugin/plugin.h) as operators of the language: sizes by asking the plug-in with
// expressions or numbers, evaluation and launches by calling its kernel, gradients by letting it write operators.
#pragma once
#include "ir/scheme.h"
#include "ops/gradients.h"
#include "plugin/plugin.h"

namespace nereus {
struct OutsideOp : OpDef {
    const PluginOp* plugin = nullptr;
    std::vector<OpParam> owned_params;
    Scheme read_types;
    std::vector<SchemeType> outputs;         // each a dtype or a dtype variable

    PluginAttributes attributes(const AttributeList& given) const;           // with those that are left out
    std::vector<DType> output_dtypes(std::span<const DType> inputs) const;
};
inline const OutsideOp& outside(const OpDef& op) { return static_cast<const OutsideOp&>(op); }

// Makes all_ops() have what was registered since the last time. Refused, once, and left out: types that do not read, names that
// the language has.
Status take_in_plugins();

// The most that each size may be that only running tells, in the order of their symbols: what `infer` said of it.
struct OutsideInput { DType dtype; std::vector<Dim> extents; };
Result<std::vector<Dim>> outside_bounds(const OutsideOp& op, const PluginAttributes& attributes, std::vector<OutsideInput> inputs, std::span<const Sym> late, Dims& dims);
Status lower_outside(OpLowering& op);
void outside_gradient(Gradient& gradient);
} // namespace nereus
