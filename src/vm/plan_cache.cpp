#include "vm/plan_cache.h"
#include <bit>

namespace nereus {
namespace {
uint64_t mix(uint64_t hash, uint64_t word) {
    return std::rotl(hash ^ (word * 0x9e3779b97f4a7c15), 29) * 0xbf58476d1ce4e5b9;
}
} // namespace

RegionPlan* PlanCache::find(std::span<const uint32_t> key, const uint64_t* regs) {
    auto matches = [&](const RegionPlan& plan) {
        for (size_t i = 0; i < key.size(); ++i)
            if (plan.key[i] != int64_t(regs[key[i]])) return false;
        return true;
    };
    if (last_ && matches(*last_)) return last_;
    uint64_t hash = 0;
    for (uint32_t reg : key) hash = mix(hash, regs[reg]);
    auto [begin, end] = plans_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (matches(*it->second)) return last_ = it->second.get();
    return nullptr;
}

RegionPlan* PlanCache::add(std::unique_ptr<RegionPlan> plan, size_t capacity) {
    while (plans_.size() >= capacity && oldest_) {
        RegionPlan* victim = oldest_;
        unlink(victim);
        if (last_ == victim) last_ = nullptr;
        auto [begin, end] = plans_.equal_range(victim->hash);
        for (auto it = begin; it != end; ++it)
            if (it->second.get() == victim) {
                plans_.erase(it);
                break;
            }
    }
    plan->hash = 0;
    for (int64_t word : plan->key) plan->hash = mix(plan->hash, uint64_t(word));
    last_ = plan.get();
    link(last_);
    plans_.emplace(last_->hash, std::move(plan));
    return last_;
}

void PlanCache::link(RegionPlan* plan) {
    plan->older = newest_;
    plan->newer = nullptr;
    (newest_ ? newest_->newer : oldest_) = plan;
    newest_ = plan;
}
void PlanCache::unlink(RegionPlan* plan) {
    (plan->older ? plan->older->newer : oldest_) = plan->newer;
    (plan->newer ? plan->newer->older : newest_) = plan->older;
}
} // namespace nereus
