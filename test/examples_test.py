#!/usr/bin/python3
"""Runs every program of examples/ at several sizes and compares with NumPy: test/examples_test.py BIN_FOLDER ROOT

What is expected is computed here, from the same inputs, by code that shares nothing with the compiler. Training has
a test of its own, training_test.py. The command that the head of each example shows is run as it is written there.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN, ROOT = Path(sys.argv[1]), Path(sys.argv[2])
rng = np.random.default_rng(5)


# ---- values as JSON, and back

def tensor(x):
    x = np.asarray(x)
    names = {"float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "bool": "bool"}
    return {"dtype": names[x.dtype.name], "shape": list(x.shape), "data": x.ravel().tolist()}


def record(**fields):
    return {"record": fields}


def ctor(name, *args):
    return {"ctor": name, "args": list(args)}


def a_list(items):
    value = ctor("Nil")
    for item in reversed(items):
        value = ctor("Cons", item, value)
    return value


def plain(value):
    """Tensors as arrays, tuples and sequences as lists, records as dicts, constructors as (name, parts)."""
    if "dtype" in value:
        return np.array(value["data"], dtype=float).reshape(value["shape"])
    if "tuple" in value or "seq" in value:
        return [plain(part) for part in value.get("tuple", value.get("seq"))]
    if "record" in value:
        return {name: plain(part) for name, part in value["record"].items()}
    return (value["ctor"], [plain(part) for part in value["args"]])


def close(found, wanted, tolerance):
    if isinstance(wanted, (list, tuple)) and not isinstance(wanted, np.ndarray):
        return len(found) == len(wanted) and all(close(f, w, tolerance) for f, w in zip(found, wanted))
    if isinstance(wanted, str):
        return found == wanted
    wanted = np.asarray(wanted, dtype=float)
    return np.shape(found) == wanted.shape and np.allclose(found, wanted, rtol=tolerance, atol=tolerance)


def f32(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


# ---- the networks, in NumPy

def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def linear(i, o):
    weight, bias = f32(i, o), f32(o)
    return record(weight=tensor(weight), bias=tensor(bias)), lambda x: x @ weight + bias


def lstm(t, n, i, d, o):
    xs, wx, wh, b = f32(t, n, i), f32(i, 4 * d), f32(d, 4 * d), f32(4 * d)
    out, apply = linear(d, o)
    h, c, states = np.zeros((n, d)), np.zeros((n, d)), np.zeros((t, n, d))
    for s in range(t):
        gates = xs[s] @ wx + h @ wh + b
        enter, forget, new, leave = np.split(gates, 4, axis=-1) if d else [gates] * 4
        c = sigmoid(forget) * c + sigmoid(enter) * np.tanh(new)
        h = states[s] = sigmoid(leave) * np.tanh(c)
    cell = record(from_input=tensor(wx), from_hidden=tensor(wh), gate_bias=tensor(b))
    return dict(xs=tensor(xs), cell=cell, out=out), [apply(h), states]


def random_tree(leaves):
    if leaves == 1:
        return "leaf"
    left = int(rng.integers(1, leaves))
    return (random_tree(left), random_tree(leaves - left))


def tree_lstm(leaves, i, d, c):
    leaf_json, leaf = linear(i, 3 * d)
    classes_json, classes = linear(d, c)
    left, right, bias = f32(d, 5 * d), f32(d, 5 * d), f32(5 * d)

    def encode(shape):
        if shape == "leaf":
            x = f32(i)
            enter, leave, new = np.split(leaf(x), 3)
            cell = sigmoid(enter) * np.tanh(new)
            return ctor("Leaf", tensor(x)), sigmoid(leave) * np.tanh(cell), cell
        (lj, hl, cl), (rj, hr, cr) = encode(shape[0]), encode(shape[1])
        enter, fl, fr, leave, new = np.split(hl @ left + hr @ right + bias, 5)
        cell = sigmoid(enter) * np.tanh(new) + sigmoid(fl) * cl + sigmoid(fr) * cr
        return ctor("Node", lj, rj), sigmoid(leave) * np.tanh(cell), cell

    tree, h, _ = encode(random_tree(leaves))
    p = record(leaf=leaf_json, left=tensor(left), right=tensor(right), bias=tensor(bias), classes=classes_json)
    return dict(p=p, tree=tree), softmax(classes(h))


def early_exit(depth, d, c, enough):
    layers = [linear(d, d) for _ in range(depth)]
    head_json, head = linear(d, c)
    x = f32(d)
    h, p, used = x, softmax(head(x)), 0
    while used < depth and p.max() < enough:
        h = h + gelu(layers[used][1](h))
        p, used = softmax(head(h)), used + 1
    given = dict(x=tensor(x), layers={"seq": [j for j, _ in layers]}, head=head_json, enough=tensor(np.float32(enough)))
    return given, [p, used]


def beam_search(v, k, steps):
    scores, start = f32(v, v) * 3, int(rng.integers(v))
    log_p = np.log(softmax(scores.astype(float)))
    beams = [([start], 0.0)]
    for _ in range(steps):
        longer = [(tokens + [t], total + log_p[tokens[-1], t]) for tokens, total in beams for t in range(v)]
        beams = sorted(longer, key=lambda beam: -beam[1])[:k]
    given = dict(scores=tensor(scores), start=tensor(np.int64(start)), k=tensor(np.int64(k)), steps=tensor(np.int64(steps)))
    return given, [np.array([b[0] for b in beams]).reshape(len(beams), steps + 1), np.array([b[1] for b in beams])]


def list_fold(rows, d):
    xs = [f32(n, d) for n in rows]
    total = sum((x.sum(axis=0) for x in xs), np.zeros(d))
    lowest = np.full(d, -np.inf)
    given = dict(xs=a_list([tensor(x) for x in xs]), zero=tensor(f32(d)))
    return given, [sum(rows), total / max(sum(rows), 1), [x.max(axis=0) if len(x) else lowest for x in xs]]


def decode(v, d, steps):
    embed, q, k, value, out = f32(v, d), f32(d, d), f32(d, d), f32(d, d), f32(d, v)
    token = start = int(rng.integers(v))
    keys, values, tokens = [], [], []
    for _ in range(steps):
        x = embed[token]
        keys.append(x @ k), values.append(x @ value)
        y = x + softmax(np.array(keys) @ (x @ q)) @ np.array(values)
        token = int(np.argmax(y @ out))
        tokens.append(token)
    m = record(embed=tensor(embed), q=tensor(q), k=tensor(k), value=tensor(value), out=tensor(out))
    return dict(m=m, start=tensor(np.int64(start)), steps=tensor(np.int64(steps))), np.array(tokens)


def descend(n, i, o, times):
    w0, b0, x, y = (rng.uniform(-1, 1, s) for s in [(i, o), (o,), (n, i), (n, o)])

    def gradients(w, b):
        error = x @ w + b - y
        return (error ** 2).mean(), 2 * x.T @ error / error.size, 2 * error.sum(axis=0) / error.size

    def run(step):
        params, state, losses = [w0, b0], None, []
        for t in range(times):
            loss, *g = gradients(*params)
            losses.append(loss)
            params, state = step(params, state, g, t + 1)
        return np.array(losses)

    def momentum(params, v, g, _):
        v = [0.5 * a + b for a, b in zip(v or [0, 0], g)]
        return [p - 0.1 * a for p, a in zip(params, v)], v

    def adam(params, state, g, t):
        m, s = state or ([0, 0], [0, 0])
        m, s = [0.9 * a + 0.1 * b for a, b in zip(m, g)], [0.999 * a + 0.001 * b * b for a, b in zip(s, g)]
        new = [p - 0.1 * (a / (1 - 0.9 ** t)) / (np.sqrt(b / (1 - 0.999 ** t)) + 1e-8) for p, a, b in zip(params, m, s)]
        return new, (m, s)

    plain_step = lambda params, state, g, _: ([p - 0.1 * a for p, a in zip(params, g)], state)
    given = dict(p=record(weight=tensor(w0), bias=tensor(b0)), x=tensor(x), y=tensor(y), times=tensor(np.int64(times)))
    return given, [run(plain_step), run(momentum), run(adam)]


def rose(size, d):
    w = f32(d, d)

    def node(budget):
        x, children, parts = f32(d), [], []
        while budget > 1:
            part = int(rng.integers(1, budget))
            child, y = node(part)
            children.append(child), parts.append(y)
            budget -= part
        y = np.tanh(x + w @ (sum(parts) / len(parts))) if parts else np.tanh(x)
        return ctor("Rose", tensor(x), a_list(children)), y

    tree, result = node(size)
    return dict(w=tensor(w), t=tree), result


def interpreter(size, n):
    """Value and gradient: the expression with every number replaced by its derivative, by central differences."""
    inputs, numbers = rng.uniform(-1, 1, n), []

    def grow(budget, bound):
        if budget <= 1:
            kind = int(rng.integers(3))
            if kind == 0 or (kind == 1 and n == 0) or (kind == 2 and bound == 0):
                numbers.append(rng.uniform(-1, 1))
                return ("Number", len(numbers) - 1)
            return ("Input", int(rng.integers(n))) if kind == 1 else ("Bound", int(rng.integers(bound)))
        kind = ["Plus", "Times", "Tanh", "Let"][int(rng.integers(4))]
        if kind == "Tanh":
            return (kind, grow(budget - 1, bound))
        left = max(1, budget // 2)
        return (kind, grow(left, bound), grow(budget - left, bound + (kind == "Let")))

    def run(e, values, x, env):
        kind = e[0]
        if kind == "Number":
            return values[e[1]]
        if kind in ("Input", "Bound"):
            return x[e[1]] if kind == "Input" else env[e[1]]
        a = run(e[1], values, x, env)
        if kind == "Tanh":
            return np.tanh(a)
        b = run(e[2], values, x, [a] + env if kind == "Let" else env)
        return b if kind == "Let" else a + b if kind == "Plus" else a * b

    def differences(f, at):
        steps = np.eye(len(at)) * 1e-5
        return np.array([(f(at + s) - f(at - s)) / 2e-5 for s in steps])

    def shown(e, leaf):
        if e[0] == "Number":
            return leaf(e[1])
        if e[0] in ("Input", "Bound"):
            return (e[0], [e[1] if leaf is given_number else 0])
        return (e[0], [shown(part, leaf) for part in e[1:]])

    given_number = lambda at: ("Number", [np.float64(numbers[at])])
    e = grow(size, 0)
    values = np.array(numbers)
    by_number = differences(lambda v: run(e, v, inputs, []), values)
    by_input = differences(lambda x: run(e, values, x, []), inputs)

    def to_json(value):
        name, parts = value
        return ctor(name, *[to_json(p) if isinstance(p, tuple) else tensor(np.int64(p) if name in ("Input", "Bound") else p) for p in parts])

    gradient = shown(e, lambda at: ("Number", [by_number[at]]))
    return (dict(e=to_json(shown(e, given_number)), inputs=tensor(inputs)),
            [run(e, values, inputs, []), [gradient, by_input]])


CASES = {
    "lstm": [lstm(0, 2, 3, 4, 2), lstm(1, 1, 1, 1, 1), lstm(7, 3, 5, 4, 2), lstm(30, 2, 8, 16, 3)],
    "tree_lstm": [tree_lstm(1, 2, 3, 2), tree_lstm(2, 1, 1, 1), tree_lstm(9, 4, 3, 5), tree_lstm(40, 8, 16, 3)],
    "early_exit": [early_exit(0, 3, 4, 0.5), early_exit(6, 4, 5, 0.9), early_exit(10, 8, 3, 0.7), early_exit(3, 1, 1, 0.2)],
    "beam_search": [beam_search(5, 3, 4), beam_search(2, 8, 3), beam_search(1, 1, 2), beam_search(9, 4, 0)],
    "list_fold": [list_fold([], 3), list_fold([2, 5, 1], 4), list_fold([0, 3], 1)],
    "decode": [decode(7, 4, 6), decode(3, 1, 1), decode(5, 8, 0), decode(11, 6, 20)],
    "descend": [descend(6, 3, 2, 8), descend(1, 1, 1, 3), descend(4, 5, 1, 0)],
    "rose": [rose(1, 3), rose(12, 4), rose(40, 1)],
    "interpreter": [interpreter(1, 0), interpreter(9, 2), interpreter(40, 5)],
}
TOLERANCE = {"interpreter": 1e-6, "descend": 1e-9}


# ---- what the head of an example says

def shown_commands(text):
    """The lines of the first comment that are indented in it."""
    head = re.match(r"(?:#.*\n)*", text)[0]
    return re.findall(r"^#   (\S.*)$", head, re.M)


def run_as_shown(example):
    """What is wrong with the commands in the head of an example, if anything: they run in a copy of the root's look."""
    commands = shown_commands(example.read_text())
    if not any(f"build/bin/nereus run examples/{example.name} " in command for command in commands):
        return f"examples/{example.name}: its first comment does not say how to run it"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "build").mkdir()
        (Path(folder) / "build/bin").symlink_to(BIN.resolve())
        (Path(folder) / "examples").symlink_to((ROOT / "examples").resolve())
        env = {**os.environ, "PATH": f"/usr/bin:{os.environ['PATH']}"}       # the python that has NumPy
        done = subprocess.run(["bash", "-c", "set -e\n" + "\n".join(commands)], cwd=folder, env=env, capture_output=True, text=True)
    return f"examples/{example.name}, as its head says: {done.stderr or done.stdout}" if done.returncode else None


