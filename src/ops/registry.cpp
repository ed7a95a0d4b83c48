#include "ops/registry.h"
#include "ops/families.h"
#include <atomic>
#include <deque>
#include <mutex>

namespace nereus {
namespace {
struct Lists {
    std::mutex mutex;
    std::deque<OpRegistry> all;              // one per plug-in taken in; whoever reads an older one keeps it
    std::atomic<const OpRegistry*> newest;

    Lists() {
        std::vector<const OpDef*> ops;
        for (auto family : {unary_ops, binary_ops, bits_ops, compare_ops, reduce_ops, matmul_ops, shape_ops, index_ops,
                            windows_ops, conv_ops, sort_ops, fourier_ops, strings_ops, random_ops, structure_ops})
            for (const OpDef& op : family()) ops.push_back(&op);
        newest = &all.emplace_back(std::move(ops));
    }
};
Lists& lists() {
    static Lists made;
    return made;
}
} // namespace

const OpRegistry& all_ops() { return *lists().newest; }

void add_ops(std::span<const OpDef* const> ops) {
    Lists& to = lists();
    std::scoped_lock lock(to.mutex);
    std::vector<const OpDef*> joined(all_ops().all().begin(), all_ops().all().end());
    joined.insert(joined.end(), ops.begin(), ops.end());
    to.newest = &to.all.emplace_back(std::move(joined));
}
} // namespace nereus
