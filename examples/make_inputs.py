#!/usr/bin/env python3
"""Writes arguments for an example, as JSON: examples/make_inputs.py NAME. The head of each example says which."""
import json
import random
import sys

rng = random.Random(7)


def tensor(*shape, dtype="f32"):
    count = 1
    for extent in shape:
        count *= extent
    return {"dtype": dtype, "shape": list(shape), "data": [round(rng.uniform(-1, 1), 3) for _ in range(count)]}


def scalar(dtype, value):
    return {"dtype": dtype, "shape": [], "data": [value]}


def record(**fields):
    return {"record": fields}


def ctor(name, *args):
    return {"ctor": name, "args": list(args)}


def a_list(items):
    return ctor("Cons", items[0], a_list(items[1:])) if items else ctor("Nil")


def linear(i, o, dtype="f32"):
    return record(weight=tensor(i, o, dtype=dtype), bias=tensor(o, dtype=dtype))


def tree(leaves, d):
    if leaves == 1:
        return ctor("Leaf", tensor(d))
    left = rng.randint(1, leaves - 1)
    return ctor("Node", tree(left, d), tree(leaves - left, d))


def rose(depth, d):
    return ctor("Rose", tensor(d), a_list([rose(depth - 1, d) for _ in range(depth)]))


def expression():
    """let y = tanh(a * inputs[0]) in y + b * inputs[1]"""
    number = lambda: ctor("Number", tensor(dtype="f64"))
    place = lambda name, at: ctor(name, scalar("i64", at))
    y = ctor("Tanh", ctor("Times", number(), place("Input", 0)))
    return ctor("Let", y, ctor("Plus", place("Bound", 0), ctor("Times", number(), place("Input", 1))))


EXAMPLES = {
    "lstm": lambda: dict(xs=tensor(7, 2, 3), out=linear(4, 2),
                         cell=record(from_input=tensor(3, 16), from_hidden=tensor(4, 16), gate_bias=tensor(16))),
    "tree_lstm": lambda: dict(tree=tree(6, 3), p=record(leaf=linear(3, 12), left=tensor(4, 20), right=tensor(4, 20),
                                                        bias=tensor(20), classes=linear(4, 2))),
    "early_exit": lambda: dict(x=tensor(4), layers={"seq": [linear(4, 4) for _ in range(5)]}, head=linear(4, 3),
                               enough=scalar("f32", 0.6)),
    "list_fold": lambda: dict(xs=a_list([tensor(rows, 3) for rows in (2, 5, 1)]), zero=tensor(3)),
    "decode": lambda: dict(m=record(embed=tensor(7, 4), q=tensor(4, 4), k=tensor(4, 4), value=tensor(4, 4), out=tensor(4, 7)),
                           start=scalar("i64", 0), steps=scalar("i64", 6)),
    "descend": lambda: dict(p=linear(3, 2, "f64"), x=tensor(6, 3, dtype="f64"), y=tensor(6, 2, dtype="f64"),
                            times=scalar("i64", 8)),
    "rose": lambda: dict(w=tensor(3, 3), t=rose(3, 3)),
    "interpreter": lambda: dict(e=expression(), inputs=tensor(2, dtype="f64")),
}

if len(sys.argv) != 2 or sys.argv[1] not in EXAMPLES:
    sys.exit(f"{__doc__}\nNAME is one of {', '.join(EXAMPLES)}")
print(json.dumps(EXAMPLES[sys.argv[1]]()))