def main():
    wrong = [f"examples/{path.name} has no case" for path in sorted((ROOT / "examples").glob("*.nr"))
             if path.stem not in CASES and path.stem != "tree_encoder" and not path.stem.startswith("train_")]
    for name, cases in CASES.items():
        with tempfile.NamedTemporaryFile("w", suffix=".json") as inputs:
            json.dump([given for given, _ in cases], inputs)
            inputs.flush()
            done = subprocess.run([BIN / "nereus", "run", ROOT / f"examples/{name}.nr", "--inputs", inputs.name, "--json"],
                                  capture_output=True, text=True)
        if done.returncode:
            wrong.append(f"{name}: {done.stderr or done.stdout}")
            continue
        for at, (found, (_, wanted)) in enumerate(zip(json.loads(done.stdout), cases)):
            if not close(plain(found), wanted, TOLERANCE.get(name, 1e-5)):
                wrong.append(f"{name}, case {at}: found {plain(found)}, expected {wanted}")
    examples = sorted((ROOT / "examples").glob("*.nr"))
    wrong += filter(None, map(run_as_shown, examples))
    print("\n".join(wrong) or f"{sum(map(len, CASES.values()))} calls of {len(CASES)} examples agree with NumPy, {len(examples)} run as their heads say")
    return 1 if wrong else 0


sys.exit(main())
