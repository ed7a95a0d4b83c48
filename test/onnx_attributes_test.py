#!/usr/bin/python3
"""Which attributes the operators of ONNX have, as the package onnx says: test/onnx_attributes_test.py ROOT [--record]

src/import/op_attributes.cpp must say the same; --record writes it. The package is that of the suite (NEREUS_ONNX_SUITE, or
tools/onnx_suite writes it); where it cannot be had, the test is skipped.
"""
import argparse
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "onnx"))
from suite_folder import suite_folder, with_package  # noqa: E402

ROW = re.compile(r'    \{"([^"]*)", "(\w+)", +"([^"]*)"\},')
NEWEST = re.compile(r'    \{"([^"]*)", (\d+)\},')


def described():
    """Per operator its attributes in any of its versions; per domain the newest version that is released."""
    import onnx
    attributes = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        attributes.setdefault((schema.domain, schema.name), set()).update(schema.attributes)
    _, _, *newest = onnx.helper.VERSION_TABLE[-1]
    newest = dict(zip(("", "ai.onnx.ml", "ai.onnx.preview.training"), newest))
    return {key: " ".join(sorted(names)) for key, names in attributes.items() if key[0] in newest}, newest


def record(table, attributes, newest):
    operators = [f'    {{"{domain}", "{name}", "{names}"}},\n' for (domain, name), names in sorted(attributes.items())]
    versions = [f'    {{"{domain}", {version}}},\n' for domain, version in newest.items()]
    text = table.read_text()
    for mark, rows in ("operators", operators), ("versions", versions):
        head, rest = text.split(f"// {mark}\n")
        text = f"{head}// {mark}\n{''.join(rows)}// end\n{rest.split('// end' + chr(10), 1)[1]}"
    table.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    with_package(suite_folder(args.root))
    attributes, newest = described()
    table = args.root / "src/import/op_attributes.cpp"
    if args.record:
        record(table, attributes, newest)
    said = {(domain, name): names for domain, name, names in ROW.findall(table.read_text())}
    wrong = sorted(key for key in attributes.keys() | said.keys() if attributes.get(key) != said.get(key))
    for key in wrong:
        print(f"FAILED  {key[0]} {key[1]}: {table.name} says '{said.get(key)}', the package '{attributes.get(key)}'")
    versions = {domain: int(version) for domain, version in NEWEST.findall(table.read_text())}
    if versions != newest:
        print(f"FAILED  {table.name} says that {versions} are the newest, the package {newest}")
    print(f"{len(attributes)} operators, {len(attributes) - len(wrong)} as the table says")
    sys.exit(1 if wrong or versions != newest else 0)


main()
