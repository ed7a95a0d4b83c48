// codegen/plans.h - one function per plan; each writes the whole body of a kernel.
#pragma once
#include "codegen/emitter.h"

namespace nereus::cg {
void emit_plan(Emitter& e, const loop::MapPlan& plan);          // map.cpp
void emit_plan(Emitter& e, const loop::RowPlan& plan);          // row.cpp
void emit_plan(Emitter& e, const loop::ContractPlan& plan);     // contract.cpp
void emit_plan(Emitter& e, const loop::ScatterPlan& plan);      // scatter.cpp
void emit_plan(Emitter& e, const loop::CompactPlan& plan);      // compact.cpp
} // namespace nereus::cg
