"""One-node models of every operator at every dtype that the specification allows, and what they give.

Nodes of the suite serve as templates of attributes, shapes and other inputs: one type parameter of the operator gets another
dtype, and its data is cast. What a model gives is said by the suite, or by the reference evaluator of the package onnx: for
small floats computed in f32 or f64 from the same numbers and rounded once, so that sums cannot be as bad as that dtype.
"""
import base64
import itertools
import re
import warnings

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, defs, helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

import runtime_trials
from trial_models import HEAD, LONG, WRITTEN

warnings.simplefilter("ignore")
np.seterr(all="ignore")

# dtype of the language: type of ONNX in schemas, in messages, in NumPy
DTYPES = {"bool": ("bool", TensorProto.BOOL, np.bool_),
          "i8": ("int8", TensorProto.INT8, np.int8), "i16": ("int16", TensorProto.INT16, np.int16),
          "i32": ("int32", TensorProto.INT32, np.int32), "i64": ("int64", TensorProto.INT64, np.int64),
          "u8": ("uint8", TensorProto.UINT8, np.uint8), "u16": ("uint16", TensorProto.UINT16, np.uint16),
          "u32": ("uint32", TensorProto.UINT32, np.uint32), "u64": ("uint64", TensorProto.UINT64, np.uint64),
          "f16": ("float16", TensorProto.FLOAT16, np.float16), "bf16": ("bfloat16", TensorProto.BFLOAT16, ml_dtypes.bfloat16),
          "f32": ("float", TensorProto.FLOAT, np.float32), "f64": ("double", TensorProto.DOUBLE, np.float64),
          "str": ("string", TensorProto.STRING, np.object_),
          "f8e4m3fn": ("float8e4m3fn", TensorProto.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn),
          "f8e4m3fnuz": ("float8e4m3fnuz", TensorProto.FLOAT8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz),
          "f8e5m2": ("float8e5m2", TensorProto.FLOAT8E5M2, ml_dtypes.float8_e5m2),
          "f8e5m2fnuz": ("float8e5m2fnuz", TensorProto.FLOAT8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz),
          "f8e8m0": ("float8e8m0", TensorProto.FLOAT8E8M0, ml_dtypes.float8_e8m0fnu),
          "f4e2m1": ("float4e2m1", TensorProto.FLOAT4E2M1, ml_dtypes.float4_e2m1fn),
          "i4": ("int4", TensorProto.INT4, ml_dtypes.int4), "u4": ("uint4", TensorProto.UINT4, ml_dtypes.uint4),
          "i2": ("int2", TensorProto.INT2, ml_dtypes.int2), "u2": ("uint2", TensorProto.UINT2, ml_dtypes.uint2),
          "f6e2m3": ("float6e2m3", TensorProto.FLOAT6E2M3, ml_dtypes.float6_e2m3fn),
          "f6e3m2": ("float6e3m2", TensorProto.FLOAT6E3M2, ml_dtypes.float6_e3m2fn),
          "c64": ("complex64", TensorProto.COMPLEX64, np.complex64), "c128": ("complex128", TensorProto.COMPLEX128, np.complex128)}
BY_SCHEMA = {row[0]: name for name, row in DTYPES.items()}
BY_NUMBER = {row[1]: name for name, row in DTYPES.items()}
SMALL = [d for d in DTYPES if d in ("f16", "bf16") or d.startswith(("f8", "f6e", "f4e"))]
WIDE_INTEGERS = {"i32": 2**24 + 1, "u32": 2**31 + 2**24 + 1, "i64": 2**53 + 1, "u64": 2**63 + 2**53 + 2049}
TYPE_ATTRIBUTES = ("to", "dtype", "output_datatype", "output_dtype", "stash_type")
# Numbers that are sizes, places or exponents stay small; a divisor is not 0.
SMALL_ONLY = {"Range", "OneHot", "Pow", "BlackmanWindow", "HammingWindow", "HannWindow", "MelWeightMatrix", "TfIdfVectorizer"}
# The reference computes these in floats, which do not hold large integers.
FLOATS_IN_REFERENCE = {"Gemm", "ReduceMean", "Resize", "Upsample", "Attention", "GridSample", "DequantizeLinear"}
CUT = {"GridSample"}                                     # between integers lie others, cut towards 0; the reference has whole weights
IN_OWN_DTYPE = {"Cast", "CastLike", "QuantizeLinear", "Constant", "ConstantOfShape"}      # what a dtype does is what is asked
# Other inputs or attributes go with a dtype.
NATIVE_ONLY = {"DequantizeLinear", "TfIdfVectorizer", "LabelEncoder", "OneHotEncoder", "CategoryMapper"}
RANDOM = ("test_training_dropout",)
# An output without attribute or input that says its dtype has that of another parameter.
FOLLOWS = {("DequantizeLinear", "T3"): "T2", ("LinearAttention", "S"): "T", ("EyeLike", "T2"): "T1"}
TENSORS = {"keys_tensor": "T1", "values_tensor": "T2", "default_tensor": "T2"}
DIVIDES = {"Div", "Mod"}
MOVES = {"ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceErase", "SequenceInsert", "SequenceMap", "Optional", "OptionalGetElement",
         "If", "Loop", "Scan", "Identity", "SplitToSequence", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Concat", "Split", "Tile",
         "Expand", "Gather", "GatherElements", "GatherND", "Slice", "Compress", "DepthToSpace", "SpaceToDepth", "ReverseSequence", "TensorScatter", "OneHot"}

