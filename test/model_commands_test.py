#!/usr/bin/python3
"""run, bench and inspect on small models, compared with NumPy: test/model_commands_test.py BIN_FOLDER SOURCE_FOLDER"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "test/onnx"))
import model_from_text  # noqa: E402

MODEL = """
input x f32 Batch,3
input extra/x:0 f32 3
init w f32 3 = 1,2,3
init minus f32 - = -1
node Mul scale: x, w -> h.0
node Add: h.0, extra/x:0 -> h/1
node Neg: h/1 -> y
output y f32 Batch,3
"""
BAD = """
input x f32 n
init low f32 - = 1
init mask f32 2 = -inf,0
node Sub below: x, low -> a
node Log middle: a -> b
node Exp: b -> c
node Add: c, c -> y
node Min: mask, mask -> m
output y f32 n
output m f32 2
"""
BENCH_KEYS = ["min", "mean", "p50", "p90", "p99", "compile_ms", "load_ms", "first_ms", "peak_bytes", "weights_bytes", "compiles"]

wrong = []


def expect(what, fine):
    if not fine:
        wrong.append(what)


class Folder:
    def __init__(self, path):
        self.path = path

    def model(self, name, text):
        (self.path / "model.txt").write_text(text)
        model_from_text.main(self.path / "model.txt", self.path / name)

    def run(self, *words):
        return subprocess.run([BIN / "nereus", *map(str, words)], cwd=self.path, capture_output=True, text=True)


def tensor_file(array):
    """A .pb: dims, type, name, elements."""
    field = model_from_text
    return b"".join(field.number(1, d) for d in array.shape) + field.number(2, 1) + field.data(9, array.tobytes())


def inputs_of_all_kinds(folder, x, extra, want):
    np.save(folder.path / "x.npy", x)
    np.save(folder.path / "extra.npy", extra)
    np.savez(folder.path / "all.npz", **{"x": x, "extra/x:0": extra})
    (folder.path / "test_data_set_0").mkdir()
    (folder.path / "test_data_set_0/input_0.pb").write_bytes(tensor_file(x))
    (folder.path / "test_data_set_0/input_1.pb").write_bytes(tensor_file(extra))
    for given in (["--input", "x=@x.npy", "--input", "extra/x:0=@extra.npy"], ["--inputs", "all.npz"], ["--inputs", "test_data_set_0"],
                  ["--input", "x=@test_data_set_0/input_0.pb", "--input", "extra/x:0=@extra.npy"]):
        done = folder.run("run", "m.onnx", "--json", *given)
        found = json.loads(done.stdout)["data"] if done.returncode == 0 else done.stderr
        expect(f"run {given}: {found}", np.allclose(found, want.ravel()))


def taps(folder, x, extra, want):
    for how in [], ["--eval"]:
        done = folder.run("run", "m.onnx", "--inputs", "all.npz", "--json", "--tap", "h.0=@scale.npy", "--tap", "h/1=@sum.npy", *how)
        expect(f"tap {how}: {done.stderr}", done.returncode == 0 and np.allclose(json.loads(done.stdout)["data"], want.ravel()))
        expect(f"tap {how}: h.0", np.array_equal(np.load(folder.path / "scale.npy"), x * np.float32([1, 2, 3])))
        expect(f"tap {how}: h/1", np.allclose(np.load(folder.path / "sum.npy"), -want))
    done = folder.run("run", "m.onnx", "--inputs", "all.npz", "--tap", "h.00=@x.npy")
    expect(f"tap of a name that is not there: {done.stderr}", done.returncode == 1 and "did you mean `h.0`?" in done.stderr)


def output_names(folder):
    """--save and --json call results as the model does, whether it is compiled, interpreted or an artefact."""
    folder.model("two.onnx", "input x f32 2\nnode Neg: x -> h/y:0\nnode Exp: x -> e\noutput h/y:0 f32 2\noutput e f32 2\n")
    folder.run("compile", "two.onnx", "-o", "two.nrx")
    x = np.float32([1, -2])
    want = {"h/y:0": -x, "e": np.exp(x)}
    given = ["--input", "x=2xf32=1,-2"]
    for command, words in (("nereus", ["run", "two.onnx"]), ("nereus", ["run", "two.onnx", "--eval"]), ("nereus-run", ["two.nrx"]),
                           ("nereus", ["run", "two.onnx", "--tap", "e=@e.npy"])):
        done = subprocess.run([BIN / command, *words, *given, "--save", "two.npz"], cwd=folder.path, capture_output=True, text=True)
        saved = dict(np.load(folder.path / "two.npz")) if done.returncode == 0 else {}
        expect(f"save of {words}: {done.stderr}{saved}", list(saved) == list(want) and all(np.allclose(saved[name], want[name]) for name in want))
        (folder.path / "two.npz").unlink(missing_ok=True)
        done = subprocess.run([BIN / command, *words, *given, "--json"], cwd=folder.path, capture_output=True, text=True)
        said = json.loads(done.stdout) if done.returncode == 0 else {}
        expect(f"json of {words}: {done.stderr}{said}", list(said) == list(want) and all(np.allclose(said[name]["data"], want[name]) for name in want))
    done = folder.run("run", "m.onnx", "--inputs", "all.npz", "--save", "one.npz")
    expect(f"save of one output: {done.stderr}", list(np.load(folder.path / "one.npz")) == ["y"])
    (folder.path / "list.json").write_text(json.dumps([{"x": {"dtype": "f32", "shape": [2], "data": [k, k]}} for k in (0, 1)]))
    done = folder.run("run", "two.onnx", "--inputs", "list.json", "--json")
    expect(f"json of a list: {done.stderr}", np.allclose([one["e"]["data"][0] for one in json.loads(done.stdout)], [1, np.exp(1)]))


def names_of_sizes(folder):
    """Sizes of one name that differ: compiled again, which is said."""
    folder.model("model.onnx", "input a f32 height\ninput b f32 height\nnode Neg: a -> y\nnode Neg: b -> z\noutput y f32 p\noutput z f32 q\n")
    a, b = np.float32([1, 2]), np.float32([3, 4, 5])
    data = folder.path / "apart/test_data_set_0"
    data.mkdir(parents=True)
    (folder.path / "model.onnx").rename(folder.path / "apart/model.onnx")
    for name, array in {"input_0": a, "input_1": b, "output_0": -a, "output_1": -b}.items():
        (data / f"{name}.pb").write_bytes(tensor_file(array))
    said = "the size 'height' is 2 in 'a' and 3 in 'b': compiled again with --names=apart"
    for flags in [], ["--artefact"]:
        done = folder.run("check", *flags, "apart")
        expect(f"check {flags}: {done.stdout}", done.stdout == f"ok      apart: {said}\n1 passed, 0 failed\n")
    done = folder.run("check", "--names=apart", "apart")
    expect(f"check --names: {done.stdout}", done.stdout == "ok      apart\n1 passed, 0 failed\n")
    for flags, expected in ([], f"apart/model.onnx: note: {said}\n"), (["--names=apart"], ""):
        done = folder.run("bench", "apart/model.onnx", "--cases", "apart", "--count", "1", *flags)
        expect(f"bench {flags}: {done.stderr}", done.returncode == 0 and done.stderr == expected)
    folder.run("compile", "apart/model.onnx", "-o", "apart.nrx", "--names=apart")
    done = subprocess.run([BIN / "nereus-run", "apart.nrx", "--input", "a=2xf32=1,2", "--input", "b=1xf32=1"], cwd=folder.path, capture_output=True, text=True)
    expect(f"artefact: {done.stderr}", done.returncode == 0)


INNER = """
input x f32 n
input c bool -
input trips i64 -
init one f32 - = 1
init two f32 - = 2
init always bool - = 1
graph low
node Add: x, one -> h
node Log logged: h -> out
output out f32 n
end
graph high
node Mul: x, two -> h
node Neg: h -> out
output out f32 n
end
graph odd
node Neg: r -> arm
output arm f32 n
end
graph even
node Identity: r -> arm
output arm f32 n
end
graph step
input i i64 -
input go bool -
input s f32 n
node Sub: s, one -> less
node Sqrt root: less -> r
node Equal: i, first -> is_first
node If inside: is_first -> either then_branch={odd} else_branch={even}
output go bool -
output less f32 n
output either f32 n
end
init first i64 - = 0
node If choice: c -> chosen then_branch={low} else_branch={high}
node Loop loop: trips, always, x -> last, stacked body={step}
output chosen f32 n
output last f32 n
output stacked f32 trips,n
"""


def inner_values(folder):
    """Taps of arms, of trips, and of arms in trips; names that stand in two arms need a path."""
    folder.model("inner.onnx", INNER)
    x = np.float32([9, 25])
    given = ["--input", "x=2xf32=9,25", "--input", "trips=i64=3"]
    less = np.stack([x - 1, x - 2, x - 3])
    for how in [], ["--eval"]:
        for c, value in (("true", x + 1), ("false", x * 2)):
            arm = "then_branch" if c == "true" else "else_branch"
            done = folder.run("run", "inner.onnx", *given, "--input", f"c=bool={c}", *how, "--tap", f"choice/{arm}/h=@h.npy", "--tap", "less=@less.npy",
                              "--tap", "loop/body/s=@s.npz", "--tap", "inside/then_branch/arm=@arms.npz", "--tap", "chosen=@chosen.npy", "--json")
            expect(f"taps inside {how} {c}: {done.stderr}", done.returncode == 0 and list(json.loads(done.stdout)) == ["chosen", "last", "stacked"])
            if done.returncode:
                continue
            expect(f"tap of an arm {how} {c}", np.array_equal(np.load(folder.path / "h.npy"), value))
            expect(f"tap of trips {how}", np.array_equal(np.load(folder.path / "less.npy"), less))
            states = np.load(folder.path / "s.npz")
            expect(f"tap of a state {how}", [list(states[f"[{i}]"]) for i in range(3)] == [list(x), list(less[0]), list(less[1])])
            arms = np.load(folder.path / "arms.npz")
            expect(f"tap of an arm in trips {how}: {list(arms)}", list(arms) == ["[0].Some.0", "[1].None", "[2].None"] and
                   np.allclose(arms["[0].Some.0"], -np.sqrt(less[0])))
    given += ["--input", "c=bool=true"]
    for tap, said in (("choice/else_branch/h=@h.npy", "the arm that computes it did not run"), ("h=@h.npy", "say which: choice/then_branch/h, choice/else_branch/h"),
                      ("inside/else_branch/arm=@h.npy", "an .npz takes the trips one by one"), ("loop/body/lesss=@h.npy", "did you mean `loop/body/less`?")):
        done = folder.run("run", "inner.onnx", *given, "--tap", tap)
        expect(f"tap {tap}: {done.stderr}", done.returncode == 1 and said in done.stderr)
    done = folder.run("run", "inner.onnx", "--input", "x=2xf32=9,25", "--input", "c=bool=true", "--input", "trips=i64=0", "--tap", "less=@none.npy")
    expect(f"tap of no trips: {done.stderr}", done.returncode == 1 and "its loop made no trip" in done.stderr)


FUNCTION = """
input x f32 n
node acme/Ratio ratio: x, x -> q
node Neg: q -> y
output y f32 n
function acme/Ratio a, b -> r
node Sub: a, b -> zero
node Div broken: a, zero -> r
end
"""


def inner_nans(folder):
    """The first bad node in an arm, in a later trip, in a function."""
    good = ["--input", "x=2xf32=9,25", "--input", "trips=i64=3", "--input", "c=bool=false"]
    done = folder.run("run", "inner.onnx", *good, "--check-nan")
    expect(f"check-nan inside, of none: {done.stdout}{done.stderr}", done.returncode == 0 and "no node makes" in done.stdout)
    done = folder.run("run", "inner.onnx", "--input", "x=2xf32=2.5,25", "--input", "trips=i64=9", "--input", "c=bool=false", "--check-nan")
    expect(f"check-nan in trips: {done.stdout}{done.stderr}",
           done.returncode == 1 and done.stdout.startswith("Sqrt 'root' in trip 2 of Loop 'loop' makes the first: 'r' holds 1 NaN and 0 infinite"))
    done = folder.run("run", "inner.onnx", "--input", "x=2xf32=-3,25", "--input", "trips=i64=0", "--input", "c=bool=true", "--check-nan")
    expect(f"check-nan in an arm: {done.stdout}{done.stderr}",
           done.returncode == 1 and done.stdout.startswith("Log 'logged' in an arm of If 'choice' makes the first: 'out' holds 1 NaN and 0 infinite"))
    folder.model("function.onnx", FUNCTION)
    done = folder.run("run", "function.onnx", "--input", "x=2xf32=0,5", "--check-nan")
    expect(f"check-nan in a function: {done.stdout}{done.stderr}",
           done.returncode == 1 and done.stdout.startswith("Div 'broken' in Ratio 'ratio' makes the first: 'r' holds 1 NaN and 1 infinite"))
    done = folder.run("run", "function.onnx", "--input", "x=2xf32=0,5", "--tap", "zero=@zero.npy")
    expect(f"tap in a function: {done.stderr}", done.returncode == 0 and list(np.load(folder.path / "zero.npy")) == [0, 0])


def random_sizes(folder):
    done = folder.run("run", "m.onnx", "--dim", "Batch=5", "--json")
    expect(f"run --dim: {done.stderr}", done.returncode == 0 and json.loads(done.stdout)["shape"] == [5, 3])
    done = folder.run("run", "m.onnx", "--shapes", "x:2x3", "--shapes", "x:7x3", "--json")
    expect(f"run --shapes: {done.stderr}", done.returncode == 0 and [r["shape"] for r in json.loads(done.stdout)] == [[2, 3], [7, 3]])
    compiled, judged = (folder.run("run", "m.onnx", "--dim", "Batch=5", "--json", *how) for how in ([], ["--eval"]))
    expect("random arguments are the same for eval", json.loads(compiled.stdout)["shape"] == json.loads(judged.stdout)["shape"] and
           np.allclose(json.loads(compiled.stdout)["data"], json.loads(judged.stdout)["data"]))


def bench(folder):
    folder.run("compile", "m.onnx", "-o", "m.nrx")
    (folder.path / "p.nr").write_text("def @main(%x: Tensor[(n, 2), f32]) { %x + 1.0 }\n")
    for words, sets, compiles in ((["m.onnx", "--dim", "Batch=4"], 1, 1), (["m.nrx", "--shapes", "x:1x3", "--shapes", "x:9x3"], 2, 0),
                                  (["p.nr", "--shapes", "x:1x2", "--concurrency", "2"], 1, 1), (["m.onnx", "--cases", "."], 1, 1),
                                  (["m.onnx", "--inputs", "all.npz"], 1, 1)):
        done = folder.run("bench", *words, "--count", "12", "--json")
        if done.returncode:
            expect(f"bench {words}: {done.stderr}", False)
            continue
        said = json.loads(done.stdout)
        expect(f"bench {words}: keys", all(key in said for key in BENCH_KEYS))
        expect(f"bench {words}: order", 0 < said["min"] <= said["p50"] <= said["p90"] <= said["p99"] and said["min"] <= said["mean"])
        expect(f"bench {words}: counts", said["calls"] == 12 and len(said["shapes"]) == sets and said["compiles"] == compiles)
        expect(f"bench {words}: times", (said["compile_ms"] > 0) == (compiles > 0) and said["load_ms"] > 0 and said["first_ms"] > 0)
        expect(f"bench {words}: weights", said["weights_bytes"] >= (0 if "p.nr" in words else 12))
    done = folder.run("bench", "m.onnx", "--dim", "Batch=4", "--seconds", "0.05")
    expect(f"bench as a table: {done.stdout}", done.returncode == 0 and "p99" in done.stdout and "compiles 1" in done.stdout)
    folder.model("gather.onnx", "input i i64 n\ninit t f32 1 = 5\nnode Gather: t, i -> y\noutput y f32 n\n")
    done = folder.run("bench", "gather.onnx", "--dim", "n=64", "--count", "1")
    expect(f"bench out of range: {done.stderr}", done.returncode == 1 and "--cases" in done.stderr)


def nans(folder):
    folder.model("bad.onnx", BAD)
    done = folder.run("run", "bad.onnx", "--input", "x=3xf32=5,0,-1", "--check-nan")
    expect(f"check-nan: {done.stdout}{done.stderr}", done.returncode == 1 and done.stdout.startswith("Log 'middle' makes the first: 'b' holds 2 NaN and 0 infinite"))
    done = folder.run("run", "bad.onnx", "--input", "x=3xf32=5,1,7", "--check-nan")
    expect(f"check-nan of an infinity: {done.stdout}", done.returncode == 1 and "holds 0 NaN and 1 infinite" in done.stdout)
    done = folder.run("run", "bad.onnx", "--input", "x=3xf32=5,6,7", "--check-nan")
    expect(f"check-nan of none: {done.stdout}", done.returncode == 0 and done.stdout.startswith("no node makes"))
    done = folder.run("run", "bad.onnx", "--input", "x=3xf32=5,nan,7", "--check-nan")
    expect(f"check-nan of an input: {done.stdout}", done.returncode == 0 and "input 'x' holds 1 NaN" in done.stdout)


def strict(folder):
    (folder.path / "free").mkdir()
    folder.model("free/model.onnx", "input x f32 n\ninput to i64 2\nnode Reshape free: x, to -> y\noutput y f32 p,q\n")
    done = folder.run("check", "free", "--strict")
    expect(f"check --strict: {done.stdout}", done.returncode == 1 and "FAILED  free: not compiled: Reshape 'free' stops the analysis" in done.stdout)
    for words in (["compile", "m.onnx", "-o", "strict.nrx", "--strict"], ["run", "m.onnx", "--strict", "--dim", "Batch=2"]):
        done = folder.run(*words)
        expect(f"{words}: {done.stderr}", done.returncode == 0)


def inspected(folder):
    said = json.loads(folder.run("inspect", "m.onnx", "--json", "--dim", "Batch=2").stdout)
    expect(f"inspect: {said['inputs']}", [port["name"] for port in said["inputs"]] == ["x", "extra/x:0"] and said["inputs"][0]["shape"][1] == 3)
    expect(f"inspect: {said['operators']}", {op["op"]: op["nodes"] for op in said["operators"]} == {"Mul": 1, "Add": 1, "Neg": 1})
    expect(f"inspect: {said['bytes']}", said["bytes"]["weights"] == 16 and said["bytes"]["code"] > 0 and said["bytes"]["peak_of_a_call"] > 0 and
           said["bytes"]["file"] == (folder.path / "m.onnx").stat().st_size)
    measured = json.loads(folder.run("bench", "m.onnx", "--dim", "Batch=2", "--count", "1", "--json").stdout)
    expect("inspect predicts the peak that bench measures", said["bytes"]["peak_of_a_call"] == measured["peak_bytes"])
    artefact = folder.run("inspect", "m.nrx", "--dim", "d_Batch=2")
    expect(f"inspect of an artefact: {artefact.stderr}", artefact.returncode == 0 and "peak of a call" in artefact.stdout)


def checked(folder):
    for name, op in (("good", "Relu"), ("unknown", "Sparkle")):
        (folder.path / "some" / name / "test_data_set_0").mkdir(parents=True)
        folder.model(f"some/{name}/model.onnx", f"input x f32 n\nnode {op}: x -> y\noutput y f32 n\n")
        (folder.path / "some" / name / "test_data_set_0/input_0.pb").write_bytes(tensor_file(np.float32([-1, 2])))
    done = folder.run("check", "some/good", "--against=eval", "--runs", "2")
    expect(f"check --against=eval needs no outputs: {done.stdout}", done.returncode == 0 and "ok      good: 2 inputs" in done.stdout)
    (folder.path / "texts").mkdir()
    folder.model("texts/model.onnx", "input x str n\nnode StringConcat: x, x -> y\noutput y str n\n")
    done = folder.run("check", "texts", "--against=eval", "--runs", "2")
    expect(f"check --against=eval draws texts: {done.stdout}{done.stderr}", done.returncode == 0 and "ok      texts: 2 inputs" in done.stdout)
    (folder.path / "some/good/test_data_set_0/output_0.pb").write_bytes(tensor_file(np.float32([0, 2])))
    done = folder.run("check", "some", "--symbolic")
    expect(f"check --symbolic counts what it compiled: {done.stdout}", done.returncode == 1 and "compiles=1\n" in done.stdout and "1 passed, 1 failed" in done.stdout)


def defaults(folder):
    """An initializer of an input's name is what it is when nobody gives it."""
    lines = "input x f32 2\ninput w f32 2\ninit w f32 2 = 1,2\nnode Add: x, w -> y\noutput y f32 2\n"
    folder.model("default.onnx", lines)
    for given, want in (([], "[2, 3]"), (["--input", "w=2xf32=5,7"], "[6, 8]")):
        for eval_too in ([], ["--eval"]):
            done = folder.run("run", "default.onnx", "--input", "x=2xf32=1,1", *given, *eval_too)
            expect(f"run with {given}: {done.stdout}{done.stderr}", done.returncode == 0 and want in done.stdout)
    done = folder.run("inspect", "default.onnx")
    expect(f"inspect shows a default: {done.stdout}", "w" in done.stdout and "with a default" in done.stdout)
    data = folder.path / "default" / "test_data_set_0"
    data.mkdir(parents=True)
    folder.model("default/model.onnx", lines)
    one = np.float32([1, 1])
    for given, want in ((None, [2, 3]), ([5, 7], [6, 8])):
        (data / "input_0.pb").write_bytes(tensor_file(one))
        if given:
            (data / "input_1.pb").write_bytes(tensor_file(np.float32(given)))
        (data / "output_0.pb").write_bytes(tensor_file(np.float32(want)))
        for way in ([], ["--symbolic"], ["--artefact"]):
            done = folder.run("check", "default", *way)
            expect(f"check {way} with a default {given}: {done.stdout}{done.stderr}", done.returncode == 0)
    (data / "input_2.pb").write_bytes(tensor_file(one))
    done = folder.run("check", "default")
    expect(f"check with too many inputs: {done.stdout}", done.returncode == 1 and "3 input files, and 2 inputs" in done.stdout)
    for place in range(3):
        (data / f"input_{place}.pb").unlink()
    done = folder.run("check", "default")
    expect(f"check without an input: {done.stdout}", done.returncode == 1 and "input_0.pb" in done.stdout)


