#!/usr/bin/env python3
"""Writes storage.json: casts from and to the types that are only stored, in the form that ops.py describes.

Codes, and what an f32 or f16 becomes, come from ml_dtypes, the package that ONNX's own reference uses. Saturation is a clip
before, as in that reference. ml_dtypes rounds f64 and integers by way of f32: here they are rounded once, from fractions. Powers of
two, f8e8m0, follow the tables of ONNX's Cast; where ml_dtypes has the same rule it must agree. Needs: pip install ml_dtypes
"""
import json
import math
import warnings
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
REALS = {"f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "f8e5m2": ml_dtypes.float8_e5m2,
         "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "f4e2m1": ml_dtypes.float4_e2m1fn}
WHOLES = {"i4": ml_dtypes.int4, "u4": ml_dtypes.uint4, "i2": ml_dtypes.int2, "u2": ml_dtypes.uint2}
POWER = ml_dtypes.float8_e8m0fnu
ALL = {**REALS, "f8e8m0": POWER, **WHOLES}
NAMES = {"bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64", **{f"{k}{n}": f"{s}{n}" for k, s in
         (("int", "i"), ("uint", "u")) for n in (8, 16, 32, 64)}, **{np.dtype(t).name: name for name, t in ALL.items()}}
ABSENT = {"tuple": []}
rng = np.random.default_rng(11)
cases = []


def bits(name):
    return int(name[1]) if name in WHOLES else 4 if name == "f4e2m1" else 8


def codes(name):
    return np.arange(2**bits(name), dtype=np.uint8)


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if isinstance(x, (int, np.integer)):
        return int(x)
    x = float(str(x)) if isinstance(x, np.float32) else float(x)
    return x if math.isfinite(x) else "nan" if x != x else "inf" if x > 0 else "-inf"


def tensor(x):
    whole = NAMES[x.dtype.name] in WHOLES
    return {"dtype": NAMES[x.dtype.name], "shape": list(x.shape), "data": [int(v) if whole else number(v) for v in x.ravel()]}


def case(op, x, to, y, saturate=None, round_to=None):
    rule = [ABSENT if saturate is None else tensor(np.asarray(saturate)), ABSENT if round_to is None else {"ctor": round_to, "args": []}]
    args = [tensor(x), {"ctor": to, "args": []}] + (rule if op == "cast" else [])
    cases.append({"ctor": op, "args": [{"tuple": args}, {"tuple": [tensor(y)]}]})


def clipped(x, dtype):
    info = ml_dtypes.finfo(dtype)
    return np.clip(x, x.dtype.type(float(info.min)), x.dtype.type(float(info.max)))


def nearest(x, name):
    """Of a finite exact number: to nearest, ties to the even code, as if there were no largest."""
    info = ml_dtypes.finfo(REALS[name])
    exact, exponent = abs(Fraction(x)), int(info.minexp)
    while exact >= Fraction(2)**(exponent + 1):
        exponent += 1
    unit = Fraction(2)**(exponent - info.nmant)
    return math.copysign(float(round(exact / unit) * unit), x)       # Python rounds half to even


def stored(values, name):
    """Once, saturating."""
    largest = float(ml_dtypes.finfo(REALS[name]).max)
    out = [v if v != v else math.copysign(largest, v) if math.isinf(v) else max(-largest, min(largest, nearest(v, name))) for v in values]
    return np.array(out, np.float32).astype(REALS[name])             # exact by now


def power(x, saturate, round_to):
    if x != x or (x < 0):
        return math.nan
    least, most = Fraction(2)**-127, Fraction(2)**127
    if not math.isinf(x) and least <= Fraction(x) <= most:
        k = math.floor(math.log2(x))
        k += (Fraction(2)**(k + 1) <= Fraction(x)) - (Fraction(2)**k > Fraction(x))
        low = Fraction(2)**k
        up = {"up": Fraction(x) > low, "down": False, "nearest": Fraction(x) >= low * Fraction(3, 2)}[round_to]
        return float(low * (2 if up else 1))
    if not saturate:
        return math.nan
    return float(least if x < 1 else most)


def reals():
    for name, dtype in REALS.items():
        values = np.sort(codes(name).view(dtype).astype(np.float32))
        values = np.unique(values[np.isfinite(values)])
        middles = (values[1:] + values[:-1]) / 2
        end = values[-1] + (values[-1] - values[-2]) / 2                 # where rounding would leave the type
        special = np.array([0, -0.0, np.nan, np.inf, -np.inf, end, -end, np.nextafter(end, np.float32(0)), 1e9, -1e9, 3e38, 1e-40, -1e-40, 1e-7], np.float32)
        x = np.concatenate([special, values, middles] + [np.nextafter(middles, np.float32(to)) for to in (np.inf, -np.inf)]).astype(np.float32)
        small = np.concatenate([special, middles, rng.standard_normal(40) * 100]).astype(np.float16)
        for source in (x, small):
            given = source[~np.isnan(source)] if name == "f4e2m1" else source        # which has none
            case("cast", given, name, clipped(given, dtype).astype(dtype))
            if name != "f4e2m1":
                case("cast", given, name, given.astype(dtype), False)
        once = np.concatenate([middles.astype(np.float64) * (1 + off) for off in (0, 2**-45, -2**-45)])
        case("cast", once, name, stored(once, name))
        whole = np.array([0, 1, -1, 3, 5, 17, 19, 100, 247, 248, 249, 2**40 + 1, -2**63, 2**63 - 1], np.int64)
        case("cast", whole, name, stored([int(v) for v in whole], name))
        case("cast", np.array([True, False]), name, np.array([1, 0], np.float32).astype(dtype))


def powers():
    f = [2.0**k * m for k in (-127, -126, -20, -1, 0, 1, 5, 126) for m in (1, 1.25, 1.4999, 1.5, 1.75)]
    x = np.array(f + [2.0**127, 1.5 * 2.0**127, 0.0, np.inf, -1.0, -np.inf, np.nan, 1e-44, 2.0**-128, 0.124, 1.1], np.float32)
    for saturate in (True, False):
        for round_to in ("up", "down", "nearest"):
            y = np.array([power(float(v), saturate, round_to) for v in x], np.float64)
            case("cast", x, "f8e8m0", y.astype(np.float32).astype(POWER), saturate, round_to)
            inside = (x >= np.float32(2.0**-126)) & (x <= np.float32(2.0**127))
            if round_to == "nearest":
                assert (x[inside].astype(POWER).astype(np.float64) == y[inside]).all()
    whole = np.array([1, 2, 3, 5, 2**62 + 1, 2**62, 2**62 - 1], np.int64)
    case("cast", whole, "f8e8m0", np.array([power(int(v), True, "up") for v in whole], np.float32).astype(POWER))


def wholes():
    floats = np.array([0, -0.0, 0.9, -0.9, 1.5, -1.5, 3, 7, 7.9, 8, 9, -8, -8.9, -9, 15, 16, 17.5, 100, -100, 2.0**31, 2.0**31 + 4096, -2.0**40], np.float32)
    ints = np.array([0, 1, -1, 7, 8, -8, -9, 15, 16, 255, 2**40 + 5, -2**63], np.int64)
    for name, dtype in WHOLES.items():
        for x in (floats, floats.astype(np.float64), floats[:19].astype(np.float16), ints):
            y = np.array([int(v) % 2**bits(name) for v in x], np.uint8)
            case("cast", x, name, y.view(dtype))
            if x is ints:
                assert (x.astype(dtype) == y.view(dtype)).all()
        case("cast", np.array([True, False]), name, np.array([1, 0], np.uint8).view(dtype))


def out():
    for name, dtype in ALL.items():
        x = codes(name).view(dtype)
        if bits(name) == 8:
            case("bit_cast", codes(name), name, x)
        known = x[~np.isnan(x.astype(np.float32))]
        wide = known.astype(np.float64)
        if bits(name) == 8:
            case("bit_cast", known, "u8", known.view(np.uint8))
        case("cast", x, "f32", x.astype(np.float32))
        case("cast", x, "f64", x.astype(np.float64))
        case("cast", known, "f16", wide.astype(np.float16))
        case("cast", known, "bool", wide != 0)
        case("cast", known, "i32", np.clip(np.trunc(wide), -2**31, 2**31 - 1).astype(np.int32))
        case("cast", known, "i8", np.clip(np.trunc(wide), -128, 127).astype(np.int8))
    i4, f4 = codes("i4").view(ml_dtypes.int4), codes("f4e2m1").view(ml_dtypes.float4_e2m1fn)
    case("bit_cast", i4, "u4", codes("u4").view(ml_dtypes.uint4))
    case("bit_cast", codes("i2").view(ml_dtypes.int2), "u2", codes("u2").view(ml_dtypes.uint2))
    case("cast", i4, "f8e5m2", i4.astype(np.float32).astype(ml_dtypes.float8_e5m2))
    case("cast", f4, "f8e4m3fn", f4.astype(np.float32).astype(ml_dtypes.float8_e4m3fn))
    case("cast", i4, "i2", (codes("i4") & 3).view(ml_dtypes.int2))


for family in (reals, powers, wholes, out):
    family()
lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
Path(__file__).with_name("storage.json").write_text('{"seq": [\n' + lines + "\n]}\n")
print(len(cases), "cases")
