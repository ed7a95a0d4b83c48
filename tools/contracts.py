"""The rows of docs/contracts.md, for the scripts that check them and plant their bugs."""
import re
from pathlib import Path

DOCUMENT = "docs/contracts.md"
REACHED = [f"K{n}" for n in [*range(1, 14), 15, 17, 18, 19, 20, 21, 22, 23, 24]]
ROW = re.compile(r"^\| (?:(K\d+) [^|]*|[^|]+) \|.*\| `([^`|]+)` \| `([^`|]+)` \|$")
MOST_LINES = 5


class Row:
    """A promise: the number of its contract (None: no contract), the test that shows it, a bug that breaks it."""

    def __init__(self, line, contract, test, patch):
        self.line, self.contract, self.test, self.patch = line, contract, test, patch
        self.path, _, self.name = test.partition(":")    # a golden test has no name but its path

    def binary(self):
        return f"{Path(self.path).parts[1]}_test" if self.name else "nereus"


def rows(root):
    document = (root / DOCUMENT).read_text().splitlines()
    found = ((number, ROW.match(line)) for number, line in enumerate(document, 1))
    return [Row(number, *match.groups()) for number, match in found if match]
