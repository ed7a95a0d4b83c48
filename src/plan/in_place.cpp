#include "plan/in_place.h"
#include <algorithm>

namespace nereus {
namespace {
bool is_loop(const Binding& b) { return b.form == Form::for_ || b.form == Form::while_; }
bool is_branch(const Binding& b) { return b.form == Form::if_ || b.form == Form::match; }
size_t position(std::span<const ValueId> all, ValueId v) { return size_t(std::find(all.begin(), all.end(), v) - all.begin()); }
} // namespace

InPlace::InPlace(const Lowered& lowered, const Storage& storage, size_t function)
    : lowered_(lowered), function_(lowered.module.functions[function]), storage_(storage), own_(storage.functions[function]) {
    auto kept = [&](ValueId v) { return own_.values[v.index]; };
    for (const Block& block : function_.blocks)
        for (BindingId id : block.bindings)
            for (ValueId result : function_[id].results) definitions_[result] = &function_[id], homes_[result] = &block;
    for (const Binding& b : function_.bindings) {
        if (low_op_of(b) == LowOp::view) view_of_[b.results[0]] = b.args[0];
        for (size_t i = 0; b.form == Form::check && i < b.args.size(); ++i)      // narrowed: the same tensor under another name
            if (kept(b.results[i]) == Kept::address) view_of_[b.results[i]] = b.args[i];
        if (!is_loop(b)) continue;
        const Block& body = function_[b.blocks.back()];
        for (size_t first = b.form == Form::for_, i = 0; first + i < body.params.size(); ++i) {  // states that no trip changes
            ValueId param = body.params[first + i], initial = b.args[first + i];
            if (body.results[i] == param && kept(param) == Kept::address && kept(initial) != Kept::number)
                view_of_[param] = view_of_[b.results[i]] = initial;
        }
    }
    mentions_.resize(function_.values.size());
    count_mentions(function_.body);
}

void InPlace::count_mentions(BlockId id) {
    auto count = [&](const std::vector<ValueId>& values) {
        for (ValueId v : values) ++mentions_[root(v).index];
    };
    for (BindingId at : function_[id].bindings) {
        count(function_[at].args);
        for (BlockId nested : function_[at].blocks) count_mentions(nested);
    }
    count(function_[id].results);
}

ValueId InPlace::root(ValueId v) const {
    for (auto it = view_of_.find(v); it != view_of_.end(); it = view_of_.find(v)) v = it->second;
    return v;
}

const Binding* InPlace::definition(const Block& block, ValueId v) const {
    auto it = homes_.find(v);
    return it != homes_.end() && it->second == &block ? definitions_.at(v) : nullptr;
}

// Of a branch: what its arms give, as far as that comes from around them.
std::vector<ValueId> InPlace::made_from(const Binding& b, size_t result) const {
    if (low_op_of(b) == LowOp::view || low_op_of(b) == LowOp::copy) return {b.args[0]};
    if (b.form == Form::check && result < b.args.size()) return {b.args[result]};
    if (is_loop(b)) {
        size_t first = b.form == Form::for_;
        bool state = first + result < b.args.size();
        return state ? std::vector{b.args[first + result]} : std::vector<ValueId>();
    }
    if (b.form == Form::call) {
        int param = storage_.functions[b.function.index].signature.begins_as[result];
        return param < 0 ? std::vector<ValueId>() : std::vector{b.args[size_t(param)]};
    }
    std::vector<ValueId> all;
    if (is_branch(b))
        for (BlockId arm : b.blocks)
            if (ValueId found = origin(function_[arm], function_[arm].results[result]); found.valid()) all.push_back(found);
    return all;
}

ValueId InPlace::origin(const Block& block, ValueId v) const {
    for (const Binding* b = definition(block, v); b; b = definition(block, v)) {
        std::vector<ValueId> from = made_from(*b, position(b->results, v));
        if (from.empty()) return {};
        v = from[0];
    }
    return v;
}

ValueId InPlace::made_here_from(const Block& block, ValueId v) const {
    const Binding* b = definition(block, v);
    std::vector<ValueId> from = b ? made_from(*b, position(b->results, v)) : std::vector<ValueId>();
    if (from.size() != 1 || !definition(block, from[0]) || root(from[0]) != from[0]) return {};
    return mentions_[from[0].index] == 1 ? from[0] : ValueId();      // what is defined here is mentioned nowhere else
}

size_t InPlace::mentions(const Binding& b, ValueId wanted) const {
    size_t count = 0;
    for (ValueId arg : b.args) count += root(arg) == wanted;
    for (BlockId nested : b.blocks) {
        for (ValueId v : function_[nested].results) count += root(v) == wanted;
        for (BindingId inner : function_[nested].bindings) count += mentions(function_[inner], wanted);
    }
    return count;
}

bool InPlace::mentions(const Binding& b, const Names& names) const {
    auto has = [&](ValueId v) { return names.contains(root(v)); };
    if (std::any_of(b.args.begin(), b.args.end(), has)) return true;
    return std::any_of(b.blocks.begin(), b.blocks.end(), [&](BlockId nested) {
        const Block& block = function_[nested];
        return std::any_of(block.results.begin(), block.results.end(), has) ||
               std::any_of(block.bindings.begin(), block.bindings.end(), [&](BindingId inner) { return mentions(function_[inner], names); });
    });
}

bool InPlace::gives_way(const Block& block, ValueId old, ValueId next) const { return gives_way(block, Names{root(old)}, next); }

// `names` grows by what may follow: it must not be read either when the place is written.
bool InPlace::gives_way(const Block& block, Names names, ValueId next) const {
    size_t writer = block.bindings.size(), own = position(block.results, next);      // else copied when the block ends
    next = root(next);
    for (size_t i = 0; i < block.bindings.size(); ++i) {
        const Binding& b = function_[block.bindings[i]];
        if (std::find(b.results.begin(), b.results.end(), next) != b.results.end()) writer = i;
        if (!mentions(b, names)) continue;
        if (i > writer || (i == writer && !hands_on(b, names, next))) return false;
        for (size_t r = 0; i < writer && r < b.results.size(); ++r)
            for (ValueId from : made_from(b, r))
                if (names.contains(root(from))) names.insert(root(b.results[r]));
    }
    for (size_t i = 0; i < block.results.size(); ++i)
        if (i != own && names.contains(root(block.results[i]))) return false;
    return true;
}

// The binding reads it in one place only, as what `next` begins with.
bool InPlace::hands_on(const Binding& b, const Names& names, ValueId next) const {
    size_t result = position(b.results, next);
    auto has = [&](ValueId v) { return names.contains(root(v)); };
    if (is_branch(b))
        return !std::any_of(b.args.begin(), b.args.end(), has) && std::all_of(b.blocks.begin(), b.blocks.end(), [&](BlockId arm) {
            return gives_way(function_[arm], names, function_[arm].results[result]);
        });
    if (overwrites(b, names, next)) return true;
    std::vector<ValueId> from = made_from(b, result);
    if (from.size() != 1 || !has(from[0]) || std::count_if(b.args.begin(), b.args.end(), has) != 1) return false;
    Binding blocks_alone = b;
    blocks_alone.args.clear();
    return !mentions(blocks_alone, names);
}

// A launch that reads each point for the last time when it writes it.
bool InPlace::overwrites(const Binding& b, const Names& names, ValueId next) const {
    if (low_op_of(b) != LowOp::launch) return false;
    const size_t id = size_t(std::get<int64_t>(find_attribute(b, "launch")->value));
    const LaunchSpec& launch = lowered_.launches[id];
    const loop::Function& kernel = lowered_.kernels[lowered_.launch_kernel[id]];
    const size_t out = position(launch.buffers, next);
    auto strides = [](const LaunchSpec::Group& group, size_t buffer) {
        auto it = std::find_if(group.strides.begin(), group.strides.end(), [&](const auto& s) { return s.first == buffer; });
        return it == group.strides.end() ? std::nullopt : std::optional(it->second);
    };
    for (size_t in = 0; in < launch.buffers.size(); ++in) {
        if (in == out || !names.contains(root(launch.buffers[in]))) continue;
        auto alike = [&](const LaunchSpec::Group& group) { return strides(group, in) == strides(group, out); };
        if (launch.library || !loop::reads_where_it_writes(kernel, loop::BufferId(in), loop::BufferId(out)) ||
            !std::all_of(launch.groups.begin(), launch.groups.end(), alike))
            return false;
    }
    return out < launch.buffers.size();
}

std::optional<size_t> InPlace::last_mention(BlockId id, ValueId root_value) {
    auto [it, is_new] = last_.try_emplace(id.index);
    if (is_new) {
        const Block& block = function_[id];
        std::unordered_map<ValueId, size_t> last;
        std::function<void(const Binding&, size_t)> look = [&](const Binding& b, size_t at) {
            for (ValueId arg : b.args) last[root(arg)] = at;
            for (BlockId nested : b.blocks) {
                for (ValueId v : function_[nested].results) last[root(v)] = at;
                for (BindingId inner : function_[nested].bindings) look(function_[inner], at);
            }
        };
        for (size_t i = 0; i < block.bindings.size(); ++i) look(function_[block.bindings[i]], i);
        for (ValueId v : block.results) last[root(v)] = block.bindings.size();
        it->second = std::move(last);
    }
    auto found = it->second.find(root_value);
    return found == it->second.end() ? std::nullopt : std::optional(found->second);
}

namespace {
// Parameters of the same size that some way through the function leads from to the result in place.
void propose(const Module& module, const Function& f, const InPlace& way, Signature& s) {
    const Block& body = f[f.body];
    for (size_t r = 0; r < body.results.size(); ++r) {
        if (s.results[r] != Kept::address || s.begins_as[r] >= 0) continue;
        ValueId from = way.origin(body, body.results[r]);
        if (!from.valid()) continue;
        size_t param = position(f.params, way.root(from));
        if (param == f.params.size() || s.params[param] != Kept::address) continue;
        const Type &a = module.types[f[f.params[param]].type], &b = module.types[f[body.results[r]].type];
        bool same = a.shape.ranked && b.shape.ranked && a.shape.dims == b.shape.dims && a.element == b.element;
        bool taken = std::find(s.begins_as.begin(), s.begins_as.end(), int(param)) != s.begins_as.end();
        if (same && !taken) s.begins_as[r] = int(param);
    }
}
} // namespace

// What is proposed holds as long as everything proposed does: what fails is dropped until nothing does.
void plan_in_place(const Lowered& lowered, FunctionId entry, Storage& storage) {
    const Module& module = lowered.module;
    std::vector<InPlace> ways;
    for (size_t i = 0; i < module.functions.size(); ++i) ways.emplace_back(lowered, storage, i);
    auto each = [&](auto&& visit) {
        for (size_t i = 0; i < module.functions.size(); ++i)
            if (FunctionId(i) != entry) visit(module.functions[i], ways[i], storage.functions[i].signature);
    };
    for (size_t before = 0, now = 1; before != now;) {   // a call shows where it leads once its callee is known
        before = now, now = 1;
        each([&](const Function& f, const InPlace& way, Signature& s) {
            propose(module, f, way, s);
            now += size_t(std::count_if(s.begins_as.begin(), s.begins_as.end(), [](int p) { return p >= 0; }));
        });
    }
    for (bool changed = true; changed;) {
        changed = false;
        each([&](const Function& f, const InPlace& way, Signature& s) {
            for (size_t r = 0; r < s.begins_as.size(); ++r) {
                if (s.begins_as[r] < 0) continue;
                const Block& body = f[f.body];
                if (way.gives_way(body, f.params[size_t(s.begins_as[r])], body.results[r])) continue;
                s.begins_as[r] = -1;
                changed = true;
            }
        });
    }
}
} // namespace nereus
