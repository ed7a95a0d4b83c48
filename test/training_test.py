#!/usr/bin/python3
"""Trains the training examples: losses as PyTorch's, and a saved and resumed run bit-equal to an unbroken one:
test/training_test.py BIN_FOLDER ROOT
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
STEPS, BREAK = 50, 23
TOLERANCE = {"f32": 1e-4, "f64": 1e-9}


def nereus(*arguments, program="nereus", folder):
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, cwd=folder)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, arguments))}: {done.stderr}")


def train(which, dtype, folder, compiled):
    """Files of an unbroken run and of one that was saved, ended and resumed."""
    ending = "" if dtype == "f32" else "_f64"
    program = ROOT / f"examples/train_{which}_lstm.nr"
    subprocess.run([sys.executable, ROOT / "examples/make_training.py", which, dtype, folder], check=True)
    nereus("run", program, "--entry", "start" + ending, "--input", "p=@weights.npz", "--save", "begin.npz", folder=folder)
    if compiled:
        nereus("compile", program, "--entry", "main" + ending, "-o", "train.nrx", folder=folder)

    def go(before, after, first, steps):
        given = ["--inputs", "trees.json" if which == "tree" else "lines.json", "--input", f"steps=i64={steps}", "--save", after]
        given += [f"--input={part}=@{before}:{part}" for part in ("params", "state")]
        if which == "char":
            given += ["--input", f"first=i64={first}"]
        if compiled:
            nereus("train.nrx", *given, program="nereus-run", folder=folder)
        else:
            nereus("run", program, "--entry", "main" + ending, "--eval", *given, folder=folder)

    go("begin.npz", "whole.npz", 0, STEPS)
    go("begin.npz", "half.npz", 0, BREAK)
    go("half.npz", "rest.npz", BREAK, STEPS - BREAK)
    return [dict(np.load(folder / f"{name}.npz")) for name in ("whole", "half", "rest")]


def check(which, dtype, wanted, compiled):
    with tempfile.TemporaryDirectory() as name:
        whole, half, rest = train(which, dtype, Path(name), compiled)
    wrong = []
    error = np.abs(whole["losses"] - wanted) / np.maximum(1, np.abs(wanted))
    if len(whole["losses"]) != STEPS or not error.max() <= TOLERANCE[dtype]:
        wrong.append(f"loss {error.argmax()} is {whole['losses'][error.argmax()]}, PyTorch has {wanted[error.argmax()]}")
    if whole["losses"][-10:].mean() > 0.9 * whole["losses"][:10].mean():
        wrong.append(f"nothing is learnt: {whole['losses']}")
    rest["losses"] = np.concatenate([half["losses"], rest["losses"]])
    if sorted(whole) != sorted(rest):
        wrong.append(f"other names: {sorted(rest)}")
    wrong += [f"{path} differs after resuming" for path in whole if whole[path].tobytes() != rest[path].tobytes()]
    print(f"{which} {dtype} {'compiled' if compiled else 'interpreted'}: largest difference from PyTorch {error.max():.1e}")
    return [f"{which} {dtype}: {what}" for what in wrong]


def main():
    oracle = json.loads((ROOT / "test/oracle/training.json").read_text())
    wrong = []
    for which in "tree", "char":
        for dtype in "f32", "f64":
            for compiled in True, False:
                wrong += check(which, dtype, np.array(oracle[f"{which}_{dtype}"]), compiled)
    print("\n".join(wrong) or "training agrees with PyTorch")
    return 1 if wrong else 0


sys.exit(main())
