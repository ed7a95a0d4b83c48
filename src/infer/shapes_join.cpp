#include "infer/shapes_join.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
constexpr uint32_t numbers_from = 1u << 16;              // path steps of numbers lie apart from those of extents,
constexpr uint32_t functions_from = 1u << 17;            // those of an object's functions from those of its arguments

template <class T> const T* first_of(const std::vector<const T*>& arms) {
    for (const T* arm : arms)
        if (arm) return arm;
    return nullptr;
}
// All arms that are there satisfy `same` with the first of them.
template <class T, class Same> bool all_like_first(const std::vector<const T*>& arms, Same same) {
    const T* first = first_of(arms);
    return std::all_of(arms.begin(), arms.end(), [&](const T* arm) { return !arm || same(*first, *arm); });
}
bool all_equal(const std::vector<Dim>& arms) {
    Dim first;
    for (Dim d : arms) {
        if (!d.valid()) continue;
        if (!first.valid()) first = d;
        if (d != first) return false;
    }
    return first.valid();
}
Dim first_valid(const std::vector<Dim>& arms) {
    for (Dim d : arms)
        if (d.valid()) return d;
    return {};
}
} // namespace

AbsId Join::part(const std::vector<AbsId>& arms, uint32_t step, uint32_t depth) {
    path_.push_back(step);
    AbsId result = value(arms, depth);
    path_.pop_back();
    return result;
}

// Entering a container: its unknowns are numbered from 0 in order of occurrence.
AbsId Join::inside(const std::vector<AbsId>& arms, uint32_t step, uint32_t depth) {
    unknowns_.emplace_back();
    AbsId result = part(arms, step, depth + 1);
    unknowns_.pop_back();
    return result;
}

// Values share their parts, and closures that hold closures share many: a walk of every path to them would take time
// exponential in their depth.
bool Join::stays(const std::vector<AbsId>& arms, uint32_t depth) {
    if (depth == 0 || !abstracts_.is_settled(arms[0])) return false;
    if (!std::all_of(arms.begin(), arms.end(), [&](AbsId arm) { return arm == arms[0]; })) return false;
    const std::vector<Sym>& symbols = abstracts_.symbols_of(arms[0]);
    if (!agreed_symbols_stay()) return symbols.empty();
    return std::all_of(symbols.begin(), symbols.end(), [&](Sym s) { return in_scope(abstracts_.dims().of(s)); });
}

AbsId Join::value(const std::vector<AbsId>& ids, uint32_t depth) {
    if (stays(ids, depth)) return ids[0];
    std::vector<const Abs*> arms;
    for (AbsId id : ids) arms.push_back(abstracts_.is_bottom(id) ? nullptr : &abstracts_[id]);
    const Abs* first = first_of(arms);
    if (!first) return abstracts_.bottom();
    auto parts = [&](size_t i) {
        std::vector<AbsId> column;
        for (const Abs* arm : arms) column.push_back(arm ? arm->parts[i] : abstracts_.bottom());
        return column;
    };
    switch (first->kind) {
    case AbsKind::bottom: case AbsKind::outside: break;
    case AbsKind::tensor: return abstracts_.tensor(tensor(arms, depth));
    case AbsKind::tuple: {
        std::vector<AbsId> joined;
        for (size_t i = 0; i < first->parts.size(); ++i) joined.push_back(part(parts(i), uint32_t(i), depth));
        return abstracts_.tuple(std::move(joined));
    }
    case AbsKind::gradient: {
        Abs joined = *first;
        joined.parts = {part(parts(0), 0, depth)};
        return abstracts_.intern(std::move(joined));
    }
    case AbsKind::seq: return abstracts_.seq(inside(parts(0), 0, depth));
    case AbsKind::ref: {
        AbsId content = inside(parts(0), 0, depth);
        std::set<uint32_t> cells;
        for (const Abs* arm : arms)
            if (arm) cells.insert(arm->cells.begin(), arm->cells.end());
        Abs joined{.kind = AbsKind::ref, .parts = {content}, .cells = {cells.begin(), cells.end()}};
        if (!all_like_first(arms, [](const Abs& a, const Abs& b) { return a.parts == b.parts; }))
            merge_cells(joined.cells, content);
        return abstracts_.intern(std::move(joined));
    }
    case AbsKind::data: {
        Abs joined{.kind = AbsKind::data, .decl = first->decl};
        for (size_t i = 0; i < first->parts.size(); ++i) joined.parts.push_back(inside(parts(i), functions_from + uint32_t(i), depth));
        for (size_t i = 0; i < first->args.size(); ++i) joined.args.push_back(argument(arms, i, depth));
        return abstracts_.intern(std::move(joined));
    }
    case AbsKind::closures:
        for (const Abs* arm : arms)
            if (arm && arm->kind == AbsKind::outside) return abstracts_.intern(*arm);
        return abstracts_.intern(closures(arms, depth));
    }
    return abstracts_.intern(*first);
}

