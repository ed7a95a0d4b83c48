// pass/narrow_sequences.cpp - a sequence of tuples keeps only the parts that somebody reads. Tapes of loops have parts of
// which only the shape was wanted, and shapes are known without them once the shapes stage has run.
//
// Looks at sequences that stay within a function: they begin as a list that is written out, grow by push, are carried by
// loops, and every element that is taken out is taken apart. Whatever else is done to one keeps it as it is.
#include "ir/op.h"
#include "pass/passes.h"
#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace nereus {
namespace {
class NarrowSequences {
 public:
    NarrowSequences(Module& module, Function& function) : module_(module), f_(function), same_(function.values.size()) {}

    void run() {
        std::iota(same_.begin(), same_.end(), 0u);
        for (ValueId param : f_.params) as_a_whole(param);
        block(f_.body, true);
        if (gets_.empty()) return;
        judge();
        for (auto& [sequence, parts] : read_)
            if (!kept_.contains(sequence)) narrow(sequence, parts);
        finish();
    }

 private:
    using Parts = std::set<uint32_t>;                    // of a tuple, by position

    // Values that are one sequence, at different times, have one representative.
    uint32_t sequence_of(ValueId v) {
        uint32_t at = v.index;
        while (same_[at] != at) at = same_[at] = same_[same_[at]];
        return at;
    }
    bool is_sequence(ValueId v) const {
        const Type& type = module_.types[f_[v].type];
        return type.kind == TypeKind::seq && module_.types[type.parts[0]].kind == TypeKind::tuple;
    }
    void becomes(ValueId a, ValueId b) {
        if (is_sequence(a) && is_sequence(b)) same_[sequence_of(a)] = sequence_of(b);
        else as_a_whole(a), as_a_whole(b);
    }
    void as_a_whole(ValueId v) { whole_.insert(v); }

    void block(BlockId id, bool results_leave) {
        for (BindingId at : f_[id].bindings) {
            for (ValueId result : f_[at].results) definition_[result] = at;
            for (ValueId arg : f_[at].args) ++uses_[arg];
            binding(at);
        }
        for (ValueId result : f_[id].results) ++uses_[result];
        if (results_leave)
            for (ValueId result : f_[id].results) as_a_whole(result);
    }
    void binding(BindingId at) {
        const Binding& b = f_[at];
        const Builtin builtin = b.form == Form::op ? b.op->builtin : Builtin::none;
        if (b.form == Form::for_ || b.form == Form::while_) return loop(b);
        if (b.form == Form::project) return part(at);
        if (builtin == Builtin::length) return;
        if (builtin == Builtin::seq_get) {
            if (is_sequence(b.results[0])) as_a_whole(b.results[0]);     // one of many in another
            return gets_.push_back(at);
        }
        if (builtin == Builtin::push || b.form == Form::seq) {
            const size_t first = builtin == Builtin::push ? 1 : 0;
            if (first) becomes(b.args[0], b.results[0]);
            for (size_t i = first; i < b.args.size(); ++i) as_a_whole(b.args[i]);
            return makes_.push_back(at);
        }
        for (ValueId arg : b.args) as_a_whole(arg);
        for (ValueId result : b.results) as_a_whole(result);
        for (const Arm& arm : b.arms)
            if (arm.guard.valid()) block(arm.guard, true);
        for (BlockId inner : b.blocks) {
            for (ValueId param : f_[inner].params) as_a_whole(param);
            block(inner, true);
        }
    }
    void part(BindingId at) {
        const Binding& b = f_[at];
        parts_[b.args[0]].push_back(at);
        auto it = states_of_.find(b.args[0]);
        if (it != states_of_.end() && b.index < it->second.size()) becomes(b.results[0], it->second[b.index]);
        else as_a_whole(b.results[0]);
    }
    void loop(const Binding& b) {
        const Block& body = f_[b.blocks.back()];
        const size_t first = b.form == Form::for_ ? 1 : 0, states = b.args.size() - first;
        std::vector<ValueId> carried(body.params.begin() + ptrdiff_t(first), body.params.end());
        for (size_t i = 0; i < states; ++i) becomes(b.args[first + i], carried[i]), becomes(body.results[i], carried[i]);
        for (size_t i = states; i < body.results.size(); ++i) as_a_whole(body.results[i]);      // yields
        if (body.results.size() > 1) states_of_[b.results[0]] = std::move(carried);
        else if (states == 1) becomes(b.results[0], carried[0]);     // else what it collects, which is no tuple
        for (BlockId inner : b.blocks) block(inner, b.form == Form::while_ && inner == b.blocks[0]);
    }

    // Which sequences stay as they are, and of the others what is read.
    void judge() {
        for (const auto& [result, states] : states_of_)
            if (whole_.contains(result)) whole_.insert(states.begin(), states.end());
        for (ValueId v : whole_)
            if (is_sequence(v)) kept_.insert(sequence_of(v));
        for (BindingId at : makes_) {
            const Binding& b = f_[at];
            for (ValueId item : items(b)) {
                auto it = definition_.find(item);
                if (it == definition_.end() || f_[it->second].form != Form::tuple || uses_[item] != 1) kept_.insert(sequence_of(b.results[0]));
            }
        }
        for (BindingId at : gets_) {
            const Binding& b = f_[at];
            if (!is_sequence(b.args[0])) continue;
            const uint32_t sequence = sequence_of(b.args[0]);
            Parts& read = read_[sequence];
            int defining = 0;                            // a part that is left alone defines its size where it is taken out
            for (BindingId part : parts_[b.results[0]]) read.insert(f_[part].index), defining += !f_[part].defines.empty();
            // sizes that an element brings are read off its parts
            if (!b.defines.empty() || defining > 1 || whole_.contains(b.results[0])) kept_.insert(sequence);
        }
    }
    static std::span<const ValueId> items(const Binding& b) { return std::span(b.args).subspan(b.form == Form::seq ? 0 : 1); }