def computed_sizes(folder):
    """A size that is arithmetic on names follows from them, and is checked."""
    folder.model("sizes.onnx", "input cache f32 past,2*half\ninput all f32 past+1,half\nnode Cast: all -> y to=6\noutput y i32 past+1,half\n")
    done = folder.run("run", "sizes.onnx", "--dim", "past=4", "--dim", "half=3", "--json")
    expect(f"run --dim of sizes in expressions: {done.stdout}{done.stderr}", done.returncode == 0 and json.loads(done.stdout)["shape"] == [5, 3])
    for shapes, fine in (("cache:4x6,all:5x3", True), ("cache:4x6,all:6x3", False), ("cache:4x6,all:5x2", False), ("cache:4x7,all:5x3", False)):
        done = folder.run("run", "sizes.onnx", "--shapes", shapes)
        expect(f"run --shapes {shapes}: {done.stdout}{done.stderr}", (done.returncode == 0) == fine)


RANKS = """
input c bool -
graph a
init p f32 - = 1
node Neg: p -> pa
output pa f32 -
end
graph b
init q f32 2 = 1,2
node Neg: q -> qb
output qb f32 2
end
node If choose: c -> y then_branch={a} else_branch={b}
output y f32
"""


def warnings(folder):
    """About the text that a model became: its owner did not write it, who looks at the text sees them."""
    folder.model("ranks.onnx", RANKS)
    done = folder.run("run", "ranks.onnx", "--input", "c=bool=true")
    expect(f"run warns of a text that nobody wrote: {done.stderr}", done.returncode == 0 and done.stderr == "")
    done = folder.run("dump", "ranks.onnx", "--after=shapes")
    expect(f"dump warns of the node: {done.stderr}", done.returncode == 0 and done.stderr.startswith("ranks.onnx: warning: If 'choose': the arms have ranks 0 and 1"))


