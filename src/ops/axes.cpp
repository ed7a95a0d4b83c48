#include "ops/axes.h"
#include <algorithm>

namespace nereus {
Result<int64_t> checked_axis(int64_t axis, int64_t rank) {
    if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
    return Error{Code::shape, "axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank)};
}

Result<std::vector<int64_t>> checked_axes(std::span<const int64_t> axes, int64_t rank) {
    std::vector<int64_t> result;
    for (int64_t given : axes) {
        int64_t axis = TRY(checked_axis(given, rank));
        if (std::find(result.begin(), result.end(), axis) != result.end())
            return Error{Code::shape, "axis " + std::to_string(given) + " is given twice"};
        result.push_back(axis);
    }
    return result;
}

std::vector<int64_t> whole_permutation(std::span<const int64_t> perm, int64_t rank) {
    std::vector<int64_t> whole;
    bool trailing = !perm.empty() && std::all_of(perm.begin(), perm.end(), [](int64_t axis) { return axis < 0; });
    for (int64_t axis = 0; trailing && axis + int64_t(perm.size()) < rank; ++axis) whole.push_back(axis);
    for (int64_t axis : perm) whole.push_back(axis < 0 && axis >= -rank ? axis + rank : axis);
    return whole;
}

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape) {
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
    return strides;
}

Sides sides_of(std::span<const int64_t> shape, int64_t axis) {
    Sides sides;
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
        (i < axis ? sides.before : i > axis ? sides.after : sides.size) *= shape[size_t(i)];
    return sides;
}

Result<Extents> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b) {
    size_t rank = std::max(a.size(), b.size());
    Extents result(rank, 1);
    for (size_t back = rank; back > 0; --back) {
        int64_t left = back <= a.size() ? a[a.size() - back] : 1;
        int64_t right = back <= b.size() ? b[b.size() - back] : 1;
        if (left != right && left != 1 && right != 1)
            return Error{Code::shape, "sizes " + std::to_string(left) + " and " + std::to_string(right) + " must be equal or 1"};
        result[rank - back] = left == 1 ? right : left;
    }
    return result;
}

Status check_broadcast(std::span<const int64_t> from, std::span<const int64_t> to) {
    if (from.size() > to.size())
        return Error{Code::shape, "rank " + std::to_string(from.size()) + " does not broadcast to rank " + std::to_string(to.size())};
    const std::span<const int64_t> last = to.last(from.size());
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] != 1 && from[i] != last[i])
            return Error{Code::shape, "size " + std::to_string(from[i]) + " does not broadcast to " + std::to_string(last[i])};
    return {};
}

IndexMap::IndexMap(Extents shape, std::vector<int64_t> strides) : shape_(std::move(shape)), strides_(std::move(strides)) {
    identity_ = strides_ == row_major_strides(shape_);
}

IndexMap IndexMap::broadcast(std::span<const int64_t> from, std::span<const int64_t> to) {
    std::vector<int64_t> own = row_major_strides(from), strides(to.size(), 0);
    for (size_t i = 0; i < from.size(); ++i)
        if (from[i] != 1) strides[to.size() - from.size() + i] = own[i];
    return IndexMap(Extents(to.begin(), to.end()), std::move(strides));
}

int64_t IndexMap::operator()(int64_t index) const {
    if (identity_) return index;
    int64_t result = 0;
    for (size_t i = shape_.size(); i-- > 0; index /= shape_[i]) result += index % shape_[i] * strides_[i];
    return result;
}
} // namespace nereus
