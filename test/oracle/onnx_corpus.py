#!/usr/bin/env python3
"""Writes the small models and values of test/corpus/onnx, and what the package `onnx` reads of them:

    pip install onnx==1.23.2 numpy; python3 test/oracle/onnx_corpus.py

Together they have every field that src/import reads. The fuzzer begins with them, src/import/corpus_test.cpp compares them.
"""
from pathlib import Path

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from onnx_summary import summary

FOLDER = Path(__file__).resolve().parent.parent / "corpus/onnx"


def info(name, elem=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, elem, shape)


def subgraph(name, nodes=(), **more):
    return helper.make_graph(list(nodes), name, [], [info(name + "_out")], **more)


def sparse(name):
    return helper.make_sparse_tensor(numpy_helper.from_array(np.float32([1.5, -2]), name), numpy_helper.from_array(np.int64([1, 4])), [2, 3])


def tensors():
    """Every type, in its own list and, but for strings, in raw_data."""
    for number in sorted(set(TensorProto.DataType.values()) - {TensorProto.UNDEFINED}):
        name = TensorProto.DataType.Name(number).lower()
        if number == TensorProto.STRING:
            yield helper.make_tensor(name, number, [2, 2], [b"a", b"", "é".encode(), b"\x00\xff"])
            continue
        dtype = helper.tensor_dtype_to_np_dtype(number)
        numbers = [1, 2, 4, 8, 0.5] if "e8m0" in name else [0, 1, 3, 2, 1] if name[0] in "ub" else [0, 1, -1, 1, -2]
        values = np.array(numbers, np.float32).astype(dtype)
        raw = numpy_helper.from_array(values, name + "_raw")
        yield raw
        if number in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
            values = np.array([1 + 2j, -0.5j], dtype)
        yield helper.make_tensor(name, number, values.shape, values)
    yield helper.make_tensor("scalar", TensorProto.INT64, [], [-7])
    yield helper.make_tensor("empty", TensorProto.FLOAT, [3, 0], [])


def attributes():
    inner = helper.make_node("If", ["c"], ["z"], then_branch=subgraph("inner"), else_branch=subgraph("other"))
    t = numpy_helper.from_array(np.arange(6, dtype=np.int32).reshape(2, 3), "t")
    types = [helper.make_tensor_type_proto(TensorProto.INT8, [1, None]), helper.make_sequence_type_proto(helper.make_tensor_type_proto(TensorProto.BOOL, None))]
    values = {"f": 0.25, "i": -3, "s": "text", "t": t, "g": subgraph("branch", [inner]), "floats": [1.0, -2.5], "ints": [1, -1, 1 << 40],
              "strings": ["a", "bc"], "tensors": [t, t], "graphs": [subgraph("one"), subgraph("two", [inner])], "tp": types[1], "tps": types,
              "sparse": sparse("s1"), "sparses": [sparse("s2"), sparse("s3")]}
    return [helper.make_attribute(name, value) for name, value in values.items()]


def types():
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT16, [2, "n", None, "2*n + 1"])
    yield "tensor", tensor
    yield "no_rank", helper.make_tensor_type_proto(TensorProto.DOUBLE, None)
    yield "scalar", helper.make_tensor_type_proto(TensorProto.UINT4, [])
    yield "sparse", helper.make_sparse_tensor_type_proto(TensorProto.FLOAT, [4, "m"])
    yield "sequence", helper.make_sequence_type_proto(tensor)
    yield "optional", helper.make_optional_type_proto(helper.make_sequence_type_proto(tensor))
    yield "map", helper.make_map_type_proto(TensorProto.STRING, helper.make_sequence_type_proto(tensor))
    yield "nothing", onnx.TypeProto()
    opaque = onnx.TypeProto()
    opaque.opaque_type.name = "handle"
    yield "opaque", opaque


