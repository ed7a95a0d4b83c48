#!/usr/bin/python3
"""Classical models of ai.onnx.ml, and n-grams, with what onnxruntime gives, or the package onnx: test/oracle/onnx_ml.py writes onnx_ml.json.

Wants the packages onnx and onnxruntime (1.31.1 wrote what is there). Each case is a model of one node, as base64 of its file, with
inputs and outputs as files of tensors; test/onnx_ml_test.py unpacks them for `nereus check`.
"""
import base64
import itertools
import json
from pathlib import Path

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

rng = np.random.default_rng(11)
cases = {}
KINDS = {np.dtype(t): k for t, k in ((np.float32, TensorProto.FLOAT), (np.float64, TensorProto.DOUBLE), (np.int64, TensorProto.INT64), (np.int32, TensorProto.INT32))}


def packed(message):
    return base64.b64encode(message.SerializeToString()).decode()


def case(name, op, inputs, outputs, version=3, domain="ai.onnx.ml", by_onnx=False, **attributes):
    """outputs: the element type of each. by_onnx: where onnxruntime does something else than the specification says."""
    names = [f"x{i}" for i in range(len(inputs))], [f"y{i}" for i in range(len(outputs))]
    node = helper.make_node(op, *names, domain=domain, **attributes)
    graph = helper.make_graph([node], name,
                              [helper.make_tensor_value_info(n, KINDS[x.dtype], x.shape) for n, x in zip(names[0], inputs)],
                              [helper.make_tensor_value_info(n, t, None) for n, t in zip(names[1], outputs)])
    opsets = [helper.make_opsetid("", 18)] + [helper.make_opsetid(domain, version)] * bool(domain)
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = ReferenceEvaluator(model) if by_onnx else onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found = session.run(None, dict(zip(names[0], inputs)))
    assert name not in cases, name
    cases[name] = {"model": packed(model), "inputs": [packed(numpy_helper.from_array(x, n)) for x, n in zip(inputs, names[0])],
                   "outputs": [packed(numpy_helper.from_array(y, n)) for y, n in zip(found, names[1])]}


MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"]
F, L = TensorProto.FLOAT, TensorProto.INT64


