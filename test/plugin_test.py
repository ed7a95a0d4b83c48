#!/usr/bin/python3
"""Operators from outside: test/plugin_test.py BIN ROOT

Builds test/plugin/acme.c with the header alone and runs its operators every way there is, against NumPy.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent / "onnx"))
import model_from_text  # noqa: E402

BIN, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory(prefix="plugin-")
HERE = pathlib.Path(FOLDER.name)
PLUGIN, PROGRAM = HERE / "acme.so", ROOT / "test/plugin/acme.nr"
failures = []


def call(*words, ok=True):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if ok and done.returncode != 0:
        failures.append(f"{' '.join(map(str, words))}: {done.stderr}")
    return done


def build(name):
    """With the header alone: nothing of Nereus is linked."""
    call("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC", "-I", ROOT / "include", ROOT / f"test/plugin/{name}.c", "-o", HERE / f"{name}.so")
    if failures:
        sys.exit(failures[0])
    return HERE / f"{name}.so"


def same(name, found, wanted, tolerance=1e-6):
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=tolerance, atol=tolerance):
        failures.append(f"{name}: found {found}, expected {wanted}")


def tensors(text):
    """The results of a call as arrays."""
    value = json.loads(text)
    parts = value["tuple"] if "tuple" in value else [value]
    return [np.array(p["data"], dtype={"f32": "f4", "f64": "f8", "i64": "i8"}[p["dtype"]]).reshape(p["shape"]) for p in parts]


def every_way(entry, arrays, wanted, tolerance=1e-6):
    """Compiled in process, interpreted, in checked mode, and as an artefact without the compiler."""
    inputs = []
    for name, array in arrays.items():
        np.save(HERE / f"{name}.npy", array)
        inputs += ["--input", f"{name}=@{HERE / name}.npy"]
    artefact = HERE / f"{entry}.nrx"
    call(BIN / "nereus", "compile", PROGRAM, "--entry", entry, "--plugin", PLUGIN, "-o", artefact)
    ways = {"compiled": ["nereus", "run", PROGRAM, "--entry", entry], "interpreted": ["nereus", "run", PROGRAM, "--entry", entry, "--eval"],
            "checked": ["nereus", "run", PROGRAM, "--entry", entry, "--checked"], "artefact": ["nereus-run", artefact]}
    for way, words in ways.items():
        done = call(BIN / words[0], *words[1:], "--plugin", PLUGIN, "--json", *inputs)
        if done.returncode == 0:
            for i, (found, expected) in enumerate(zip(tensors(done.stdout), wanted, strict=True)):
                same(f"{entry}, {way}, result {i}", found, expected, tolerance)


def refused(words, *texts):
    done = call(*words, ok=False)
    if done.returncode != 1 or not all(text in done.stderr for text in texts):
        failures.append(f"{' '.join(map(str, words))}: exit {done.returncode}, {done.stderr!r}, expected {texts}")


MISTAKES = {"no_reason": "refused its inputs and gave no reason", "no_output": "did not say how large output 0 is", "unknown_size": "used a size that it was not given",
            "unknown_input": "asked for input 1 of 1", "late_without_measure": "a late size and no function measure", "wrong_output": "speaks of output 3",
            "wrong_arithmetic": "computes sizes with '^'", "unknown_op": "there is no operator 'no_such'", "unknown_attribute": "there is no attribute 'axess'",
            "wrong_attribute": "attribute 'keepdims' is of another kind", "no_operands": "'mul' has 1 operands, expected 2",
            "unknown_value": "used a value that it was not given", "kernel_no_reason": "failed and gave no reason"}


def mistakes():
    """What the user of a plug-in is told of the plug-in's mistakes."""
    plugin, program = build("wrong"), HERE / "mistake.nr"
    for mistake, text in MISTAKES.items():
        program.write_text(f"def @main(%x: Tensor[(n), f32]) -> Tensor[(n), f32] {{ grad(fn (%x: Tensor[(n), f32]) {{ sum(wrong_{mistake}(%x)) }})(%x) }}\n"
                           if mistake != "kernel_no_reason" else f"def @main(%x: Tensor[(n), f32]) -> Tensor[(n), f32] {{ wrong_{mistake}(%x) }}\n")
        refused([BIN / "nereus", "run", program, "--plugin", plugin, "--input", "x=2xf32=1,2"], "mistake.nr:1:", text)
    program.write_text("def @main(%x: Tensor[(n), f32]) { wrong_measured_too_much(%x) }\n")
    refused([BIN / "nereus", "run", program, "--plugin", plugin, "--input", "x=2xf32=1,2"], "measured a size of 3, expected at most 2")
    refused([BIN / "nereus", "run", program, "--eval", "--plugin", plugin, "--input", "x=2xf32=1,2"], "measured a size of 3, expected at most 2")


