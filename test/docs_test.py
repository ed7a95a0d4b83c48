#!/usr/bin/python3
"""Runs the examples of docs/*.md and compares what they print: test/docs_test.py BIN_FOLDER ROOT [--update]

    ```nereus            a program; ```nereus net.nr gives it a name other than prog.nr. Its types must be right, unless
                         the next block runs it.
    ```console           lines `$ command` run in a folder with the programs so far, and below each what it prints on both
                         streams; a line `…` stands for any number of lines.

docs/ops.md must be what `nereus ops --markdown` prints, docs/onnx_support.md what `nereus ops --onnx` prints. --update writes what is printed now into the documents, except below a `…`.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BIN, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
UPDATE = "--update" in sys.argv
BLOCK = re.compile(r"^```(nereus|console)([^\n]*)\n(.*?)^```\n", re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)


def run(command, folder):
    env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120)
    return done.stdout


def matches(expected, found):
    parts = [re.escape(part) for part in re.split(r"^…\n", expected, flags=re.M)]
    return re.fullmatch(r"(?:.*\n)*".join(parts), found) is not None


def check(document, folder):
    text, complaints, blocks = document.read_text(), [], 0
    place = lambda at: f"{document.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}"

    def console(block):
        def step(command):
            found = run(command[1], folder)
            if matches(command[2], found):
                return command[0]
            if UPDATE and "…\n" not in command[2]:
                return f"$ {command[1]}\n{found}"
            complaints.append(f"{place(block.start(3) + command.start())}: {command[1]}\nexpected\n{command[2]}found\n{found}")
            return command[0]
        return f"```console{block[2]}\n{COMMAND.sub(step, block[3])}```\n"

    def each(block):
        nonlocal blocks
        blocks += 1
        if block[1] == "console":
            return console(block)
        name = block[2].strip() or "prog.nr"
        (folder / name).write_text(block[3])
        following = BLOCK.search(text, block.end())
        if not (following and following[1] == "console" and "```" not in text[block.end():following.start()]):
            said = run(f"nereus dump {name} --after=types > /dev/null", folder)
            if said:
                complaints.append(f"{place(block.start())}: the program is refused\n{said}")
        return block[0]

    updated = BLOCK.sub(each, text)
    if UPDATE and updated != text:
        document.write_text(updated)
        print(f"updated {document.relative_to(ROOT)}")
    return complaints, blocks


def main():
    complaints, blocks = [], 0
    for document in sorted((ROOT / "docs").glob("*.md")):
        with tempfile.TemporaryDirectory(prefix="docs") as folder:
            wrong, count = check(document, Path(folder))
        complaints += wrong
        blocks += count
    for name, command in {"ops.md": "nereus ops --markdown", "onnx_support.md": "nereus ops --onnx"}.items():
        made, kept = run(command, ROOT), ROOT / "docs" / name
        if UPDATE:
            kept.write_text(made)
        elif not kept.exists() or kept.read_text() != made:
            complaints.append(f"docs/{name} is not what the operators say: {command} > docs/{name}")
    print("\n".join(complaints) if complaints else f"{blocks} examples of the documents hold")
    return 1 if complaints or not blocks else 0


sys.exit(main())
