// pass/call_graph.h - who calls whom, and who calls themselves.
#pragma once
#include "ir/module.h"

namespace nereus {
struct CallGraph {
    explicit CallGraph(const Module& module);
    std::vector<FunctionId> callees_first;   // every function once; callers after callees, but for groups that are recursive
    std::vector<uint32_t> group;             // by function: functions that reach each other have one number
    std::vector<bool> recursive;             // by function: it reaches itself
    std::vector<std::vector<uint32_t>> callees;          // by function: calls, targets of closure calls, mentions as a value
    std::vector<uint32_t> references;        // by function: how often it is a callee
    std::vector<bool> is_root;               // by function: nobody outside of its group calls it; and the first function
    std::vector<bool> reached_from(const std::vector<bool>& roots) const;
};
} // namespace nereus
