// vm/plan_cache.h - the plans of one region, found by key. Frames pin the plan they stand on; of the others the longest
// unused make room. Finding and pinning take constant time however deep a recursion with ever new keys goes.
#pragma once
#include "vm/region_plan.h"
#include <unordered_map>

namespace nereus {
class PlanCache {
 public:
    // The plan whose key is what these registers hold; null: none.
    RegionPlan* find(std::span<const uint32_t> key, const uint64_t* regs);
    RegionPlan* add(std::unique_ptr<RegionPlan> plan,
                    size_t capacity); // more than that only while they are pinned
    void pin(RegionPlan* plan) { if (plan->pins++ == 0) unlink(plan); }
    void unpin(RegionPlan* plan) { if (--plan->pins == 0) link(plan); }
    size_t size() const { return plans_.size(); }

 private:
    void link(RegionPlan* plan);             // as the latest of those nobody stands on
    void unlink(RegionPlan* plan);

    std::unordered_multimap<uint64_t, std::unique_ptr<RegionPlan>> plans_;   // by hash of the key
    RegionPlan *last_ = nullptr, *oldest_ = nullptr, *newest_ = nullptr;
};
} // namespace nereus
