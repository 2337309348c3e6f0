#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: abi.py ROOT [--write]: sizes, offsets and constants of include/ali3 are those of tests/consumer/abi.txt, which belongs to
ALI3_ABI. With --write it replaces the file, if ALI3_ABI has risen with the change.
Exit status: 0 equal, 1 the layout changed, 77 there is no compiler."""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
TABLE = ROOT / "tests" / "consumer" / "abi.txt"
NO_VALUE = re.compile(r"_(H|LIST|ENUM|DECLARATIONS)$|^ALI3_VERSION|^ALI3_ABI$")


def fields(body):
    """Names of the fields of a struct: the last word of each declarator, or the name of a pointer to a function."""
    for declaration in body.split(";"):
        pointer = re.search(r"\(\s*\*(\w+)\s*\)", declaration)
        if pointer:
            yield pointer[1]
        elif declaration.strip():
            for declarator in declaration.split(","):
                yield re.search(r"(\w+)\)?\s*(\[[^\]]*\]\s*)*$", declarator.strip())[1]


def source():
    """A program that prints the table."""
    text = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "include" / "ali3").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    lines = []
    for name, body in sorted((n, b) for b, n in re.findall(r"typedef struct \{(.*?)\} (\w+);", text, re.S)):
        lines.append(f'P("{name} %zu\\n", sizeof({name}));')
        lines += [f'P("  .{f} %zu\\n", offsetof({name}, {f}));' for f in fields(body)]
    constants = sorted({n for n in re.findall(r"\bALI3_[A-Z0-9_]+\b", text) if not NO_VALUE.search(n)})
    lines += [f'P("{n} %lld\\n", (long long){n});' for n in constants]
    if len(lines) < 200:
        sys.exit(f"abi.py finds only {len(lines)} sizes, offsets and constants in the headers")
    return ("#include <ali3/ali3.h>\n#include <stddef.h>\n#include <stdio.h>\n#define P printf\nint main(void)\n{\n" +
            'P("abi %u\\n", (unsigned)ALI3_ABI);\n' + "\n".join(lines) + "\n}\n")


def main():
    compiler = os.environ.get("CC", "cc")
    if not shutil.which(compiler):
        print(f"skipped: no compiler {compiler}")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "abi.c")
        path.write_text(source(), encoding="utf-8")
        subprocess.run([compiler, "-std=c11", f"-I{ROOT}/include", path, "-o", path.with_suffix("")], check=True)
        now = subprocess.run([path.with_suffix("")], check=True, capture_output=True, text=True).stdout.splitlines()
    then = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else ["abi 0"]
    if now == then:
        return
    if now[1:] != then[1:] and int(now[0].split()[1]) <= int(then[0].split()[1]):
        print("\n".join(difflib.unified_diff(then, now, "tests/consumer/abi.txt", "include/ali3", n=1, lineterm="")))
        sys.exit("the binary interface changed: raise ALI3_ABI in include/ali3/version.h, then run tests/refresh")
    if "--write" in sys.argv:
        TABLE.write_text("\n".join(now) + "\n", encoding="utf-8")
        return
    sys.exit("tests/consumer/abi.txt is older than ALI3_ABI: run tests/refresh")


main()
