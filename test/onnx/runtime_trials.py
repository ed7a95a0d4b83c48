"""Operators that runtimes have and the package onnx does not: the dtypes that their documents allow, a model and its formula."""
import math

import numpy as np
from onnx import defs

HEAD = '<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1]> g '
FOUR, THREE = "float16 bfloat16 float double", "float16 bfloat16 float"


def gelu(v):
    return v * 0.5 * (1 + np.vectorize(math.erf)(v / math.sqrt(2)))


def fast_gelu(v):
    return 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


def rms(v, epsilon):
    return v / np.sqrt((v * v).mean(-1, keepdims=True) + epsilon)


def layer(v):
    d = v - v.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-12)


def attention(q, k, v):
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


def four_bits(a, b, scales):
    codes = np.stack([b % 16, b // 16], -1).reshape(2, 16)
    return a @ ((codes - 8) * scales.reshape(2, 1)).T


# operator: types of its parameters, parameters of the inputs, of the output, the model, what it gives
OPERATORS = {
    ("com.microsoft", "Gelu"): ({"T": FOUR}, "T", "T", "(float[2,3] x) => (float[2,3] y) { y = com.microsoft.Gelu(x) }", gelu),
    ("com.microsoft", "BiasGelu"): ({"T": FOUR}, "T T", "T", "(float[2,3] x, float[3] b) => (float[2,3] y) { y = com.microsoft.BiasGelu(x, b) }", lambda x, b: gelu(x + b)),
    ("com.microsoft", "FastGelu"): ({"T": FOUR}, "T T", "T", "(float[2,3] x, float[3] b) => (float[2,3] y) { y = com.microsoft.FastGelu(x, b) }", lambda x, b: fast_gelu(x + b)),
    ("com.microsoft", "QuickGelu"): ({"T": FOUR}, "T", "T", "(float[2,3] x) => (float[2,3] y) { y = com.microsoft.QuickGelu(x) }", lambda x: x / (1 + np.exp(-1.702 * x))),
    ("com.microsoft", "FusedMatMul"): ({"T": FOUR}, "T T", "T", "(float[2,3000] a, float[2,3000] b) => (float[2,2] y) { y = com.microsoft.FusedMatMul<alpha=0.5, transB=1>(a, b) }",
                                       lambda a, b: 0.5 * (a @ b.T)),
    ("com.microsoft", "SkipLayerNormalization"): (
        {"T": THREE}, "T T T T", "T", "(float[1,2,300] x, float[1,2,300] s, float[300] g, float[300] b) => (float[1,2,300] y) { y = com.microsoft.SkipLayerNormalization(x, s, g, b) }",
        lambda x, s, g, b: layer(x + s) * g + b),
    ("com.microsoft", "SkipSimplifiedLayerNormalization"): (
        {"T": THREE}, "T T T", "T", "(float[1,2,300] x, float[1,2,300] s, float[300] g) => (float[1,2,300] y) { y = com.microsoft.SkipSimplifiedLayerNormalization(x, s, g) }",
        lambda x, s, g: rms(x + s, 1e-12) * g),
    ("", "SimplifiedLayerNormalization"): ({"T": FOUR, "V": FOUR}, "T V", "V", "(float[2,300] x, float[300] g) => (float[2,300] y) { y = SimplifiedLayerNormalization(x, g) }",
                                           lambda x, g: rms(x, 1e-5) * g),
    ("com.microsoft", "MultiHeadAttention"): (
        {"T": THREE}, "T T T", "T", "(float[1,3,4] q, float[1,5,4] k, float[1,5,4] v) => (float[1,3,4] y) { y = com.microsoft.MultiHeadAttention<num_heads=1>(q, k, v) }", attention),
    ("com.microsoft", "Attention"): ({"T": THREE}, "T T T", "T", "(float[1,3,4] x, float[4,12] w, float[12] b) => (float[1,3,4] y) { y = com.microsoft.Attention<num_heads=1>(x, w, b) }",
                                     lambda x, w, b: attention(*np.split(x @ w + b, 3, -1))),
    ("com.microsoft", "MatMulNBits"): ({"T1": THREE, "T2": "uint8"}, "T1 T2 T1", "T1",
                                       "(float[3,16] a, uint8[2,1,8] b, float[2] s) => (float[3,2] y) { y = com.microsoft.MatMulNBits<K=16, N=2, bits=4, block_size=16>(a, b, s) }", four_bits),
}


def schema(domain, name):
    if (domain, name) not in OPERATORS:
        return None
    types, inputs, output, _, _ = OPERATORS[domain, name]
    constraints = [(parameter, [f"tensor({t})" for t in names.split()], "") for parameter, names in types.items()]
    ports = [defs.OpSchema.FormalParameter(f"x{i}", parameter) for i, parameter in enumerate(inputs.split())]
    return defs.OpSchema(name, domain, 1, inputs=ports, outputs=[defs.OpSchema.FormalParameter("y", output)], type_constraints=constraints)
