#!/usr/bin/python3
"""Single nodes whose numbers are easily wrong, as shipped and with every size a symbol: test/onnx_cases_test.py BIN ROOT

What they should give is computed by hand, or recorded from onnxruntime where a comment says so.
"""
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "test/onnx"))
import model_from_text  # noqa: E402

NAMES = {"float32": "f32", "float16": "f16", "float64": "f64", "object": "str"}
cases = {}


def described(name, array):
    if isinstance(array, list):
        return f"{name} seq({described('', array[0]).strip()})"
    if isinstance(array, dict):
        return f"{name} map({'str' if isinstance(next(iter(array)), str) else 'i64'},f32)"
    kind = array.dtype.name
    return f"{name} {NAMES.get(kind, kind.replace('uint', 'u').replace('int', 'i'))} {','.join(map(str, array.shape)) or '-'}"


def file_of(name, array):
    text = model_from_text
    if isinstance(array, list):
        return text.data(1, name) + text.number(2, 4) + b"".join(text.data(6, file_of("", item)) for item in array)
    if isinstance(array, dict):
        values = text.number(2, 1) + b"".join(text.data(3, file_of("v", np.array(value, np.float32))) for value in array.values())
        of_texts = isinstance(next(iter(array)), str)
        keys = b"".join(text.data(4, key) if of_texts else text.number(3, key) for key in array)
        return text.data(1, name) + text.number(2, 8 if of_texts else 7) + keys + text.data(5, values)
    kind = text.TYPES[described(name, array).split()[1]][0]
    elements = b"".join(text.data(6, each) for each in array.ravel()) if array.dtype == object else text.data(9, array.tobytes())
    return b"".join(text.number(1, d) for d in array.shape) + text.number(2, kind) + text.data(8, name) + elements


def case(name, node, inputs, outputs, opset=21, atol=None, sparse=(), **weights):
    """inputs, outputs, weights: arrays by name. atol: how far numbers may be, however large, where it is less than usual. sparse:
    lines of text."""
    assert name not in cases, name
    lines = [f"opset {opset}", *sparse, *(f"input {described(n, x)}" for n, x in inputs.items())]
    lines += [f"init {described(n, w)} = {','.join(map(str, w.ravel()))}" for n, w in weights.items()]
    lines += ["node " + node, *(f"output {described(n, y)}" for n, y in outputs.items())]
    cases[name] = ("\n".join(lines), inputs, outputs, atol)


def write(folder):
    for name, (text, inputs, outputs, atol) in cases.items():
        data = folder / str(atol) / name / "test_data_set_0"
        data.mkdir(parents=True)
        (data / "model.txt").write_text(text)
        model_from_text.main(data / "model.txt", data.parent / "model.onnx")
        for kind, arrays in (("input", inputs), ("output", outputs)):
            for i, (key, array) in enumerate(arrays.items()):
                (data / f"{kind}_{i}.pb").write_bytes(file_of(key, array))


# Integers beyond those that an f32 holds; sums wrap, means are cut towards 0.
for kind in (np.int32, np.int64, np.uint32, np.uint64):
    x, last = np.array([[2**24 + 1, 2**24 + 1], [3, 4]], kind), np.array([1])
    odd = np.array([[5001, 2], [70001, 1]], kind)
    for where, node in (("constant", {}), ("input", {"axes": last})):
        fixed = {} if node else {"axes": last}
        case(f"mean_{kind.__name__}_{where}", "ReduceMean: x, axes -> y keepdims=0", {"x": x, **node}, {"y": np.array([2**24 + 1, 3], kind)}, **fixed)
        case(f"sum_square_{kind.__name__}_{where}", "ReduceSumSquare: x, axes -> y keepdims=0", {"x": odd, **node}, {"y": (odd * odd).sum(1, dtype=kind)}, **fixed)
case("mean_int32_attribute", "ReduceMean: x -> y keepdims=0 axes=[1]", {"x": np.array([[-3, -4], [2**24 + 1, 2**24 + 1]], np.int32)},
     {"y": np.array([-3, 2**24 + 1], np.int32)}, opset=13)
case("mean_int32_none", "ReduceMean: x -> y keepdims=0 axes=[1]", {"x": np.zeros((2, 0), np.int32)}, {"y": np.zeros(2, np.int32)}, opset=13)
case("sum_square_int32_all", "ReduceSumSquare: x -> y", {"x": np.array([[5001, 2]], np.int32)}, {"y": np.array([[5001**2 + 4]], np.int32)}, opset=18)
# Between integers there are others, cut towards 0 as casts do.
case("grid_sample_int32", "GridSample: x, grid -> y align_corners=1", {"x": np.array([[[[0, 4, 11]]]], np.int32),
     "grid": np.array([[[[-0.5, 0], [0.5, 0]]]], np.float32)}, {"y": np.array([[[[2, 7]]]], np.int32)})
# Sums and squares that are beyond an f16, where what is made of them is not.
def half(*sizes, value=300.0):
    return np.full(sizes, value, np.float16)


case("global_average_f16", "GlobalAveragePool: x -> y", {"x": half(1, 1, 50, 50, value=100)}, {"y": half(1, 1, 1, 1, value=100)})
case("mean_f16", "Mean: x, x, x -> y", {"x": half(3, value=30000)}, {"y": half(3, value=30000)})
case("global_lp_f16", "GlobalLpPool: x -> y", {"x": half(1, 1, 2, 2)}, {"y": half(1, 1, 1, 1, value=600)})
case("lp_pool_f16", "LpPool: x -> y kernel_shape=[2,2] pads=[1,1,0,0]", {"x": half(1, 1, 2, 2)},
     {"y": np.array([[[[300, 300 * 2**0.5], [300 * 2**0.5, 600]]]], np.float16)})
case("lp_pool_cubes_f16", "LpPool: x -> y kernel_shape=[8] p=3", {"x": half(1, 1, 8)}, {"y": half(1, 1, 1, value=600)})
case("lp_normalization_f16", "LpNormalization: x -> y", {"x": half(1, 4)}, {"y": half(1, 4, value=0.5)}, opset=22)
case("mean_variance_f16", "MeanVarianceNormalization: x -> y", {"x": np.array([[[[-300, 300]]]], np.float16)}, {"y": np.array([[[[-1, 1]]]], np.float16)})
case("lrn_f16", "LRN: x -> y size=3 alpha=0.0003 beta=0.5", {"x": half(1, 3, 1, 1)},
     {"y": np.array([300 / 19**0.5, 300 / 28**0.5, 300 / 19**0.5], np.float16).reshape(1, 3, 1, 1)})
classes, far = np.arange(40000) % 3, half(40000, 3, value=-3)
case("nll_f16", "NegativeLogLikelihoodLoss: x, t -> y", {"x": far, "t": classes}, {"y": np.float16(3)[...]})
case("nll_weights_f16", "NegativeLogLikelihoodLoss: x, t, w -> y", {"x": far, "t": classes, "w": half(3, value=2)}, {"y": np.float16(3)[...]})
case("cross_entropy_f16", "SoftmaxCrossEntropyLoss: x, t -> y, log_prob", {"x": far, "t": classes},
     {"y": np.float16(np.log(3))[...], "log_prob": half(40000, 3, value=-np.log(3))})
# Sums of f16 that are too large for one in between, or whose rounding counts.
case("softmax_f16", "Softmax: x -> y", {"x": half(1, 70000, value=0)}, {"y": half(1, 70000, value=1 / 70000)})
case("log_softmax_f16", "LogSoftmax: x -> y", {"x": half(1, 70000, value=0)}, {"y": half(1, 70000, value=-np.log(70000))})
case("cumsum_f16", "CumSum: x, a -> y", {"x": np.array([-40000, 40000, 40000], np.float16), "a": np.int64(0)[...]}, {"y": np.array([-40000, 0, 40000], np.float16)})
case("cumprod_f16", "CumProd: x, a -> y", {"x": np.array([2**-9, 512, 512], np.float16), "a": np.int64(0)[...]}, {"y": np.array([2**-9, 1, 512], np.float16)}, opset=26)
tenth = np.float16(0.1)
case("range_f16", "Range: start, limit, delta -> y", {"start": np.float16(0)[...], "limit": np.float16(1000)[...], "delta": tenth[...]},
     {"y": (np.arange(10003) * np.float64(tenth)).astype(np.float16)}, opset=27)
# Dtypes of outputs that are not those of the first input.
rms = np.array([[3, 4]], np.float16) / np.float16(12.5**0.5)
case("rms_normalization_mixed", "RMSNormalization: x, s -> y", {"x": np.array([[3, 4]], np.float16), "s": np.array([2, 1000.5], np.float32)},
     {"y": rms.astype(np.float32) * np.array([2, 1000.5], np.float32)}, opset=23)
