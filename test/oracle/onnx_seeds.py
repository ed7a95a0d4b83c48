#!/usr/bin/env python3
"""Writes the small models of test/corpus/models, with which the fuzzer of the importer begins:

    pip install onnx==1.23.2 numpy; python3 test/oracle/onnx_seeds.py [--windows FOLDER OUT]

--windows: instead, what lies in real models (FOLDER/*/model.onnx): a few nodes each, with sizes and types as the file says them,
and with the weights that are small. They are other people's and stay out of the repository.
"""
import sys
from pathlib import Path

import onnx
from onnx import helper, parser

FOLDER = Path(__file__).resolve().parent.parent / "corpus/models"
OPSETS = '"" : 21, "com.microsoft" : 1, "f" : 1'
GRAPHS = {
    "dense": "(float[n, 4] x) => (float[n, 3] y) <float[4, 3] w = {1,2,3,4,5,6,7,8,9,10,11,12}, float[3] b = {0.5, 0, -1}> "
             "{ a = Gemm(x, w, b)\n y = Softmax <axis = -1> (a) }",
    "convolution": "(float[n, 2, h, w] x) => (float[n, c, p, q] y) <float[2, 2, 2, 2] k = {1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8}> "
                   "{ a = Conv <strides = [2, 1], pads = [0, 1, 1, 0]> (x, k)\n b = Relu(a)\n c = MaxPool <kernel_shape = [2, 2]> (b)\n y = GlobalAveragePool(c) }",
    "transposed": "(float[n, 2, h, w] x) => (float[n, c, p, q] y) <float[2, 1, 3, 3] k = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9}> "
                  "{ y = ConvTranspose <strides = [2, 2], output_padding = [1, 0]> (x, k) }",
    "shapes": "(float[n, m, 4] x) => (float[a, b] y) <int64[1] two = {2}, int64[1] minus = {-1}, int64[1] zero = {0}, int64[1] one = {1}> "
              "{ s = Shape(x)\n l = Slice(s, zero, one)\n t = Concat <axis = 0> (l, minus)\n r = Reshape(x, t)\n u = Unsqueeze(r, two)\n y = Squeeze(u, two) }",
    "slices": "(float[n, 6] x, int64[k] i) => (float[a, b] y, float[c, d] z) <int64[1] one = {1}, int64[1] two = {2}, int64[1] end = {9223372036854775807}> "
              "{ a = Slice(x, one, end, one, two)\n b = Gather <axis = 1> (a, i)\n y, z = Split <axis = 1, num_outputs = 2> (b) }",
    "scatters": "(float[n, 3] x, int64[k, 1] i, float[k, 3] u) => (float[n, 3] y) { a = ScatterND(x, i, u)\n b = ScatterElements <axis = 0> (a, i, u)\n y = CumSum(b, i) }",
    "choice": "(float[n] x, bool c) => (float[m] y) { y = If <then_branch = g (float[p] a) => (float[p] t) { t = Neg(x) }, "
              "else_branch = g () => (float[q] e) { d = Add(x, x)\n e = Mul(d, x) }> (c) }".replace("g (float[p] a)", "g ()"),
    "loop": "(float[n] x, int64 trips) => (float[n] y, float[t, n] all) <bool go = {1}> "
            "{ y, all = Loop <body = b (int64 i, bool c, float[n] s) => (bool d, float[n] r, float[n] o) { d = Identity(c)\n r = Add(s, x)\n o = Tanh(r) }> (trips, go, x) }",
    "scan": "(float[n] s, float[t, n] x) => (float[n] y, float[t, n] z) "
            "{ y, z = Scan <num_scan_inputs = 1, body = b (float[n] a, float[n] e) => (float[n] r, float[n] o) { r = Add(a, e)\n o = Mul(r, e) }> (s, x) }",
    "lstm": "(float[t, n, 2] x, float[1, 4, 2] w, float[1, 4, 1] r) => (float[t, d, n, h] y, float[d, n, h] l, float[d, n, h] c) "
            "{ y, l, c = LSTM <hidden_size = 1> (x, w, r) }",
    "gru": "(float[t, n, 2] x, float[2, 3, 2] w, float[2, 3, 1] r) => (float[t, d, n, h] y, float[d, n, h] l) "
           "{ y, l = GRU <hidden_size = 1, direction = \"bidirectional\"> (x, w, r) }",
    "sequences": "(float[n, 2] x, float[m, 2] z) => (float[k, 2] y, int64 l) { s = SequenceConstruct(x, z)\n l = SequenceLength(s)\n t = SequenceInsert(s, x)\n y = ConcatFromSequence <axis = 0> (t) }",
    "optional": "(float[n] x) => (bool y, float[n] z) { o = Optional(x)\n y = OptionalHasElement(o)\n z = OptionalGetElement(o) }",
    "search": "(float[n, m] x, int64[1] k) => (float[n, k] v, int64[n, k] i, int64[2, j] z, float[u] w) { v, i = TopK(x, k)\n z = NonZero(x)\n w = Unique(x) }",
    "boxes": "(float[b, n, 4] x, float[b, c, n] s, int64 most, float over) => (int64[k, 3] y) { y = NonMaxSuppression(x, s, most, over) }",
    "quantised": "(float[n, 4] x, int8[4, 3] w, float scale, int8 zero) => (int32[n, 3] y, float[n, 4] z) "
                 "{ q, t, p = DynamicQuantizeLinear(x)\n y = MatMulInteger(q, w, p, zero)\n a = QuantizeLinear(x, scale, zero)\n z = DequantizeLinear(a, scale, zero) }",
    "products": "(float[b, i, j] x, float[b, j, k] w) => (float[b, k, i] y, float[b, i, k] z) { y = Einsum <equation = \"bij,bjk->bki\"> (x, w)\n z = MatMul(x, w) }",
    "pictures": "(float[n, c, h, w] x, float[4] scales, float[n, p, q, 2] grid) => (float[a, b, d, e] y, float[n, c, p, q] z) "
                "{ y = Resize <mode = \"linear\"> (x, , scales)\n z = GridSample <mode = \"bilinear\"> (x, grid) }",
    "norms": "(float[n, 4, l] x, float[4] s, float[4] b) => (float[n, 4, l] y, float[n, 4, l] z, float[n, 4, l] u) "
             "{ y = InstanceNormalization(x, s, b)\n z = BatchNormalization(x, s, b, b, s)\n u = GroupNormalization <num_groups = 2> (x, s, b) }",
    "reductions": "(float[n, m, k] x, int64[a] axes) => (float[b] y, float[c] z, int64[d] i) { y = ReduceSum(x, axes)\n z = ReduceLogSumExp(x)\n i = ArgMax <axis = 1> (x) }",
    "layout": "(float[n, 2, 4] x, int64[6] pads) => (float[a] y, float[b] z) { p = Pad(x, pads)\n t = Transpose <perm = [2, 0, 1]> (p)\n y = Flatten(t)\n z = Trilu(t) }",
    "choices": "(float[n, m] x, bool[n, 1] c, float[] a) => (float[n, m] y, float[n, m] z) { y = Where(c, x, a)\n b = Clip(x, a)\n z = Cast <to = 10> (b) }",
    "attention": "(float[n, s, 8] q, float[n, t, 8] k, float[n, t, 8] v) => (float[n, s, 8] y) { y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v) }",
    "signals": "(float[n, t, 1] x, int64 step, float[w] window) => (float[a, b, c, 2] y) { y = STFT(x, step, window) }",
    "chances": "(float[n] x) => (float[n] y, float[2, 3] z) { y = RandomNormalLike(x)\n z = RandomUniform <shape = [2, 3]> () }",
}
FUNCTION = '<domain: "f", opset_import: ["" : 21]> twice <alpha> (x) => (y) { a = LeakyRelu <alpha: float = @alpha> (x)\n y = Add(a, x) }'


