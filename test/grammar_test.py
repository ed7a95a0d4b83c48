#!/usr/bin/python3
"""Checks that editors/nereus.tmLanguage.json knows the words of the lexer: test/grammar_test.py ROOT"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
grammar = json.loads((ROOT / "editors/nereus.tmLanguage.json").read_text())
parts = grammar["repository"]


def matches(rule, text):
    """What a rule, or one of its rules, takes of the whole text."""
    rules = parts[rule].get("patterns", [parts[rule]])
    return any(re.fullmatch(each["match"], text) for each in rules if "match" in each)


def words(name, path):
    block = re.search(rf"{name}\[\] = \{{(.*?)\}};", (ROOT / path).read_text(), re.S)[1]
    return re.findall(r'"([^"]+)"', block)


wrong = []
for word in words("keywords", "src/text/lexer.cpp"):
    if not (matches("keyword", word) or matches("constant", word)):
        wrong.append(f"no rule for the keyword {word}")
for sign in words("signs", "src/text/lexer.cpp"):
    if sign not in "()[]{},;." and not matches("operator", sign):
        wrong.append(f"no rule for the sign {sign}")
dtypes = re.search(r"dtype_name\(DType.*?\n}", (ROOT / "src/tensor/dtype.h").read_text(), re.S)[0]
for word in re.findall(r'"(\w+)"', dtypes):
    if not matches("dtype", word):
        wrong.append(f"no rule for the dtype {word}")
for rule, text in [("value", "%x_1"), ("function", "@f.grad"), ("type", "Tree"), ("number", "1e-3"), ("comment", "# why")]:
    if not matches(rule, text):
        wrong.append(f"{rule} does not take {text}")
for rule in grammar["patterns"]:
    if rule["include"][1:] not in parts:
        wrong.append(f"no part {rule['include']}")
print("\n".join(wrong) or "the grammar knows every word")
sys.exit(1 if wrong else 0)