def launches(folder):
    """The way of each kernel, and what it computes and touches, which follow from sizes alone."""
    x = 40 * 40 * 4  # bytes
    (folder.path / "ways.nr").write_text(
        """def @tiles(%a: Tensor[(m, k), f32], %b: Tensor[(k, n), f32]) { matmul(%a, %b) }
def @rows(%a: Tensor[(m, k), f32]) { sum(%a, axes=[1]) }
def @columns(%a: Tensor[(m, k), f32]) { sum(%a, axes=[0]) }
def @vectors(%a: Tensor[(m, k), f32]) { exp(%a) }
def @lanes(%a: Tensor[(m, k), f32]) { transpose(%a, [1, 0]) }
def @library(%a: Tensor[(m, k), f32]) { topk(%a, 3).0 }
"""
    )
    for way, flops, read, written in (
        ("tiles", 2 * 40**3, 2 * x, x),
        ("rows", 1600, x, 160),
        ("columns", 1600, x, 160),
        ("vectors", 1600, x, x),
        ("lanes", 0, x, x),
        ("library", 0, x, None),
    ):
        done = folder.run("bench", "ways.nr", "--entry", way, "--dim", "all=40", "--launches", "--json", "--count", "3")
        if done.returncode:
            expect(f"launches of {way}: {done.stderr}", False)
            continue
        said = json.loads(done.stdout)
        one = said["launches"][0]
        expect(
            f"launches of {way}: {one}",
            (one["way"], one["runs"], one["flops"], one["read"]) == (way, 3, 3 * flops, 3 * read),
        )
        expect(f"bytes written by {way}: {one}", written is None or one["written"] == 3 * written)
        expect(
            f"sums of {way}: {said['sums']}",
            said["sums"]["runs"] == 3 and said["sums"]["lane_points"] == (3 * 1600 if way == "lanes" else 0),
        )
        expect(f"work of {way}: {said['work']}", said["work"]["launches"] == said["work"]["lists"] == 1)
    done = folder.run("bench", "ways.nr", "--entry", "rows", "--dim", "all=40", "--launches")
    expect(
        f"launches as a table: {done.stdout}{done.stderr}",
        " rows     sum " in done.stdout and "points run lane by lane: 0" in done.stdout,
    )
    done = folder.run("bench", "m.nrx", "--launches")
    expect(f"launches of an artefact: {done.stderr}", done.returncode == 2 and "is compiled already" in done.stderr)