def everything():
    node = helper.make_node("Op", ["a", "", "b"], ["x", "", "y"], name="first", domain="custom", overload="v2")
    node.attribute.extend(attributes())
    node.metadata_props.add(key="where", value="here")
    reference = AttributeProto(name="axis", ref_attr_name="dim", type=AttributeProto.INT)
    body = helper.make_node("Softmax", ["p"], ["q"])
    body.attribute.append(reference)
    function = helper.make_function("custom", "Op", ["a", "b"], ["q"], [body, helper.make_node("If", ["p"], ["r"], then_branch=subgraph("in_function"))],
                                    [helper.make_opsetid("", 21)], ["dim"], [helper.make_attribute("k", 4)], overload="v2", value_info=[info("p", shape=["n"])])
    function.metadata_props.add(key="kind", value="function")
    values = [helper.make_value_info(name, type) for name, type in types()]
    values[0].metadata_props.add(key="of", value="value")
    graph = helper.make_graph([node, helper.make_node("Relu", ["x"], ["out"])], "main", [*values, info("a", shape=[1])], [info("out", shape=["batch", 3])],
                              list(tensors()), value_info=[info("x", shape=[None])], sparse_initializer=[sparse("sparse_weights")])
    graph.metadata_props.add(key="of", value="graph")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23), helper.make_opsetid("custom", 1)], functions=[function],
                              producer_name="corpus", producer_version="1.0", domain="test", model_version=42, doc_string="skipped")
    helper.set_model_props(model, {"author": "nobody"})
    return model


def external():
    model = helper.make_model(helper.make_graph([], "external", [], [], [numpy_helper.from_array(np.arange(12, dtype=np.float32).reshape(3, 4), "w"),
                                                                        numpy_helper.from_array(np.int16([5, 6, 7]), "v")]))
    onnx.external_data_helper.convert_model_to_external_data(model, location="external.bin", size_threshold=0)
    return model


def values():
    tensor = numpy_helper.from_array(np.float32([[1, 2], [3, 4]]), "x")
    yield "float.tensor", tensor
    yield "strings.tensor", helper.make_tensor("s", TensorProto.STRING, [2], [b"one", b"two"])
    yield "nested.sequence", helper.make_sequence("l", onnx.SequenceProto.SEQUENCE, [
        helper.make_sequence("a", onnx.SequenceProto.TENSOR, [tensor, tensor]), helper.make_sequence("b", onnx.SequenceProto.TENSOR, [])])
    yield "of_optionals.sequence", helper.make_sequence("l", onnx.SequenceProto.OPTIONAL, [
        helper.make_optional("o", onnx.OptionalProto.TENSOR, tensor), helper.make_optional("p", onnx.OptionalProto.UNDEFINED, None)])
    yield "of_sparse.sequence", helper.make_sequence("l", onnx.SequenceProto.SPARSE_TENSOR, [sparse("s")])
    yield "strings.map", helper.make_map("m", TensorProto.STRING, [b"k", b"l"], helper.make_sequence("v", onnx.SequenceProto.TENSOR, [tensor, tensor]))
    yield "ints.map", helper.make_map("m", TensorProto.INT64, [3, -1], helper.make_sequence("v", onnx.SequenceProto.TENSOR, [tensor, tensor]))
    yield "of_map.optional", helper.make_optional("o", onnx.OptionalProto.MAP, helper.make_map(
        "m", TensorProto.INT64, [7], helper.make_sequence("v", onnx.SequenceProto.TENSOR, [tensor])))
    yield "empty.optional", helper.make_optional("o", onnx.OptionalProto.UNDEFINED, None)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()                                 # external data is appended to what is there
    (FOLDER / "everything.onnx").write_bytes(everything().SerializeToString(deterministic=True))
    onnx.save_model(external(), FOLDER / "external.onnx")
    for name, proto in values():
        (FOLDER / f"{name}.pb").write_bytes(proto.SerializeToString(deterministic=True))
    (FOLDER / "external.bin").chmod(0o644)
    for path in sorted([*FOLDER.glob("*.onnx"), *FOLDER.glob("*.pb")]):
        (FOLDER / (path.name + ".txt")).write_text(summary(path))


if __name__ == "__main__":
    main()
