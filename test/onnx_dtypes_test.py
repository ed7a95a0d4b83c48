#!/usr/bin/python3
"""Which dtypes each operator of ONNX takes, decided by trial: test/onnx_dtypes_test.py BIN ROOT [--all] [--record] [--why] [OPERATOR…]

For every dtype that the newest version of the specification allows, models of one node are run and must give what the package
onnx gives (test/onnx/dtype_trials.py). src/import/op_dtypes.cpp, from which docs/onnx_support.md is made, must say the same;
--record writes it. Without --all only some operators are tried. The suite is that of NEREUS_ONNX_SUITE, or it is written by
tools/onnx_suite; where that cannot be had, the test is skipped. --why: what was wrong with each that is not taken.
"""
import argparse
import collections
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "onnx"))
from suite_folder import suite_folder, with_package  # noqa: E402

EACH = 10                                                # one operator of so many is tried by make test
LINE = re.compile(r"(ok|FAILED) +(?:\(l2\) )?([^ :]+)(?:: (.*))?")
ROW = re.compile(r'    \{"([^"]*)", "(\w+)", +"([^"]*)"\},')
GROUPS = {"ints": "i8 i16 i32 i64 u8 u16 u32 u64", "signed ints": "i8 i16 i32 i64", "unsigned ints": "u8 u16 u32 u64", "floats": "f16 bf16 f32 f64",
          "f8": "f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz", "f6": "f6e2m3 f6e3m2", "small ints": "i4 u4 i2 u2", "complex": "c64 c128"}
# By how much elements may differ: in relation to themselves, and to the largest of the output. Attributes are f32, also for f64.
NEAR = {"suite": (1e-3, 1e-5), "f64": (1e-6, 5e-7), "f16": (2e-3, 1e-3), "bf16": (1.6e-2, 8e-3), "": (1e-4, 1e-6)}
NOT_TRIED = "not tried"


def operators(binary):
    """Those that are offered, as (domain, name)."""
    listed, domain, found = subprocess.run([binary / "nereus", "ops", "--onnx"], capture_output=True, text=True, check=True).stdout, None, []
    for line in listed.splitlines():
        if line.startswith("## "):
            domain = "" if line[3:] == "ai.onnx" else line[3:]
        elif m := re.match(r"\| (\w+) \| \d", line):
            found.append((domain, m[1]))
    return found


def phrase(right, allowed):
    """The dtypes that are right, said briefly."""
    def grouped(dtypes):
        said, left = [], list(dtypes)
        for name, members in GROUPS.items():
            here = [d for d in members.split() if d in allowed]
            if len(here) > 1 and set(here) <= set(left):
                said.append((allowed.index(here[0]), name))
                left = [d for d in left if d not in here]
        return [text for _, text in sorted(said + [(allowed.index(d), d) for d in left])]
    wrong = [d for d in allowed if d not in right]
    if not wrong:
        return "all"
    if not right:
        return "none"
    some, but = ", ".join(grouped(right)), "all but " + ", ".join(grouped(wrong))
    return but if len(but) <= len(some) else some


