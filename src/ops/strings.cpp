// ops/strings.cpp - what texts say, element by element; operands broadcast. Everything else about texts, moving and comparing
// them, is what other operators do to their numbers. strings/ has the meaning of one text.
#include "ops/strings.h"
#include "ops/axes.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include "strings/letters.h"
#include "strings/match.h"
#include "strings/number.h"
#include "strings/split.h"
#include "tensor/text_tensor.h"
#include <set>

namespace nereus {
namespace {
// f of the texts at each point of the shape that all operands broadcast to.
template <class Made, class F> Result<std::vector<Made>> each_text(const EvalArgs& args, size_t texts, Extents& shape, F f) {
    shape = args.tensor(0).shape();
    for (size_t i = 1; i < texts; ++i) shape = TRY(broadcast_shapes(shape, args.tensor(i).shape()));
    std::vector<IndexMap> from;
    for (size_t i = 0; i < texts; ++i) from.push_back(IndexMap::broadcast(args.tensor(i).shape(), shape));
    std::vector<Made> made;
    for (int64_t i = 0, count = TRY(element_count(shape)); i < count; ++i) {
        std::vector<int64_t> at;
        for (const IndexMap& map : from) at.push_back(map(i));
        made.push_back(TRY(f(at)));
    }
    return made;
}
std::string_view text(const EvalArgs& args, size_t param, const std::vector<int64_t>& at) { return text_at(args.tensor(param), at[param]); }

Result<Tensors> concat_eval(const EvalArgs& args) {
    Extents shape;
    std::vector<std::string> made = TRY(each_text<std::string>(args, 2, shape, [&](const std::vector<int64_t>& at) -> Result<std::string> {
        const std::string_view a = text(args, 0, at), b = text(args, 1, at);
        if (a.size() + b.size() > longest_text) return Error{Code::limit, std::string(too_long)};
        return std::string(a) + std::string(b);
    }));
    return Tensors{TRY(text_tensor(std::move(shape), made))};
}

template <auto map> Result<Tensors> map_eval(const EvalArgs& args) {
    Extents shape;
    std::vector<std::string> made =
        TRY(each_text<std::string>(args, 1, shape, [&](const std::vector<int64_t>& at) -> Result<std::string> { return map(text(args, 0, at)); }));
    return Tensors{TRY(text_tensor(std::move(shape), made))};
}

Result<Tensors> match_eval(const EvalArgs& args) {
    Extents shape;
    std::vector<uint8_t> made = TRY(each_text<uint8_t>(args, 2, shape, [&](const std::vector<int64_t>& at) -> Result<uint8_t> {
        return uint8_t(TRY(Matcher::of(text(args, 1, at))).matches_all(text(args, 0, at)));
    }));
    return Tensors{TRY(HostTensor::copy_of(DType::boolean, std::move(shape), std::as_bytes(std::span(made))))};
}

Result<Tensors> count_eval(const EvalArgs& args) {
    Extents shape;
    std::vector<int64_t> made = TRY(each_text<int64_t>(args, 2, shape, [&](const std::vector<int64_t>& at) -> Result<int64_t> {
        return int64_t(parts_of(text(args, 0, at), text(args, 1, at), args.integer("limit")).size());
    }));
    return Tensors{TRY(HostTensor::copy_of(DType::i64, std::move(shape), std::as_bytes(std::span(made))))};
}

Result<Tensors> part_eval(const EvalArgs& args) {
    Extents shape;
    std::vector<std::string> made = TRY(each_text<std::string>(args, 3, shape, [&](const std::vector<int64_t>& at) -> Result<std::string> {
        const std::vector<std::string_view> parts = parts_of(text(args, 0, at), text(args, 1, at), args.integer("limit"));
        const int64_t i = args.tensor(2).as_i64(at[2]);
        return i >= 0 && i < int64_t(parts.size()) ? std::string(parts[size_t(i)]) : std::string();
    }));
    return Tensors{TRY(text_tensor(std::move(shape), made))};
}

// Texts before it, by their bytes, which are in the order of their letters.
Result<Tensors> order_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    std::set<std::string_view> all;
    for (int64_t i = 0; i < x.count(); ++i) all.insert(text_at(x, i));
    std::vector<int64_t> places;
    for (int64_t i = 0; i < x.count(); ++i) places.push_back(std::distance(all.begin(), all.find(text_at(x, i))));
    return Tensors{TRY(HostTensor::copy_of(DType::i64, x.shape(), std::as_bytes(std::span(places))))};
}
Result<Shaped> order_shape(const ShapeArgs& args, ShapeScope& scope) {
    const Shape& shape = args.tensor(0).shape;
    ShapedTensor places{.dtype = DType::i64, .shape = shape, .low = scope.dims().constant(0)};
    if (shape.ranked) places.high = scope.dims().product(shape.dims);
    Shaped out;
    out.push_back(std::move(places));
    return out;
}

constexpr OpParam one[] = {{"x"}};
constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr OpParam match_params[] = {{"x"}, {"pattern"}};
constexpr OpParam count_params[] = {{"x"}, {"delimiter"}, {"limit", ParamKind::integer, true, -1}};
constexpr OpParam part_params[] = {{"x"}, {"delimiter"}, {"i"}, {"limit", ParamKind::integer, true, -1}};
constexpr std::string_view no_grad = "of texts";

constexpr OpDef rows[] = {
    {.name = "str_concat", .doc = "the text a, then the text b", .params = two, .scheme = "str, str -> str", .effect = Effect::may_fail, .eval = concat_eval,
     .lower = lower_str_concat, .shapes = broadcast_shape, .no_grad = no_grad},
    {.name = "str_lower", .doc = "x in small letters", .params = one, .scheme = "str -> str", .eval = map_eval<lower_case>, .lower = lower_str_lower,
     .shapes = broadcast_shape, .no_grad = no_grad},
    {.name = "str_upper", .doc = "x in capitals", .params = one, .scheme = "str -> str", .eval = map_eval<upper_case>, .lower = lower_str_upper,
     .shapes = broadcast_shape, .no_grad = no_grad},
    {.name = "str_match", .doc = "whether all of x is what the pattern describes, a regular expression as RE2 writes them", .params = match_params,
     .scheme = "str, str -> bool", .effect = Effect::may_fail, .eval = match_eval, .lower = lower_str_match, .shapes = truth_shape, .no_grad = no_grad},
    {.name = "str_count", .doc = "into how many parts delimiters cut x, at most limit times if that is not negative; without a delimiter white space does",
     .params = count_params, .scheme = "str, str -> i64", .eval = count_eval, .lower = lower_str_count, .no_grad = no_grad},
    {.name = "str_part", .doc = "part i of x as str_count counts them; where there is none, the empty text", .params = part_params,
     .scheme = "str, str, i64 -> str", .eval = part_eval, .lower = lower_str_part, .shapes = broadcast_shape, .no_grad = no_grad},
    {.name = "str_order", .doc = "of each text, how many different ones of x come before it in the order of their letters", .params = one,
     .scheme = "str -> i64", .eval = order_eval, .lower = lower_str_order, .shapes = order_shape, .no_grad = no_grad},
};
} // namespace

std::span<const OpDef> strings_ops() { return rows; }

Result<Tensors> cast_texts(const HostTensor& x, DType to, StoreRule rule) {
    if (is_text(to)) {
        std::vector<std::string> made;
        for (int64_t i = 0; i < x.count(); ++i) made.push_back(number_text(x.dtype(), x.bytes() + i * size_of(x.dtype())));
        return Tensors{TRY(text_tensor(x.shape(), made))};
    }
    HostTensor y = TRY(HostTensor::make(to, x.shape()));
    std::byte* out = TRY(y.mutable_bytes());
    for (int64_t i = 0; i < x.count(); ++i) TRY(read_number(to, text_at(x, i), rule, out + i * size_of(to)));
    return Tensors{std::move(y)};
}
} // namespace nereus
