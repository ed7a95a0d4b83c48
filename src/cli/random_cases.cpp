#include "cli/random_cases.h"
#include "import/host_data.h"
#include "tensor/element.h"
#include "tensor/text_tensor.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

namespace nereus {
namespace {
constexpr int64_t small_sizes[] = {0, 1, 1, 2, 2, 3, 3, 5, 7, 11, 13};
constexpr int patience = 8;                            // refusals in a row after which a recorded case is taken, sizes and all
constexpr int64_t most_elements = 1 << 22;             // of one input

const HostTensor* tensor_of(const Value& value) { return value.is(Value::Kind::tensor) ? &value.tensor() : nullptr; }
} // namespace

Result<RandomCases> RandomCases::make(const onnx::Graph& graph, const std::vector<std::string>& inputs, std::vector<std::vector<Value>> recorded, uint64_t seed) {
    RandomCases cases;
    cases.recorded_ = std::move(recorded);
    cases.random_.seed(seed);
    std::map<std::string_view, size_t> named;
    for (size_t i = 0; i < inputs.size(); ++i) {
        auto info = std::ranges::find_if(graph.inputs, [&](const onnx::ValueInfo& each) { return each.name == inputs[i]; });
        Input& input = cases.inputs_.emplace_back();
        input.name = inputs[i];
        if (info->type.layers.empty()) input.dtype = onnx::dtype_of(info->type.elem);
        if (!input.dtype && cases.recorded_.empty()) return Error{Code::unsupported, "input '" + inputs[i] + "' is no tensor: there must be recorded values"};
        input.is_ranked = info->type.shape.has_value();
        if (!input.is_ranked || !input.dtype) continue;
        for (size_t axis = 0; axis < info->type.shape->size(); ++axis) {
            const onnx::Dim& dim = (*info->type.shape)[axis];
            Axis& made = input.axes.emplace_back();
            if (const int64_t* number = std::get_if<int64_t>(&dim); number && *number >= 0) {
                made.fixed = *number;
                continue;
            }
            const std::string_view* name = std::get_if<std::string_view>(&dim);
            made.size_class = cases.classes_.size();
            if (name && !name->empty()) made.size_class = named.try_emplace(*name, made.size_class).first->second;
            if (made.size_class < cases.classes_.size()) continue;
            SizeClass& size_class = cases.classes_.emplace_back();
            for (const std::vector<Value>& one : cases.recorded_)
                if (const HostTensor* tensor = tensor_of(one[i]); tensor && axis < tensor->shape().size()) size_class.recorded.push_back(tensor->shape()[axis]);
            if (size_class.recorded.size() != cases.recorded_.size()) size_class.recorded.clear();
        }
    }
    cases.join_equal_classes();
    cases.find_units();
    return cases;
}

// Two sizes that differ from case to case and are always equal are one, whatever the file calls them.
void RandomCases::join_equal_classes() {
    for (Input& input : inputs_)
        for (Axis& axis : input.axes) {
            if (axis.fixed >= 0) continue;
            const std::vector<int64_t>& sizes = classes_[axis.size_class].recorded;
            if (sizes.empty() || std::ranges::adjacent_find(sizes, std::not_equal_to()) == sizes.end()) continue;
            auto first = std::ranges::find_if(classes_, [&](const SizeClass& each) { return each.recorded == sizes; });
            axis.size_class = size_t(first - classes_.begin());
        }
}
void RandomCases::find_units() {
    for (SizeClass& each : classes_) {
        int64_t unit = 0;
        for (int64_t size : each.recorded) unit = std::gcd(unit, size);
        each.unit = std::max<int64_t>(1, unit);
    }
}

int64_t RandomCases::draw_size(const SizeClass& size_class, int refused, size_t like) {
    const std::vector<int64_t>& known = size_class.recorded;
    const int64_t small = small_sizes[below(std::size(small_sizes))];
    if (known.empty()) return refused < 4 || below(3) == 0 ? small : small << std::min(refused - 3, 6);      // strides are powers of 2
    const bool is_always_the_same = std::ranges::adjacent_find(known, std::not_equal_to()) == known.end();
    if (refused >= patience || (is_always_the_same && below(8) > 0)) return known[like];
    const int64_t smallest = *std::ranges::min_element(known);
    if (is_always_the_same || (refused < 3 && below(4) > 0) || below(4) == 0) return is_always_the_same ? small : small * size_class.unit;
    return std::max<int64_t>(0, smallest + (small - 1) * size_class.unit);
}

// A model may compute with all of them at once: the largest give way.
void RandomCases::keep_product_small() {
    constexpr double most = 1 << 20;
    auto product = [&] {
        double all = 1;
        for (int64_t size : drawn_) all *= double(std::max<int64_t>(size, 1));
        return all;
    };
    while (product() > most) *std::ranges::max_element(drawn_) /= 2;
}

// As a number: elements of all dtypes that inputs have are numbers of f64, or close enough to be one of them.
double RandomCases::draw_element(const Input& input, size_t place, int refused) {
    const bool real = is_float(*input.dtype);
    if (!recorded_.empty()) {
        for (int tries = 0; tries < 4; ++tries) {
            const HostTensor* like = tensor_of(recorded_[below(recorded_.size())][place]);
            if (!like || like->count() == 0) continue;
            const double value = like->as_f64(int64_t(below(size_t(like->count()))));
            if (real || refused % 3 == 0) return value;
            if (refused % 3 == 1 && !drawn_.empty()) return double(int64_t(value) % std::max<int64_t>(1, drawn_[below(drawn_.size())]));
            return double(int64_t(value) >> std::min(refused, 40));
        }
    }
    if (real) return std::uniform_real_distribution<>(-2, 2)(random_);
    const int64_t bounds[] = {2, 8, 100, 1000, drawn_.empty() ? 1 : drawn_[below(drawn_.size())]};
    const int64_t bound = refused > patience / 2 ? bounds[below(2)] : bounds[below(std::size(bounds))];
    return double(below(size_t(std::max<int64_t>(1, bound))));
}

// Such as were recorded, or such as operators take apart and read.
Result<Value> RandomCases::draw_texts(int64_t count, size_t place, const Extents& shape) {
    static constexpr std::string_view some[] = {"", "a", "B", "a b", "a,b", "1", "-2.5", "é", "x@y.z"};
    std::vector<std::string_view> texts;
    for (int64_t i = 0; i < count; ++i) {
        const HostTensor* like = recorded_.empty() ? nullptr : tensor_of(recorded_[below(recorded_.size())][place]);
        const bool known = like && like->count() > 0;
        texts.push_back(known ? text_at(*like, int64_t(below(size_t(like->count())))) : some[below(std::size(some))]);
    }
    return Value::tensor(TRY(text_tensor(shape, texts)));
}

Result<Value> RandomCases::draw(const Input& input, size_t place, const Extents& shape, int refused, size_t like) {
    const HostTensor* model = recorded_.empty() ? nullptr : tensor_of(recorded_[like][place]);
    const bool as_recorded = model && model->shape() == shape;
    if (as_recorded && !is_float(*input.dtype)) return recorded_[like][place];
    HostTensor made = TRY(HostTensor::make(*input.dtype, shape));
    if (made.count() > most_elements) return Error{Code::limit, "input '" + input.name + "' would be too large"};
    if (is_text(*input.dtype)) return draw_texts(made.count(), place, shape);
    std::byte* at = TRY(made.mutable_bytes());
    const DType t = made.dtype();
    std::uniform_real_distribution<> factor(0.95, 1.05);
    for (int64_t i = 0; i < made.count(); ++i) {
        const double value = as_recorded ? model->as_f64(i) * factor(random_) : draw_element(input, place, refused);
        const uint64_t word = is_float(t) ? word_of(t, value) : word_of(t, t == DType::boolean ? int64_t(value) & 1 : int64_t(value));
        std::memcpy(at + i * size_of(t), &word, size_t(size_of(t)));
    }
    return Value::tensor(std::move(made));
}

Result<std::vector<Value>> RandomCases::next(int refused) {
    const size_t like = recorded_.empty() ? 0 : below(recorded_.size());
    drawn_.clear();
    for (const SizeClass& each : classes_) drawn_.push_back(draw_size(each, refused, like));
    if (recorded_.empty()) keep_product_small();
    std::vector<Value> values;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        const Input& input = inputs_[i];
        if (!input.dtype || (!input.is_ranked && !recorded_.empty())) {
            values.push_back(recorded_[like][i]);
            continue;
        }
        Extents shape;
        for (const Axis& axis : input.axes) shape.push_back(axis.fixed >= 0 ? axis.fixed : drawn_[axis.size_class]);
        if (!input.is_ranked) shape = {2, 3};
        values.push_back(TRY(draw(input, i, shape, refused, like)));
    }
    return values;
}

std::string shapes_text(const std::vector<std::string>& inputs, std::span<const Value> values) {
    std::string text;
    for (size_t i = 0; i < inputs.size(); ++i) {
        const HostTensor* tensor = tensor_of(values[i]);
        text += (text.empty() ? "" : ", ") + inputs[i] + ": " + (tensor ? shape_text(tensor->shape()) : "recorded");
    }
    return text;
}
} // namespace nereus