MODEL = """
input x f32 n,m
input by i64 -
output y f32 n,m
node com.acme/Leaky: x -> h slope=0.5
node com.acme/Roll: h, by -> y axis=1
"""


LISTED = """acme_leaky     x where it is above 0, else slope * x
acme_roll      elements moved along an axis
acme_outer     acme_outer(x, y)
acme_keep      acme_keep(x)
"""
ROLL = """acme_roll(x, by, axis=0, edge="\u2026")
  types     float a: a, i64 -> a
  gives     elements moved along an axis
  besides   may fail
  besides   no gradient: its plug-in has none
  besides   in models com.acme.Roll, since version 1
"""


def listed():
    for words, wanted in (([], LISTED), (["acme_roll"], ROLL)):
        done = call(BIN / "nereus", "ops", *words, "--plugin", PLUGIN)
        if done.stdout != wanted:
            failures.append(f"ops {words}: found {done.stdout!r}, expected {wanted!r}")
    done = call(BIN / "nereus", "ops", "acme_leaky", "--plugin", PLUGIN)
    if "has a gradient" not in done.stdout:
        failures.append(f"ops of one that has a gradient: {done.stdout}")
    done = call(BIN / "nereus", "ops", "reshape", "--plugin", PLUGIN)
    if not done.stdout.startswith("reshape("):
        failures.append(f"ops of ours with a plug-in: {done.stdout}")
    done = call(BIN / "nereus", "ops", "acme_rol", "--plugin", PLUGIN, ok=False)
    if done.returncode != 2 or "acme_roll" not in done.stderr:
        failures.append(f"ops of a name that is not there: {done.stderr}")


def outputs_of_a_node():
    """A node may name fewer outputs than the operator has, and none that it has not."""
    model, text = HERE / "keep.onnx", HERE / "keep.txt"
    for named, used, gives in [("y", "y", [-1.0]), (",at", "at", [-1]), ("y,at", "at", [-1])]:
        text.write_text(f"input x f32 n\nnode com.acme/Keep: x -> {named}\nnode Neg: {used} -> z\noutput z {'i64' if used == 'at' else 'f32'} ?\n")
        model_from_text.main(text, model)
        done = call(BIN / "nereus", "run", model, "--plugin", PLUGIN, "--json", "--input", "x=2xf32=-3,1")
        if done.returncode == 0:
            same(f"outputs {named}", tensors(done.stdout)[0], np.array(gives))
    text.write_text("input x f32 n\nnode com.acme/Keep: x -> y,at,more\noutput y f32 ?\n")
    model_from_text.main(text, model)
    refused([BIN / "nereus", "run", model, "--plugin", PLUGIN, "--input", "x=2xf32=-3,1"], "Keep", "it has 3 outputs, expected at most 2")


