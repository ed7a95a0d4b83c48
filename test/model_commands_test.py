#!/usr/bin/python3
"""run, bench and inspect on small models, compared with NumPy: test/model_commands_test.py BIN_FOLDER SOURCE_FOLDER"""
import json
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


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(Path(name))
        folder.model("m.onnx", MODEL)
        rng = np.random.default_rng(1)
        x, extra = rng.normal(size=(4, 3)).astype(np.float32), rng.normal(size=3).astype(np.float32)
        want = -(x * np.float32([1, 2, 3]) + extra)
        inputs_of_all_kinds(folder, x, extra, want)
        taps(folder, x, extra, want)
        random_sizes(folder)
        bench(folder)
        nans(folder)
        strict(folder)
        inspected(folder)
        checked(folder)
        defaults(folder)
        computed_sizes(folder)
    for each in wrong:
        print("FAILED", each)
    print("ok" if not wrong else f"{len(wrong)} failed")
    return bool(wrong)


sys.exit(main())
