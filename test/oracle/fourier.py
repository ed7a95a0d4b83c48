#!/usr/bin/python3
"""Writes fourier.json: transforms of small arguments, for src/ops/oracle_test.cpp. Stored as ops.py says.

NumPy (2.0 or newer) transforms long doubles in long doubles: what is rounded from them is as good as exact.
"""
import json
from pathlib import Path

import numpy as np

NAMES = {"float32": "f32", "float64": "f64"}
ABSENT = {"tuple": []}
rng = np.random.default_rng(7)
cases = []


def value(x):
    if x is None:
        return ABSENT
    if isinstance(x, bool):
        return {"dtype": "bool", "shape": [], "data": [x]}
    return {"dtype": NAMES[x.dtype.name], "shape": list(x.shape), "data": [float(str(v)) for v in x.ravel()]}


def case(x, inverse, result):
    cases.append({"ctor": "fft", "args": [{"tuple": [value(x), value(inverse)]}, {"tuple": [value(result)]}]})


def fails(x, code):
    cases.append({"ctor": "fft", "args": [{"tuple": [value(x), ABSENT]}, {"ctor": "error", "args": [{"ctor": code, "args": []}]}]})


for dtype in (np.float32, np.float64):
    for dims in [(1,), (2,), (3,), (2, 4), (5,), (2, 3, 6), (7,), (8,), (11,), (2, 13), (24,), (30,), (101,), (0,), (3, 0), (0, 4)]:
        x = rng.uniform(-8, 8, (*dims, 2)).astype(dtype)
        wide = x.astype(np.longdouble)
        z = wide[..., 0] + 1j * wide[..., 1]
        for inverse in (None, False, True):
            y = z if x.size == 0 else np.fft.ifft(z, norm="forward") if inverse else np.fft.fft(z)
            assert y.dtype == np.clongdouble
            case(x, inverse, np.stack([y.real, y.imag], -1).astype(dtype))
fails(np.zeros((2, 3), np.float32), "shape")
fails(np.zeros((2,), np.float32), "shape")
fails(np.float64(1).reshape(()), "shape")
lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
Path(__file__).with_name("fourier.json").write_text('{"seq": [\n' + lines + "\n]}\n")
print(len(cases), "cases")
