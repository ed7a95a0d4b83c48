#!/usr/bin/python3
"""Writes a small ONNX model from lines of text: test/onnx/model_from_text.py TEXT MODEL.onnx

    opset 17                                   newest unless told
    opset ai.onnx.ml 4                         of another domain: not told
    input x f32 n,4                            sizes: numbers, names, ? (said by nobody); `-`: a scalar; left out: no rank
    input m map(str,f32)                       a map, seq(map(i64,f32)) a sequence of maps
    output y f32 n,2                           so too `value h f32 2,4` for shapes that are recorded
    init w i64 2 = 2,-1                        an initializer: sizes, then its elements
    sparse s f32 2,3 = 1.5,-2 at 1,5           zeros but for these elements, by their places; at 0:1,1:2 by an index per axis
    node Reshape to_rows: x, w -> y            operator (com.acme/Leaky: of that domain), name (left out: none), inputs, outputs
    node Transpose: x -> y perm=[1,0]          attributes: 1, 1.5, "text", ["a","b"], [1,2], [1.5,2]; a graph {name}
    graph name                                 the lines up to `end` are a graph for an attribute
    end
    function com.acme/Twice x -> y             so too nodes of a function that others call by that name
    end

Everything from a line `# EXPECT` or `# FAIL` on, and lines that begin with # are skipped: a golden test can be the text.
Tests need no package for it, and no other way to lay out messages of ONNX in bytes.
"""
import re
import struct
import sys

TYPES = {"f32": (1, "f"), "u8": (2, "B"), "i8": (3, "b"), "i32": (6, "i"), "i64": (7, "q"), "bool": (9, "?"), "f16": (10, "e"),
         "f64": (11, "d"), "u32": (12, "I"), "u64": (13, "Q"), "str": (8, "")}


def varint(number):
    number &= (1 << 64) - 1
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def sizes_of(text):
    return [] if text == "-" else text.split(",")


def type_of(text):
    if text.startswith("seq("):
        return data(4, data(1, type_of(text[4:-1])))
    if text.startswith("map("):
        key, value = text[4:-1].split(",")
        return data(5, number(1, TYPES[key][0]) + data(2, type_of(value)))
    return data(1, number(1, TYPES[text][0]) + data(2, b""))


def value_info(words):
    if "(" in words[1]:
        return data(1, words[0]) + data(2, type_of(words[1]))
    tensor = number(1, TYPES[words[1]][0])
    if len(words) > 2:
        dims = b""
        for size in sizes_of(words[2]):
            dims += data(1, number(1, int(size)) if size.isdigit() else b"" if size == "?" else data(2, size))
        tensor += data(2, dims)
    return data(1, words[0]) + data(2, data(1, tensor))


def initializer(line):
    (name, dtype, sizes), elements = line.split(" =")[0].split(), line.split(" =")[1]
    kind, form = TYPES[dtype]
    convert = float if dtype.startswith("f") else int
    raw = b"".join(struct.pack("<" + form, convert(e)) for e in elements.split(",") if e.strip())
    return b"".join(number(1, int(s)) for s in sizes_of(sizes)) + number(2, kind) + data(8, name) + data(9, raw)


def sparse(line):
    head, places = line.split(" at ")
    (name, dtype, sizes), elements = head.split(" = ")[0].split(), head.split(" = ")[1]
    tuples = [place.split(":") for place in places.split(",")]
    shape = str(len(tuples)) + (f",{len(tuples[0])}" if ":" in places else "")
    values = initializer(f"{name} {dtype} {len(tuples)} = {elements}")
    return data(1, values) + data(2, initializer(f"at i64 {shape} = {places.replace(':', ',')}")) + b"".join(number(3, int(s)) for s in sizes_of(sizes))


def attribute(key, value, graphs):
    out = data(1, key)
    if value.startswith("{"):
        return out + data(6, graphs[value[1:-1]]) + number(20, 5)
    if value.startswith('"'):
        return out + data(4, value[1:-1]) + number(20, 3)
    if value.startswith('["'):
        return out + b"".join(data(9, v[1:-1]) for v in value[1:-1].split(",")) + number(20, 8)
    if value.startswith("[") and "." in value:
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", float(v)) for v in value[1:-1].split(",")) + number(20, 6)
    if value.startswith("["):
        return out + b"".join(number(8, int(v)) for v in value[1:-1].split(",") if v) + number(20, 7)
    if "." in value:
        return out + varint(2 << 3 | 5) + struct.pack("<f", float(value)) + number(20, 1)
    return out + number(3, int(value)) + number(20, 2)


def node(line, graphs):
    head, rest = re.split(r":\s", line, maxsplit=1)
    op, _, name = head.partition(" ")
    inputs, outputs = rest.split("->", 1)
    outputs, *attributes = re.split(r"\s+(?=[A-Za-z_]\w*=)", outputs.strip())
    domain, _, op = op.rpartition("/")
    out = b"".join(data(1, i.strip()) for i in inputs.split(",") if inputs.strip())
    out += b"".join(data(2, o.strip()) for o in outputs.split(","))
    out += (data(3, name) if name else b"") + data(4, op)
    for one in attributes:
        out += data(5, attribute(*one.split("=", 1), graphs))
    return out + (data(7, domain) if domain else b"")


def main(source, target):
    opset, others, graphs, name = 21, b"", {}, "main"
    body, functions = {"main": b""}, {}
    fields = {"input": 11, "output": 12, "value": 13}
    for line in re.split(r"^# (?:EXPECT|FAIL)", open(source).read(), flags=re.M)[0].splitlines():
        word, _, rest = line.strip().partition(" ")
        if not word or word.startswith("#"):
            continue
        if word == "opset":
            domain, _, version = rest.rpartition(" ")
            if domain:
                others += data(8, data(1, domain) + number(2, int(version)))
            else:
                opset = int(version)
        elif word == "graph":
            name = rest
            body[name] = b""
        elif word == "function":
            name, _, ports = rest.partition(" ")
            functions[name] = [[v.strip() for v in side.split(",")] for side in ports.split("->")]
            body[name] = []
        elif word == "end" and name in functions:
            name = "main"
        elif word == "node" and name in functions:
            body[name].append(node(rest, graphs))
        elif word == "end":
            graphs[name] = body[name] + data(2, name)
            name = "main"
        elif word == "node":
            body[name] += data(1, node(rest, graphs))
        elif word == "sparse":
            body[name] += data(15, sparse(rest))
        elif word == "init":
            body[name] += data(5, initializer(rest))
        else:
            body[name] += data(fields[word], value_info(rest.split()))
    model = number(1, 10) + data(7, body["main"] + data(2, "main")) + data(8, number(2, opset)) + others
    for name, (inputs, outputs) in functions.items():
        domain, _, op = name.rpartition("/")
        function = data(1, op) + b"".join(data(4, v) for v in inputs) + b"".join(data(5, v) for v in outputs)
        model += data(25, function + b"".join(data(7, n) for n in body[name]) + data(9, number(2, opset)) + data(10, domain))
    open(target, "wb").write(model)


if __name__ == "__main__":
    main(*sys.argv[1:])