def write():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, graph in GRAPHS.items():
        model = parser.parse_model(f'<ir_version: 10, opset_import: [{OPSETS}]> g {graph}')
        (FOLDER / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
    called = parser.parse_model(f'<ir_version: 10, opset_import: [{OPSETS}]> g (float[n] x) => (float[n] y) {{ a = f.twice <alpha = 0.5> (x)\n y = f.twice <alpha = 2.0> (a) }} {FUNCTION}')
    (FOLDER / "function.onnx").write_bytes(called.SerializeToString(deterministic=True))


def windows(folder, out, nodes=8, most=8192):
    """Every so many nodes that stand together; what they read from elsewhere is an input."""
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*/model.onnx")):
        model = onnx.load(path)
        try:
            model = onnx.shape_inference.infer_shapes(model)
        except Exception:                                # then only what the file says
            pass
        graph = model.graph
        types = {info.name: info for info in [*graph.input, *graph.value_info, *graph.output]}
        weights = {tensor.name: tensor for tensor in graph.initializer}
        for first in range(0, len(graph.node), nodes):
            part = graph.node[first:first + nodes]
            made = {name for node in part for name in node.output}
            read = dict.fromkeys(name for node in part for name in node.input if name and name not in made)
            small = [weights[name] for name in read if name in weights and weights[name].ByteSize() < 256]
            inputs = [types.get(name) or helper.make_tensor_value_info(name, weights[name].data_type if name in weights else 1, list(weights[name].dims) if name in weights else None)
                      for name in read if name not in {tensor.name for tensor in small}]
            outputs = [types.get(name) or helper.make_tensor_value_info(name, 1, None) for name in part[-1].output if name]
            cut = helper.make_model(helper.make_graph(part, "part", inputs, outputs, small), opset_imports=model.opset_import, functions=model.functions)
            if cut.ByteSize() < most:
                (out / f"{path.parent.name}-{first}.onnx").write_bytes(cut.SerializeToString(deterministic=True))


if sys.argv[1:2] == ["--windows"]:
    windows(Path(sys.argv[2]), Path(sys.argv[3]))
else:
    write()