class Trial:
    def __init__(self, binary, suite_folder, recorded, scratch):
        import dtype_trials
        self.trials, self.binary, self.scratch = dtype_trials, binary, scratch
        self.templates = dtype_trials.recorded_templates(json.loads(recorded.read_text())) | dtype_trials.suite_templates(suite_folder)
        self.cases = {}                                  # by name: (operator, parameter, dtype)
        self.folders = collections.defaultdict(list)     # by how near they must be

    def near(self, dtype, who, outputs):
        exact = who == "reference" and all(self.trials.is_f64(x) for x in outputs)
        relative, absolute = NEAR[dtype if dtype in ("f16", "bf16") else "f64" if exact else "suite" if who == "suite" else ""]
        largest = max((self.trials.largest(x) for x in outputs), default=0)
        return relative, absolute * 8.0 ** math.floor(math.log(largest, 8)) if largest > 0 else absolute

    def templates_of(self, domain, name, schema):
        trials, version = self.trials, schema.since_version if domain == "" else 22
        if (domain, name) in trials.runtime_trials.OPERATORS:
            return [trials.runtime_template(domain, name)], []
        written = trials.written_templates(name, version, trials.WRITTEN)
        found = self.templates.get((domain, name), [])
        found = [t for t in found if t.version >= schema.since_version] or found
        return found + written if name in trials.NATIVE_ONLY else written or found, trials.written_templates(name, version, trials.LONG)

    def prepare(self, domain, name):
        """Writes the models of an operator; gives per parameter what the specification allows, None if nothing can be tried."""
        trials, schema = self.trials, self.trials.newest(domain, name)
        if not schema:
            return None
        templates, long = self.templates_of(domain, name, schema)
        linked, allowed = set(), {}
        for constraint in schema.type_constraints:
            parameter = constraint.type_param_str
            if parameter in linked:
                continue
            linked |= set(trials.linked(schema, parameter))
            tried = {}
            for dtype in trials.allowed(constraint):
                tried[dtype] = self.prepare_dtype(f"{domain}.{name}", schema, parameter, dtype, templates, long)
            if any(tried.values()):
                allowed[parameter] = list(tried)
        return allowed if allowed or not schema.type_constraints else None

    def prepare_dtype(self, name, schema, parameter, dtype, templates, long):
        trials, count = self.trials, 0
        native = sorted(templates, key=lambda t: not trials.is_native(t, schema, parameter, dtype))
        if schema.name in trials.NATIVE_ONLY and native and trials.is_native(native[0], schema, parameter, dtype):
            native = [t for t in native if trials.is_native(t, schema, parameter, dtype)]
        small = dtype in ("f16", "bf16")
        for template in (long if small else []) + native[:40]:
            made = trials.expected(template, schema, parameter, dtype)
            if made and made[2] is not None:
                count += self.keep(f"{name}-{parameter}-{dtype}-{count}", (name, parameter, dtype), *made)
            if count >= 2 + (len(long) if small else 0):
                break
        places = ("Tind", "I", "T2") if schema.name in ("CumSum", "CumProd") else ("Tind", "I")
        if count and dtype in trials.WIDE_INTEGERS and schema.name not in trials.SMALL_ONLY | trials.FLOATS_IN_REFERENCE and parameter not in places:
            made = next((m for m in (trials.expected(t, schema, parameter, dtype, True) for t in native[:5]) if m and m[2] is not None), None)
            if made:
                self.keep(f"{name}-{parameter}-{dtype}-wide", (name, parameter, dtype), *made)
        return count

    def keep(self, case, key, model, inputs, outputs, who):
        near = self.near(key[2], who, outputs)
        folder = self.scratch / f"{near[0]:g}-{near[1]:g}" / case
        self.trials.write(folder, model, inputs, outputs)
        self.cases[case] = key
        self.folders[near].append(folder)
        return 1

    def run(self):
        """What is wrong per case, None if nothing is."""
        found = {}
        for (relative, absolute), folders in self.folders.items():
            waiting = sorted(folders)
            while waiting:
                done = subprocess.run([self.binary / "nereus", "check", "--rtol", str(relative), "--atol", str(absolute), *waiting], capture_output=True, text=True)
                lines = [m for m in map(LINE.match, done.stdout.splitlines()) if m]
                found |= {m[2]: None if m[1] == "ok" else m[3] for m in lines}
                if len(lines) < len(waiting):            # it came to no end: the next one was it
                    found[waiting[len(lines)].name] = f"ended with {done.returncode}: {done.stderr[-200:]}"
                waiting = waiting[len(lines) + 1:]
        return found


def phrases(allowed, bad):
    """Of one operator: a phrase for all its parameters, or one for each."""
    each = {parameter: phrase([d for d in dtypes if (parameter, d) not in bad], dtypes) for parameter, dtypes in allowed.items()}
    return each and (next(iter(each.values())) if len(set(each.values())) == 1 else "; ".join(f"{p} {text}" for p, text in each.items()))


def record(table, said):
    text = table.read_text()
    head, tail = text.split("// rows\n")[0], text.split("// end\n")[1]
    quoted = {key: f'"{key[0]}", "{key[1]}",' for key in said}
    width = max(map(len, quoted.values()))
    rows = "".join(f'    {{{quoted[key]:{width}} "{said[key]}"}},\n' for key in sorted(said))
    table.write_text(f"{head}// rows\n{rows}// end\n{tail}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("operators", nargs="*")
    for flag in ("--all", "--record", "--why"):
        parser.add_argument(flag, action="store_true")
    args = parser.parse_intermixed_args()
    folder = suite_folder(args.root)
    with_package(folder)
    offered = operators(args.binary)
    chosen = [o for o in offered if o[1] in args.operators] if args.operators else offered if args.all or args.record else offered[::EACH]
    table = args.root / "src/import/op_dtypes.cpp"
    listed = {(domain, name): text for domain, name, text in ROW.findall(table.read_text())}
    with tempfile.TemporaryDirectory() as scratch:
        trial = Trial(args.binary, folder, args.root / "test/oracle/onnx_ml.json", pathlib.Path(scratch))
        allowed = {key: trial.prepare(*key) for key in chosen}
        wrong = trial.run()
    bad, tried = collections.defaultdict(set), set()
    for case, (name, parameter, dtype) in sorted(trial.cases.items()):
        tried.add((name, parameter, dtype))
        if why := wrong.get(case, "it was not run"):
            bad[name].add((parameter, dtype))
            if args.why:
                print(f"{case}: {why}")
    said = {}
    for (domain, name), parameters in allowed.items():
        key = f"{domain}.{name}"
        for parameter, dtypes in (parameters or {}).items():
            untried = {(parameter, d) for d in dtypes if (key, parameter, d) not in tried}
            bad[key] |= untried
            if args.why:
                print(*(f"{key} {p} {d}: nobody says what it gives" for p, d in sorted(untried)), sep="\n", end="\n" if untried else "")
        said[domain, name] = phrases(parameters, bad[key]) or "fixed" if parameters is not None else NOT_TRIED
    if args.record:
        record(table, (listed if args.operators else {}) | said)
        listed |= said
    failed = [key for key in said if listed.get(key) != said[key]]
    for domain, name in failed:
        print(f"FAILED  {domain} {name}: {table.name} says '{listed.get((domain, name))}', tried '{said[domain, name]}'")
    print(f"{len(trial.cases)} models of {len(said)} operators, {len(said) - len(failed)} as the table says")
    sys.exit(1 if failed or not trial.cases else 0)


main()