AbsArg Join::argument(const std::vector<const Abs*>& arms, size_t i, uint32_t depth) {
    const AbsArg& sample = first_of(arms)->args[i];
    if (std::holds_alternative<AbsId>(sample)) {
        std::vector<AbsId> column;
        for (const Abs* arm : arms) column.push_back(arm ? std::get<AbsId>(arm->args[i]) : abstracts_.bottom());
        return inside(column, uint32_t(i), depth);
    }
    if (std::holds_alternative<Dim>(sample)) {
        std::vector<Dim> column;
        for (const Abs* arm : arms) column.push_back(arm ? std::get<Dim>(arm->args[i]) : Dim());
        return leaf(column, uint32_t(i), depth, false);
    }
    if (std::holds_alternative<Shape>(sample)) {
        std::vector<const Shape*> column;
        for (const Abs* arm : arms) column.push_back(arm ? &std::get<Shape>(arm->args[i]) : nullptr);
        path_.push_back(uint32_t(i));
        Shape joined = shape(column, depth);
        path_.pop_back();
        return joined;
    }
    return sample;
}

Abs Join::closures(const std::vector<const Abs*>& arms, uint32_t depth) {
    std::map<uint32_t, std::vector<const Closure*>> by_code;
    for (size_t j = 0; j < arms.size(); ++j)
        if (arms[j])
            for (const Closure& c : arms[j]->closures) {
                auto& row = by_code[c.code];
                row.resize(arms.size());
                row[j] = &c;
            }
    Abs joined{.kind = AbsKind::closures};
    for (auto& [code, row] : by_code) {
        Closure c{.code = code};
        size_t count = 0;                                // an empty environment refers back to one around it
        for (const Closure* arm : row) count = std::max(count, arm ? arm->env.size() : 0);
        for (size_t i = 0; i < count; ++i) {
            std::vector<AbsId> column;
            for (const Closure* arm : row) column.push_back(arm && i < arm->env.size() ? arm->env[i] : abstracts_.bottom());
            path_.push_back(code);
            c.env.push_back(inside(column, uint32_t(i), depth));
            path_.pop_back();
        }
        joined.closures.push_back(std::move(c));
    }
    return joined;
}

// A hole in one arm is a hole: an invalid number would say that the arm never gets here.
Known Join::grid(const std::vector<const Abs*>& arms, uint32_t depth) {
    const ShapedTensor& first = first_of(arms)->tensor;
    if (!all_like_first(arms, [](const Abs& a, const Abs& b) { return a.tensor.shape == b.tensor.shape; })) return {};
    Known out{.kind = Known::Kind::grid, .numbers = std::vector<Dim>(first.known.numbers.size()), .condition = {}};
    for (size_t i = 0; i < out.numbers.size(); ++i) {
        if (std::ranges::any_of(arms, [&](const Abs* arm) { return arm && !arm->tensor.known.numbers[i].valid(); }))
            continue;
        std::vector<Dim> column;
        for (const Abs* arm : arms) column.push_back(arm ? arm->tensor.known.numbers[i] : Dim());
        out.numbers[i] = leaf(column, numbers_from + uint32_t(i), depth, true);
    }
    return std::ranges::any_of(out.numbers, &Dim::valid) ? out : Known{};
}

ShapedTensor Join::tensor(const std::vector<const Abs*>& arms, uint32_t depth) {
    std::vector<const Shape*> shapes;
    for (const Abs* arm : arms) shapes.push_back(arm ? &arm->tensor.shape : nullptr);
    const ShapedTensor& first = first_of(arms)->tensor;
    ShapedTensor joined{.dtype = first.dtype, .shape = shape(shapes, depth)};
    bool same_form = all_like_first(arms, [](const Abs& a, const Abs& b) {
        return a.tensor.known.kind == b.tensor.known.kind && a.tensor.known.numbers.size() == b.tensor.known.numbers.size();
    });
    if (same_form && first.known.kind == Known::Kind::grid) {
        joined.known = grid(arms, depth);
    } else if (same_form && !first.known.numbers.empty()) {
        joined.known.kind = first.known.kind;
        for (size_t i = 0; i < first.known.numbers.size() && joined.known.kind != Known::Kind::none; ++i) {
            std::vector<Dim> column;
            for (const Abs* arm : arms) column.push_back(arm ? arm->tensor.known.numbers[i] : Dim());
            Dim d = leaf(column, numbers_from + uint32_t(i), depth, true);
            if (d.valid()) joined.known.numbers.push_back(d);
            else joined.known = {};
        }
    }
    auto bound = [&](Dim ShapedTensor::* which) {
        std::vector<Dim> column;
        for (const Abs* arm : arms) {
            if (arm && !(arm->tensor.*which).valid()) return Dim();
            if (arm) column.push_back(arm->tensor.*which);
        }
        return depth == 0 && all_equal(column) && in_scope(column[0]) ? column[0] : Dim();
    };
    joined.low = bound(&ShapedTensor::low), joined.high = bound(&ShapedTensor::high);
    return joined;
}