# Sequences and their elements are of one dtype, though the specification has a parameter for each.
LINKED = {"S": "ST", "T": "ST", "O": "OV", "V": "OVS"}


def linked(schema, parameter):
    """All parameters that have the dtype of this one."""
    names = [c.type_param_str for c in schema.type_constraints]
    if (schema.name, parameter) in FOLLOWS:
        return [parameter]
    if schema.name.startswith(("Sequence", "Optional", "SplitToS", "ConcatFromS")):
        return [n for n in names if n in LINKED.get(parameter, parameter)]
    return [parameter]


def newest(domain, name):
    return runtime_trials.schema(domain, name) or max((s for s in defs.get_all_schemas_with_history() if (s.domain, s.name) == (domain, name)), key=lambda s: s.since_version, default=None)


def allowed(constraint):
    """Its dtypes, of tensors or, where it takes none, of tensors in sequences and optionals."""
    for pattern in (r"tensor\((\w+)\)", r"(?:seq|optional)\(tensor\((\w+)\)\)"):
        if found := [m[1] for m in (re.fullmatch(pattern, t) for t in constraint.allowed_type_strs) if m]:
            return [d for d in DTYPES if DTYPES[d][0] in found]
    return []


def dtypes_of(schema, parameter):
    return next(allowed(c) for c in schema.type_constraints if c.type_param_str == parameter)


class Template:
    """A model of one node, its inputs and, if the suite has them, its outputs, or a formula for them."""

    def __init__(self, name, model, inputs, outputs=None, formula=None):
        self.name, self.model, self.inputs, self.outputs, self.formula = name, model, inputs, outputs, formula
        self.node = model.graph.node[-1]

    @property
    def version(self):
        return next((o.version for o in self.model.opset_import if o.domain == self.node.domain), 1)


