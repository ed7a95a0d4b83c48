#!/usr/bin/python3
"""The ONNX suite as shipped and with every size a symbol: test/onnx_suite_test.py BIN ROOT [--record] [--ways WAY…]

Tests that passed once are listed in test/onnx/passes.txt and must pass for ever; --record adds those that pass now. The
suite is that of NEREUS_ONNX_SUITE, or it is written by tools/onnx_suite; where that cannot be had, the test is skipped. Other
ways: checked, whose kernels assert their bounds; artefact, run by nereus-run; unranked, where no shape of an input is known.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "onnx"))
from suite_folder import suite_folder  # noqa: E402

WAYS = {"shipped": [], "symbolic": ["--symbolic"], "checked": ["--checked"], "unranked": ["--unranked"], "artefact": ["--artefact"]}
HEAD = "# Written by test/onnx_suite_test.py --record. Tests of the ONNX suite that pass; 'shipped': not with every size a symbol.\n"
LINE = re.compile(r"(ok|FAILED) +(?:\(l2\) )?([^ :]+)(?:: (.*))?")


def suite(root):
    folder = suite_folder(root)
    return [folder / kind for kind in ["node", "simple", "pytorch-converted", "pytorch-operator"]]


def check(binary, folders, *flags):
    """The reason per test, None if it passed."""
    done = subprocess.run([binary / "nereus", "check", *flags, *folders], capture_output=True, text=True)
    found = {m[2]: None if m[1] == "ok" else m[3] for m in map(LINE.match, done.stdout.splitlines()) if m}
    counted = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1] if done.stdout else "")
    if not counted or int(counted[1]) != sum(why is None for why in found.values()) and len(found) == int(counted[1]) + int(counted[2]):
        sys.exit(f"nereus check {' '.join(flags)} did not come to its end: {done.stdout[-300:]}{done.stderr[-300:]}")
    return found


def mean_by_operator(found):
    """Tests are named after their operator; the mean over operators of the share that passes."""
    by_operator = collections.defaultdict(list)
    for test, why in found.items():
        by_operator["_".join(test.split("_")[1:2])].append(why is None)
    return sum(sum(all) / len(all) for all in by_operator.values()) / len(by_operator)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=["shipped", "symbolic"])
    args = parser.parse_args()
    if args.record and not {"shipped", "symbolic"} <= set(args.ways):
        sys.exit("--record needs the ways shipped and symbolic")
    table = args.root / "test/onnx/passes.txt"
    listed = dict(line.partition(" ")[::2] for line in table.read_text().splitlines() if not line.startswith("#")) if table.exists() else {}
    folders = suite(args.root)
    ways = {way: check(args.binary, folders, *WAYS[way]) for way in args.ways}
    failed = 0
    for way, found in ways.items():
        print(f"{way}: {sum(why is None for why in found.values())} of {len(found)} pass, {mean_by_operator(found):.1%} as a mean of operators")
        for test, note in listed.items():
            why = found.get(test, "it is not in the suite")
            if why and not (way == "symbolic" and note == "shipped"):
                failed += 1
                print(f"FAILED  {test}, {way}: {why}")
    if {"shipped", "symbolic"} <= set(ways):
        grow(table, listed, ways, args.record and not failed)
    sys.exit(1 if failed else 0)


def grow(table, listed, ways, record):
    """Says that more pass than are listed, or lists them."""
    better = {test: "" if ways["symbolic"].get(test, "") is None else "shipped" for test, why in ways["shipped"].items() if why is None}
    if record:
        table.write_text(HEAD + "".join(f"{test} {note}".strip() + "\n" for test, note in sorted((listed | better).items())))
    elif new := {test for test in better if test not in listed or listed[test] != better[test]}:
        print(f"{len(new)} more pass than {table.name} says: --record")


main()