def main():
    build("acme")
    listed()
    random = np.random.default_rng(1)
    leaky = lambda x, s: np.where(x > 0, x, s * x)
    for n, m in [(3, 5), (0, 4), (1, 1)]:
        x = random.standard_normal((n, m)).astype("f4")
        every_way("leaky", {"x": x, "slope": np.float32(0.25)}, [leaky(x, np.float32(0.25))])
        by = np.int64(2)
        zeroed = np.concatenate([np.zeros((n, 1), "f4"), (x + 1)[:, :-1]], axis=1)
        every_way("roll", {"x": x, "by": by}, [np.roll(x, 2, axis=0), zeroed])
    for n in [0, 1, 7]:
        x, s, h = random.standard_normal(n), 0.3, 1e-6
        f = lambda x, s: np.sum(leaky(x * x - 1, s) * x)
        dx = np.array([(f(x + h * e, s) - f(x - h * e, s)) / (2 * h) for e in np.eye(n)]).reshape(n)
        ds = (f(x, s + h) - f(x, s - h)) / (2 * h)
        every_way("leaky_grad", {"x": x, "slope": np.float64(s)}, [dx, ds], 1e-5)
        every_way("leaky_closures", {"x": x, "slope": np.float64(s)}, [dx, ds], 1e-5)
        x, y = random.standard_normal(n).astype("f4"), random.standard_normal(4).astype("f4")
        every_way("outer", {"x": x, "y": y}, [np.concatenate([x, y]), np.outer(x, y).reshape(-1)])
        every_way("keep", {"x": x}, [2 * x[x > 0], np.nonzero(x > 0)[0]])
    (HERE / "model.txt").write_text(MODEL)
    model_from_text.main(HERE / "model.txt", HERE / "model.onnx")
    x = random.standard_normal((2, 3)).astype("f4")
    np.save(HERE / "x.npy", x)
    inputs = ["--input", f"x=@{HERE / 'x.npy'}", "--input", "by=i64=1"]
    done = call(BIN / "nereus", "run", HERE / "model.onnx", "--plugin", PLUGIN, "--json", *inputs)
    if done.returncode == 0:
        same("model", tensors(done.stdout)[0], np.roll(leaky(x, np.float32(0.5)), 1, axis=1))
    call(BIN / "nereus", "compile", HERE / "model.onnx", "--plugin", PLUGIN, "-o", HERE / "model.nrx")
    outputs_of_a_node()

    vector = ["--input", "x=2xf32=1,2"]
    refused([BIN / "nereus", "run", HERE / "model.onnx", *inputs], "com.acme", "Leaky")
    refused([BIN / "nereus-run", HERE / "model.nrx", *inputs], "acme_leaky", "not registered", "--plugin")
    refused([BIN / "nereus", "run", PROGRAM, "--entry", "bad", "--plugin", PLUGIN, *vector], "edge must be", "acme.nr:")
    refused([BIN / "nereus", "run", PROGRAM, "--entry", "outer", "--plugin", PLUGIN, "--input", "x=9xf32=random", "--input", "y=9xf32=random"], "the shorter vector", "9")
    refused([BIN / "nereus", "run", PROGRAM, "--entry", "keep", "--plugin", HERE / "none.so", *vector], "plug-in", "none.so")
    refused([BIN / "nereus", "run", PROGRAM, "--entry", "keep", "--plugin", ROOT / "test/plugin/acme.c", *vector], "plug-in", "acme.c")
    wrong = HERE / "wrong.nr"
    wrong.write_text("def @main(%x: Tensor[(n), f32]) -> Tensor[(n), f32] { grad(fn (%x: Tensor[(n), f32]) { sum(acme_roll(%x, 1)) })(%x) }\n")
    refused([BIN / "nereus", "run", wrong, "--plugin", PLUGIN, *vector], "acme_roll", "its plug-in has none")
    refused([BIN / "nereus", "run", wrong, "--eval", "--plugin", PLUGIN, *vector], "acme_roll", "its plug-in has none")
    mistakes()
    done = call(BIN / "nereus", "run", PROGRAM, "--plugin", ok=False)
    if done.returncode != 2 or "--plugin needs a file" not in done.stderr:
        failures.append(f"--plugin without a file: {done.stderr}")
    print("\n".join(failures) or "every operator of the plug-in, every way")
    sys.exit(1 if failures else 0)


main()
