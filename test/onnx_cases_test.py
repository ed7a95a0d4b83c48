#!/usr/bin/python3
"""Single nodes whose numbers are easily wrong, as shipped and with every size a symbol: test/onnx_cases_test.py BIN ROOT

What they should give is computed by hand, or recorded from onnxruntime where a comment says so.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "test/onnx"))
import model_from_text  # noqa: E402

NAMES = {"float32": "f32", "float16": "f16", "float64": "f64"}
cases = {}


def described(name, array):
    kind = array.dtype.name
    return f"{name} {NAMES.get(kind, kind.replace('uint', 'u').replace('int', 'i'))} {','.join(map(str, array.shape)) or '-'}"


def file_of(name, array):
    text = model_from_text
    kind = text.TYPES[described(name, array).split()[1]][0]
    return b"".join(text.number(1, d) for d in array.shape) + text.number(2, kind) + text.data(8, name) + text.data(9, array.tobytes())


def case(name, node, inputs, outputs, opset=21, **weights):
    """inputs, outputs, weights: arrays by name."""
    assert name not in cases, name
    lines = [f"opset {opset}", *(f"input {described(n, x)}" for n, x in inputs.items())]
    lines += [f"init {described(n, w)} = {','.join(map(str, w.ravel()))}" for n, w in weights.items()]
    lines += ["node " + node, *(f"output {described(n, y)}" for n, y in outputs.items())]
    cases[name] = ("\n".join(lines), inputs, outputs)


def write(folder):
    for name, (text, inputs, outputs) in cases.items():
        data = folder / name / "test_data_set_0"
        data.mkdir(parents=True)
        (data / "model.txt").write_text(text)
        model_from_text.main(data / "model.txt", folder / name / "model.onnx")
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


# What is told while a model is read, not when it runs.
REFUSED = {"input x str n\nnode Unique: x -> y\noutput y str m": "error: Unique: its elements are texts, which have no order here"}


def not_refused(folder):
    wrong = 0
    for text, message in REFUSED.items():
        (folder / "model.txt").write_text(text)
        model_from_text.main(folder / "model.txt", folder / "refused.onnx")
        done = subprocess.run([BIN / "nereus", "inspect", folder / "refused.onnx"], capture_output=True, text=True)
        if done.returncode == 0 or message not in done.stderr:
            print("not refused:", text, done.stdout, done.stderr, sep="\n")
            wrong += 1
    return wrong


def main():
    with tempfile.TemporaryDirectory() as place:
        failed = not_refused(Path(place))
        (Path(place) / "refused.onnx").unlink()
        write(Path(place))
        for flags in ([], ["--symbolic"]):
            done = subprocess.run([BIN / "nereus", "check", *flags, place], capture_output=True, text=True)
            lines = done.stdout.splitlines()
            failed += lines[-1:] != [f"{len(cases)} passed, 0 failed"] or done.returncode != 0
            print(*(line for line in lines if line.startswith("FAILED")), *lines[-1:], done.stderr, sep="\n")
    sys.exit(1 if failed else 0)


main()
