"""A copy of the tree in which bugs are planted, one at a time: for tools/mutants and tools/planted.

It is in build-mutants/; the tree itself is never touched. Files that did not change keep their times, so that little is
built again.
"""
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build-mutants/tree"
ENV = {**os.environ, "GIT_CEILING_DIRECTORIES": str(COPY.parent)}      # git: the copy is no part of a repository
JOBS = str(len(os.sched_getaffinity(0)))


def run(*command, seconds=None, settings=None):
    """None: it did not end in time."""
    try:
        return subprocess.run(command, cwd=COPY, env={**ENV, **(settings or {})}, timeout=seconds, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return None


def copy_tree():
    """Brings the copy up to date."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], check=True, capture_output=True,
                            text=True, cwd=ROOT).stdout.splitlines()
    for old in [path for path in COPY.rglob("*") if path.is_file()]:
        name = old.relative_to(COPY).as_posix()
        if not name.startswith("build/") and not (name in listed and (ROOT / name).exists()):
            old.unlink()
    for name in listed:
        source, target = ROOT / name, COPY / name
        if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
            target.chmod(source.stat().st_mode)


def build(names):
    if not (COPY / "build/build.ninja").exists():
        done = run("/usr/bin/cmake", "-S", ".", "-B", "build", "-G", "Ninja")
        if done.returncode:
            return done
    return run("/usr/bin/ninja", "-C", "build", "-j", JOBS, *sorted(names))


@contextmanager
def planted(patch):
    """With the bug in the copy; gives whether it could be planted."""
    applied = run("git", "apply", patch).returncode == 0
    try:
        yield applied
    finally:
        if applied:
            run("git", "apply", "-R", patch)
