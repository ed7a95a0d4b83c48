#!/usr/bin/python3
"""Writes strings.json: what Python and NumPy make of texts, for src/ops/oracle_test.cpp. Stored as ops.py says."""
import json
import re
from pathlib import Path

import numpy as np

cases = []
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "int64": "i64", "int32": "i32", "int8": "i8", "uint8": "u8", "uint64": "u64", "bool": "bool"}


def value(x):
    if isinstance(x, str):
        return {"ctor": x, "args": []}
    x = np.asarray(x)
    if x.dtype.kind in "UO":
        return {"dtype": "str", "shape": list(x.shape), "data": [str(s) for s in x.ravel()]}
    if x.dtype.kind == "f":
        data = [str(v) if not np.isfinite(v) else float(v) for v in x.ravel()]
    else:
        data = [bool(v) if x.dtype == bool else int(v) for v in x.ravel()]
    return {"dtype": NAMES[x.dtype.name], "shape": list(x.shape), "data": data}


def case(op, args, result):
    cases.append({"ctor": op, "args": [{"tuple": [value(a) for a in args]}, {"tuple": [value(result)]}]})


def fails(op, args, code):
    cases.append({"ctor": op, "args": [{"tuple": [value(a) for a in args]}, {"ctor": "error", "args": [{"ctor": code, "args": []}]}]})


def texts(*all):
    return np.array(all, dtype=object)


WORDS = texts("", "a", "Hello World", "ÄÖÜ straße", "日本語 テスト", "two  spaces ", " \t lead", "a,b,,c", ",", "x\u3000y\u00a0z", "é\U0001f600", "ΑΒΓ αβγ", "q\"\\\n")


def concat():
    case("str_concat", [WORDS, WORDS[::-1]], texts(*[a + b for a, b in zip(WORDS, WORDS[::-1])]))
    row, column = texts("x", "", "é"), texts("1", "2").reshape(2, 1)
    case("str_concat", [row, column], np.array([[a + b for a in row] for b in column[:, 0]], dtype=object))
    case("str_concat", [np.array("a", dtype=object), row], texts(*["a" + b for b in row]))
    case("str_concat", [np.empty((0, 2), dtype=object), texts("u", "v")], np.empty((0, 2), dtype=object))
    fails("str_concat", [row, texts("1", "2")], "shape")


def letters():
    one_for_one = [w for w in WORDS if "ß" not in w] + ["ß".lower(), "ǅ", "ﬀ".lower()]
    case("str_lower", [texts(*one_for_one)], texts(*[w.lower() for w in one_for_one]))
    one_for_one = [w for w in WORDS if "ß" not in w]
    case("str_upper", [texts(*one_for_one)], texts(*[w.upper() for w in one_for_one]))


def splits():
    for delimiter in ("", ",", " ", "b,", "テ"):
        for limit in (-1, 0, 1, 2):
            parts = [w.split(delimiter or None, limit) for w in WORDS]
            case("str_count", [WORDS, np.array(delimiter, dtype=object), np.int64(limit)], np.array([len(p) for p in parts], np.int64))
            for i in (-1, 0, 1, 3):
                case("str_part", [WORDS, np.array(delimiter, dtype=object), np.int64(i), np.int64(limit)], texts(*[p[i] if 0 <= i < len(p) else "" for p in parts]))
    grid = np.array([["a b", "c"], ["d e f", ""]], dtype=object)
    parts = [[s.split() for s in row] for row in grid]
    case("str_part", [grid.reshape(2, 2, 1), np.array("", dtype=object), np.arange(3)],
         np.array([[[p[i] if i < len(p) else "" for i in range(3)] for p in row] for row in parts], dtype=object))


def order():
    for x in (WORDS, texts("b", "a", "", "b", "ab", "A", "é", "z", "ab").reshape(3, 3), np.empty((0, 2), dtype=object), np.array("x", dtype=object)):
        case("str_order", [x], np.unique(x, return_inverse=True)[1].reshape(x.shape).astype(np.int64))


