#!/usr/bin/env python3
"""Writes inputs for tree_encoder.nr: trees of several depths and widths, as JSON."""
import json
import random


def tensor(shape, rng):
    count = 1
    for extent in shape:
        count *= extent
    return {"dtype": "f32", "shape": shape, "data": [round(rng.uniform(-1, 1), 3) for _ in range(count)]}


def tree(leaves, d, rng):
    if leaves == 1:
        return {"ctor": "Leaf", "args": [tensor([d], rng)]}
    left = rng.randint(1, leaves - 1)
    return {"ctor": "Node", "args": [tree(left, d, rng), tree(leaves - left, d, rng)]}


def main():
    rng = random.Random(7)
    calls = []
    for leaves, d in [(1, 2), (2, 3), (5, 4), (12, 3), (40, 2)]:
        cell = {"record": {"w": tensor([d, 2 * d], rng), "b": tensor([d], rng)}}
        calls.append({"t": tree(leaves, d, rng), "p": cell})
    print(json.dumps(calls))


main()