def on_request(folder):
    done = subprocess.run(
        [BIN / "nereus", "bench", "m.onnx", "--shapes", "x:1x3", "--shapes", "x:9x3", "--on-request"],
        cwd=folder.path,
        capture_output=True,
        text=True,
        input="1 3\n7 1\nnone\n0 1 fresh\n",
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    expect(
        f"on request: {done.stdout}{done.stderr}", done.returncode == 0 and len(said) == 5 and len(said[0]["sets"]) == 2
    )
    expect(
        f"on request: {said}",
        [len(line.get("ms", [])) for line in said[1:]] == [3, 0, 0, 1]
        and said[2]["error"] == "there is no set 7"
        and "error" in said[3],
    )


def places_of_work(folder):
    said = json.loads(folder.run("inspect", "m.onnx", "--work", "--json").stdout)["work"]
    expect(f"work: {said}", (said["launches"], said["checks"]) == (3, 0) and "places" not in said)
    done = folder.run("inspect", "m.nrx", "--work")
    expect(f"work of an artefact: {done.stderr}", done.returncode == 2 and "is compiled already" in done.stderr)


NAMES = """
input x f32 Batch,3
input x=3 f32 3
node Mul scale: x, x=3 -> h.0
node Neg turn: h.0 -> y
node Split cut: y -> a, b num_outputs=2
output y f32 Batch,3
output a f32 p,3
output b/0 f32 q,3
node Identity: b -> b/0
"""


def names(folder):
    """Nodes and outputs by name, all values at once, files of other endings, names with any sign."""
    folder.model("names.onnx", NAMES)
    x, scale = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([2, 3, 4])
    given = ["--input", "x=2x3xf32=1,2,3,4,5,6", "--input", "x=3=3xf32=2,3,4"]
    want = {"h.0": x * scale, "y": -x * scale, "a": -x[:1] * scale, "b": -x[1:] * scale, "b/0": -x[1:] * scale}
    for how in [], ["--eval"]:
        done = folder.run(
            "run",
            "names.onnx",
            *given,
            *how,
            "--tap",
            "scale=@scale.npy",
            "--tap-all",
            "all.values.npz",
            "--output",
            "b/0",
            "--save",
            "one.npy",
        )
        if done.returncode:
            expect(f"taps by node {how}: {done.stderr}", False)
            continue
        values = dict(np.load(folder.path / "all.values.npz"))
        expect(
            f"all values {how}: {list(values)}",
            list(values) == list(want) and all(np.array_equal(values[name], want[name]) for name in want),
        )
        expect(f"tap by node {how}", np.array_equal(np.load(folder.path / "scale.npy"), want["h.0"]))
        expect(f"one output {how}", np.array_equal(np.load(folder.path / "one.npy"), want["b/0"]))
    for words, said in (
        (["--tap", "cut=@c.npy"], "say which: a, b"),
        (["--tap", "tunr=@c.npy"], "did you mean the node `turn`?"),
        (["--tap", "h0=@c.npy"], "did you mean `h.0`?"),
        (["--output", "c"], "it has y, a, b/0"),
        (["--save", "c.npy"], "pick one with --output"),
        (["--tap-all", "c.npy"], "--tap-all writes an .npz"),
    ):
        done = folder.run("run", "names.onnx", *given, *words)
        expect(f"{words}: {done.stderr}", done.returncode in (1, 2) and said in done.stderr)
    folder.run("run", "names.onnx", *given, "--save", "outputs/")
    files = {file.name: np.load(file) for file in (folder.path / "outputs").iterdir()}
    expect(
        f"save to a folder: {list(files)}",
        sorted(files) == ["a.npy", "b_0.npy", "y.npy"] and np.array_equal(files["b_0.npy"], want["b"]),
    )
    done = folder.run("run", "names.onnx", *given, "--output", "a", "--output", "y", "--json")
    expect(f"json of some outputs: {done.stdout}{done.stderr}", list(json.loads(done.stdout)) == ["a", "y"])
    done = folder.run("run", "p.nr", "--dim", "n=1", "--output", "a")
    expect(f"output of a program: {done.stderr}", done.returncode == 2 and "no names for what it gives" in done.stderr)
    for words in (["--dim", "all=2"], ["--dim", "Batch=2,all=7"], ["--shapes", "x:2x3,x=3:3"]):
        done = folder.run("run", "names.onnx", *words, "--output", "a", "--json")
        expect(
            f"{words}: {done.stdout}{done.stderr}", done.returncode == 0 and json.loads(done.stdout)["shape"] == [1, 3]
        )
    done = folder.run("inspect", "names.onnx", "--nodes", "--json")
    nodes = json.loads(done.stdout)["nodes"]
    expect(
        f"nodes: {nodes}",
        [node["name"] for node in nodes] == ["scale", "turn", "cut", ""]
        and [out["name"] for out in nodes[2]["outputs"]] == ["a", "b"],
    )
    table = folder.run("inspect", "names.onnx", "--nodes").stdout
    expect(f"nodes as a table: {table}", "    2  Mul       scale  h.0     Tensor[(d_Batch, 3), f32]\n" in table)


def streams(folder):
    """Programs and models from standard input, from pipes, and from files of any name."""
    model = (folder.path / "m.onnx").read_bytes()
    (folder.path / "anything").write_bytes(model)

    def piped(data, *words):
        return subprocess.run([BIN / "nereus", *words], cwd=folder.path, capture_output=True, input=data)

    given = ["--dim", "Batch=2", "--json"]
    for what, done in (
        ("a model on stdin", piped(model, "run", "-", *given, "--strict", "--input", "extra/x:0=3xf32=1,2,3")),
        (
            "a program on stdin",
            piped(b"def @main(%x: Tensor[(n, 3), f32]) { %x }\n", "run", "-", "--dim", "n=2", "--json"),
        ),
        ("a model of any name", folder.run("run", "anything", *given)),
        ("a model in a pipe", piped(model, "run", "/dev/stdin", *given)),
    ):
        expect(f"{what}: {done.stderr}", done.returncode == 0 and json.loads(done.stdout)["shape"] == [2, 3])
    done = piped(b"def @main(%x: f32) { %y }\n", "run", "-", "--input", "x=f32=1")
    expect(
        f"an error in a program on stdin: {done.stderr}",
        done.returncode == 1 and done.stderr.startswith(b"-:1:22: error"),
    )
    for words in (["inspect", "/dev/zero"], ["run", "/dev/zero"]):
        done = folder.run(*words)
        expect(f"{words}: {done.stderr}", done.returncode == 1 and "it begins with a zero byte" in done.stderr)
    done = piped(model, "inspect", "-", "--lint")
    expect(f"lint of stdin: {done.stderr}", done.returncode == 0)


def small_stack(folder):
    for command in ["nereus", "run", "m.onnx", "--dim", "all=1"], ["nereus-run", "m.nrx"]:
        done = subprocess.run(
            ["bash", "-c", f"ulimit -s 64; {BIN}/{' '.join(command)}"], cwd=folder.path, capture_output=True, text=True
        )
        expect(
            f"a small stack: {done.returncode} {done.stderr}",
            done.returncode == 1 and "the stack may have 64 kB" in done.stderr and "ulimit -s 512" in done.stderr,
        )


GATE = """
input x f32 n
input on?off bool -
init zero f32 - = 0
node Where: on?off, x, zero -> y
output y f32 n
"""


def plain_scalars(folder):
    """A number, a truth or a text alone is an argument, where the parameter says of which dtype it is."""
    (folder.path / "scalars.nr").write_text(
        "def @main(%x: Tensor[(n), f32], %by: f16, %k: i64, %on: bool, %word: str) {\n"
        "  (if (%on) { %x * cast(%by, f32) } else { %x }, %k + 1, %word)\n}\n"
    )
    call = {"x": {"dtype": "f32", "shape": [2], "data": [1, 2]}, "by": 2.5, "k": 7, "on": True, "word": "yes"}
    (folder.path / "scalars.json").write_text(json.dumps([call, {**call, "on": False, "by": "inf"}]))
    for how in [], ["--eval"]:
        done = folder.run("run", "scalars.nr", "--inputs", "scalars.json", "--json", *how)
        found = (
            [[part["data"] for part in one["tuple"]] for one in json.loads(done.stdout)]
            if done.returncode == 0
            else done.stderr
        )
        expect(f"plain scalars {how}: {found}", found == [[[2.5, 5], [8], ["yes"]], [[1, 2], [8], ["yes"]]])
    folder.run("compile", "scalars.nr", "-o", "scalars.nrx")
    done = subprocess.run(
        [BIN / "nereus-run", "scalars.nrx", "--inputs", "scalars.json"], cwd=folder.path, capture_output=True, text=True
    )
    expect(f"plain scalars of an artefact: {done.stderr}", done.returncode == 0)
    for wrong, said in (
        ({"k": 1.5}, "scalars.json: line 1, column "),
        ({"k": "seven"}, "'k' is a scalar of i64"),
        ({"x": 1.0}, "a scalar is written"),
        ({"word": 3}, "'word' is a scalar of str"),
        ({"on": 2}, "scalars.json: line 1, column "),
        ({"by": "many"}, "scalars.json: line 1, column "),
        ({"k": None}, "scalars.json: line 1, column "),
    ):
        (folder.path / "scalars.json").write_text(json.dumps({**call, **wrong}))
        done = folder.run("run", "scalars.nr", "--inputs", "scalars.json")
        expect(f"plain scalars {wrong}: {done.stdout}{done.stderr}", done.returncode == 1 and said in done.stderr)
    folder.model("gate.onnx", GATE)
    (folder.path / "gate.json").write_text(json.dumps({"x": call["x"], "on?off": False}))
    done = folder.run("run", "gate.onnx", "--inputs", "gate.json", "--json")
    expect(
        f"plain scalars of a model: {done.stderr}", done.returncode == 0 and json.loads(done.stdout)["data"] == [0, 0]
    )


PEER = """
import os
import numpy
class SessionOptions: pass
class GraphOptimizationLevel: ORT_DISABLE_ALL = 0
class Port:
    def __init__(self, name): self.name = name
class InferenceSession:
    def __init__(self, path, options, providers):
        if os.environ.get("REFUSES"): raise ValueError("no such operator")
        self.is_whole = open(path, "rb").read().count(b"h/1") > 2            # another output
    def get_inputs(self): return [Port("x"), Port("extra/x:0")]
    def run(self, names, values):
        h0 = values["x"] * numpy.float32([1, 2, 3])
        h1 = h0 + values["extra/x:0"] + numpy.float32(os.environ.get("OFF", 0))
        return [-h1, h0, h1] if self.is_whole else [-h1]
"""


def against_onnxruntime(folder):
    """With a stand-in for the package, which says what it is told to."""
    (folder.path / "peer").mkdir()

    def check(*words, **settings):
        return subprocess.run(
            [
                BIN / "nereus",
                "check",
                "m.onnx",
                "--against=onnxruntime",
                f"--python={sys.executable}",
                "--runs=3",
                *words,
            ],
            cwd=folder.path,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder.path / "peer"), **settings},
        )

    done = check(PYTHONNOUSERSITE="1") if not has_onnxruntime() else None
    expect(
        f"no onnxruntime: {done and done.stdout}",
        done is None or (done.returncode == 1 and "has no onnxruntime to compare with" in done.stdout),
    )
    (folder.path / "peer/onnxruntime.py").write_text(PEER)
    done = check()
    expect(
        f"against onnxruntime: {done.stdout}{done.stderr}",
        done.returncode == 0 and "ok      m: 3 inputs, differences at most 'y' " in done.stdout,
    )
    done = check("--bisect")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("        ")]
    expect(
        f"against onnxruntime by node: {done.stdout}{done.stderr}",
        done.returncode == 0
        and [row[1] for row in rows] == ["Mul", "Add", "Neg"]
        and all(float(row[0]) < 1e-5 for row in rows),
    )
    done = check("--bisect", OFF="0.5")
    expect(
        f"a difference: {done.stdout}",
        done.returncode == 1
        and "output 'y'" in done.stdout
        and "; first in Add that gives 'h/1', output 'h/1'; 3 inputs, differences at most 'y' 0.5" in done.stdout,
    )
    done = check(OFF="nan")
    expect(f"a NaN: {done.stdout}", done.returncode == 1 and "differences at most 'y' inf" in done.stdout)
    done = check(REFUSES="1")
    expect(
        f"a model that onnxruntime does not take: {done.stdout}",
        done.returncode == 1 and "onnxruntime does not take the model: no such operator" in done.stdout,
    )
    done = subprocess.run(
        [BIN / "nereus", "check", "m.onnx", "--against=onnxruntime", "--python=no/such"],
        cwd=folder.path,
        capture_output=True,
        text=True,
    )
    expect(f"no such interpreter: {done.stdout}", done.returncode == 1 and "cannot run no/such" in done.stdout)


