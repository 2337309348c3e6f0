#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: library.py ROOT PROGRAM...: libali3(3) names every public function and status, and no other, and its example, compiled as
PROGRAM, prints what the page says. library.py --example ROOT prints the source of the example."""
import pathlib
import re
import subprocess
import sys


def check_names(page, headers, pattern, what):
    known = set(re.findall(pattern, re.sub(r"/\*.*?\*/", "", headers, flags=re.S)))
    named = set(re.findall(pattern, page))
    if len(known) < 10:
        sys.exit(f"the headers have only {len(known)} {what}: {pattern} does not find them")
    for missing in sorted(known - named):
        print(f"libali3.3: no {what} {missing}, which a header has")
    for unknown in sorted(named - known):
        print(f"libali3.3: {what} {unknown}, which no header has")
    return known != named


def main():
    root, *program = sys.argv[2:] if sys.argv[1] == "--example" else sys.argv[1:]
    roff = pathlib.Path(root, "tools", "man", "libali3.3").read_text(encoding="utf-8")
    page = re.sub(r"\\&|\\f.", "", roff).replace("\\-", "-").replace("\\e", "\\")
    source, printed = re.findall(r"^\.EX\n(.*?)^\.EE", page, re.S | re.M)
    if not program:
        sys.stdout.write(source)
        return

    headers = "".join(path.read_text(encoding="utf-8") for path in sorted(pathlib.Path(root, "include", "ali3").glob("*.h")))
    wrong = check_names(page.replace(source, ""), headers, r"\b(ali3_\w+)(?=\()", "function")
    wrong |= check_names(page, headers, r"\b(ALI3_(?:OK|NOT_CONVERGED|MOVED|VIOLATED|E_[A-Z]+))\b", "status")
    found = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    if found != printed:
        print(f"libali3.3: the example prints {found!r}, the page {printed!r}")
        wrong = True
    sys.exit(1 if wrong else 0)


main()