    void narrow(uint32_t sequence, Parts parts) {
        const size_t all = module_.types[module_.types[f_[ValueId(sequence)].type].parts[0]].parts.size();
        if (parts.empty() && all > 0) parts.insert(0);
        if (parts.size() == all) return;
        changed_ = true;
        for (size_t v = 0; v < same_.size(); ++v)
            if (sequence_of(ValueId(v)) == sequence)
                f_[ValueId(v)].type = module_.types.seq(narrowed(module_.types[f_[ValueId(v)].type].parts[0], parts));
        for (BindingId at : makes_)
            if (sequence_of(f_[at].results[0]) == sequence) narrow_items(f_[at], parts);
        for (BindingId at : gets_)
            if (sequence_of(f_[at].args[0]) == sequence) narrow_element(f_[at], parts);
    }
    TypeId narrowed(TypeId tuple, const Parts& parts) {
        std::vector<TypeId> types;
        for (uint32_t part : parts) types.push_back(module_.types[tuple].parts[part]);
        return types.size() == 1 ? types[0] : module_.types.tuple(std::move(types));
    }
    void narrow_items(Binding& make, const Parts& parts) {
        for (size_t i = make.form == Form::seq ? 0 : 1; i < make.args.size(); ++i) {
            const BindingId at = definition_.at(make.args[i]);
            Binding& tuple = f_[at];
            std::vector<ValueId> left;
            for (uint32_t part = 0; part < tuple.args.size(); ++part) {
                if (parts.contains(part)) left.push_back(tuple.args[part]);
                else if (auto it = definition_.find(tuple.args[part]); it != definition_.end() && is_immediate(f_[it->second])) gone_.insert(it->second);
            }
            if (left.size() == 1) {
                make.args[i] = left[0];
                gone_.insert(at);
                continue;
            }
            f_[make.args[i]].type = narrowed(f_[make.args[i]].type, parts);
            tuple.args = std::move(left);
        }
    }
    void narrow_element(Binding& get, const Parts& parts) {
        const ValueId element = get.results[0];
        f_[element].type = narrowed(f_[element].type, parts);
        for (BindingId at : parts_[element]) {
            Binding& part = f_[at];
            if (parts.size() == 1) {
                if (f_[part.results[0]].known.valid()) f_[element].known = f_[part.results[0]].known;
                if (!part.defines.empty()) get.defines = part.defines;
                by_[part.results[0]] = element;
                gone_.insert(at);
            } else {
                part.index = uint32_t(std::distance(parts.begin(), parts.find(part.index)));
            }
        }
    }

    void finish() {
        if (!changed_) return;
        for (const auto& [result, states] : states_of_) {            // tuples of states, then of what was collected
            std::vector<TypeId> types = module_.types[f_[result].type].parts;
            for (size_t i = 0; i < states.size(); ++i)
                if (is_narrowed(states[i])) types[i] = f_[states[i]].type;
            f_[result].type = module_.types.tuple(std::move(types));
        }
        auto renamed = [&](std::vector<ValueId>& values) {
            for (ValueId& v : values)
                if (auto it = by_.find(v); it != by_.end()) v = it->second;
        };
        for (Binding& b : f_.bindings) renamed(b.args);
        for (Block& block : f_.blocks) {
            renamed(block.results);
            std::erase_if(block.bindings, [&](BindingId at) { return gone_.contains(at); });
        }
    }
    bool is_narrowed(ValueId state) {
        auto it = read_.find(sequence_of(state));
        return it != read_.end() && !kept_.contains(it->first);
    }

    Module& module_;
    Function& f_;
    std::vector<uint32_t> same_;                         // by value; see sequence_of
    std::unordered_set<ValueId> whole_;                  // used in a way that needs all of it, or from elsewhere
    std::unordered_map<ValueId, BindingId> definition_;
    std::unordered_map<ValueId, size_t> uses_;
    std::unordered_map<ValueId, std::vector<BindingId>> parts_;      // projections
    std::unordered_map<ValueId, std::vector<ValueId>> states_of_;    // of a loop with a tuple of results
    std::vector<BindingId> makes_, gets_;                // [..] and push; seq_get
    std::map<uint32_t, Parts> read_;                     // by sequence
    std::set<uint32_t> kept_;
    bool changed_ = false;
    std::unordered_map<ValueId, ValueId> by_;
    std::set<BindingId> gone_;
};
} // namespace

Result<Module> narrow_sequences(Module module) {
    module = TRY(dead_code(std::move(module)));          // a part that is taken and not used is not read
    for (Function& function : module.functions) NarrowSequences(module, function).run();
    return module;
}
} // namespace nereus