def has_onnxruntime():
    return subprocess.run([sys.executable, "-c", "import onnxruntime"], stderr=subprocess.DEVNULL).returncode == 0


def readme(folder):
    """The lines about models, as they stand there, on the encoder that the first of them writes."""
    shown = re.findall(r"^    (\S.*(?:make_|\s)encoder\b.*)$", (SOURCE / "README.md").read_text(), re.M)
    expect(f"lines of README: {shown}", len(shown) == 8 and shown[0].startswith("examples/make_encoder.py"))
    for line in shown:
        command = (
            line.split("  #")[0].replace("build/bin/", f"{BIN}/").replace("examples/", f"{SOURCE.resolve()}/examples/")
        )
        done = subprocess.run(["bash", "-c", command], cwd=folder.path, capture_output=True, text=True)
        expect(f"README: {line}: {done.stdout}{done.stderr}", done.returncode == 0)
    saved = np.load(folder.path / "out.npz")
    expect(f"README: {list(saved)}", list(saved) == ["code"] and saved["code"].shape == (2, 8))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(Path(name))
        folder.model("m.onnx", MODEL)
        rng = np.random.default_rng(1)
        x, extra = rng.normal(size=(4, 3)).astype(np.float32), rng.normal(size=3).astype(np.float32)
        want = -(x * np.float32([1, 2, 3]) + extra)
        inputs_of_all_kinds(folder, x, extra, want)
        taps(folder, x, extra, want)
        output_names(folder)
        names_of_sizes(folder)
        inner_values(folder)
        inner_nans(folder)
        random_sizes(folder)
        bench(folder)
        launches(folder)
        on_request(folder)
        places_of_work(folder)
        names(folder)
        streams(folder)
        small_stack(folder)
        plain_scalars(folder)
        against_onnxruntime(folder)
        readme(folder)
        nans(folder)
        strict(folder)
        inspected(folder)
        checked(folder)
        defaults(folder)
        computed_sizes(folder)
        warnings(folder)
    for each in wrong:
        print("FAILED", each)
    print("ok" if not wrong else f"{len(wrong)} failed")
    return bool(wrong)


sys.exit(main())