case("simplified_mixed", "SimplifiedLayerNormalization: x, s -> y", {"x": np.array([[3, 4]], np.float16), "s": np.array([2, 1000.5], np.float32)},
     {"y": np.array([[3, 4]], np.float32) / np.float32(12.5**0.5) * np.array([2, 1000.5], np.float32)})
case("layer_normalization_stash", "LayerNormalization: x, s -> y, mean stash_type=16\nnode Cast: mean -> m to=1",
     {"x": np.array([[1, 1.0078125]], np.float32), "s": np.ones(2, np.float32)}, {"m": np.array([[1]], np.float32)})
# Floats of 8 bits have no arithmetic; this is f8e5m2, the only one with an infinity.
odd = np.array([np.inf, -np.inf, np.nan, 1], np.float32)
case("isinf_f8", "Cast: x -> e to=19 saturate=0\nnode IsInf: e -> y detect_negative=0", {"x": odd}, {"y": np.array([True, False, False, False])}, opset=20)
case("isnan_f8", "Cast: x -> e to=19 saturate=0\nnode IsNaN: e -> y", {"x": odd}, {"y": np.array([False, False, True, False])}, opset=20)
case("isinf_f64", "IsInf: x -> y", {"x": np.array([1e300, -np.inf])}, {"y": np.array([False, True])})
# In its middle a window is 1, to the last bit.
case("blackman_int32", "BlackmanWindow: n -> y output_datatype=6", {"n": np.int64(10)[...]}, {"y": np.array([0] * 5 + [1] + [0] * 4, np.int32)})

# The zero point is subtracted before anything is rounded.
case("dequantize_int32", "DequantizeLinear: x, s, z -> y", {"x": np.array([2**30 + 1, -(2**31)], np.int32), "s": np.float32(0.5)[...], "z": np.int32(2**30)[...]},
     {"y": np.array([0.5, -1.5 * 2**30], np.float32)}, opset=13)

# Around cubic samples each of the four taps stops at the border by itself; from onnxruntime.
image, grid = np.array([[[[0, -2, 6], [3, -8, 15]]]], np.float32), np.array([[[[-1.2, -0.8], [0.9, 1.5], [0.1, -1.1]]]], np.float32)
for aligned, seen in ((0, [-0.30656326, 17.550838, -0.7942908]), (1, [0.5088488, 13.852834, -1.2855605])):
    case(f"grid_sample_cubic_border_{aligned}", f'GridSample: x, grid -> y mode="cubic" padding_mode="border" align_corners={aligned}', {"x": image, "grid": grid},
         {"y": np.array(seen, np.float32).reshape(1, 1, 1, 3)}, opset=20)

# Products of integers; alpha and beta are floats, and what they make is cut towards 0.
for kind in (np.int32, np.int64, np.uint32, np.uint64):
    a, b, c = np.array([[2**24 + 1, 2]], kind), np.array([[1, 2], [1, 3]], kind), np.array([1, 2], kind)
    case(f"gemm_{kind.__name__}", "Gemm: a, b, c -> y", {"a": a, "b": b, "c": c}, {"y": np.array([[2**24 + 4, 2**25 + 10]], kind)}, opset=13)
    case(f"gemm_no_c_{kind.__name__}", "Gemm: a, b -> y transB=1", {"a": a, "b": b}, {"y": np.array([[2**24 + 5, 2**24 + 7]], kind)}, opset=13)
    case(f"gemm_scaled_{kind.__name__}", "Gemm: a, b, c -> y alpha=0.5 beta=2.0", {"a": a, "b": b, "c": c}, {"y": np.array([[2**23 + 3, 2**24 + 8]], kind)}, opset=13)

# Weights that are zeros for the most part.
for how, places in (("by_place", "1,5"), ("by_indices", "0:1,1:2")):
    case(f"sparse_{how}", "Add: x, s -> y", {"x": np.ones((2, 3), np.float32)}, {"y": np.array([[1, 2.5, 1], [1, 1, -1]], np.float32)}, sparse=[f"sparse s f32 2,3 = 1.5,-2 at {places}"])
# Moments of each element of a batch, which versions before 9 had, and other operators of their time.
case("batch_norm_elements", "BatchNormalization: x, s, b, m, v -> y spatial=0 epsilon=0.0", {"x": np.array([[[3.0, 5]], [[1, 9]]], np.float32)}, {"y": np.array([[[3, 7]], [[1, 13]]], np.float32)},
     opset=8, s=np.array([[2, 3]], np.float32), b=np.array([[1, 4]], np.float32), m=np.array([[1, 3]], np.float32), v=np.array([[4, 4]], np.float32))
batch, ones = np.array([[[1.0, 3]], [[5, 7]]], np.float32), np.ones(1, np.float32)
case("batch_norm_trains", "BatchNormalization: x, s, b, m, v -> y, mean, var, own_mean, own_var epsilon=0.0 momentum=0.75", {"x": batch},
     {"y": (batch - 4) / np.float32(5**0.5), "mean": ones * 1.75, "var": ones * 2, "own_mean": ones * 4, "own_var": ones * 5}, opset=9, s=ones, b=ones * 0, m=ones, v=ones)
case("constant_fill", "ConstantFill: x -> y value=1.5 extra_shape=[2] input_as_shape=1", {"x": np.array([1, 3])}, {"y": np.full((1, 3, 2), 1.5, np.float32)}, opset=6)
case("cast_to_name", 'Cast: x -> y to="INT32"', {"x": np.array([1.7, -2.5], np.float32)}, {"y": np.array([1, -2], np.int32)}, opset=5)
case("tile_axis", "Tile: x, n, axis -> y", {"x": np.array([[1, 2], [3, 4]], np.float32), "n": np.array([2]), "axis": np.array([1])}, {"y": np.array([[1, 2, 1, 2], [3, 4, 3, 4]], np.float32)}, opset=5)


# Operators of the first versions and those of ONNX Runtime; what is seen is from onnxruntime.
def ramp(*sizes, kind=np.float32, at=0):
    """Numbers in no order: from -1 to 1 in steps of 1/8, or integers from 0 to 16."""
    steps = (np.arange(np.prod(sizes, dtype=int) + at)[at:] * 7 % 17).reshape(sizes)
    return steps.astype(kind) if np.dtype(kind).kind in "iu" else (steps / 8 - 1).astype(kind)


def scalar(value, kind=np.float32):
    return np.array(value, kind)


def seen(values, kind, *sizes):
    return np.array(values, kind).reshape(sizes)


case("max_roi_pool", "MaxRoiPool: x, rois -> y pooled_shape=[2,2] spatial_scale=0.5", {"x": ramp(2, 1, 4, 4), "rois": np.array([[0, 0, 1, 7, 5], [1, 3, 3, 2, 2], [1, 5, 5, 20, 20]], np.float32)},
     {"y": seen([0.5, 0.875, 1, 0.625, 0.5, 0.5, 0.5, 0.5, 0.625, 0, 0, 0], np.float32, 3, 1, 2, 2)})
wave = np.sin(np.arange(20, dtype=np.float32).reshape(2, 10))
case("stft_of_rows", "STFT: x, step, window -> y", {"x": wave}, {"y": np.stack([np.stack([np.stack([f.real, f.imag], -1) for f in (np.fft.rfft(row[at:at + 4] * [1, 2, 2, 1]) for at in (0, 3, 6))]) for row in wave]).astype(np.float32)},
     step=np.array(3), window=np.array([1, 2, 2, 1], np.float32))
for kind in (np.bool_, object):                           # what is nearest is taken, whatever it is
    picked = {"bool": [[1, 0], [0, 1]], "object": [["a", "bc"], ["", "d"]]}[np.dtype(kind).name]
    picked = np.array([[picked]], kind)
    case(f"resize_nearest_{np.dtype(kind).name}", "Resize: x, , s -> y", {"x": picked}, {"y": picked.repeat(2, axis=2).repeat(3, axis=3)}, s=np.array([1, 1, 2, 3], np.float32))
large = np.array([[[[2**40 + 1, -2**52 - 1]]]])
case("grid_sample_nearest_int64", 'GridSample: x, grid -> y mode="nearest"', {"x": large, "grid": np.array([[[[0.5, 0], [-0.5, 0], [-3, 0]]]], np.float32)},
     {"y": np.array([[[[-2**52 - 1, 2**40 + 1, 0]]]])}, atol=0)
case("resize_10_nearest", 'Resize: x, s -> y mode="nearest"', {"x": ramp(1, 1, 2, 4), "s": np.array([1, 1, 2, 0.6], np.float32)},
     {"y": seen([-1, 0.75, -1, 0.75, 0.375, 0, 0.375, 0], np.float32, 1, 1, 4, 2)}, opset=10)
