#!/usr/bin/python3
"""Writes a small ONNX model and what it must give, as NumPy computes it: examples/make_model.py FOLDER

A classifier of texts of any length, any number of them at once: FOLDER/model.onnx, FOLDER/test_data_set_*, and
FOLDER/newer.onnx, which has two operators that nobody knows. Field by field, so that no package for ONNX is needed.

    scores = Softmax(Relu(mean over time of table[ids]) · weights)      (batch, 3)
    sure = NonZero(scores > 0.5)                                         (2, k): k is known only when it runs
"""
import pathlib
import struct
import sys

import numpy as np

FLOAT, INT64 = 1, 7
WORDS, WIDTH, CLASSES = 50, 64, 3


def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def number(field, value):
    return varint(field << 3) + varint(value)


def piece(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def tensor(name, array):
    code = {"f": FLOAT, "i": INT64}[array.dtype.kind]
    return b"".join(number(1, n) for n in array.shape) + number(2, code) + piece(8, name) + piece(9, array.tobytes())


def integers(name, values):
    return piece(5, piece(1, name) + b"".join(number(8, v) for v in values) + number(20, 7))


def integer(name, value):
    return piece(5, piece(1, name) + number(3, value) + number(20, 2))


def node(op, inputs, output, *attributes):
    return piece(1, b"".join(piece(1, x) for x in inputs) + piece(2, output) + piece(3, op.lower() + "_node") + piece(4, op) + b"".join(attributes))


def port(field, name, code, dims):
    shape = b"".join(piece(1, piece(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return piece(field, piece(1, name) + piece(2, piece(1, number(1, code) + piece(2, shape))))


def model(table, weights, *more):
    graph = (node("Gather", ["table", "ids"], "words", integer("axis", 0)) + node("ReduceMean", ["words"], "mean", integers("axes", [1]), integer("keepdims", 0))
             + node("Relu", ["mean"], "features") + node("MatMul", ["features", "weights"], "logits") + node("Softmax", ["logits"], "scores", integer("axis", 1))
             + node("Greater", ["scores", "half"], "is_sure") + node("NonZero", ["is_sure"], "sure") + b"".join(more) + piece(2, "classifier")
             + piece(5, tensor("table", table)) + piece(5, tensor("weights", weights)) + piece(5, tensor("half", np.array(0.5, "f4")))
             + port(11, "ids", INT64, ["batch", "time"]) + port(12, "scores", FLOAT, ["batch", CLASSES]) + port(12, "sure", INT64, [2, "k"]))
    return number(1, 8) + piece(7, graph) + piece(8, piece(1, "") + number(2, 17))


def main():
    folder = pathlib.Path(sys.argv[1])
    random = np.random.default_rng(5)
    table, weights = random.standard_normal((WORDS, WIDTH)).astype("f4"), random.standard_normal((WIDTH, CLASSES)).astype("f4")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model(table, weights))
    unknown = node("Sparkle", ["scores"], "a") + node("Twinkle", ["a"], "b")
    (folder.parent / "newer.onnx").write_bytes(model(table, weights, unknown))
    for i, (batch, time) in enumerate([(2, 7), (1, 1), (5, 30)]):
        ids = random.integers(0, WORDS, (batch, time))
        logits = np.maximum(table[ids].mean(axis=1), 0) @ weights
        scores = np.exp(logits - logits.max(axis=1, keepdims=True))
        scores = (scores / scores.sum(axis=1, keepdims=True)).astype("f4")
        data = folder / f"test_data_set_{i}"
        data.mkdir(exist_ok=True)
        for file, name, array in [("input_0", "ids", ids), ("output_0", "scores", scores), ("output_1", "sure", np.array(np.nonzero(scores > 0.5)))]:
            (data / f"{file}.pb").write_bytes(tensor(name, array))


if __name__ == "__main__":                # make_encoder.py writes with these functions, too
    main()
