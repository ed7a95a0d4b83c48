// loop/verify.h - who rejects a malformed loop function: types, scopes of groups and values, access rules.
#pragma once
#include "base/result.h"
#include "loop/loop.h"

namespace nereus::loop {
// Fails with Code::internal (a lowering wrote nonsense); the message names the statement or expression.
Status verify(const Function& f);

// Bit g of the mask of an expression is set if it may change along group g.
std::vector<uint64_t> group_masks(const Function& f);
} // namespace nereus::loop