# The product is an f32: 10 * 0.7 is 7, though that f32 is below 0.7, and 90 * 1.3 is 116.
for scale, long, short in ((0.7, 10, 7), (0.7, 11, 7), (0.9, 20, 18), (1 / 3, 9, 3), (2 / 3, 4, 2), (1.3, 10, 13), (1.3, 90, 116), (1.9, 10, 19), (0.70710678, 100, 70), (2, 3, 6)):
    x, s = np.zeros((1, long), np.float32), np.array([1, scale], np.float32)
    for where, node in (("constant", {}), ("input", {"s": s})):
        case(f"resize_by_{scale:.2f}_of_{long}_{where}", "Resize: x, , s -> y", {"x": x, **node}, {"y": np.zeros((1, short), np.float32)}, **({} if node else {"s": s}))
        case(f"upsample_by_{scale:.2f}_of_{long}_{where}", "Upsample: x, s -> y", {"x": x, **node}, {"y": np.zeros((1, short), np.float32)}, opset=9, **({} if node else {"s": s}))
# A condition in a vector of one element that is known while compiling; the arm that is not taken makes a tensor of negative size.
arms = ("graph more", "node ConstantOfShape: k -> t", "output t f32", "end", "graph less", "node Identity: x -> e", "output e f32", "end")
case("if_rank_is_larger", "Shape: x -> s\nnode Size: s -> r\nnode Sub: r, three -> k\nnode Greater: k, zero -> c\nnode If: c -> y then_branch={more} else_branch={less}",
     {"x": ramp(2, 4)}, {"y": ramp(2, 4)}, sparse=arms, three=np.array([3]), zero=np.array([0]))
case("hardmax_empty", "Hardmax: x -> y axis=1", {"x": ramp(2, 0)},
     {"y": seen([], np.float32, 2, 0)}, opset=13)
case("thresholded_relu_1", "ThresholdedRelu: x -> y alpha=0.3", {"x": ramp(5)},
     {"y": seen([0, 0, 0.75, 0, 0.375], np.float32, 5)}, opset=7)
case("mean_variance_across", "MeanVarianceNormalization: x -> y across_channels=1", {"x": ramp(1, 2, 2, 2)},
     {"y": seen([-1.423737, -0.0949158, 1.233905, -0.6644106, 0.6644106, -1.233905, 0.0949158, 1.423737], np.float32, 1, 2, 2, 2)}, opset=7)
case("mean_variance_mean", "MeanVarianceNormalization: x -> y across_channels=0 normalize_variance=0", {"x": ramp(1, 2, 2, 2)},
     {"y": seen([-0.78125, 0.09375, 0.96875, -0.28125, 0.28125, -0.96875, -0.09375, 0.78125], np.float32, 1, 2, 2, 2)}, opset=7)
case("affine", "Affine: x -> y alpha=0.5 beta=2.0", {"x": ramp(3)},
     {"y": seen([1.5, 1.9375, 2.375], np.float32, 3)}, opset=7)
case("crop", "Crop: x -> y border=[1,0,0,1]", {"x": ramp(1, 1, 3, 3)},
     {"y": seen([-0.125, 0.75, 0.375, -0.875], np.float32, 1, 1, 2, 2)}, opset=7)
case("crop_scale", "Crop: x -> y border=[1,0,0,0] scale=[2,1]", {"x": ramp(1, 1, 3, 3)},
     {"y": seen([-0.125, 0.375], np.float32, 1, 1, 2, 1)}, opset=7)
case("image_scaler", "ImageScaler: x -> y scale=2.0 bias=[0.5,-0.5]", {"x": ramp(1, 2, 1, 2)},
     {"y": seen([-1.5, 0.25, 1, -1.5], np.float32, 1, 2, 1, 2)}, opset=7)
case("parametric_softplus", "ParametricSoftplus: x -> y alpha=0.5 beta=2.0", {"x": ramp(3)},
     {"y": seen([0.06346402, 0.2879697, 0.8507067], np.float32, 3)}, opset=7)
case("scaled_tanh", "ScaledTanh: x -> y alpha=0.5 beta=2.0", {"x": ramp(3)},
     {"y": seen([-0.4820138, -0.1224593, 0.4525742], np.float32, 3)}, opset=7)
case("dynamic_slice", "DynamicSlice: x, a, b -> y", {"x": ramp(3, 2), "a": np.array([1]), "b": np.array([3])},
     {"y": seen([0.75, -0.5, 0.375, -0.875], np.float32, 2, 2)}, opset=7)
case("log_softmax_f16_rounded_once", "LogSoftmax: x -> y axis=0", {"x": ramp(5, 2, kind=np.float16) * np.float16(3.1)},
     {"y": seen([-5.792969, -3.419922, -0.3686523, -4.582031, -1.530273, -5.746094, -2.693359, -0.3190918, -3.855469, -1.482422], np.float16, 5, 2)}, opset=13)
