#include "exe/pools.h"

namespace nereus {
uint32_t OperandPools::constant(int64_t value) {
    auto [place, fresh] = constants_.emplace(value, uint32_t(exe_->constants.size()));
    if (fresh) exe_->constants.push_back(value);
    return place->second;
}

uint32_t OperandPools::list(std::span<const uint32_t> items) {
    auto [place, fresh] = lists_.emplace(std::vector<uint32_t>(items.begin(), items.end()),
                                         uint32_t(exe_->lists.size()));
    if (fresh) {
        exe_->lists.emplace_back(uint32_t(exe_->operands.size()), uint32_t(items.size()));
        exe_->operands.insert(exe_->operands.end(), items.begin(), items.end());
    }
    return place->second;
}
} // namespace nereus
