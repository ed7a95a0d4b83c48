#!/usr/bin/python3
"""Models of others, one compile each: test/onnx_models_test.py BIN ROOT [--runs N] [--seconds S] [--seed N] [--only-eval]

On recorded cases, on these with every size a symbol, and against the interpreter at random sizes: so many inputs of each model,
but none is begun after so many seconds. The models are those of NEREUS_ONNX_MODELS, or tools/onnx_models fetches them; where that
cannot be had, the test is skipped.
"""
import argparse
import pathlib
import re
import resource
import subprocess
import sys

SKIPPED = 77                                             # ctest knows it
MINUTES = 10                                             # of CPU, for all of it with the numbers that `make test` has


def models(root):
    sys.path.insert(0, str(root / "tools"))
    import real_models
    try:
        folder = real_models.folder(root)
    except real_models.Absent as error:
        print("skipped:", error)
        sys.exit(SKIPPED)
    return [folder / name for name in real_models.names(root)]


def cpu_minutes():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) / 60


def check(binary, folders, *flags):
    """Whether all pass; what is said of each is shown."""
    before = cpu_minutes()
    done = subprocess.run([binary / "nereus", "check", *flags, *folders], stdout=subprocess.PIPE, text=True)
    print(f"-- nereus check {' '.join(map(str, flags))}: {cpu_minutes() - before:.1f} CPU-minutes\n{done.stdout}", end="", flush=True)
    all_pass = f"{len(folders)} passed, 0 failed"
    compiles = re.search(r"^compiles=(\d+)$", done.stdout, re.M)
    return done.returncode == 0 and done.stdout.splitlines()[-1:] == [all_pass] and (not compiles or int(compiles[1]) == len(folders))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--seed", type=int, default=1, help="make test has the same inputs every time, ./dev soak others")
    parser.add_argument("--only-eval", action="store_true", help="nothing recorded")
    args = parser.parse_args()
    folders = models(args.root)
    before = cpu_minutes()
    ways = [[], ["--symbolic"]] if not args.only_eval else []
    ways.append(["--against=eval", f"--runs={args.runs}", f"--seconds={args.seconds}", f"--seed={args.seed}",
                 f"--differences={args.binary.parent / 'differences'}"])
    good = all([check(args.binary, folders, *flags) for flags in ways])
    print(f"{cpu_minutes() - before:.1f} CPU-minutes" + ("" if args.only_eval else f" of {MINUTES}"))
    sys.exit(0 if good else 1)


main()
