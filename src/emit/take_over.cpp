// Values that are written where another one was: a tensor that is changed in part, once nobody else reads what it was.
#include "emit/function.h"
#include <algorithm>

namespace nereus {
// Later mentions are looked for in the blocks being written, from the innermost to the one where the value is defined. In
// the body of a loop what was defined outside is read again on the next trip.
bool EmitFunction::is_last_mention(ValueId v) {
    v = root(v);
    auto home = homes_.find(v);
    bool param = std::find(function_.params.begin(), function_.params.end(), v) != function_.params.end();
    if (home == homes_.end() || kept(v) != Kept::address || (param && !given_place_.contains(v))) return false;
    for (size_t i = open_.size(); i-- > 0;) {
        const Open& open = open_[i];
        std::optional<size_t> last = in_place_.last_mention(open.block, v);
        if (last && *last > open.at) return false;
        if (open.block.index == home->second) return true;
        if (open.repeats) return false;
    }
    return false;
}

std::optional<Place> EmitFunction::place_to_take(const Binding& by, ValueId v) {
    if (!is_last_mention(v) || in_place_.mentions(by, root(v)) != 1) return std::nullopt;
    auto it = places_.find(v);
    bool memory = it != places_.end() && (it->second.kind == Place::Kind::slot || it->second.kind == Place::Kind::reg);
    return memory ? std::optional(it->second) : std::nullopt;
}

bool EmitFunction::is_wanted_elsewhere(ValueId v, const Place& place) const {
    auto it = wanted_.find(v);
    return it != wanted_.end() && (it->second.kind != place.kind || it->second.index != place.index);
}

// What a call, a loop or a change in place begins with is best made where the result will be, if what is there now, or may
// follow it there, is read no more by then. `made`: the values that may be written there.
void EmitFunction::want_beginnings(const Block& block, ValueId v, const Place& place, const std::unordered_set<ValueId>& made) {
    auto is_there = [&](const auto& entry) { return entry.second.kind == place.kind && entry.second.index == place.index; };
    for (ValueId from = in_place_.made_here_from(block, v); from.valid(); from = in_place_.made_here_from(block, from)) {
        bool fits = kept(from) == Kept::address && byte_size(function_[from].type) == byte_size(function_[v].type);
        if (!fits || !made.contains(from) || wanted_.contains(from)) return;
        for (const auto& entry : places_)
            if (is_there(entry) && !in_place_.gives_way(block, entry.first, from)) return;
        wanted_.emplace(from, place);
    }
}

// The value from around the branch that an arm changes, if the others can do with its memory too.
std::optional<Place> EmitFunction::place_for_arms(const Binding& b, size_t result) {
    ValueId v = b.results[result], old;
    for (BlockId arm : b.blocks)
        if (ValueId from = in_place_.origin(function_[arm], function_[arm].results[result]); from.valid() && !old.valid())
            if (is_last_mention(from)) old = root(from);
    if (!old.valid() || byte_size(function_[old].type) != byte_size(function_[v].type)) return std::nullopt;
    auto it = places_.find(old);
    bool memory = it != places_.end() && (it->second.kind == Place::Kind::slot || it->second.kind == Place::Kind::reg);
    if (!memory || is_wanted_elsewhere(v, it->second)) return std::nullopt;
    for (size_t other = 0; other < result; ++other)      // one result each
        if (auto taken = places_.find(b.results[other]); taken != places_.end() && taken->second.kind == it->second.kind &&
                                                         taken->second.index == it->second.index)
            return std::nullopt;
    for (BlockId arm : b.blocks)
        if (!in_place_.gives_way(function_[arm], old, function_[arm].results[result])) return std::nullopt;
    return it->second;
}

void EmitFunction::copy(const Binding& b) {
    ValueId from = b.args[0], to = b.results.empty() ? b.args[1] : b.results[0];
    if (kept(to) == Kept::address) {
        std::optional<Place> taken = kept(from) == Kept::number ? std::nullopt : place_to_take(b, from);
        if (taken && !is_wanted_elsewhere(to, *taken)) {
            touch(*taken);
            places_[to] = *taken;
            return;
        }
    }
    if (kept(to) == Kept::object && kept(from) == Kept::object && !places_.contains(to)) {       // the run knows who owns it
        Reg taken = take_object(from), reg = fresh();
        put(Opcode::tensor_own, reg, taken);
        return bind_object(to, reg);
    }
    if (kept(to) == Kept::object && !places_.contains(to)) bind_object(to, new_tensor_object(function_[to].type));
    copy_into(kept(to) == Kept::object ? place(to) : target_of(to), from);
}
} // namespace nereus