def trees(count, modes, features=3, depth=3):
    """Lists of the nodes of trees that are not full; leaves as (tree, node)."""
    nodes, leaves = {k: [] for k in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")}, []

    def grow(tree, level, free):
        node = free.pop(0)
        place = len(nodes["nodeids"])
        is_leaf = level == depth or (level > 0 and rng.random() < 0.25)
        for key, value in (("treeids", tree), ("nodeids", node), ("featureids", 0 if is_leaf else int(rng.integers(features))),
                           ("modes", "LEAF" if is_leaf else str(rng.choice(modes))), ("values", 0.0 if is_leaf else float(rng.integers(-2, 3))),
                           ("truenodeids", 0), ("falsenodeids", 0), ("missing_value_tracks_true", int(rng.integers(2)))):
            nodes[key].append(value)
        if is_leaf:
            leaves.append((tree, node))
        else:
            nodes["truenodeids"][place] = grow(tree, level + 1, free)
            nodes["falsenodeids"][place] = grow(tree, level + 1, free)
        return node

    for tree in range(count):
        grow(tree, 0, list(range(2 ** (depth + 1))))
    return {f"nodes_{k}": v for k, v in nodes.items()}, leaves


def said(leaves, stem, targets, each=1, low=-1.0, of=None):
    """What leaves say of targets."""
    rows = [(t, n, int(i) if of is None else of, float(np.float32(rng.uniform(low, 1)))) for t, n in leaves for i in rng.choice(targets, each, replace=False)]
    return {f"{stem}_{k}": list(v) for k, v in zip(("treeids", "nodeids", "ids", "weights"), zip(*rows))}


def rows(count=7, features=3, dtype=np.float32, missing=False):
    x = rng.integers(-3, 4, (count, features)).astype(dtype)
    if missing:
        x[rng.random(x.shape) < 0.3] = np.nan
    return x


def regressors():
    for how, targets in itertools.product(["SUM", "AVERAGE", "MIN", "MAX"], [1, 3]):
        nodes, leaves = trees(4, MODES)
        base = {"base_values": [float(i) for i in range(targets)]} if how in ("SUM", "MAX") else {}
        case(f"regressor_{how}_{targets}", "TreeEnsembleRegressor", [rows()], [F], n_targets=targets, aggregate_function=how, **nodes, **base,
             **said(leaves, "target", targets, each=min(targets, 2)))
    for mode in MODES[:5]:                               # what the specification says of NEQ and a missing value, onnxruntime does not do
        nodes, leaves = trees(3, [mode])
        case(f"regressor_missing_{mode}", "TreeEnsembleRegressor", [rows(missing=True)], [F], n_targets=1, **nodes, **said(leaves, "target", 1))
    for dtype in (np.float64,):                          # onnxruntime has no other
        nodes, leaves = trees(3, MODES)
        case(f"regressor_{np.dtype(dtype).name}", "TreeEnsembleRegressor", [rows(dtype=dtype)], [F], n_targets=2, **nodes, **said(leaves, "target", 2))
    for how in ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
        nodes, leaves = trees(3, MODES[:1])
        case(f"regressor_{how}", "TreeEnsembleRegressor", [rows()], [F], n_targets=3, post_transform=how, **nodes, **said(leaves, "target", 3, each=3))
    nodes, leaves = trees(1, MODES[:1], depth=1)
    case("regressor_no_rows", "TreeEnsembleRegressor", [rows(0)], [F], n_targets=1, **nodes, **said(leaves, "target", 1))


def classifiers():
    for how, low in itertools.product(["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"], [-1.0, 0.0]):
        sign = "signed" if low < 0 else "shares"
        nodes, leaves = trees(3, MODES)
        case(f"classifier_{how}_{sign}", "TreeEnsembleClassifier", [rows()], [L, F], classlabels_int64s=[7, -2, 5], post_transform=how, **nodes,
             **said(leaves, "class", 3, each=2, low=low))
        nodes, leaves = trees(2, MODES)
        case(f"classifier_two_{how}_{sign}", "TreeEnsembleClassifier", [rows()], [L, F], by_onnx=True, classlabels_int64s=[3, 9], post_transform=how, **nodes,
             **said(leaves, "class", 2, each=2, low=low))
        for of in (0, 1):
            nodes, leaves = trees(2, MODES)
            case(f"classifier_only_{of}_{how}_{sign}", "TreeEnsembleClassifier", [rows()], [L, F], by_onnx=of == 0 and how != "NONE", classlabels_int64s=[3, 9], post_transform=how, **nodes,
                 **said(leaves, "class", 1, of=of, low=low))
    for labels, base in (([1, 2, 4], [0.5, -0.25, 1.0]), ([0, 1], [0.25, 0.75])):
        nodes, leaves = trees(2, MODES)
        case(f"classifier_base_{len(labels)}", "TreeEnsembleClassifier", [rows()], [L, F], by_onnx=len(labels) == 2, classlabels_int64s=labels, base_values=base, **nodes,
             **said(leaves, "class", len(labels), each=len(labels)))
    nodes, leaves = trees(2, MODES)
    case("classifier_only_base", "TreeEnsembleClassifier", [rows()], [L, F], classlabels_int64s=[0, 1], base_values=[0.5], post_transform="LOGISTIC", **nodes,
         **said(leaves, "class", 1, of=0))
    for dtype in (np.float64, np.int64):
        nodes, leaves = trees(3, MODES)
        case(f"classifier_{np.dtype(dtype).name}", "TreeEnsembleClassifier", [rows(dtype=dtype)], [L, F], classlabels_int64s=[0, 1, 2], **nodes, **said(leaves, "class", 3, each=3))


def ensembles():
    """Nodes and leaves have lists of their own, and there are sets."""
    for name, how, targets, dtype in (("sum", 1, 2, np.float32), ("average", 0, 1, np.float32), ("least", 2, 1, np.float32), ("most", 3, 1, np.float64)):
        modes = np.array([0, 6, 1, 6, 4, 5, 2, 3], np.uint8)
        splits = np.array([0, 0, 1, 0, -1, 2, 0, 1], dtype)
        sets = np.array([-3, 1, 2, np.nan, 0, np.nan], dtype)          # of nodes 1 and 3
        case(f"ensemble_{name}", "TreeEnsemble", [rows(12, dtype=dtype)], [KINDS[np.dtype(dtype)]], version=5, n_targets=targets, aggregate_function=how,
             nodes_featureids=[0, 1, 2, 0, 1, 2, 1, 0], nodes_modes=helper.make_tensor("m", TensorProto.UINT8, [8], modes),
             nodes_splits=numpy_helper.from_array(splits, "s"), membership_values=numpy_helper.from_array(sets, "v"),
             nodes_truenodeids=[1, 0, 2, 5, 3, 6, 7, 0], nodes_trueleafs=[0, 1, 1, 0, 1, 1, 0, 1],
             nodes_falsenodeids=[2, 1, 3, 4, 4, 5, 6, 7], nodes_falseleafs=[0, 1, 0, 0, 1, 1, 1, 1],
             leaf_targetids=[int(i) for i in rng.integers(0, targets, 9)], leaf_weights=numpy_helper.from_array(rng.uniform(-1, 1, 9).astype(dtype), "w"),
             tree_roots=[0, 2, 6])


def ngrams():
    for mode, batch in itertools.product(["TF", "IDF", "TFIDF"], [None, 3]):
        for shortest, longest, skips in ((1, 1, 0), (1, 3, 2), (2, 3, 1)):
            x = rng.integers(1, 5, (9,) if batch is None else (batch, 9)).astype(np.int64 if batch else np.int32)
            case(f"ngrams_{mode}_{batch}_{shortest}_{longest}", "TfIdfVectorizer", [x], [F], domain="", mode=mode, min_gram_length=shortest, max_gram_length=longest,
                 max_skip_count=skips, ngram_counts=[0, 3, 9], ngram_indexes=[4, 0, 2, 1, 3, 6, 5], pool_int64s=[1, 2, 4, 1, 2, 3, 3, 4, 1, 1, 2, 3],
                 weights=[0.5, 2.0, 3.0, 5.0, 7.0, 11.0, 13.0])


def linear():
    x = rows(6, 4)
    for how in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
        weights = [float(v) for v in rng.integers(-3, 4, 12)]
        case(f"linear_regressor_{how}", "LinearRegressor", [x], [F], version=1, targets=3, coefficients=weights, intercepts=[0.5, -1.0, 0.0], post_transform=how)
        case(f"linear_classifier_{how}", "LinearClassifier", [x], [L, F], version=1, classlabels_ints=[4, 2, 9], coefficients=weights, intercepts=[0.5, -1.0, 0.0], post_transform=how)
    # transforms that make another score the largest
    x = np.array([[0, -1, -2], [0.25, 0.5, 1.5], [0.5, 0.75, 0.25], [-1, 0, -3]], np.float32)
    for how in ("SOFTMAX_ZERO", "PROBIT"):
        case(f"linear_classifier_label_{how}", "LinearClassifier", [x], [L, F], version=1, classlabels_ints=[4, 2, 9], coefficients=[1.0, 0, 0, 0, 1, 0, 0, 0, 1],
             intercepts=[0.0, 0, 0], post_transform=how)


def kernels():
    """Support vectors."""
    def rest(kind):
        return {"kernel_type": kind, "kernel_params": [0.25, 0.5, 3.0]}

    for kind in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        x, vectors = rng.uniform(-1, 1, (6, 4)).astype(np.float32), rng.uniform(-1, 1, (7, 4)).astype(np.float32)
        flat, coefficients = [float(v) for v in vectors.ravel()], [float(v) for v in rng.uniform(-1, 1, 14)]
        case(f"svm_regressor_{kind}", "SVMRegressor", [x], [F], version=1, n_supports=7, support_vectors=flat, coefficients=coefficients[:7], rho=[0.25], **rest(kind))
        case(f"svm_one_class_{kind}", "SVMRegressor", [x], [F], version=1, n_supports=7, one_class=1, support_vectors=flat, coefficients=coefficients[:7], rho=[0.25], **rest(kind))
        for how, likely in itertools.product(("NONE", "SOFTMAX"), (False, True)):
            more = {"prob_a": [-1.5, -0.5, -1.0], "prob_b": [0.1, -0.2, 0.3]} if likely else {}
            case(f"svm_classifier_{kind}_{how}_{likely}", "SVMClassifier", [x], [L, F], version=1, classlabels_ints=[3, 1, 8], vectors_per_class=[2, 3, 2], support_vectors=flat,
                 coefficients=coefficients, rho=[0.1, -0.2, 0.3], post_transform=how, **rest(kind), **more)
        for likely in (False, True):
            more = {"prob_a": [-1.5], "prob_b": [0.1]} if likely else {}
            case(f"svm_two_{kind}_{likely}", "SVMClassifier", [x], [L, F], version=1, classlabels_ints=[3, 8], vectors_per_class=[4, 3], support_vectors=flat,
                 coefficients=coefficients[:7], rho=[0.1], **rest(kind), **more)
    x = rng.uniform(-1, 1, (6, 4)).astype(np.float32)
    weights = [float(v) for v in rng.uniform(-1, 1, 12)]
    case("svm_regressor_weights", "SVMRegressor", [x], [F], version=1, coefficients=weights[:4], rho=[0.25], **rest("LINEAR"))
    case("svm_classifier_weights", "SVMClassifier", [x], [L, F], version=1, classlabels_ints=[3, 1, 8], coefficients=weights, rho=[0.25], **rest("LINEAR"))


def features():
    x = rows(5, 4)
    gaps = rows(5, 4, missing=True)
    for norm in ("MAX", "L1", "L2"):
        case(f"normaliser_{norm}", "Normalizer", [np.abs(x) if norm == "MAX" else x], [F], version=1, norm=norm)
    case("scaler", "Scaler", [x], [F], version=1, offset=[1.0, 2.0, -1.0, 0.0], scale=[0.5, 2.0, 1.0, 3.0])
    case("scaler_one", "Scaler", [x], [F], version=1, offset=[1.0], scale=[0.5])
    case("scaler_integers", "Scaler", [rows(5, 4, np.int64)], [F], version=1, offset=[1.0], scale=[0.5])
    case("binarizer", "Binarizer", [x], [F], version=1, threshold=0.5)
    case("imputer_gaps", "Imputer", [gaps], [F], version=1, imputed_value_floats=[9.0, 8.0, 7.0, 6.0], replaced_value_float=float("nan"))
    case("imputer_one", "Imputer", [x], [F], version=1, imputed_value_floats=[9.0], replaced_value_float=1.0)
    case("imputer_integers", "Imputer", [rows(5, 4, np.int64)], [L], version=1, imputed_value_int64s=[9, 8, 7, 6], replaced_value_int64=2)
    case("array_features", "ArrayFeatureExtractor", [x, np.array([3, 0, 0], np.int64)], [F], version=1)
    case("array_features_cube", "ArrayFeatureExtractor", [x.reshape(5, 2, 2), np.array([1], np.int64)], [F], version=1)
    case("vectorizer", "FeatureVectorizer", [x, rows(5, 2)], [F], version=1, inputdimensions=[4, 2])
    whole = rng.integers(0, 6, (4, 3)).astype(np.int64)
    case("one_hot", "OneHotEncoder", [whole], [F], version=1, cats_int64s=[0, 2, 3, 5], zeros=1)
    case("one_hot_floats", "OneHotEncoder", [whole.astype(np.float32)], [F], version=1, cats_int64s=[5, 4, 3, 2, 1, 0], zeros=0)
    case("labels_integers", "LabelEncoder", [whole], [L], version=2, keys_int64s=[0, 3, 5], values_int64s=[7, -8, 9], default_int64=4)
    case("labels_floats", "LabelEncoder", [np.array([0.0, 1.5, -1.0, 2.0], np.float32)], [L], version=2, keys_floats=[1.5, -1.0], values_int64s=[3, 4])
    case("labels_to_floats", "LabelEncoder", [whole], [F], version=2, keys_int64s=[0, 3, 5], values_floats=[0.5, 1.5, 2.5])
    case("labels_tensors", "LabelEncoder", [whole], [L], version=4, keys_tensor=numpy_helper.from_array(np.array([1, 4], np.int64), "k"),
         values_tensor=numpy_helper.from_array(np.array([40, 10], np.int64), "v"), default_tensor=numpy_helper.from_array(np.array([6], np.int64), "d"))


def written():
    path = Path(__file__).with_name("onnx_ml.json")
    path.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(c)}" for name, c in cases.items()) + "\n}\n")
    print(len(cases), "cases,", path.stat().st_size, "bytes")


if __name__ == "__main__":
    for family in (regressors, classifiers, ensembles, ngrams, linear, kernels, features):
        family()
    written()
