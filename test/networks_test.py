#!/usr/bin/python3
"""Values and gradients of the prelude's networks are PyTorch's: test/networks_test.py BIN_FOLDER ROOT"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN, ROOT = Path(sys.argv[1]), Path(sys.argv[2])
# What sum(result * weight) is made of, and the types of the arguments; T is the dtype.
PROGRAMS = {
    "linear": ("linear(%p, %x)", "%p: Linear[i, o, T], %x: Tensor[(n, m, i), T]"),
    "lstm_cell": ("{ (%h1, %c1) = lstm_cell(%p, %x, (%h, %c)); concat([%h1, %c1], axis=-1) }",
                  "%p: Lstm[i, d, T], %x: Tensor[(n, i), T], %h: Tensor[(n, d), T], %c: Tensor[(n, d), T]"),
    "gru_cell": ("gru_cell(%p, %x, %h)", "%p: Gru[i, d, T], %x: Tensor[(n, i), T], %h: Tensor[(n, d), T]"),
    "layer_norm": ("layer_norm(%p, %x, 1e-5)", "%p: Norm[d, T], %x: Tensor[(n, d), T]"),
    "softmax": ("softmax(%x)", "%x: Tensor[(n, m), T]"),
    "log_softmax": ("log_softmax(%x)", "%x: Tensor[(n, m), T]"),
    "gelu": ("gelu(%x)", "%x: Tensor[(n, m), T]"),
    "relu": ("relu(%x)", "%x: Tensor[(n, m), T]"),
    "sigmoid": ("sigmoid(%x)", "%x: Tensor[(n, m), T]"),
    "attention": ("attention(%q, %k, %v, 0.5)", "%q: Tensor[(b, n, d), T], %k: Tensor[(b, m, d), T], %v: Tensor[(b, m, e), T]"),
    "masked_attention": ("masked_attention(%q, %k, %v, %mask, 0.5)",
                         "%q: Tensor[(b, n, d), T], %k: Tensor[(b, m, d), T], %v: Tensor[(b, m, e), T], %mask: Tensor[(n, m), bool]"),
    "mean": ("mean(%x)", "%x: Tensor[(n, m), T]"),
    "mse": ("mse(%x, %y)", "%x: Tensor[(n, m), T], %y: Tensor[(n, m), T]"),
    "cross_entropy": ("cross_entropy(%x, %labels)", "%x: Tensor[(n, m), T], %labels: Tensor[(n), i64]"),
}
TOLERANCE = {"f32": 1e-4, "f64": 1e-9}


def program(name, case, dtype, mode):
    result, params = PROGRAMS[name]
    weight = ", ".join("?" * len(case["weight"]["shape"]))
    body = result[1:-1].rsplit(";", 1) if result.startswith("{") else ["", result]
    wrt = [at for at, argument in enumerate(case["arguments"]) if argument in case["gradient"]]
    names = ", ".join(f"%{argument}" for argument in case["arguments"])
    return (f"def @value({params}, %weight: Tensor[({weight}), T]) {{ {body[0]}; sum(({body[1]}) * %weight) }}\n"
            f"def @main({params}, %weight: Tensor[({weight}), T]) {{ value_and_grad(@value, wrt={wrt}{mode})({names}, %weight) }}\n"
            ).replace("{ ; ", "{ ").replace("T]", dtype + "]")


def to_json(value, dtype):
    if "data" not in value:
        return {"record": {name: to_json(part, dtype) for name, part in value.items()}}
    return dict(value, dtype=dtype if value["dtype"] == "float" else value["dtype"])


def numbers(value):
    """The tensors of a value, ours or the oracle's, in order."""
    if "data" in value:
        return [np.array(value["data"], float)]
    parts = value.get("tuple") or (value["record"] if "record" in value else value).values()
    return [found for part in parts for found in numbers(part)]


def check(name, case, dtype, mode, folder):
    (folder / "p.nr").write_text(program(name, case, dtype, mode))
    given = {argument: to_json(value, dtype) for argument, value in dict(case["arguments"], weight=case["weight"]).items()}
    (folder / "in.json").write_text(json.dumps(given))
    done = subprocess.run([BIN / "nereus", "run", folder / "p.nr", "--inputs", folder / "in.json", "--json"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    found = numbers(json.loads(done.stdout))
    wanted = [np.array([case["value"]])] + numbers(case["gradient"])
    fits = len(found) == len(wanted) and all(np.shape(f) == np.shape(w) and np.allclose(f, w, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
                                             for f, w in zip(found, wanted))
    return "" if fits else f"found {found}, expected {wanted}"


def main():
    oracle = json.loads((ROOT / "test/oracle/networks.json").read_text())
    oracle.pop("made_by")
    wrong = [f"{name} is on one side only" for name in set(oracle) ^ set(PROGRAMS)]
    with tempfile.TemporaryDirectory() as folder:
        for name, case in oracle.items():
            for dtype in TOLERANCE:
                for mode in "", ', mode="closures"':
                    if what := check(name, case, dtype, mode, Path(folder)):
                        wrong.append(f"{name} {dtype}{mode}: {what}")
    print("\n".join(wrong) or f"{len(oracle)} networks agree with PyTorch")
    return 1 if wrong else 0


sys.exit(main())