def matches():
    for pattern in ("", ".*", "a+", r"[A-Za-z ]*", r"(\w|,)*", "a|b|", r"[^,]*", "(?s).*", r"é.", "Hello World"):
        case("str_match", [WORDS, np.array(pattern, dtype=object)], np.array([re.fullmatch(pattern, w, re.ASCII) is not None for w in WORDS]))
    case("str_match", [texts("aa", "b"), texts("a*", "b").reshape(2, 1)], np.array([[True, False], [False, True]]))
    for pattern in ("(", "[a", "a{2,1}", "*", r"(?<=a)b"):
        fails("str_match", [texts("a"), np.array(pattern, dtype=object)], "value")


def casts():
    reals = np.array([0, -0.0, 1, -1, 0.1, 1e6, 1e-7, 1.5e-5, 1e-4, 123456.789, 1e15, 1e16, 1.2345678e17, 3.4e38, 1e-38, 1 / 3, np.nan, np.inf, -np.inf, 16777216, 0.47892547])
    for dtype in (np.float32, np.float64):
        x = reals.astype(dtype)
        case("cast", [x, "str"], texts(*[str(v) for v in x]))
        case("cast", [texts(*[str(v) for v in x]), NAMES[np.dtype(dtype).name]], x)
    half = np.array([0, 1, -2.5, 0.1, 65504, 6e-8, 1e-3, np.nan, np.inf], np.float16)
    case("cast", [half[:4], "str"], texts(*[str(v) for v in half[:4]]))
    case("cast", [texts(*[str(v) for v in half]), "f16"], half)
    for x in (np.array([0, -1, 2**63 - 1, -2**63]), np.array([0, 2**64 - 1], np.uint64), np.array([-128, 127], np.int8), np.array([True, False])):
        written = texts(*[str(v) for v in x])
        case("cast", [x, "str"], written)
        case("cast", [written, NAMES[x.dtype.name]], x)
    case("cast", [texts("NaN", "INF", "+INF", "-INF", "inf", "+inf", " 7 ", "1E8", "+3", ".5", "1e400", "-1e-400"), "f64"],
         np.array([np.nan, np.inf, np.inf, -np.inf, np.inf, np.inf, 7, 1e8, 3, .5, np.inf, -0.0]))
    case("cast", [texts("100.5", "-3.9", "1e3", " 12\n", "+4"), "i64"], np.array([100, -3, 1000, 12, 4]))
    case("cast", [texts("true", "False", "0", "2.5", "0.0"), "bool"], np.array([True, False, False, True, False]))
    for text in ("", "abc", "1.2.3", "--1", "0x10", "1 2", "infinit", "é"):
        for dtype in ("f32", "i64", "bool"):
            fails("cast", [texts(text), dtype], "value")
    fails("cast", [texts("9223372036854775808"), "i64"], "value")
    fails("cast", [texts("256"), "u8"], "value")


def moves():
    grid = np.array([["a", "b", "a"], ["", "é", "a"]], dtype=object)
    case("eq", [grid, texts("a", "b", "")], np.array(grid == texts("a", "b", ""), bool))
    case("ne", [grid, np.array("a", dtype=object)], np.array(grid != "a", bool))
    case("select", [np.array([[True], [False]]), grid, texts("x", "y", "z")], np.array([["a", "b", "a"], ["x", "y", "z"]], dtype=object))
    case("transpose", [grid, np.array([1, 0])], grid.T)


for family in (concat, letters, splits, order, matches, casts, moves):
    family()
lines = ",\n".join(json.dumps(c, separators=(",", ":"), ensure_ascii=False) for c in cases)
Path(__file__).with_name("strings.json").write_text('{"seq": [\n' + lines + "\n]}\n")
print(len(cases), "cases")
