#include "codegen/inner.h"
#include "codegen/plans.h"

namespace nereus::cg {
void emit_plan(Emitter& e, const loop::RowPlan& plan) { (void)e; (void)plan; }
} // namespace nereus::cg