Shape Join::shape(const std::vector<const Shape*>& arms, uint32_t depth) {
    bool same_rank = all_like_first(arms, [](const Shape& a, const Shape& b) {
        return a.ranked == b.ranked && a.dims.size() == b.dims.size() && a.tail == b.tail;
    });
    if (!same_rank) return depth == 0 ? other_rank(arms, path_) : Shape{{}, false, {}};
    Shape joined = *first_of(arms);
    for (size_t i = 0; i < joined.dims.size(); ++i) {
        std::vector<Dim> column;
        for (const Shape* arm : arms) column.push_back(arm ? arm->dims[i] : Dim());
        joined.dims[i] = leaf(column, uint32_t(i), depth, false);
    }
    return joined;
}

Dim Join::leaf(const std::vector<Dim>& arms, uint32_t step, uint32_t depth, bool is_number) {
    if (!first_valid(arms).valid()) return {};
    if (depth > 0 && is_number) {                        // an element's number is kept only if it is one for all
        Dim d = first_valid(arms);
        return all_equal(arms) && in_scope(d) && !abstracts_.has_unknown(d) ? d : Dim();
    }
    if (depth > 0) return element(arms);
    path_.push_back(step);
    Dim d = is_number ? number(arms, path_) : extent(arms, path_);
    path_.pop_back();
    return d;
}

// An unknown of an outer element may be mentioned deeper down only if that element shows it itself: otherwise nobody
// could read its value off an empty inner container.
Dim Join::element(const std::vector<Dim>& arms) {
    Dim first = first_valid(arms);
    if (all_equal(arms) && !abstracts_.has_unknown(first) && in_scope(first)) return first;
    for (uint32_t up = 1; up < unknowns_.size(); ++up) {
        std::vector<Dim> seen_there = arms;
        bool free = true;
        for (Dim& d : seen_there)
            if (std::optional<Abstracts::Unknown> u = abstracts_.as_unknown(d)) {
                free = free && u->level >= up;
                if (free) d = abstracts_.unknown(u->level - up, u->k);
            }
        auto& outer = unknowns_[unknowns_.size() - 1 - up];
        if (auto it = outer.find(seen_there); free && it != outer.end()) return abstracts_.unknown(up, it->second);
    }
    auto& own = unknowns_.back();
    auto it = own.try_emplace(arms, uint32_t(own.size())).first;
    return abstracts_.unknown(0, it->second);
}

namespace {
class ElementJoin : public Join {
 public:
    ElementJoin(Abstracts& abstracts, const std::function<bool(Dim)>& in_scope,
                const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge)
        : Join(abstracts), in_scope_(in_scope), merge_(merge) {}

 protected:
    bool in_scope(Dim d) override { return in_scope_(d); }
    Dim extent(const std::vector<Dim>& arms, const Path&) override { return element(arms); }
    Dim number(const std::vector<Dim>&, const Path&) override { return {}; }
    Shape other_rank(const std::vector<const Shape*>&, const Path&) override { return Shape{{}, false, {}}; }
    void merge_cells(const std::vector<uint32_t>& cells, AbsId content) override { if (merge_) merge_(cells, content); }

 private:
    const std::function<bool(Dim)>& in_scope_;
    const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge_;
};

class Covering : public Join {
 public:
    Covering(Abstracts& abstracts, const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge)
        : Join(abstracts), merge_(merge) {}

 protected:
    bool in_scope(Dim) override { return true; }         // both are in the terms of callers
    Dim extent(const std::vector<Dim>& arms, const Path&) override { return arms.back(); }
    Dim number(const std::vector<Dim>& arms, const Path&) override { return arms.back(); }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path&) override { return *arms.back(); }
    void merge_cells(const std::vector<uint32_t>& cells, AbsId content) override { merge_(cells, content); }

 private:
    const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge_;
};
} // namespace

AbsId cover_containers(Abstracts& abstracts, AbsId older, AbsId newer,
                       const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge_cells) {
    return abstracts.is_bottom(newer) ? newer : Covering(abstracts, merge_cells)({older, newer});
}

AbsId join_elements(Abstracts& abstracts, const std::vector<AbsId>& values, const std::function<bool(Dim)>& in_scope,
                    const std::function<void(const std::vector<uint32_t>&, AbsId)>& merge_cells) {
    if (values.empty()) return abstracts.bottom();
    // As the content of a sequence, so that the walk is inside a container from the start.
    std::vector<AbsId> sequences;
    for (AbsId value : values) sequences.push_back(abstracts.seq(value));
    AbsId joined = ElementJoin(abstracts, in_scope, merge_cells)(sequences);
    if (abstracts[joined].parts.empty()) return joined;  // nothing to join: no element is known
    return abstracts[joined].parts[0];
}
AbsId close_element(Abstracts& abstracts, AbsId value, const std::function<bool(Dim)>& in_scope) {
    return join_elements(abstracts, {value}, in_scope, {});
}
} // namespace nereus
