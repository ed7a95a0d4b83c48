#!/usr/bin/python3
"""Structures as .npz: what NumPy saves is read, what is saved NumPy loads: test/npz_test.py BIN_FOLDER"""
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

BIN = Path(sys.argv[1])
PROGRAM = """
type Layer[i: dim, o: dim] = {w: Tensor[(i, o), f32], b: Tensor[(o), f64]}
type Net = {layers: (Layer[2, 3], Layer[3, 1]), sizes: Seq[i64], on: bool, tree: Tree[Tensor[(2), i32]], rest: List[f32]}
def @main(%p: Net, %k: i64) { (%p, {%p with sizes = push(%p.sizes, %k), on = !%p.on}) }
"""

rng = np.random.default_rng(3)
NET = {
    "layers.0.w": rng.normal(size=(2, 3)).astype(np.float32), "layers.0.b": rng.normal(size=3),
    "layers.1.w": np.asfortranarray(rng.normal(size=(3, 1)).astype(np.float32)), "layers.1.b": rng.normal(size=1),
    "sizes[1]": np.int64(8), "sizes[0]": np.int64(-7), "on": np.bool_(True),
    "tree.Node.0.Leaf.0": np.array([1, 2], np.int32), "tree.Node.1.Leaf.0": np.array([3, 4], np.int32),
    "rest.Cons.0": np.float32(0.1), "rest.Cons.1.Nil": np.zeros(0, bool),
}


def run(folder, *arguments):
    return subprocess.run([BIN / "nereus", "run", folder / "p.nr", *arguments], capture_output=True, text=True)


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "p.nr").write_text(PROGRAM)
        for save in np.savez, np.savez_compressed:
            save(folder / "net.npz", **NET)
            save(folder / "arguments.npz", k=np.int64(9), **{f"p.{path}": array for path, array in NET.items()})
            for given in (["--input", f"p=@{folder}/net.npz", "--input", "k=i64=9"], ["--inputs", folder / "arguments.npz"],
                          ["--input", f"p=@{folder}/arguments.npz:p", "--input", "k=i64=9"]):
                done = run(folder, *given, "--save", folder / "out.npz")
                if done.returncode or done.stdout:
                    wrong.append(f"{save.__name__}, {given}: {done.stderr}{done.stdout}")
                    continue
                found = np.load(folder / "out.npz")
                changed = dict(NET, **{"sizes[2]": np.int64(9), "on": np.bool_(False)})
                wanted = {f"0.{path}": array for path, array in NET.items()} | {f"1.{path}": array for path, array in changed.items()}
                if sorted(found) != sorted(wanted):
                    wrong.append(f"{save.__name__}, {given}: names {sorted(found)}")
                wrong += [f"{path}: {found[path]}, expected {array}" for path, array in wanted.items()
                          if path in found and (found[path].dtype != array.dtype or found[path].shape != array.shape or not np.array_equal(found[path], array))]
        np.savez_compressed(folder / "large.npz", p=np.zeros(1 << 22, np.float32))
        (folder / "p.nr").write_text("def @main(%p: Tensor[(n), f32]) { sum(%p) + cast(n, f32) }")
        done = run(folder, "--input", f"p=@{folder}/large.npz:p")
        if done.stdout != "f32 4194304\n":
            wrong.append(f"large: {done.stdout}{done.stderr}")
        for fine in range(0, 400, 7):                     # cut short anywhere: an error, never a signal
            data = (folder / "net.npz").read_bytes()
            (folder / "cut.npz").write_bytes(data[:len(data) * fine // 400])
            done = run(folder, "--input", f"p=@{folder}/cut.npz")
            if done.returncode != 1 or "cut.npz': npz: " not in done.stderr:
                wrong.append(f"cut at {fine}/400: exit {done.returncode}: {done.stderr}")
                break
    print("\n".join(wrong) or "structures agree with NumPy")
    return 1 if wrong else 0


sys.exit(main())
