// Images: resized, or seen at places between their elements.
#include "import/node_text.h"
#include <algorithm>
#include <cmath>

namespace nereus::onnx {
namespace {
using Integers = std::vector<int64_t>;

// The place of an attribute's word in a list; refused: not in it.
int64_t choice(NodeText& n, std::string_view name, std::string_view otherwise, std::initializer_list<std::string_view> words) {
    const std::string_view given = n.word(name, otherwise);
    const auto found = std::find(words.begin(), words.end(), given);
    if (found != words.end()) return found - words.begin();
    std::string all;
    for (std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
    n.refuse("attribute '" + std::string(name) + "' is '" + std::string(given) + "', expected one of " + all);
    return 0;
}
std::string filled(std::string form, const std::string& x) {
    for (size_t at = form.find("$x"); at != form.npos; at = form.find("$x")) form.replace(at, 2, x);
    return form;
}
// Computed in f64 of f64, else in f32: integers are cut towards 0 or rounded.
std::string in_reals(const std::string& form, const std::string& x, bool rounds) {
    auto in = [&](const std::string& type) { return filled(form, "cast(" + x + ", " + type + ")"); };
    const std::string whole = rounds ? "round(" + in("f32") + ")" : in("f32");
    return "if (onnx_is_whole(" + x + ")) { onnx_cast_like(" + whole + ", " + x + ") } else { if (onnx_is_double(" + x + ")) { onnx_cast_like(" + in("f64") + ", " + x + ") } else { onnx_cast_like(" + in("f32") + ", " + x +
           ") } }";
}

// size * scale as an f32, rounded down: 10 * 0.7 is 7, although the f32 is below 0.7. A scale of a few bits rounds nothing and needs
// no floats.
std::string scaled_size(const std::string& size, double scale) {
    for (int64_t over = 1; over <= 64; over *= 2)
        if (const double times = scale * double(over); times == std::floor(times) && times < 4096)
            return size + " * " + std::to_string(int64_t(times)) + (over == 1 ? "" : " // " + std::to_string(over));
    return "cast(floor(cast(" + size + ", f32) * cast(" + real_text(scale, false) + ", f32)), i64)";
}

constexpr int64_t asymmetric = 4, tf_crop = 5, nearest_by_scale = -1, linear = 4;
struct Resizing {
    int64_t transform = asymmetric, mode = nearest_by_scale;
    std::string cubic = "(-0.75)";
    int64_t exclude = 0, antialias = 0;
    std::string text() const {                         // the nearest element is one of any type
        const std::string pick = mode < linear ? "onnx_resize_nearest(%v, %at, %scale, " + integer_text(mode)
                                               : "onnx_resize_between(%v, %at, %scale, " + std::to_string(mode - linear) + ", " + cubic + ", " + std::to_string(exclude) + ", " + std::to_string(antialias);
        return std::to_string(transform) + ", fn(%v, %at, %scale) { " + pick + ") }";
    }
};

// Scales that are not numbers above 0 are refused: from the file here, others where the model runs.
bool are_scales(NodeText& n, const std::vector<double>& scales) {
    for (double scale : scales)
        if (!(scale > 0) || std::isinf(scale)) {
            const std::string found = std::isnan(scale) ? "no number" : std::isinf(scale) ? "infinite" : real_text(scale, true);
            n.refuse("a scale is " + found + ", expected a number above 0");
            return false;
        }
    return true;
}
// Scales that the file tells: one axis after the other. They are not close to 0 or infinite, else they are left to run time.
bool give_known_scales(NodeText& n, const Resizing& how, const std::vector<double>& scales, const std::optional<Integers>& axes) {
    if (how.transform == tf_crop || (axes && axes->size() != scales.size())) return false;
    if (!std::all_of(scales.begin(), scales.end(), [](double scale) { return scale > 1e-3 && scale < 1e6; })) return false;
    const std::string x = n.in(0);
    std::string form = "$x";
    for (size_t i = 0; i < scales.size(); ++i) {
        if (scales[i] == 1) continue;
        const std::string axis = std::to_string(axes ? (*axes)[i] : int64_t(i));
        const std::string size = n.named("size", scaled_size("onnx_size_at(" + x + ", (" + axis + "))", scales[i]));
        form = "onnx_resize_at(" + form + ", (" + axis + "), " + size + ", cast(" + real_text(scales[i], false) + ", f64), " + how.text() + ")";
    }
    n.give(how.mode < linear ? filled(form, x) : in_reals(form, x, how.antialias));
    return true;
}
void give_resized(NodeText& n, const Resizing& how, const std::string& sizes, const std::string& scales, const std::string& from, const std::string& to, const std::string& outside) {
    const std::string form = "onnx_resize($x, " + sizes + ", " + scales + ", " + from + ", " + to + ", " + how.text() + ", " + outside + ")";
    n.give(how.mode < linear ? filled(form, n.in(0)) : in_reals(form, n.in(0), how.antialias));
}

// Also the first Resize, which knew scales alone.
void upsample(NodeText& n) {
    Resizing how;
    how.mode = choice(n, "mode", "nearest", {"nearest", "linear", "bilinear"}) == 0 ? nearest_by_scale : linear;
    std::vector<double> known;
    if (n.version() < 7) known = {1, 1, n.real("height_scale", 1), n.real("width_scale", 1)};
    else if (const Attribute* scales = n.version() < 9 ? n.attribute("scales") : nullptr) {
        if (const auto* values = std::get_if<std::vector<float>>(&scales->value)) known.assign(values->begin(), values->end());
    } else if (std::optional<std::vector<double>> scales = n.constant_reals(1)) known = *scales;
    if (!are_scales(n, known)) return;
    if (!known.empty() && give_known_scales(n, how, known, std::nullopt)) return;
    if (!n.has(1)) return n.refuse("it has no scales that are offered");
    const std::string scales = n.named("scales", "cast(" + n.in(1) + ", f64)"), none = n.named("none", scales + " * 0.0");
    give_resized(n, how, n.named("sizes", "onnx_scaled_sizes(" + n.in(0) + ", slice(" + scales + ", [0], [onnx_rank(" + n.in(0) + ")]))"), scales, none, none + " + 1.0", "0.0");
}

void resize(NodeText& n) {
    Resizing how;
    how.transform = choice(n, "coordinate_transformation_mode", "half_pixel",
                           {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"});
    const int64_t mode = choice(n, "mode", "nearest", {"nearest", "linear", "cubic"});
    how.mode = mode == 0 ? choice(n, "nearest_mode", "round_prefer_floor", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) : mode + linear - 1;
    how.cubic = real_text(n.real("cubic_coeff_a", -0.75), true);
    how.exclude = n.integer("exclude_outside", 0) != 0, how.antialias = n.integer("antialias", 0) != 0;
    const int64_t policy = choice(n, "keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
    const std::optional<Integers> axes = n.integers("axes");
    const std::optional<std::vector<double>> known = n.constant_reals(2);
    const bool by_scales = n.has(2) && !n.has(3);          // of the two, one is given; the other may be there and empty
    if (by_scales && known && !are_scales(n, *known)) return;
    if (by_scales && known && give_known_scales(n, how, *known, axes)) return;
    const std::string x = n.in(0), rank = "onnx_rank(" + x + ")";
    const std::string at = n.named("axes", axes ? "onnx_axes(" + vector_text(*axes) + ", " + rank + ")" : "iota(" + rank + ")");
    const std::string ones = n.named("ones", "full([" + rank + "], cast(1.0, f64))");
    auto spread = [&](const std::string& values, const std::string& otherwise) {
        return axes ? "onnx_spread_real(" + at + ", " + values + ", " + otherwise + ")" : "slice(cast(" + values + ", f64), [0], [" + rank + "])";
    };
    std::string sizes, scales;
    if (by_scales) {
        scales = n.named("scales", spread(n.in(2), ones));
        sizes = n.named("sizes", "onnx_scaled_sizes(" + x + ", " + scales + ")");
    } else {
        const std::optional<Integers> given = n.constant_integers(3);
        const std::string wanted = given ? vector_text(*given) : n.in(3);
        sizes = n.named("sizes", axes ? "onnx_spread(" + at + ", " + wanted + ", shape_of(" + x + "))" : "slice(" + wanted + ", [0], [" + rank + "])");
        scales = n.named("scales", policy == 0 ? "onnx_size_ratios(" + x + ", " + sizes + ")" : "onnx_one_ratio(" + x + ", " + sizes + ", " + at + ", " + std::to_string(policy) + ")");
        if (policy != 0) sizes = n.named("sizes", "onnx_rounded_sizes(" + x + ", " + scales + ")");
    }
    std::string from = n.named("from", ones + " * 0.0"), to = ones;
    if (how.transform == tf_crop && n.has(1)) {
        const std::string roi = n.in(1), count = "onnx_size(" + at + ")";
        auto half = [&](const std::string& first, const std::string& end) { return "slice(" + roi + ", [" + first + "], [" + end + "])"; };
        const std::string starts = half("0", count), ends = half(count, "2 * " + count);
        to = n.named("to", spread(ends, ones));
        from = n.named("from", spread(starts, from));
    }
    give_resized(n, how, sizes, scales, from, to, real_text(n.real("extrapolation_value", 0), true));
}
void grid_sample(NodeText& n) {
    const int64_t mode = choice(n, "mode", n.version() < 20 ? "bilinear" : "linear", {"nearest", "linear", "bilinear", "cubic", "bicubic"});
    const int64_t padding = choice(n, "padding_mode", "zeros", {"zeros", "border", "reflection"});
    const std::string how = std::to_string(padding) + ", " + std::to_string(n.integer("align_corners", 0));
    const std::string sample = mode == 0 ? "onnx_sample_nearest(%v, %at, %sizes, " + how : "onnx_sample(%v, %at, %sizes, " + std::string(mode < 3 ? "2, " : "4, ") + how;
    n.give("onnx_grid_sample(" + n.in(0) + ", " + n.in(1) + ", " + (mode == 0 ? "1, " : "0, ") + std::to_string(n.integer("align_corners", 0)) + ", fn(%v, %at, %sizes) { " + sample + ") })");
}

// The rank of the result is that of the sizes: from the file, if it tells them.
void affine_grid(NodeText& n) {
    const std::optional<Integers> sizes = n.constant_integers(1);
    n.give("onnx_affine_grid(" + n.in(0) + ", " + (sizes ? vector_text(*sizes) : n.in(1)) + ", " + std::to_string(n.integer("align_corners", 0)) + ")");
}

void roi_align(NodeText& n) {
    const int64_t half = n.version() < 16 ? 0 : choice(n, "coordinate_transformation_mode", "half_pixel", {"output_half_pixel", "half_pixel"});
    const int64_t largest = choice(n, "mode", "avg", {"avg", "max"});
    n.give("onnx_roi_align(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + std::to_string(n.integer("output_height", 1)) + ", " +
           std::to_string(n.integer("output_width", 1)) + ", " + std::to_string(n.integer("sampling_ratio", 0)) + ", " + real_text(n.real("spatial_scale", 1), true) + ", " +
           std::to_string(half) + ", " + std::to_string(largest) + ")");
}

void deform_conv(NodeText& n) {
    const std::string x = n.in(0), ones = "onnx_one_per_axis(" + x + ")";
    const std::optional<Integers> strides = n.integers("strides"), dilations = n.integers("dilations"), pads = n.integers("pads");
    const std::string before = pads && !pads->empty() ? vector_text(std::span(*pads).first(pads->size() / 2)) : ones + " * 0";
    std::string y = "onnx_deform_conv(" + x + ", " + n.in(1) + ", " + n.in(2) + ", " + (n.has(4) ? n.in(4) : n.in(2)) + ", " + (n.has(4) ? "1" : "0") + ", " +
                    (strides ? vector_text(*strides) : ones) + ", " + (dilations ? vector_text(*dilations) : ones) + ", " + before + ", " +
                    std::to_string(n.integer("group", 1)) + ", " + std::to_string(n.integer("offset_group", 1)) + ")";
    n.give(n.has(3) ? "onnx_add_bias(" + y + ", " + n.in(3) + ")" : y);
}

void max_roi_pool(NodeText& n) {
    const Integers parts = n.integers("pooled_shape").value_or(Integers());
    if (parts.size() != 2 || parts[0] <= 0 || parts[1] <= 0) return n.refuse("its attribute 'pooled_shape' is not two sizes above 0");
    n.give("onnx_max_roi_pool(" + n.in(0) + ", " + n.in(1) + ", " + real_text(n.real("spatial_scale", 1), true) + ", " + std::to_string(parts[0]) + ", " + std::to_string(parts[1]) + ")");
}
} // namespace

std::span<const OpRow> image_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Upsample",          1,    "",         "",                      "", upsample},
        {"Resize",            10,   "",         "",                      "", upsample},
        {"Resize",            11,   "",         "",                      "", resize},
        {"GridSample",        16,   "",         "",                      "", grid_sample},
        {"GridSample",        1,    "",         "",                      "", grid_sample, "com.microsoft"},
        {"AffineGrid",        20,   "",         "",                      "", affine_grid},
        {"MaxRoiPool",        1,    "",         "",                      "", max_roi_pool},
        {"RoiAlign",          10,   "",         "",                      "", roi_align},
        {"DeformConv",        19,   "",         "",                      "", deform_conv},
    };
    return rows;
}
} // namespace nereus::onnx