def read(path, kind):
    """A value of a test; kind is its type."""
    message = {"tensor_type": onnx.TensorProto, "sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}[kind.WhichOneof("value")]()
    message.ParseFromString(path.read_bytes())
    convert = {"tensor_type": numpy_helper.to_array, "sequence_type": numpy_helper.to_list, "optional_type": numpy_helper.to_optional}
    return convert[kind.WhichOneof("value")](message)


def recorded_templates(cases):
    """Of test/oracle/onnx_ml.json: models of one node, with what onnxruntime gave."""
    found = {}
    for name, case in cases.items():
        model = onnx.load_from_string(base64.b64decode(case["model"]))
        values = [[numpy_helper.to_array(onnx.TensorProto.FromString(base64.b64decode(text))) for text in case[kind]] for kind in ("inputs", "outputs")]
        if len(model.graph.node) == 1:
            found.setdefault((model.graph.node[0].domain, model.graph.node[0].op_type), []).append(Template(name, model, *values))
    return found


def is_native(template, schema, parameter, dtype):
    made = with_dtype(template, schema, parameter, dtype)
    return made is not None and made[0].SerializeToString() == template.model.SerializeToString()


def is_f64(value):
    return not isinstance(value, list) and value is not None and value.dtype == np.float64


def largest(value):
    """The largest finite element, of floats."""
    if isinstance(value, list):
        return max(map(largest, value), default=0)
    if value is None or value.size == 0 or value.dtype.kind in "OUSbiuc":
        return 0
    value = np.abs(value.astype(np.float64))
    return float(np.where(np.isfinite(value), value, 0).max())


def elements(value):
    return sum(map(elements, value)) if isinstance(value, list) else np.size(value)


def suite_templates(suite):
    found = {}
    for folder in sorted((suite / "node").iterdir()):
        model = onnx.load(folder / "model.onnx")
        graph = model.graph
        if len(graph.node) != 1 or folder.name.endswith("_expanded") or folder.name.startswith(RANDOM) or "_expanded_ver" in folder.name or not (folder / "test_data_set_0").exists():
            continue
        try:
            inputs, outputs = ([read(folder / "test_data_set_0" / f"{kind}_{i}.pb", port.type) for i, port in enumerate(ports)]
                               for kind, ports in (("input", graph.input), ("output", graph.output)))
        except (KeyError, FileNotFoundError):            # a map; a test with fewer values
            continue
        domain = "" if graph.node[0].domain == "ai.onnx" else graph.node[0].domain
        found.setdefault((domain, graph.node[0].op_type), []).append(Template(folder.name, model, inputs, outputs))
    for templates in found.values():
        templates.sort(key=lambda t: sum(elements(x) for x in t.inputs))
    return found


def example(kind, random):
    """Random numbers of a type that a written template has."""
    if kind.WhichOneof("value") == "sequence_type":
        return [example(kind.sequence_type.elem_type, random) for _ in range(2)]
    if kind.WhichOneof("value") == "optional_type":
        return example(kind.optional_type.elem_type, random)
    sizes = [d.dim_value for d in kind.tensor_type.shape.dim]
    number = kind.tensor_type.elem_type
    if number == TensorProto.STRING:
        return np.array([f"t{i}" for i in random.integers(0, 4, sizes)], np.object_)
    if number == TensorProto.UINT8:
        return random.integers(0, 256, sizes).astype(np.uint8)
    if number == TensorProto.BOOL:
        return np.ones(sizes, bool)
    if number == TensorProto.INT64:
        return np.ones(sizes, np.int64)
    return (random.integers(0, 9, sizes) / 4).astype(np.float32)


def runtime_template(domain, name):
    *_, text, formula = runtime_trials.OPERATORS[domain, name]
    model, random = parser.parse_model(runtime_trials.HEAD + text), np.random.default_rng(7)
    return Template(name, model, [example(i.type, random) for i in model.graph.input], formula=formula)


def written_templates(name, version, texts):
    random = np.random.default_rng(7)
    found = []
    for text in texts.get(name, []):
        model = parser.parse_model(HEAD.format(version=version) + "g " + text)
        inputs = [example(i.type, random) for i in model.graph.input]
        found.append(Template(f"written_{name}", model, [(x > 1).astype(np.float32) for x in inputs] if name == "Bernoulli" else inputs))
    return found


def recast(value, to, op, wide=False):
    if isinstance(value, list):
        return [recast(v, to, op, wide) for v in value]
    if value is None:
        return None
    kind, dtype = value.dtype.kind, DTYPES[to][2]
    if value.dtype == dtype and not wide:
        return value
    if value.dtype == np.object_ or kind in "US":
        if to == "str":
            return value
        value = np.array([sum(str(v).encode()) % 101 for v in value.ravel()], np.int64).reshape(value.shape)     # others stay others
    if to == "str":
        return np.array([f"{'' if op in ('Cast', 'CastLike') else 't'}{float(v):g}" for v in value.ravel()], np.object_).reshape(value.shape)
    if value.dtype == np.bool_:
        value = value.astype(np.int64)
    if to == "bool":
        return np.asarray(value.astype(np.float64) > (0 if value.size < 2 else np.median(value.astype(np.float64))))
    if to in ("c64", "c128"):
        return value.astype(np.float64).astype(dtype)
    if re.fullmatch(r"[iu]\d+", to):
        if not re.match("u?int", value.dtype.name):
            value = value.astype(np.float64)
            finite = np.where(np.isfinite(value), value, 0)
            value = np.rint(finite * (3 if finite.size and np.abs(finite).max() < 10 else 1))
        bits = int(to[1:])
        low, high = (-(2**(bits - 1)), 2**(bits - 1) - 1) if to[0] == "i" else (0, 2**bits - 1)
        value = np.clip(np.abs(value.astype(np.int64)) if to[0] == "u" else value.astype(np.int64), low, min(high, 10**6))
        if op in DIVIDES:
            value = np.where(value == 0, 3, value)
        value = value.astype(dtype)
        return value + np.asarray(WIDE_INTEGERS[to], dtype) if wide else value
    value = value.astype(np.float64)
    if to == "f8e8m0":
        value = np.abs(value) + 0.25
    return np.asarray(value.astype(np.float32).astype(dtype) if to not in ("f32", "f64") else value.astype(dtype))


def retype(kind, number):
    """Changes the element type that a type has; gives the old one."""
    while kind.WhichOneof("value") != "tensor_type":
        kind = kind.sequence_type.elem_type if kind.WhichOneof("value") == "sequence_type" else kind.optional_type.elem_type
    old, kind.tensor_type.elem_type = kind.tensor_type.elem_type, number
    return old


def parameters(formals, count):
    """The type parameter of each place; the last one repeats."""
    return [formals[min(i, len(formals) - 1)].type_str for i in range(count)] if formals else []


def with_dtype(template, schema, parameter, dtype, wide=False):
    """The model and the inputs with another dtype; None: nothing in it is of that parameter."""
    model, number, touched, group = onnx.ModelProto(), DTYPES[dtype][1], False, set(linked(schema, parameter))
    model.CopyFrom(template.model)
    graph, node = model.graph, model.graph.node[-1]
    given = {a.name for a in node.attribute}
    of_input = {name: parameter for name, parameter in zip(node.input, parameters(schema.inputs, len(node.input))) if name}
    of_output = dict(zip(node.output, parameters(schema.outputs, len(node.output))))
    if node.op_type == "If":
        of_input = {"x": "V"} | of_input                 # read by its branches
    for (op, follower), leader in FOLLOWS.items():
        if op == node.op_type and leader == parameter and follower not in of_input.values() and not given & set(TYPE_ATTRIBUTES):
            if dtype in dtypes_of(schema, follower):
                group.add(follower)
            else:
                node.attribute.append(helper.make_attribute("output_dtype", TensorProto.FLOAT))
    inputs, old = list(template.inputs), None
    for i, port in enumerate(graph.input):
        if of_input.get(port.name) in group:
            old, touched = retype(port.type, number), True
            inputs[i] = recast(inputs[i], dtype, node.op_type, wide)
    if node.op_type in ("Cast", "CastLike") and parameter == "T2" and re.match(r"u|f8e8m0", dtype):
        inputs[0] = np.abs(inputs[0]) if inputs[0].dtype.kind == "f" else inputs[0]        # below 0 is said nowhere
    of_it = [of_output[port.name] in group for port in graph.output]
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.TENSOR and (TENSORS.get(attribute.name) == parameter or (attribute.name == "value" and any(of_it))):
            attribute.t.CopyFrom(message(recast(numpy_helper.to_array(attribute.t), dtype, node.op_type, wide), attribute.t))
            touched = True
        if attribute.type == onnx.AttributeProto.GRAPH:
            for port in itertools.chain(attribute.g.input, attribute.g.output):
                if port.type.tensor_type.elem_type == old:
                    retype(port.type, number)
    if not touched and any(of_it) and (named := [a for a in TYPE_ATTRIBUTES if a in schema.attributes]):
        kept = [a for a in node.attribute if a.name != named[0]]
        del node.attribute[:]
        node.attribute.extend([*kept, helper.make_attribute(named[0], number)])
        touched = True
    own_texts = node.op_type == "LabelEncoder" and model.SerializeToString() != template.model.SerializeToString() and not given & {n for n, p in TENSORS.items() if p == parameter}
    if not touched or own_texts:
        return None
    for port, mine in zip(graph.output, of_it):
        if mine:
            retype(port.type, number)
    return model, inputs, of_it


def as_template(template, made):
    return Template(template.name, made[0], made[1])


def evaluate(model, inputs):
    if model.graph.node[-1].op_type == "Scatter":        # the old name
        old, model = model, onnx.ModelProto()
        model.CopyFrom(old)
        model.graph.node[-1].op_type, model.opset_import[0].version = "ScatterElements", 18
    try:
        found = ReferenceEvaluator(model).run(None, {port.name: value for port, value in zip(model.graph.input, inputs)})
    except Exception:                                    # the reference is written for some dtypes only, and says so in many ways
        return None
    kinds = [port.type.WhichOneof("value") for port in model.graph.output]
    found = [x[0] if kind == "optional_type" and isinstance(x, list) else x for x, kind in zip(found, kinds)]
    return [x if isinstance(x, list) or x is None else np.asarray(x) for x in found]


def numpy_types(model):
    """Per output the NumPy dtype that it should have."""
    found = []
    for port in model.graph.output:
        kind = port.type
        while kind.WhichOneof("value") != "tensor_type":
            kind = kind.sequence_type.elem_type if kind.WhichOneof("value") == "sequence_type" else kind.optional_type.elem_type
        found.append(DTYPES[BY_NUMBER[kind.tensor_type.elem_type]][2])
    return found


def has_types(outputs, types):
    def good(value, dtype):
        if isinstance(value, list):
            return all(good(v, dtype) for v in value)
        return value is None or value.dtype == dtype or (dtype == np.object_ and value.dtype.kind in "US")
    return outputs is not None and all(map(good, outputs, types))


def rounded(value, dtype):
    return [rounded(v, dtype) for v in value] if isinstance(value, list) else value if value is None else value.astype(dtype)


def by_hand(op, inputs):
    """What the reference cannot evaluate, in f64; the attributes are those of WRITTEN and of the suite."""
    if op == "CategoryMapper":
        names = {"t0": 0, "t1": 1, "t2": 2}
        table = (names, -1) if inputs[0].dtype == np.object_ else ({v: k for k, v in names.items()}, "_Unused")
        return np.array([table[0].get(x, table[1]) for x in inputs[0]], np.int64 if table[1] == -1 else np.object_)
    if op not in ("GlobalLpPool", "MeanVarianceNormalization", "Multinomial"):
        return None
    x = inputs[0].astype(np.float64)
    if op == "GlobalLpPool":
        return np.sqrt((x * x).sum(axis=tuple(range(2, x.ndim)), keepdims=True))
    if op == "MeanVarianceNormalization":
        d = x - x.mean(axis=(0, 2, 3), keepdims=True)
        return d / (np.sqrt((d * d).mean(axis=(0, 2, 3), keepdims=True)) + 1e-9)
    return np.zeros((x.shape[0], 3))                     # there is one class


def recorded(template, schema, parameter, inputs, changed, types):
    """Classical models compute in f32 whatever they take: the same numbers give the same."""
    if all(np.array_equal(rounded(x, np.float64), rounded(y, np.float64), equal_nan=True) for x, y, c in zip(inputs, template.inputs, changed) if c):
        return [rounded(x, t) for x, t in zip(template.outputs, types)], "recorded"
    if parameter in parameters(schema.outputs, len(template.node.output)):
        return None
    narrow = with_dtype(template, schema, parameter, "f32")
    outputs = evaluate(narrow[0], [rounded(x, np.float32) if c else x for x, c in zip(inputs, changed)])
    return ([rounded(x, t) for x, t in zip(outputs, types)], "reference, f32") if outputs and template.node.op_type != "SVMClassifier" else None


def expected(template, schema, parameter, dtype, wide=False):
    """The model, its inputs and outputs, and who says so; the outputs are None where nobody does."""
    op = template.node.op_type
    if op in ("OneHotEncoder", "TfIdfVectorizer") and (template.inputs[0].dtype == np.object_) != (dtype == "str"):
        return None                                      # their attributes are of that dtype
    if op == "QuantizeLinear" and parameter == "T2" and dtype in ("f16", "bf16"):
        template = as_template(template, with_dtype(template, schema, "T1", dtype))       # it divides in the dtype of the scale
    if op == "BitCast":                                  # the other side has as many bits
        bits = np.dtype(DTYPES[dtype][2]).itemsize * 8 if not re.search(r"\b[iu][24]|f4", dtype) else int(dtype[1])
        partner = bits <= 64 and with_dtype(template, schema, "T2" if parameter == "T1" else "T1", f"u{bits}")
        template = partner and as_template(template, partner)
    made = template and with_dtype(template, schema, parameter, dtype, wide)
    if not made or (dtype in ("bool", "str") and any(a.name == "reduction" and a.s != b"none" for a in template.node.attribute)):
        return None                                      # (texts are not added)
    model, inputs, _ = made
    types = numpy_types(model)
    if template.outputs is not None and model.SerializeToString() == template.model.SerializeToString() and all(x is y for x, y in zip(inputs, template.inputs)):
        return model, inputs, template.outputs, "suite"
    whole, changed = re.fullmatch(r"[iu]\d+", dtype), [x is not y for x, y in zip(inputs, template.inputs)]
    if template.node.domain == "ai.onnx.ml" and template.outputs is not None and (whole or dtype == "f64") and template.inputs[0].dtype != np.object_:
        made = recorded(template, schema, parameter, inputs, changed, types)
        if made or op == "Imputer":                      # (what is missing is another number there)
            return (model, inputs, *made) if made else None
    if template.formula:
        return model, inputs, [template.formula(*(x.astype(np.float64) for x in inputs)).astype(types[0])], "a formula"
    if (hand := by_hand(op, inputs)) is not None:
        return model, inputs, [hand.astype(types[0])], "by hand"
    dtypes = dtypes_of(schema, parameter)
    if (dtype in SMALL and op not in IN_OWN_DTYPE) or (whole and op in CUT):
        wider = next((w for w in ("f64", "f32") if w in dtypes), None)
        outputs = wider and evaluate(with_dtype(template, schema, parameter, wider)[0], [recast(x, wider, "") if c else x for x, c in zip(inputs, changed)])
        if outputs and all(x is not None for x in outputs):
            return model, inputs, [rounded(x, t) for x, t in zip(outputs, types)], "reference, wider"
    outputs = evaluate(model, inputs)
    if has_types(outputs, types):
        return model, inputs, outputs, "reference"
    if dtype == "f64" and outputs and not any(isinstance(x, list) for x in outputs):
        outputs = [x.astype(t) if x.dtype.kind == "f" and t in (np.float32, np.float64) else x for x, t in zip(outputs, types)]
        if has_types(outputs, types):
            return model, inputs, outputs, "reference, f32"
    if whole and "i64" in dtypes and dtype != "u64":
        wide_model = with_dtype(template, schema, parameter, "i64")[0]
        outputs = evaluate(wide_model, [rounded(x, np.int64) if c else x for x, c in zip(inputs, changed)])
        if has_types(outputs, numpy_types(wide_model)):
            return model, inputs, [rounded(x, t) for x, t in zip(outputs, types)], "reference, i64"
    if outputs := moved(template, schema, parameter, inputs, types):
        return model, inputs, outputs, "reference, moved"
    return model, inputs, None, "nobody"


def tagged(value, start):
    """Its elements numbered from start on, in f32."""
    if isinstance(value, list):
        starts = itertools.accumulate([elements(v) for v in value[:-1]], initial=start)
        return [tagged(v, s) for v, s in zip(value, starts)]
    return np.arange(start, start + value.size, dtype=np.float32).reshape(value.shape)


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, list) else list(value.ravel())


