#!/usr/bin/env python3
"""What the package `onnx` reads of a file, as text: test/oracle/onnx_summary.py FILE ...

Writes FILE.txt beside each FILE. src/import/summary_testing.h writes the same of what we read, and src/import/corpus_test.cpp
compares them for the files of test/corpus/onnx. A model ends in .onnx; another file is NAME.KIND.pb, with KIND one of tensor,
sequence, map, optional. Needs the packages onnx and numpy; is run by hand.
"""
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, numpy_helper

SMALL = {TensorProto.UINT4: 4, TensorProto.INT4: 4, TensorProto.FLOAT4E2M1: 4, TensorProto.UINT2: 2, TensorProto.INT2: 2,
         TensorProto.FLOAT6E2M3: 6, TensorProto.FLOAT6E3M2: 6}
KINDS = {1: "tensor", 2: "sparse_tensor", 3: "sequence", 4: "map", 5: "optional"}
PROTOS = {"tensor": TensorProto, "sequence": onnx.SequenceProto, "map": onnx.MapProto, "optional": onnx.OptionalProto}


def quoted(text):
    return "'" + (text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text) + "'"


def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data.encode() if isinstance(data, str) else data:
        h = (h ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return f"{h:016x}"


def element_type(number):
    return TensorProto.DataType.Name(number).lower()


def elements(tensor, folder):
    """In the layout of raw_data."""
    array = np.ascontiguousarray(numpy_helper.to_array(tensor, folder))
    bits = SMALL.get(tensor.data_type)
    if not bits:
        return array.tobytes()
    each = np.unpackbits(array.reshape(-1).view(np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(each[:, :bits].reshape(-1), bitorder="little").tobytes()


class Summary:
    def __init__(self, folder):
        self.lines, self.folder = [], str(folder)
        self.graphs = []                             # (graph, index of the one around it, depth), in the order of reading
        self.around, self.depth = -1, 0

    def say(self, *parts):
        self.lines.append(" ".join(map(str, parts)))

    def tensor(self, t):
        text = f"{quoted(t.name)} {element_type(t.data_type)}[{''.join(f'{d} ' for d in t.dims)}]"
        if t.data_type == TensorProto.STRING:
            return text + "".join(" " + fnv(s) for s in t.string_data)
        return text + " " + fnv(elements(t, self.folder))

    def sparse(self, s):
        return f"sparse[{''.join(f'{d} ' for d in s.dims)}] {self.tensor(s.values)} {self.tensor(s.indices)}"

    def type(self, t):
        kind = t.WhichOneof("value")
        if kind in ("sequence_type", "optional_type"):
            return kind[:-5] + " " + self.type(getattr(t, kind).elem_type)
        if kind == "map_type":
            return f"map {element_type(t.map_type.key_type)} " + self.type(t.map_type.value_type)
        if kind in (None, "opaque_type"):
            return f"{kind[:-5] if kind else 'none'} undefined"
        leaf = getattr(t, kind)
        text = f"{kind[:-5]} {element_type(leaf.elem_type)}"
        if not leaf.HasField("shape"):
            return text
        dims = {"dim_value": lambda d: str(d.dim_value), "dim_param": lambda d: quoted(d.dim_param), None: lambda d: "?"}
        return text + "(" + "".join(dims[d.WhichOneof("value")](d) + " " for d in leaf.shape.dim) + ")"

    def pairs(self, proto):
        for pair in proto.metadata_props:
            self.say("meta", fnv(pair.key), fnv(pair.value))

    def opsets(self, proto):
        for each in proto.opset_import:
            self.say("opset", quoted(each.domain), each.version)

    def infos(self, what, infos):
        for info in infos:
            self.say(what, quoted(info.name), self.type(info.type))
            self.pairs(info)

    def later(self, graph):
        self.graphs.append((graph, self.around, self.depth))
        return str(len(self.graphs) - 1)

    def attribute(self, a):
        name = AttributeProto.AttributeType.Name(a.type)
        scalar = lambda value: " " + value
        number = lambda f: str(struct.unpack("<I", struct.pack("<f", f))[0])
        each = lambda read: lambda values: "".join(" | " + read(v) for v in values)
        rows = {"FLOAT": ("f", lambda v: scalar(number(v))), "INT": ("i", lambda v: scalar(str(v))), "STRING": ("s", lambda v: scalar(fnv(v))),
                "TENSOR": ("t", lambda v: each(self.tensor)([v])), "GRAPH": ("g", lambda v: each(lambda g: " " + self.later(g))([v])),
                "SPARSE_TENSOR": ("sparse_tensor", lambda v: each(self.sparse)([v])),
                "TYPE_PROTO": ("tp", lambda v: each(self.type)([v])),
                "FLOATS": ("floats", each(lambda v: scalar(number(v)))), "INTS": ("ints", each(lambda v: scalar(str(v)))),
                "STRINGS": ("strings", each(lambda v: scalar(fnv(v)))), "TENSORS": ("tensors", each(self.tensor)),
                "GRAPHS": ("graphs", each(lambda g: " " + self.later(g))), "SPARSE_TENSORS": ("sparse_tensors", each(self.sparse)),
                "TYPE_PROTOS": ("type_protos", each(self.type))}
        value = ""
        if not a.ref_attr_name:
            if name == "UNDEFINED":                  # of old files: the one that is there
                name = next(n for n, (f, _) in rows.items() if (getattr(a, f) if n.endswith("S") else a.HasField(f)))
            member, write = rows[name]
            value = write(getattr(a, member))
        self.lines.append(f"attribute {quoted(a.name)} {quoted(a.ref_attr_name)} {name}{value}")

    def node(self, n):
        self.say("node", quoted(n.name), quoted(n.op_type), quoted(n.domain), quoted(n.overload), "in", *map(quoted, n.input),
                 "out", *map(quoted, n.output))
        for a in n.attribute:
            self.attribute(a)
        self.pairs(n)

    def function(self, f):
        self.say("function", quoted(f.domain), quoted(f.name), quoted(f.overload), "in", *map(quoted, f.input), "out",
                 *map(quoted, f.output), "attributes", *map(quoted, f.attribute))
        for a in f.attribute_proto:
            self.attribute(a)
        self.opsets(f)
        self.infos("value", f.value_info)
        for n in f.node:
            self.node(n)
        self.pairs(f)

    def graph(self, g, around, depth):
        self.say("graph", quoted(g.name), "in", around, "depth", depth)
        self.infos("input", g.input), self.infos("output", g.output), self.infos("value", g.value_info)
        for t in g.initializer:
            self.say("initializer", self.tensor(t))
        for s in g.sparse_initializer:
            self.say("initializer", self.sparse(s))
        for n in g.node:
            self.node(n)
        self.pairs(g)

    def model(self, m):
        self.say("model", m.ir_version, quoted(m.producer_name), quoted(m.producer_version), quoted(m.domain), m.model_version)
        self.opsets(m), self.pairs(m)
        self.later(m.graph)
        for f in m.functions:
            self.function(f)
        for index, (graph, around, depth) in enumerate(self.graphs):   # grows meanwhile
            self.around, self.depth = index, depth + 1
            self.graph(graph, around, depth)

    def value(self, proto, kind):
        values = [(proto, kind)]
        for proto, kind in values:                                     # grows meanwhile
            def later(items):
                values.extend(items)
                return [len(values) - len(items) + i for i in range(len(items))]
            if kind == "tensor":
                self.say("value", quoted(proto.name), self.tensor(proto))
            elif kind == "sparse_tensor":
                self.say("value", quoted(proto.values.name), self.sparse(proto))
            elif kind == "map":
                keys = [*proto.keys, "", *map(quoted, proto.string_keys)]
                self.say("value", quoted(proto.name), "map of", element_type(proto.key_type), *keys, "to", *later([(proto.values, "sequence")]))
            else:
                item = KINDS.get(proto.elem_type)
                member = f"{item}_value" + ("s" if kind == "sequence" else "")
                items = [] if not item else getattr(proto, member) if kind == "sequence" else [getattr(proto, member)] * proto.HasField(member)
                self.say("value", quoted(proto.name), kind, "of", proto.elem_type, *later([(i, item) for i in items]))


def summary(path):
    data, made = path.read_bytes(), Summary(path.parent)
    if path.suffix == ".onnx":
        made.model(onnx.ModelProto.FromString(data))
    else:
        kind = path.suffixes[-2][1:]
        made.value(PROTOS[kind].FromString(data), kind)
    return "".join(line + "\n" for line in made.lines)


def main():
    for name in sys.argv[1:]:
        Path(name + ".txt").write_text(summary(Path(name)), errors="surrogateescape")


if __name__ == "__main__":
    main()
