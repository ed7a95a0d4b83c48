// ops/moved.cpp - one rule for the known elements of all operators that only move elements: the operator's own
// evaluation runs on the numbers of elements in place of them, and its result says which element went where.
// Elementwise operators are asked point by point, each with its own shape rule.
#include "ops/shape_rules.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
constexpr int64_t most_elements = 16;

// How an operator moves: the parameter that says where to, whose elements must be constants; -1: sizes alone do.
struct Mover { std::string_view op; int where; };
constexpr Mover movers[] = {
    {"reshape", -1}, {"broadcast_to", -1}, {"transpose", -1}, {"concat", -1}, {"split", -1}, {"slice", -1},
    {"slice_update", -1}, {"full", -1}, {"gather", 1}, {"scatter", 1}, {"select", 0},
};

bool is_counted(DType dtype) { return is_integer(dtype) || dtype == DType::boolean; }

std::optional<Extents> constant_extents(Dims& dims, const ShapedTensor& t) {
    if (!t.ranked()) return std::nullopt;
    Extents extents;
    int64_t count = 1;
    for (Dim d : t.shape.dims) {
        const std::optional<int64_t> extent = dims.constant_value(d);
        if (!extent || *extent < 0 || *extent > most_elements) return std::nullopt;
        extents.push_back(*extent);
        count *= *extent;
        if (count > most_elements) return std::nullopt;
    }
    return extents;
}
int64_t count_of(const Extents& extents) {
    int64_t count = 1;
    for (int64_t extent : extents) count *= extent;
    return count;
}

// Its elements row by row; invalid: not known.
std::vector<Dim> elements_of(Dims& dims, const ShapedTensor& t, int64_t count) {
    std::vector<Dim> elements = t.known.numbers;
    if (t.known.kind == Known::Kind::condition) elements.clear();
    if (t.known.kind == Known::Kind::condition && t.known.condition.kind == Condition::Kind::always)
        elements = {dims.constant(1)};
    if (t.known.kind == Known::Kind::condition && t.known.condition.kind == Condition::Kind::never)
        elements = {dims.constant(0)};
    elements.resize(size_t(count));
    return elements;
}

Known known_grid(Dims& dims, DType dtype, std::vector<Dim> elements, size_t rank) {
    if (std::ranges::none_of(elements, &Dim::valid)) return {};
    const bool whole = std::ranges::all_of(elements, &Dim::valid);
    if (rank == 0) return known_parts(dims, dtype, std::move(elements), 0);
    return {.kind = whole && rank == 1 ? Known::Kind::list : Known::Kind::grid,
            .numbers = std::move(elements),
            .condition = {}};
}

class Moved {
 public:
    Moved(const ShapeArgs& args, ShapeScope& scope, int where) : args_(args), dims_(scope.dims()), where_(where) {}

    void follow(std::vector<ShapedTensor>& results) {
        EvalArgs given{
            .op = args_.op, .tensors = {}, .sizes = {}, .present = args_.present, .attributes = args_.attributes};
        if (!give_sizes(given) || !give_tensors(given)) return;
        for (size_t i = 0; i < args_.op.params.size(); ++i)
            if (is_attribute(args_.op.params[i].kind)) given.present[i] = find(args_.op.params[i].name);
        const Result<std::vector<HostTensor>> places = args_.op.eval(given);
        if (!places || places->size() != results.size()) return;
        for (size_t i = 0; i < results.size(); ++i) take(results[i], (*places)[i]);
    }

