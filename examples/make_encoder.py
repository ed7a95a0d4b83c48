#!/usr/bin/python3
"""Writes a small encoder of texts as an ONNX model, and ids to give it: examples/make_encoder.py [FOLDER]

FOLDER/encoder.onnx has an input `ids` (batch, seq) and an output `code` (batch, 8), the mean over time of two layers;
FOLDER/ids.npy are some texts. The lines of README.md about models work on it.
"""
import pathlib
import sys

import numpy as np
from make_model import FLOAT, INT64, integer, integers, number, piece, port, tensor

WORDS, WIDTH = 50, 8


def node(name, op, inputs, output, *attributes):
    words = [piece(1, x) for x in inputs] + [piece(2, output), piece(3, name), piece(4, op)]
    return piece(1, b"".join([*words, *attributes]))


def model():
    rng = np.random.default_rng(0)
    nodes = [node("embed", "Gather", ["table", "ids"], "h0", integer("axis", 0))]
    weights = [piece(5, tensor("table", rng.normal(size=(WORDS, WIDTH)).astype(np.float32)))]
    for layer in (1, 2):
        name = f"layer{layer}"
        weights.append(piece(5, tensor(f"{name}/w", rng.normal(size=(WIDTH, WIDTH)).astype(np.float32))))
        nodes.append(node(f"{name}/product", "MatMul", [f"h{layer - 1}", f"{name}/w"], f"{name}/out"))
        nodes.append(node(name, "Tanh", [f"{name}/out"], f"h{layer}"))
    nodes.append(node("pool", "ReduceMean", ["h2"], "code", integers("axes", [1]), integer("keepdims", 0)))
    ports = [port(11, "ids", INT64, ["batch", "seq"]), port(12, "code", FLOAT, ["batch", WIDTH])]
    graph = b"".join([*nodes, piece(2, "encoder"), *weights, *ports])
    return number(1, 8) + piece(2, "make_encoder") + piece(7, graph) + piece(8, number(2, 17))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "encoder.onnx").write_bytes(model())
    np.save(folder / "ids.npy", np.random.default_rng(1).integers(0, WORDS, (2, 5)))


main()