case("qlinear_add", "com.microsoft/QLinearAdd: a, s, z, b, t, z, u, z -> y", {"a": ramp(2, 3, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "b": ramp(3, kind=np.uint8, at=5), "t": scalar(0.17), "u": scalar(0.4)},
     {"y": seen([0, 8, 16, 3, 11, 7], np.uint8, 2, 3)})
case("qlinear_mul", "com.microsoft/QLinearMul: a, s, z, b, t, z, u, z -> y", {"a": ramp(2, 3, kind=np.int8), "s": scalar(0.3), "z": scalar(3, np.int8), "b": ramp(3, kind=np.int8, at=5), "t": scalar(0.17), "u": scalar(0.4)},
     {"y": seen([4, 6, 20, 3, 8, 0], np.int8, 2, 3)})
case("qlinear_sigmoid", "com.microsoft/QLinearSigmoid: x, s, z, t, z -> y", {"x": ramp(5, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "t": scalar(0.01)},
     {"y": seen([32, 80, 99, 60, 95], np.uint8, 5)})
case("qlinear_leaky_relu", "com.microsoft/QLinearLeakyRelu: x, s, z, t, z -> y alpha=0.2", {"x": ramp(5, kind=np.int8), "s": scalar(0.3), "z": scalar(8, np.int8), "t": scalar(0.1)},
     {"y": seen([3, 7, 26, 6, 17], np.int8, 5)})
case("qlinear_softmax", "com.microsoft/QLinearSoftmax: x, s, z, t, w -> y axis=1 opset=13", {"x": ramp(2, 3, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "t": scalar(1 / 256), "w": scalar(0, np.uint8)},
     {"y": seen([3, 28, 225, 27, 218, 11], np.uint8, 2, 3)})
case("qlinear_softmax_11", "com.microsoft/QLinearSoftmax: x, s, z, t, w -> y axis=1 opset=11", {"x": ramp(1, 2, 2, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "t": scalar(1 / 256), "w": scalar(0, np.uint8)},
     {"y": seen([3, 26, 216, 11], np.uint8, 1, 2, 2)})
case("qlinear_global_average", "com.microsoft/QLinearGlobalAveragePool: x, s, z, s, z -> y", {"x": ramp(1, 4, 2, 1, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8)},
     {"y": seen([3, 9, 6, 11], np.uint8, 1, 4, 1, 1)})
case("qlinear_global_average_last", "com.microsoft/QLinearGlobalAveragePool: x, s, z, t, z -> y channels_last=1", {"x": ramp(1, 2, 2, 3, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "t": scalar(0.23)},
     {"y": seen([7, 11, 9], np.uint8, 1, 1, 1, 3)})
case("qlinear_average_last", "com.microsoft/QLinearAveragePool: x, s, z, t, z -> y kernel_shape=[2,2] pads=[1,0,0,0] channels_last=1", {"x": ramp(1, 2, 2, 3, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "t": scalar(0.21)},
     {"y": seen([2, 12, 9, 7, 11, 9], np.uint8, 1, 2, 1, 3)})
case("qlinear_concat", "com.microsoft/QLinearConcat: t, z, a, s, z, b, t, z -> y axis=1", {"a": ramp(2, 2, kind=np.uint8), "b": ramp(2, 1, kind=np.uint8), "s": scalar(0.3), "z": scalar(3, np.uint8), "t": scalar(0.2)},
     {"y": seen([0, 9, 0, 19, 5, 7], np.uint8, 2, 3)})
case("dynamic_quantize_matmul", "com.microsoft/DynamicQuantizeMatMul: a, b, s, z, c -> y", {"a": ramp(2, 3), "b": ramp(3, 2, kind=np.int8), "s": np.array([0.1, 0.3], np.float32), "z": np.array([3, 1], np.int8), "c": ramp(2)},
     {"y": seen([-0.2368627, -2.039706, -1.137255, -0.6870589], np.float32, 2, 2)})
case("matmul_integer_to_float", "com.microsoft/MatMulIntegerToFloat: a, b, s, t, z, w, c -> y", {"a": ramp(2, 3, kind=np.uint8), "b": ramp(3, 2, kind=np.int8), "s": scalar(0.5), "t": np.array([0.1, 0.3], np.float32), "z": scalar(7, np.uint8), "w": np.array([3, 1], np.int8), "c": ramp(2)},
     {"y": seen([2.85, -6.425, -0.75, -1.025], np.float32, 2, 2)})
case("q_gemm", "com.microsoft/QGemm: a, s, z, b, t, w, c, u, z -> y transB=1 alpha=0.5", {"a": ramp(2, 3, kind=np.uint8), "s": scalar(0.5), "z": scalar(7, np.uint8), "b": ramp(2, 3, kind=np.int8), "t": scalar(0.3), "w": scalar(3, np.int8), "c": np.array([100, -50], np.int32), "u": scalar(0.25)},
     {"y": seen([66, 0, 25, 4], np.uint8, 2, 2)})
case("q_gemm_floats", "com.microsoft/QGemm: a, s, z, b, t, w -> y transA=1", {"a": ramp(3, 2, kind=np.uint8), "s": scalar(0.5), "z": scalar(7, np.uint8), "b": ramp(3, 2, kind=np.int8), "t": scalar(0.3), "w": scalar(3, np.int8)},
     {"y": seen([19.5, -4.35, -12.15, 1.35], np.float32, 2, 2)})
case("fused_gemm", 'com.microsoft/FusedGemm: a, b, c -> y activation="LeakyRelu" activation_alpha=0.3 alpha=0.5 transB=1', {"a": ramp(2, 3), "b": ramp(2, 3), "c": ramp(2)},
     {"y": seen([-0.06328125, -0.06796876, -0.3304688, 0.453125], np.float32, 2, 2)})
case("fused_conv", 'com.microsoft/FusedConv: x, w, b -> y activation="Clip" activation_params=[-0.5,0.6]', {"x": ramp(1, 2, 3, 3), "w": ramp(2, 2, 2, 2), "b": ramp(2)},
     {"y": seen([0.078125, -0.09375, -0.171875, -0.5, 0.6, -0.5, 0.6, -0.5], np.float32, 1, 2, 2, 2)})
case("c_dist", 'com.microsoft/CDist: a, b -> y metric="euclidean"', {"a": ramp(2, 3), "b": ramp(2, 3, at=4)},
     {"y": seen([1.736555, 1.908042, 1.758906, 2.084167], np.float32, 2, 2)})
case("inverse", "com.microsoft/Inverse: x -> y", {"x": ramp(2, 3, 3)},
     {"y": seen([-0.672269, -0.6554622, 0.1848739, 0.2016807, -0.4033614, 1.344538, 0.4705882, -0.9411765, 0.4705882, -0.2352941, 1.803922, 1.098039, -1.529412, 1.058824, 0.4705883, -0.2352941, -0.8627451, -1.568627], np.float32, 2, 3, 3)})
case("expand_dims", "com.microsoft/ExpandDims: x, axis -> y", {"x": ramp(2), "axis": scalar(-1, np.int32)},
     {"y": seen([-1, -0.125], np.float32, 2, 1)})
case("unfold", "com.microsoft/UnfoldTensor: x -> y dim=0 size=2 step=2", {"x": ramp(5, 2)},
     {"y": seen([-1, 0.75, -0.125, -0.5, 0.375, 0, -0.875, 0.875], np.float32, 2, 2, 2)})
case("unique_in_turn", "com.microsoft/Unique: x -> y, at, counts", {"x": np.array([3, 1, 3, 2, 1, 3], np.float32)},
     {"y": seen([3, 1, 2], np.float32, 3), "at": seen([0, 1, 0, 2, 1, 0], np.int64, 6), "counts": seen([3, 2, 1], np.int64, 3)})
case("crop_and_resize", "com.microsoft/CropAndResize: x, boxes, at, size -> y extrapolation_value=9.5", {"x": ramp(2, 1, 3, 3), "boxes": np.array([[0, 0.1, 1, 0.6], [0.5, -0.2, 0.7, 1]], np.float32), "at": np.array([1, 0], np.int32), "size": np.array([2, 3], np.int32)},
     {"y": seen([0.25, -0.375, -0.5749999, -0.45, -0.01249999, -5.960464e-08, 9.5, 0.2, -0.875, 9.5, 0.4, -0.675], np.float32, 2, 1, 2, 3)})
case("crop_and_resize_nearest", 'com.microsoft/CropAndResize: x, boxes, at, size -> y mode="nearest"', {"x": ramp(2, 1, 3, 3), "boxes": np.array([[0, 0.1, 1, 0.6], [0.5, -0.2, 0.7, 1]], np.float32), "at": np.array([1, 0], np.int32), "size": np.array([1, 3], np.int32)},
     {"y": seen([1, -0.25, -0.25, 0, 0.375, -0.875], np.float32, 2, 1, 1, 3)})
case("conv_transpose_pads", "com.microsoft/ConvTransposeWithDynamicPads: x, w, pads, b -> y strides=[2,2]", {"x": ramp(1, 1, 2, 2), "w": ramp(1, 2, 2, 3), "pads": np.array([0, 1, 1, 0]), "b": ramp(2)},
     {"y": seen([-0.875, -1.625, -0.984375, -1.09375, -1.375, -0.0625, -1.046875, -0.890625, -1.09375, 0.0625, -0.9375, -1.375, -1, 0.25, -0.234375, -0.078125, 0.625, -0.3125, -0.03125, -0.140625, 0.53125, -0.40625, -0.5625, 0.0625], np.float32, 1, 2, 3, 4)})
case("nhwc_max_pool", "com.microsoft/NhwcMaxPool: x -> y kernel_shape=[2,2] pads=[1,0,0,0]", {"x": ramp(1, 3, 3, 2, kind=np.int8)},
     {"y": seen([14, 7, 14, 4, 14, 15, 14, 12, 16, 15, 13, 12], np.int8, 1, 3, 2, 2)})
case("embed_layer_normalization", "com.microsoft/EmbedLayerNormalization: ids, seg, words, places, segs, scale, bias, mask -> y, count, sum epsilon=0.00001", {"ids": np.array([[0, 2], [1, 1]], np.int32), "seg": np.array([[0, 1], [1, 0]], np.int32), "words": ramp(3, 4), "places": ramp(2, 4, at=3), "segs": ramp(2, 4, at=7), "scale": ramp(4), "bias": ramp(4, at=2), "mask": np.array([[1, 1], [1, 0]], np.int32)},
     {"y": seen([1.113417, -0.5584063, 1.348438, -0.1741247, 0.2423336, -0.6649916, -0.6149495, -0.6211668, 0.9814116, -0.5371912, -0.6911461, -1.552705, -0.568935, -0.3405386, 0.7804103, -0.5831046], np.float32, 2, 2, 4), "count": seen([2, 1], np.int32, 2), "sum": seen([-0.625, -0.125, 0.375, -1.25, 0.625, 1.125, -0.5, 0, 0, 0.5, -1.125, 1.5, 2.125, -1.625, 1, -0.625], np.float32, 2, 2, 4)})
case("rotary_ms", "com.microsoft/RotaryEmbedding: x, at, cos, sin -> y", {"x": ramp(1, 2, 8), "at": np.array([1]), "cos": ramp(4, 2), "sin": ramp(4, 2, at=3)},
     {"y": seen([-0.09375, 0.0625, 1.4375, 0.25, 0.28125, 0.4375, -0.328125, -0.4375, 0.515625, -0.390625, -0.609375, -0.296875, -0.171875, -0.015625, 1.109375, 0.640625], np.float32, 1, 2, 8)})
case("rotary_ms_part", "com.microsoft/RotaryEmbedding: x, at, cos, sin -> y interleaved=1 num_heads=1 rotary_embedding_dim=4", {"x": ramp(2, 1, 8), "at": np.array([[3], [1]]), "cos": ramp(4, 2), "sin": ramp(4, 2, at=3)},
     {"y": seen([0.0625, -0.5, 0.28125, -1, 0.375, -0.875, 0, 0.875, 0.15625, 0.703125, 0.375, -0.0625, 1, -0.25, 0.625, -0.625], np.float32, 2, 1, 8)})
case("group_query_prompt", "com.microsoft/GroupQueryAttention: q, k, v, , , lengths, total, cos, sin -> y num_heads=2 kv_num_heads=1 do_rotary=1 local_window_size=1", {"q": ramp(1, 2, 32), "k": ramp(1, 2, 16, at=1), "v": ramp(1, 2, 16, at=2), "lengths": np.array([1], np.int32), "total": scalar(2, np.int32), "cos": ramp(4, 8), "sin": ramp(4, 8, at=3)},
     {"y": seen([0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -1, 0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -1, -0.125, 0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -0.125, 0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25], np.float32, 1, 2, 32)})
case("group_query_token", "com.microsoft/GroupQueryAttention: qkv, , , k, v, lengths, total -> y, keys, values num_heads=2 kv_num_heads=1 softcap=1.5", {"qkv": ramp(2, 1, 32), "k": ramp(2, 1, 3, 8), "v": ramp(2, 1, 3, 8, at=2), "lengths": np.array([2, 1], np.int32), "total": scalar(3, np.int32)},
     {"y": seen([0.456019, -0.3498037, 0.5251963, -0.7248037, 0.1501963, 0.581019, -0.2248037, 0.206019, -0.1516307, -0.09736606, 0.7776339, -0.472366, 0.4026339, -0.02663077, 0.02763394, -0.4016308, -0.2314238, -0.3510416, 0.5239584, 0.2685762, 0.1489585, -0.1064238, -0.2260416, 0.6489585, -0.1568431, -0.3917219, 0.4832781, 0.3431569, 0.1082781, -0.03184313, -0.2667219, 0.608278], np.float32, 2, 1, 16), "keys": seen([-1, -0.125, 0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -1, -0.125, 0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, 0.625, -0.625, 0.25, -1, -0.125, 0.75, -0.5, 0.375, 0, 0, 0, 0, 0, 0, 0, 0], np.float32, 2, 1, 3, 8), "values": seen([0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -1, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625, 0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, 0, 0, 0, 0, 0, 0, 0, 0], np.float32, 2, 1, 3, 8)})
case("q_attention", "com.microsoft/QAttention: x, w, b, s, t, , z, v -> y num_heads=2 unidirectional=1", {"x": ramp(1, 2, 4, kind=np.uint8), "w": ramp(4, 12, kind=np.int8), "b": ramp(12), "s": scalar(0.05), "t": scalar(0.02), "z": scalar(7, np.uint8), "v": scalar(8, np.int8)},
     {"y": seen([-0.371, 0.483, -0.788, 0.117, -0.3933777, 0.495432, -0.7328259, 0.1145369], np.float32, 1, 2, 4)})


# Maps; from onnxruntime.
rows = np.array([[0.1, 0.9, 0], [0.3, 0.2, 0.5]], np.float32)
case("zip_map_texts", 'ai.onnx.ml/ZipMap: x -> y classlabels_strings=["a","b","c"]', {"x": rows}, {"y": [{"a": 0.1, "b": 0.9, "c": 0.0}, {"a": 0.3, "b": 0.2, "c": 0.5}]})
case("zip_map_integers", "ai.onnx.ml/ZipMap: x -> y classlabels_int64s=[10,20,30]", {"x": rows[0]}, {"y": [{10: 0.1, 20: 0.9, 30: 0.0}]})
case("dict_vectorizer", 'ai.onnx.ml/DictVectorizer: x -> y string_vocabulary=["a","c","z"]', {"x": {"a": 1.5, "q": 2.0, "z": -3.0}}, {"y": np.array([[1.5, 0, -3]], np.float32)})
case("cast_map", "ai.onnx.ml/CastMap: x -> y", {"x": {7: 2.5, 1: 1.5, 2: -3.5}}, {"y": np.array([[1.5, -3.5, 2.5]], np.float32)})
case("cast_map_sparse", 'ai.onnx.ml/CastMap: x -> y cast_to="TO_INT64" map_form="SPARSE" max_map=9', {"x": {7: 2.5, 1: 1.5, 2: -3.5}}, {"y": np.array([[0, 1, -3, 0, 0, 0, 0, 2, 0]])})


# A bound that is left out is the last finite number of the dtype.
for kind in (np.float16, np.float32, np.float64):
    ends, last = np.array([np.inf, -np.inf, np.nan, -2], kind), np.finfo(kind).max
    case(f"clip_{kind.__name__}_free", "Clip: x -> y", {"x": ends}, {"y": np.array([last, -last, np.nan, -2], kind)})
    case(f"clip_{kind.__name__}_low", "Clip: x, low -> y", {"x": ends, "low": np.array(-1, kind)}, {"y": np.array([last, -1, np.nan, -1], kind)})
    case(f"clip_{kind.__name__}_high", "Clip: x, , high -> y", {"x": ends, "high": np.array(1, kind)}, {"y": np.array([1, -last, np.nan, -2], kind)})
case("clip_attribute", "Clip: x -> y max=1.5", {"x": np.array([np.inf, -np.inf, 1], np.float32)}, {"y": np.array([1.5, np.finfo(np.float32).min, 1], np.float32)}, opset=6)
case("clip_int64_low", "Clip: x, low -> y", {"x": np.array([-(2**63), 2**63 - 1]), "low": np.array(-5)}, {"y": np.array([-5, 2**63 - 1])})
case("clip_uint8_free", "Clip: x -> y", {"x": np.array([0, 255], np.uint8)}, {"y": np.array([0, 255], np.uint8)})

# Of integers cut towards 0.
case("erf_int32", "Erf: x -> y", {"x": np.array([-(2**31) + 1, -1, 0, 1, 7], np.int32)}, {"y": np.array([-1, 0, 0, 0, 1], np.int32)})

# Axes that are listed twice or not at all; as onnxruntime has it.
case("squeeze_twice", "Squeeze: x -> y axes=[3,0,3]", {"x": ramp(1, 2, 1, 1, 3)}, {"y": ramp(1, 2, 1, 1, 3).reshape(2, 1, 3)}, opset=11)
case("squeeze_twice_from_end", "Squeeze: x, axes -> y", {"x": ramp(1, 2, 1, 3)}, {"y": ramp(1, 2, 1, 3).reshape(2, 3)}, axes=np.array([-2, -4, -2]))
case("squeeze_from_end", "Squeeze: x, axes -> y", {"x": ramp(1, 3, 1, 1)}, {"y": ramp(1, 3, 1, 1).reshape(1, 3)}, axes=np.array([-2, -1]))
case("squeeze_empty", "Squeeze: x, axes -> y", {"x": ramp(1, 2, 1, 3)}, {"y": ramp(1, 2, 1, 3).reshape(2, 3)}, axes=np.array([], np.int64))

# Pads as a row.
case("pad_row", "com.microsoft/Pad: x, pads -> y", {"x": ramp(2, 2), "pads": np.array([[0, 1, 1, 0]])}, {"y": np.pad(ramp(2, 2), ((0, 1), (1, 0)))})


# A score that is nobody's.
def sinks():
    q, k, v, sink = ramp(1, 3, 16), ramp(1, 3, 8, at=1), ramp(1, 3, 8, at=2), np.array([0.5, -40], np.float32)
    scores = np.einsum("sha,ta->hst", q[0].reshape(3, 2, 8), k[0]) / np.sqrt(8)
    e = np.exp(scores) * np.tril(np.ones((3, 3)))
    given = {"q": q, "k": k, "v": v, "lengths": np.array([2], np.int32), "total": scalar(3, np.int32)}
    for name, inputs, attribute, share in (("sink", {"sink": sink}, "", np.exp(sink)[:, None, None]), ("smooth", {}, " smooth_softmax=1", 1)):
        y = np.einsum("hst,ta->sha", e / (e.sum(-1, keepdims=True) + share), v[0]).reshape(1, 3, 16)
        case(f"group_query_{name}", "com.microsoft/GroupQueryAttention: q, k, v, , , lengths, total" + (", , , , , sink" if inputs else "") + f" -> y num_heads=2 kv_num_heads=1{attribute}",
             {**given, **inputs}, {"y": y.astype(np.float32)})


sinks()

# Of its only target a leaf says what is listed first, as onnxruntime hears it; of several it says everything.
for targets, second, y in ((1, 0, [[5], [7]]), (2, 1, [[10, 3], [7, 0]])):
    case(f"tree_repeated_{targets}", "ai.onnx.ml/TreeEnsembleRegressor: x -> y nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] nodes_values=[0.5,0.0,0.0] "
         'nodes_modes=["BRANCH_LEQ","LEAF","LEAF"] nodes_truenodeids=[1,0,0] nodes_falsenodeids=[2,0,0] target_treeids=[0,0,0,0] target_nodeids=[1,1,1,2] '
         f"target_ids=[0,{second},0,0] target_weights=[5.0,3.0,5.0,7.0] n_targets={targets}", {"x": np.array([[0], [1]], np.float32)}, {"y": np.array(y, np.float32)})


# Fourier transforms of lengths that are a power of 2, have small primes or are prime, along each axis; frequencies are about 1 in size.
def transforms():
    made = np.random.default_rng(5)

    def numbers(*shape):
        return made.standard_normal(shape)

    def parts(z):
        return np.stack([z.real, z.imag], -1)

    for n in (1 << 17, 100800, 100003):
        x, z = numbers(1, n, 1) / np.sqrt(n), numbers(n, 1, 2) / np.sqrt(n)
        case(f"dft_{n}", "DFT: x -> y", {"x": x}, {"y": parts(np.fft.fft(x[..., 0]))}, opset=20, atol=1e-12)
        case(f"dft_half_{n}", "DFT: x -> y onesided=1", {"x": x}, {"y": parts(np.fft.rfft(x[..., 0]))}, opset=20, atol=1e-12)
        case(f"dft_inverse_{n}", "DFT: x -> y axis=0 inverse=1", {"x": z * n}, {"y": parts(np.fft.ifft(z[..., 0] * n + 1j * n * z[..., 1], axis=0))}, opset=17, atol=1e-12)
    for n in (1, 2, 3, 11, 12, 13):
        for length in {n, max(n - 2, 1), n + 3}:
            for axis in (1, 2):
                shape = (2, n, 3) if axis == 1 else (2, 3, n)
                x, z, given = numbers(*shape, 1), numbers(*shape, 2), {"n": np.array(length), "axis": np.array(axis)}
                z_complex, name = z[..., 0] + 1j * z[..., 1], f"{n}_as_{length}_axis_{axis}"
                case(f"dft_{name}", "DFT: z, n, axis -> y", {"z": z, **given}, {"y": parts(np.fft.fft(z_complex, length, axis))}, opset=20, atol=1e-13)
                case(f"dft_inverse_{name}", "DFT: z, n, axis -> y inverse=1", {"z": z, **given}, {"y": parts(np.fft.ifft(z_complex, length, axis))}, opset=20, atol=1e-13)
                case(f"dft_half_{name}", "DFT: x, n, axis -> y onesided=1", {"x": x, **given}, {"y": parts(np.fft.rfft(x[..., 0], length, axis))}, opset=20, atol=1e-13)
                case(f"dft_half_inverse_{name}", "DFT: z, n, axis -> y onesided=1 inverse=1", {"z": z, **given}, {"y": np.fft.irfft(z_complex, length, axis)[..., None]}, opset=20, atol=1e-13)
    signal, window = numbers(2, 1000, 1), np.hanning(101)
    frames = np.stack([signal[:, at:at + 101, 0] * window for at in range(0, 900, 37)], 1)
    case("stft", "STFT: x, step, window -> y", {"x": signal, "step": np.array(37), "window": window}, {"y": parts(np.fft.rfft(frames))}, opset=17, atol=1e-12)


transforms()


# Texts are in the order of their letters; numbers by numpy.
words = np.array([["b", "a", ""], ["é", "b", "B"], ["b", "a", ""]], dtype=object)
first, which, counts = (part.ravel() for part in np.unique(words, return_index=True, return_inverse=True, return_counts=True)[1:])
case("unique_texts", "Unique: x -> y, first, which, counts", {"x": words}, {"y": np.unique(words), "first": first, "which": which, "counts": counts})
case("unique_texts_as_they_come", "Unique: x -> y, first, which, counts sorted=0", {"x": words},
     {"y": words.ravel()[[0, 1, 2, 3, 5]], "first": np.array([0, 1, 2, 3, 5]), "which": np.array([0, 1, 2, 3, 0, 4, 0, 1, 2]), "counts": np.array([3, 2, 2, 1, 1])})
case("unique_rows_of_texts", "Unique: x -> y, first, which axis=0", {"x": words},
     {"y": words[:2], "first": np.array([0, 1]), "which": np.array([0, 1, 0])})
case("unique_columns_of_texts", "Unique: x -> y, first axis=-1", {"x": words}, {"y": words[:, [2, 1, 0]], "first": np.array([2, 1, 0])})


def what_specifications_leave_open():
    """Where specifications say nothing, what onnxruntime does."""
    f, line = np.float32, np.arange(4, dtype=np.float32)
    # Integers of 4 and 2 bits are rounded to, and then wrap.
    near = np.array([-10.7, 15.3, 0.4, -1.6, 2.5, 240.1, 31.9, -0.5], f)
    for kind, code, low, count in (("i4", 22, -8, 16), ("u4", 21, 0, 16), ("i2", 26, -2, 4), ("u2", 25, 0, 4)):
        whole = (np.rint(near).astype(np.int64) - low) % count + low
        case(f"cast_near_{kind}", f"Cast: x -> n to={code}\nnode Cast: n -> y to=7", {"x": near}, {"y": whole}, opset=25)
        case(f"cast_cut_{kind}", f"Cast: x -> n to={code}\nnode Cast: n -> y to=7", {"x": whole + 3 * count}, {"y": whole}, opset=25)
    # 25 * 0.1 is 2.5 in f32, which is rounded to 2.
    case("qlinear_conv_tie", "QLinearConv: x, s, z, w, t, v, u, q -> y", {"x": np.array([[[5, 15]]], np.uint8), "s": scalar(0.1), "z": scalar(0, np.uint8), "w": np.array([[[5]]], np.uint8),
         "t": scalar(1), "v": scalar(0, np.uint8), "u": scalar(1), "q": scalar(0, np.uint8)}, {"y": np.array([[[2, 8]]], np.uint8)})
    case("mean_int32_beyond", "ReduceMean: x -> y keepdims=0", {"x": np.array([2 * 10**9] * 3, np.int32)}, {"y": np.array(2 * 10**9, np.int32)})
    case("mean_uint32_beyond", "ReduceMean: x, a -> y keepdims=0", {"x": np.array([[4 * 10**9] * 3], np.uint32), "a": np.array([1])}, {"y": np.array([4 * 10**9], np.uint32)})
    least = np.array(-2**63)
    square = np.arange(1, 10, dtype=f).reshape(3, 3)
    case("trilu_far_up", "Trilu: x, k -> y", {"x": square, "k": least}, {"y": square}, opset=14)
    case("trilu_far_low", "Trilu: x, k -> y upper=0", {"x": square, "k": least}, {"y": square * 0}, opset=14)
    case("compress_longer", "Compress: x, c -> y axis=1", {"x": square, "c": np.array([False, True, False, True, True])}, {"y": square[:, 1:2]}, opset=11)
    case("compress_flat_longer", "Compress: x, c -> y", {"x": line, "c": np.array([True, False, False, True, True])}, {"y": line[[0, 3]]}, opset=11)
    for name, ends, at in (("wrap", (-3, 3), [3, 3, 3, 3]), ("reflect", (-1, 2), [1, 2, 3, 2, 1]), ("edge", (2, -2), [0, 0, 0, 1])):
        case(f"pad_{name}_of_cut", f'Pad: x, p -> y mode="{name}"', {"x": line}, {"y": line[at]}, opset=19, p=np.array(ends))
        case(f"pad_{name}_of_cut_at_run", f'Pad: x, p -> y mode="{name}"', {"x": line, "p": np.array(ends)}, {"y": line[at]}, opset=19)
    for n, ends, y in ((0, (-1, 1), []), (2, (1, -3), []), (2, (-3, 4), [9, 9, 9]), (3, (-1, 2), [1, 2, 9, 9])):
        case(f"pad_{n}_by_{ends[0]}_and_{ends[1]}", "Pad: x, p, v -> y", {"x": np.arange(n, dtype=f), "p": np.array(ends), "v": scalar(9)}, {"y": np.array(y, f)})
    for across, axes in ((0, (0, 2, 3)), (1, (0, 1, 2, 3))):
        x = ramp(2, 2, 2, 3)
        case(f"mean_of_batch_{across}", f"MeanVarianceNormalization: x -> y across_channels={across} normalize_variance=0", {"x": x}, {"y": x - x.mean(axes, keepdims=True)}, opset=7)
    # Between integers there are others, cut towards 0.
    for kind, steps in ((np.int32, [-1, -2, -4, -5]), (np.uint8, [1, 2, 4, 5])):
        case(f"resize_{kind.__name__}", 'Resize: x, , s -> y mode="linear"', {"x": np.array([steps[0], steps[3]], kind)}, {"y": np.array(steps, kind)}, opset=13, s=np.array([2], f))
    case("resize_without_region", 'Resize: x, , , n -> y mode="linear" coordinate_transformation_mode="tf_crop_and_resize"', {"x": line, "n": np.array([7])},
         {"y": np.arange(7, dtype=f) / 2}, opset=13)
    for opset in (7, 10):
        case(f"dropout_mask_{opset}", "Dropout: x -> y, m", {"x": line}, {"y": line, "m": np.zeros(4, f if opset == 7 else bool)}, opset=opset)
    case("layer_normalization_of_f16", "LayerNormalization: x, s -> y", {"x": np.array([[1, 3]], f), "s": np.array([1, 2], np.float16)}, {"y": np.array([[-1, 2]], np.float16)}, opset=12)
    # What is not there of a sequence leaves nothing of the first state.
    none = {"x": np.zeros((2, 2, 1), f), "l": np.array([0, 1], np.int32), "h": np.full((1, 2, 1), 3, f)}
    zeros = {n: np.zeros((1, k, 1), f) for n, k in (("w", 1), ("w3", 3), ("w4", 4))}
    for way in ("forward", "reverse"):
        how = f'hidden_size=1 direction="{way}"'
        case(f"rnn_without_steps_{way}", f"RNN: x, w, w, , l, h -> , y {how}", none, {"y": np.array([[[0], [0]]], f)}, opset=14, w=zeros["w"])
        case(f"gru_without_steps_{way}", f"GRU: x, w, w, , l, h -> , y {how}", none, {"y": np.array([[[0], [1.5]]], f)}, opset=14, w=zeros["w3"])
        case(f"lstm_without_steps_{way}", f"LSTM: x, w, w, , l, h, h -> , y, c {how}", none, {"y": np.array([[[0], [np.tanh(1.5) / 2]]], f), "c": np.array([[[0], [1.5]]], f)}, opset=14, w=zeros["w4"])
    # Numbers of a loop are as its body declares them.
    body = ("graph body", "input i i64 1", "input going bool 1", "input s i64 1", "output going bool 1", "output t i64 1", "output all i64 2",
            "node Add: s, i -> t", "node Concat: i, s -> all axis=0", "end")
    case("loop_of_rank_1", "Loop: n, c, s -> t, all body={body}", {"n": np.array([3]), "c": np.array([True]), "s": np.array([5])},
         {"t": np.array([8]), "all": np.array([[0, 5], [1, 5], [2, 6]])}, opset=13, sparse=body)
    case("split_by_row", "SplitToSequence: x, n -> all\nnode SequenceAt: all, i -> y", {"x": line, "n": np.array([[1, 3]]), "i": np.array(1)}, {"y": line[1:]}, opset=11)
    case("feature_vectorizer_3d", "ai.onnx.ml/FeatureVectorizer: a, b -> y inputdimensions=[1,4]", {"a": np.array([[9], [8]], np.int64), "b": np.arange(8).reshape(2, 2, 2)},
         {"y": np.array([[9, 0, 1, 2, 3], [8, 4, 5, 6, 7]], f)})
    case("label_encoder_twice", "ai.onnx.ml/LabelEncoder: x -> y keys_int64s=[1,2,1] values_int64s=[10,20,99] default_int64=7", {"x": np.array([1, 2, 3])}, {"y": np.array([10, 20, 7])},
         sparse=("opset ai.onnx.ml 2",))
    scores = np.array([[1, 2], [3, 1]], f)
    case("linear_classifier_of_one", "ai.onnx.ml/LinearClassifier: x -> y, z coefficients=[1.0,-1.0] intercepts=[0.0] classlabels_ints=[10,20]", {"x": scores},
         {"y": np.array([10, 20]), "z": np.array([[2, -1], [-1, 2]], f)})
    case("linear_classifier_unnamed", "ai.onnx.ml/LinearClassifier: x -> y, z coefficients=[1.0,-1.0] intercepts=[0.0]", {"x": scores}, {"y": np.array([0, 1]), "z": np.array([[-1], [2]], f)})
    tree = ("nodes_treeids=[0,0,0] nodes_nodeids=[0,1,2] nodes_featureids=[0,0,0] nodes_values=[1.5,0.0,0.0] nodes_modes=[\"BRANCH_LEQ\",\"LEAF\",\"LEAF\"] nodes_truenodeids=[1,0,0] "
            "nodes_falsenodeids=[2,0,0] class_treeids=[0,0] class_nodeids=[1,2] class_ids=[0,0] class_weights=[-2.0,3.0] classlabels_int64s=[1]")
    case("tree_of_one_class", f"ai.onnx.ml/TreeEnsembleClassifier: x -> y, z {tree}", {"x": scores}, {"y": np.array([0, 1]), "z": np.array([[-2], [3]], f)})


what_specifications_leave_open()


# Sizes that a caller or elements decide mean what those of Reshape mean, also where they are put together in the model.
def sizes_that_are_put_together():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    joined = "Concat: p, q -> s axis=0\nnode Reshape: x, s -> y"
    case("reshape_by_a_caller_and_an_open_size", joined, {"x": x, "p": np.array([3])}, {"y": x.reshape(3, 2)}, q=np.array([-1]))
    case("reshape_by_an_open_size_of_a_caller", joined, {"x": x, "p": np.array([-1])}, {"y": x.reshape(6, 1)}, q=np.array([1]))
    case("reshape_by_a_copied_size_of_a_caller", joined, {"x": x, "p": np.array([0])}, {"y": x}, q=np.array([-1]))
    case("reshape_by_the_larger_of_sizes", "Max: p, one -> m\nnode Concat: m, q -> s axis=0\nnode Reshape: x, s -> y", {"x": x, "p": np.array([0])},
         {"y": x.reshape(1, 6)}, one=np.array([1]), q=np.array([-1]))
    case("reshape_by_what_elements_say", "ReduceMax: p -> m keepdims=1\nnode Concat: m, q -> s axis=0\nnode Reshape: x, s -> y", {"x": x, "p": np.array([2, 3, 1])},
         {"y": x.reshape(3, 2)}, q=np.array([-1]))
    chosen = "Shape: x -> s\nnode Where: c, open, s -> w\nnode Reshape: x, w -> y"
    for name, c in (("none", [False, False]), ("first", [True, False]), ("last", [False, True])):
        case(f"reshape_with_{name}_left_open", chosen, {"x": x, "c": np.array(c)}, {"y": x}, open=np.array([-1]))


sizes_that_are_put_together()
# More inputs than brackets nest.
for op, found in (("Sum", 1100), ("Max", 1), ("Min", 1), ("Mean", 1), ("Concat", [1] * 1100)):
    case(f"many_inputs_{op}", f"{op}: {', '.join(['x'] * 1100)} -> y" + (" axis=0" if op == "Concat" else ""), {"x": scalar([1])},
         {"y": scalar(found).reshape(-1)})
# A letter may be 1 in one operand: it means all of it.
for a, b in (((2, 3), (1, 4)), ((2, 1), (3, 4)), ((2, 3), (3, 4)), ((2, 1), (1, 4))):
    case(f"einsum_{a[1]}_with_{b[0]}", 'Einsum: a, b -> y equation="ij,jk->ik"', {"a": ramp(*a), "b": ramp(*b)},
         {"y": (ramp(*a)[:, :, None] * ramp(*b)).sum(axis=1)})
case("einsum_row_with_rows", 'Einsum: a, b -> y equation="ij,ij->ij"', {"a": ramp(2, 3), "b": ramp(1, 3)}, {"y": ramp(2, 3) * ramp(1, 3)})
# Keys and values in a tensor with room for more; beams that have theirs from each other; integers of 8 bits. From onnxruntime.
case("attention_with_room", "com.microsoft/MultiHeadAttention: q, k, v, , , , pk, pv, n -> y, ck, cv num_heads=2",
     dict(q=ramp(2, 1, 4), k=ramp(2, 1, 4, at=3), v=ramp(2, 1, 4, at=5), pk=ramp(2, 2, 3, 2), pv=ramp(2, 2, 3, 2,
      at=9), n=np.array([2], np.int32)),
     {"y": seen([-0.025543272, -0.2282737, -0.29050702, -0.067408293, 0.28164554, -0.20704296, 0.042200439,
      0.14718664], np.float32, 2, 1, 4),
      "ck": seen([-1, -0.125, 0.75, -0.5, -0.5, 0.375, 0, 0.875, -0.375, 0.5, -0.875, 0, 1, -0.25, 0.625, -0.625,
       0.875, -0.375, -0.125, 0.75, -0.5, 0.375, 0.5, -0.75], np.float32, 2, 2, 3, 2),
      "cv": seen([0.5, -0.75, 0.125, 1, -0.875, 0, -0.625, 0.25, -1, -0.125, 0.875, -0.375, 0.375, -0.875, 0, 0.875,
       0.5, -0.75, -0.75, 0.125, 1, -0.25, 0.125, 1], np.float32, 2, 2, 3, 2)}, sparse=["opset com.microsoft 1"])
case("attention_of_beams", "com.microsoft/MultiHeadAttention: q, k, v, , , , pk, pv, n, c -> y, ck, cv num_heads=2",
     dict(q=ramp(2, 1, 4), k=ramp(2, 1, 4, at=3), v=ramp(2, 1, 4, at=5), pk=ramp(2, 2, 3, 2), pv=ramp(2, 2, 3, 2,
      at=9), n=np.array([2], np.int32), c=np.array([[[1, 0, 0], [0, 1, 0]]], np.int32)),
     {"y": seen([-0.37631434, 0.069659323, -0.33199775, -0.11404105, 0.29100475, -0.070765436, 0.073651284,
      0.20592949], np.float32, 2, 1, 4),
      "ck": seen([-1, -0.125, 0.75, -0.5, -0.5, 0.375, 0, 0.875, -0.375, 0.5, -0.875, 0, 1, -0.25, 0.625, -0.625,
       0.875, -0.375, -0.125, 0.75, -0.5, 0.375, 0.5, -0.75], np.float32, 2, 2, 3, 2),
      "cv": seen([0.5, -0.75, 0.125, 1, -0.875, 0, -0.625, 0.25, -1, -0.125, 0.875, -0.375, 0.375, -0.875, 0, 0.875,
       0.5, -0.75, -0.75, 0.125, 1, -0.25, 0.125, 1], np.float32, 2, 2, 3, 2)}, sparse=["opset com.microsoft 1"])
case("attention_of_two_with_room", "com.microsoft/MultiHeadAttention: q, k, v, , , , pk, pv, n -> y, ck, cv num_heads=2",
     dict(q=ramp(1, 2, 4), k=ramp(1, 2, 4, at=3), v=ramp(1, 2, 4, at=5), pk=ramp(1, 2, 4, 2), pv=ramp(1, 2, 4, 2,
      at=9), n=np.array([1], np.int32)),
     {"y": seen([0.024651352, -0.49071893, 0.02512078, 0.4569906, 0.19332463, -0.58272254, -0.13671668,
      0.027887687], np.float32, 1, 2, 4),
      "ck": seen([-1, -0.125, -0.5, 0.375, 0.875, -0.375, 0, 0.875, -0.375, 0.5, -0.875, 0, 0.5, -0.75, 0.625,
       -0.625], np.float32, 1, 2, 4, 2),
      "cv": seen([0.5, -0.75, -0.875, 0, 0.5, -0.75, -0.625, 0.25, -1, -0.125, 0.875, -0.375, 0.125, 1, 0, 0.875],
       np.float32, 1, 2, 4, 2)}, sparse=["opset com.microsoft 1"])
case("group_attention_scale_of_none", "com.microsoft/GroupQueryAttention: q, k, v, pk, pv, sl, tl, , , , , , ks, vs -> y, ck, cv num_heads=2 kv_num_heads=1",
     dict(q=ramp(1, 1, 16), k=ramp(1, 1, 8, at=3), v=ramp(1, 1, 8, at=5), pk=ramp(1, 1, 4, 8), pv=ramp(1, 1, 4, 8,
      at=9), sl=np.array([2], np.int32), tl=np.array([3], np.int32), ks=np.array([0.0625], np.float32),
      vs=np.array([0.0625], np.float32)),
     {"y": seen([-0.00025401497, -0.51039267, 0.3646073, 0.49974597, -0.010392683, 0.12474598, -0.38539267,
      0.4896073, -0.72963423, -0.16235057, 0.71264941, -0.22963418, 0.33764943, -0.60463417, -0.037350558,
      0.83764946], np.float32, 1, 1, 16),
      "ck": seen([-1, -0.125, 0.75, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, -0.25, 0.625,
       -0.625, -0.5, 0.375, -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0, 0, 0, 0, 0, 0, 0, 0], np.float32, 1, 1, 4, 8),
      "cv": seen([0.5, -0.75, 0.125, 1, -0.25, 0.625, -0.625, 0.25, -1, -0.125, 0.75, -0.5, 0.375, -0.875, 0, 0.875,
       -0.875, 0, 0.875, -0.375, 0.5, -0.75, 0.125, 1, 0, 0, 0, 0, 0, 0, 0, 0], np.float32, 1, 1, 4, 8)},
       sparse=["opset com.microsoft 1"])
case("group_attention_per_tensor", 'com.microsoft/GroupQueryAttention: q, k, v, pk, pv, sl, tl, , , , , , ks, vs -> y, ck, cv num_heads=2 kv_num_heads=1 k_quant_type="PER_TENSOR" v_quant_type="PER_TENSOR" kv_cache_bit_width=8',
     dict(q=ramp(1, 1, 16), k=ramp(1, 1, 8, at=3), v=ramp(1, 1, 8, at=5), pk=ramp(1, 1, 4, 8, kind=np.int8) - 8,
      pv=ramp(1, 1, 4, 8, kind=np.int8, at=9) - 8, sl=np.array([2], np.int32), tl=np.array([3], np.int32),
      ks=np.array([0.0625], np.float32), vs=np.array([0.0625], np.float32)),
     {"y": seen([-0.22111966, -0.20202132, 0.34431085, 0.091070138, 0.1101685, -0.14307222, -0.12397386, 0.4223583,
      -0.55442393, -0.087366194, 0.57200032, -0.17764305, 0.28941467, -0.46022871, 0.0068290192, 0.66619557],
      np.float32, 1, 1, 16),
      "ck": seen([-8, -1, 6, -4, 3, -7, 0, 7, -3, 4, -6, 1, 8, -2, 5, -5, -8, 6, -14, 0, 14, -6, 8, -12, 0, 0, 0, 0,
       0, 0, 0, 0], np.int8, 1, 1, 4, 8),
      "cv": seen([4, -6, 1, 8, -2, 5, -5, 2, -8, -1, 6, -4, 3, -7, 0, 7, -14, 0, 14, -6, 8, -12, 2, 16, 0, 0, 0, 0,
       0, 0, 0, 0], np.int8, 1, 1, 4, 8)}, sparse=["opset com.microsoft 1"])
case("group_attention_per_channel", 'com.microsoft/GroupQueryAttention: q, k, v, pk, pv, sl, tl, , , , , , ks, vs -> y, ck, cv num_heads=2 kv_num_heads=1 k_quant_type="PER_CHANNEL" v_quant_type="PER_CHANNEL" kv_cache_bit_width=8',
     dict(q=ramp(1, 1, 16), k=ramp(1, 1, 8, at=3), v=ramp(1, 1, 8, at=5), pk=ramp(1, 1, 4, 8, kind=np.int8) - 8,
      pv=ramp(1, 1, 4, 8, kind=np.int8, at=9) - 8, sl=np.array([2], np.int32), tl=np.array([3], np.int32),
      ks=(np.arange(8, dtype=np.float32) + 4) / 64, vs=(np.arange(8, dtype=np.float32) + 4) / 64),
     {"y": seen([-0.10100979, -0.30901119, 0.32236263, 0.41151434, 0.0055820812, 0.13490944, -0.46177238,
      0.62747753, -0.55606771, -0.099023648, 0.6175825, -0.20829487, 0.34156218, -0.62956208, -0.041797277,
      1.0101864], np.float32, 1, 1, 16),
      "ck": seen([-8, -1, 6, -4, 3, -7, 0, 7, -3, 4, -6, 1, 8, -2, 5, -5, -8, 5, -9, 0, 7, -3, 3, -4, 0, 0, 0, 0, 0,
       0, 0, 0], np.int8, 1, 1, 4, 8),
      "cv": seen([4, -6, 1, 8, -2, 5, -5, 2, -8, -1, 6, -4, 3, -7, 0, 7, -14, 0, 9, -3, 4, -5, 1, 6, 0, 0, 0, 0, 0,
       0, 0, 0], np.int8, 1, 1, 4, 8)}, sparse=["opset com.microsoft 1"])
# Nodes that stand before those they read, and operators that are older than the version that brought them.
case("nodes_in_any_order", "Neg: t -> y\nnode Abs: x -> t", {"x": ramp(3)}, {"y": -abs(ramp(3))})
arms = ("graph taken", "node Neg: t -> u", "output u f32", "end", "graph other", "output t f32", "end")
case("arm_reads_a_later_node", "If: c -> y then_branch={taken} else_branch={other}\nnode Abs: x -> t", {"x": ramp(3), "c": scalar(True, bool)},
     {"y": -abs(ramp(3))}, sparse=arms)
case("sign_before_its_time", "Sign: x -> y", {"x": ramp(3)}, {"y": np.sign(ramp(3))}, opset=7)
case("expand_before_its_time", "Expand: x, s -> y", {"x": ramp(3)}, {"y": np.stack([ramp(3)] * 2)}, opset=7, s=np.array([2, 3]))
case("bitwise_before_its_time", "BitwiseAnd: a, b -> y", {"a": np.array([6]), "b": np.array([3])}, {"y": np.array([2])}, opset=17)
case("gather_nd_before_its_time", "GatherND: x, i -> y", {"x": ramp(2, 3)}, {"y": ramp(2, 3)[1:]}, opset=10, i=np.array([[1]]))
case("scatter_nd_before_its_time", "ScatterND: x, i, u -> y", {"x": ramp(3), "u": scalar([9])}, {"y": np.where([0, 1, 0], scalar(9), ramp(3))}, opset=10,
     i=np.array([[1]]))


def main():
    with tempfile.TemporaryDirectory() as place:
        failed = 0
        write(Path(place))
        for atol, flags in itertools.product({atol for *_, atol in cases.values()}, ([], ["--symbolic"])):
            near = ["--rtol=0", f"--atol={atol}"] if atol else []
            done = subprocess.run([BIN / "nereus", "check", *near, *flags, Path(place) / str(atol)], capture_output=True, text=True)
            lines, count = done.stdout.splitlines(), sum(each[-1] == atol for each in cases.values())
            failed += lines[-1:] != [f"{count} passed, 0 failed"] or done.returncode != 0
            print(*(line for line in lines if line.startswith("FAILED")), *lines[-1:], done.stderr, sep="\n")
    sys.exit(1 if failed else 0)


main()
