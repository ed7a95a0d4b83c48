#!/usr/bin/env python3
"""Data and first weights of the training examples: examples/make_training.py tree|char f32|f64 FOLDER

Writes weights.npz and trees.json or lines.json. The numbers depend on nothing but this file and lines.txt.
"""
import json
import random
import sys
from pathlib import Path

import numpy as np

VECTOR, TREE_STATE, CLASSES, TREES = 3, 6, 2, 24
EMBED, CHAR_STATE = 5, 10


def weights(rng, dtype, *shape):
    """Uniform, about 1 / sqrt(inputs), in a form that f32 and f64 hold alike."""
    count, scale = int(np.prod(shape)), 1 / np.sqrt(shape[0])
    return np.array([np.float32(rng.uniform(-scale, scale)) for _ in range(count)], dtype).reshape(shape)


def random_tree(rng, leaves):
    """Nested pairs of vectors, and what it comes to: left minus right, where a leaf counts by its first element."""
    if leaves == 1:
        vector = [float(np.float32(rng.uniform(-1, 1))) for _ in range(VECTOR)]
        return vector, vector[0]
    left = rng.randint(1, leaves - 1)
    (a, x), (b, y) = random_tree(rng, left), random_tree(rng, leaves - left)
    return (a, b), x - y


def trees():
    rng = random.Random(11)
    made = [random_tree(rng, 1 + at % 7) for at in range(TREES)]
    return [(tree, int(total > 0)) for tree, total in made]


def tree_weights(dtype):
    rng, d = random.Random(12), TREE_STATE
    make = lambda *shape: weights(rng, dtype, *shape)
    return {"leaf.weight": make(VECTOR, 3 * d), "leaf.bias": make(3 * d), "left": make(d, 5 * d), "right": make(d, 5 * d),
            "bias": make(5 * d), "classes.weight": make(d, CLASSES), "classes.bias": make(CLASSES)}


def lines():
    """Lines as indices into their alphabet, and its size."""
    text = (Path(__file__).resolve().parent / "lines.txt").read_text().splitlines()
    alphabet = sorted(set("".join(text)))
    return [[alphabet.index(c) for c in line] for line in text], len(alphabet)


def char_weights(dtype):
    rng, v, d = random.Random(13), lines()[1], CHAR_STATE
    make = lambda *shape: weights(rng, dtype, *shape)
    return {"embed": make(v, EMBED), "cell.from_input": make(EMBED, 4 * d), "cell.from_hidden": make(d, 4 * d),
            "cell.gate_bias": make(4 * d), "out.weight": make(d, v), "out.bias": make(v)}


def tensor(dtype, shape, data):
    return {"dtype": dtype, "shape": shape, "data": data}


def tree_json(tree, dtype):
    if isinstance(tree, tuple):
        return {"ctor": "Node", "args": [tree_json(part, dtype) for part in tree]}
    return {"ctor": "Leaf", "args": [tensor(dtype, [VECTOR], tree)]}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("tree", "char") or sys.argv[2] not in ("f32", "f64"):
        sys.exit(__doc__)
    which, dtype, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    numpy_dtype = {"f32": np.float32, "f64": np.float64}[dtype]
    if which == "tree":
        np.savez(folder / "weights.npz", **tree_weights(numpy_dtype))
        items = [{"tuple": [tree_json(tree, dtype), tensor("i64", [], [label])]} for tree, label in trees()]
        (folder / "trees.json").write_text(json.dumps({"trees": {"seq": items}}))
    else:
        np.savez(folder / "weights.npz", **char_weights(numpy_dtype))
        items = [tensor("i64", [len(line)], line) for line in lines()[0]]
        (folder / "lines.json").write_text(json.dumps({"lines": {"seq": items}}))


if __name__ == "__main__":
    main()