 private:
    bool find(std::string_view name) const {
        return std::ranges::any_of(args_.attributes,
                                   [&](const Attribute& attribute) { return attribute.name == name; });
    }
    bool give_sizes(EvalArgs& given) {
        for (size_t p = 0; p < args_.sizes.size(); ++p) {
            if (!args_.sizes_known[p]) return false;
            given.sizes.emplace_back();
            for (Dim d : args_.sizes[p]) {
                const std::optional<int64_t> size = dims_.constant_value(d);
                if (!size) return false;
                given.sizes.back().push_back(*size);
            }
        }
        return true;
    }
    bool give_tensors(EvalArgs& given) {
        bool anything = false;
        given.tensors.resize(args_.tensors.size());
        for (size_t p = 0; p < args_.tensors.size(); ++p) {
            if (args_.is_seq[p]) return false;
            for (const ShapedTensor& t : args_.tensors[p]) {
                const std::optional<Extents> extents = constant_extents(dims_, t);
                if (!extents || !is_counted(t.dtype)) return false;
                const std::vector<Dim> elements = elements_of(dims_, t, count_of(*extents));
                std::optional<HostTensor> made =
                    int(p) == where_ ? constants(t.dtype, elements, *extents) : numbered(elements, *extents);
                if (!made) return false;
                anything = anything || (int(p) != where_ && std::ranges::any_of(elements, &Dim::valid));
                given.tensors[p].push_back(std::move(*made));
            }
        }
        return anything;
    }
    // Of two writes to one place, either may be the last.
    std::optional<HostTensor> constants(DType dtype, const std::vector<Dim>& elements, const Extents& extents) {
        std::vector<int64_t> values;
        for (Dim d : elements) {
            const std::optional<int64_t> value = d.valid() ? dims_.constant_value(d) : std::nullopt;
            if (!value) return std::nullopt;
            values.push_back(*value);
        }
        if (args_.op.name == "scatter" && std::set<int64_t>(values.begin(), values.end()).size() != values.size())
            return std::nullopt;
        if (dtype != DType::boolean) return tensor<int64_t>(values, extents);
        return tensor<bool>(values, extents);
    }
    std::optional<HostTensor> numbered(const std::vector<Dim>& elements, const Extents& extents) {
        std::vector<int64_t> numbers;
        for (Dim d : elements) {
            numbers.push_back(int64_t(table_.size()));
            table_.push_back(d);
        }
        return tensor<int64_t>(numbers, extents);
    }
    template <class T>
    static std::optional<HostTensor> tensor(const std::vector<int64_t>& values, const Extents& extents) {
        Result<HostTensor> made = HostTensor::make(dtype_of<T>, extents);
        if (!made) return std::nullopt;
        const std::span<T> data = *made->template mutable_data<T>();
        for (size_t i = 0; i < values.size(); ++i) data[i] = T(values[i]);
        return std::move(*made);
    }
    void take(ShapedTensor& result, const HostTensor& places) {
        const std::optional<Extents> extents = constant_extents(dims_, result);
        if (result.known.kind != Known::Kind::none || !is_counted(result.dtype) || !extents ||
            *extents != places.shape())
            return;
        std::vector<Dim> elements;
        for (int64_t i = 0; i < places.count(); ++i) elements.push_back(table_[size_t(places.as_i64(i))]);
        result.known = known_grid(dims_, result.dtype, std::move(elements), result.rank());
    }

    const ShapeArgs& args_;
    Dims& dims_;
    const int where_;
    std::vector<Dim> table_;                             // by the number that stands for the element
};

// Where an element of the result is read from in an operand that is aligned at the right and repeats its ones.
size_t source(const Extents& to, const Extents& from, int64_t at) {
    int64_t place = 0, stride = 1;
    for (size_t i = to.size(), j = from.size(); i-- > 0;) {
        const int64_t index = at % to[i];
        at /= to[i];
        if (j == 0) continue;
        --j;
        place += from[j] == 1 ? 0 : index * stride;
        stride *= from[j];
    }
    return size_t(place);
}

ShapedTensor scalar_of(Dims& dims, DType dtype, Dim element) {
    ShapedTensor t{.dtype = dtype};
    if (element.valid()) t.known = known_parts(dims, dtype, {element}, 0);
    return t;
}

void follow_points(const ShapeArgs& args, ShapeScope& scope, ShapedTensor& result) {
    Dims& dims = scope.dims();
    const std::optional<Extents> to = constant_extents(dims, result);
    if (!to || !is_counted(result.dtype) || result.rank() == 0) return;
    std::vector<Extents> from;
    std::vector<std::vector<Dim>> elements;
    bool has_grid = false;
    for (const std::vector<ShapedTensor>& param : args.tensors)
        for (const ShapedTensor& t : param) {
            const std::optional<Extents> extents = constant_extents(dims, t);
            if (!extents || !is_counted(t.dtype)) return;
            has_grid = has_grid || t.known.kind == Known::Kind::grid;
            from.push_back(*extents);
            elements.push_back(elements_of(dims, t, count_of(*extents)));
        }
    if (!has_grid) return;
    std::vector<Dim> out;
    ShapeArgs point = args;
    for (int64_t at = 0; at < count_of(*to); ++at) {
        size_t operand = 0;
        for (std::vector<ShapedTensor>& param : point.tensors)
            for (ShapedTensor& t : param) {
                t = scalar_of(dims, t.dtype, elements[operand][source(*to, from[operand], at)]);
                ++operand;
            }
        const Result<std::vector<ShapedTensor>> one = shape_rule(args.op)(point, scope);
        if (!one || one->size() != 1) return;
        out.push_back(elements_of(dims, (*one)[0], 1)[0]);
    }
    result.known = known_grid(dims, result.dtype, std::move(out), result.rank());
}
} // namespace

void follow_elements(const ShapeArgs& args, ShapeScope& scope, std::vector<ShapedTensor>& results) {
    if (std::ranges::all_of(
            results, [](const ShapedTensor& t) { return t.known.kind != Known::Kind::none || !is_counted(t.dtype); }))
        return;
    const auto mover = std::ranges::find(movers, args.op.name, &Mover::op);
    if (mover != std::end(movers)) return Moved(args, scope, mover->where).follow(results);
    if (results.size() == 1 && is_elementwise(args.op)) follow_points(args, scope, results[0]);
}
} // namespace nereus
