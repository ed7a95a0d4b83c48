"""Where the ONNX suite is, for tests that need it or the package it comes from."""
import os
import pathlib
import subprocess
import sys

SKIPPED = 77                                             # ctest knows it


def suite_folder(root):
    """That of NEREUS_ONNX_SUITE, or tools/onnx_suite writes it; where that cannot be had, the test ends here as skipped."""
    given = os.environ.get("NEREUS_ONNX_SUITE")
    if given:
        return pathlib.Path(given)
    folder = root / "build/onnx-suite"
    made = subprocess.run([root / "tools/onnx_suite", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if made.returncode:
        print("skipped: the package onnx cannot be had:", made.stderr.strip().splitlines()[-1:])
        sys.exit(SKIPPED)
    return folder


def with_package(folder):
    """Goes on in the interpreter that has the package onnx."""
    venv = folder / ".venv"
    if pathlib.Path(sys.prefix).resolve() != venv.resolve():
        os.execv(venv / "bin/python", [venv / "bin/python", *sys.argv])
