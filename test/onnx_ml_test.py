#!/usr/bin/python3
"""Classical models of ai.onnx.ml against onnxruntime, as shipped and with every size a symbol: test/onnx_ml_test.py BIN ROOT

The models and what they give are in test/oracle/onnx_ml.json, written by test/oracle/onnx_ml.py.
"""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile


def unpack(cases, folder):
    for name, case in cases.items():
        data = folder / name / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / name / "model.onnx").write_bytes(base64.b64decode(case["model"]))
        for kind in ("input", "output"):
            for i, text in enumerate(case[kind + "s"]):
                (data / f"{kind}_{i}.pb").write_bytes(base64.b64decode(text))


def main():
    binary, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    cases = json.loads((root / "test/oracle/onnx_ml.json").read_text())
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        unpack(cases, pathlib.Path(place))
        for flags in ([], ["--symbolic"]):
            done = subprocess.run([binary / "nereus", "check", *flags, place], capture_output=True, text=True)
            lines = done.stdout.splitlines()
            right = bool(lines) and lines[-1] == f"{len(cases)} passed, 0 failed" and done.returncode == 0
            failed += not right
            print(*(line for line in lines if line.startswith("FAILED")), *lines[-1:], done.stderr, sep="\n")
    sys.exit(1 if failed else 0)


main()