def moved(template, schema, parameter, inputs, types):
    """Of an operator that only moves elements: where numbers in their place go."""
    if schema.name not in MOVES:
        return None
    model, _, of_it = with_dtype(template, schema, parameter, "f32")
    changed, given, table = [x is not y for x, y in zip(inputs, template.inputs)], [], []
    for value, mine in zip(inputs, changed):
        given.append(tagged(value, len(table)) if mine else value)
        table += flat(value) if mine else []
    outputs = evaluate(model, given)
    if outputs is None or not table:
        return None

    def found(value, dtype):
        if isinstance(value, list):
            return [found(v, dtype) for v in value]
        filled = np.empty(value.shape, dtype)
        for at in np.ndindex(value.shape):
            filled[at] = table[int(value[at])]
        return filled
    return [found(x, t) if mine else x for x, t, mine in zip(outputs, types, of_it)]


def message(value, port):
    if hasattr(port, "type") and port.type.WhichOneof("value") == "optional_type":
        return numpy_helper.from_optional(value, port.name)
    if isinstance(value, list):
        return numpy_helper.from_list([np.asarray(v) for v in value], port.name)
    value = np.asarray(value)
    if value.dtype == np.object_ or value.dtype.kind in "US":
        return helper.make_tensor(port.name, TensorProto.STRING, value.shape, [str(v).encode() for v in value.ravel()])
    return numpy_helper.from_array(value, port.name)


def write(folder, model, inputs, outputs):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    for kind, values, ports in (("input", inputs, model.graph.input), ("output", outputs, model.graph.output)):
        for i, (value, port) in enumerate(zip(values, ports)):
            (data / f"{kind}_{i}.pb").write_bytes(message(value, port).SerializeToString(deterministic=True))
