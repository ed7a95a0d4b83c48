#!/usr/bin/python3
"""Writes a small ONNX model by hand, field by field, as no package for that is needed here: model.py FILE

    y = Relu(input.1 + bias)      f32, of the shape of input.1
    found = NonZero(y)            i64, of a size that only the run tells
"""
import struct
import sys


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


def node(op, inputs, output):
    return piece(1, b"".join(piece(1, name) for name in inputs) + piece(2, output) + piece(4, op))


def port(field, name, elem_type, dims):
    shape = b"".join(piece(1, piece(2, dim) if isinstance(dim, str) else number(1, dim)) for dim in dims)
    return piece(field, piece(1, name) + piece(2, piece(1, number(1, elem_type) + piece(2, shape))))


FLOAT, INT64 = 1, 7
bias = piece(5, number(1, 2) + number(2, FLOAT) + piece(8, "bias") + piece(9, struct.pack("<2f", -1, 1)))
graph = (node("Add", ["input.1", "bias"], "sum") + node("Relu", ["sum"], "out/y:0") + node("NonZero", ["out/y:0"], "found")
         + piece(2, "small") + bias + port(11, "input.1", FLOAT, ["batch", 2])
         + port(12, "out/y:0", FLOAT, ["batch", 2]) + port(12, "found", INT64, [2, "k"]))
with open(sys.argv[1], "wb") as file:
    file.write(number(1, 8) + piece(7, graph) + piece(8, piece(1, "") + number(2, 17)))
