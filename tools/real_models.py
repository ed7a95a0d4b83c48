"""Where the models of tools/onnx_models lie, and an interpreter that has onnxruntime: for scripts that need them."""
import os
import subprocess
import sys
import tomllib
from pathlib import Path

RUNTIME = "1.31.1"
ROOT = Path(__file__).resolve().parent.parent


class Absent(Exception):
    """Something that is fetched cannot be had; the text says what and why, on one line."""


def names(root=ROOT):
    return list(tomllib.loads((root / "tools/onnx_models.toml").read_text()))


def folder(root=ROOT):
    """The folder that has them all: that of NEREUS_ONNX_MODELS, else fetched into build/onnx-models."""
    given = os.environ.get("NEREUS_ONNX_MODELS")
    if given:
        return Path(given)
    made = root / "build/onnx-models"
    fetch = [root / "tools/onnx_models", made]
    done = subprocess.run(fetch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["tools/onnx_models failed"]
        raise Absent(f"the models cannot be had: {said[-1]}")
    return made


def python_with_runtime(folder):
    """In a venv of the folder, where pip installs it unless it is there."""
    python = folder / ".venv/bin/python"
    known = f"import onnxruntime; assert onnxruntime.__version__ == '{RUNTIME}'"
    if not python.exists() or subprocess.run([python, "-c", known], stderr=subprocess.DEVNULL).returncode:
        pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", f"onnxruntime=={RUNTIME}", "numpy"]
        for command in ([sys.executable, "-m", "venv", "--clear", folder / ".venv"], pip):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                said = done.stdout.strip().splitlines() or ["pip failed"]
                raise Absent(f"onnxruntime {RUNTIME} cannot be had: {said[-1]}")
    return python
