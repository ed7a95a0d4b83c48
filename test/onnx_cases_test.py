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


def main():
    with tempfile.TemporaryDirectory() as place:
        write(Path(place))
        failed = 0
        for flags in ([], ["--symbolic"]):
            done = subprocess.run([BIN / "nereus", "check", *flags, place], capture_output=True, text=True)
            lines = done.stdout.splitlines()
            failed += lines[-1:] != [f"{len(cases)} passed, 0 failed"] or done.returncode != 0
            print(*(line for line in lines if line.startswith("FAILED")), *lines[-1:], done.stderr, sep="\n")
    sys.exit(1 if failed else 0)


main()
