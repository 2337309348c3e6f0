#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: sentences.py ROOT: every sentence of tests/e2e/sentences.py is printed by src/. Prints every breach; exit status 1 if any."""
import os
import re
import runpy
import sys

ROOT = sys.argv[1]


def literals():
    """The string literals of src/, adjacent ones joined."""
    for where, _, names in os.walk(os.path.join(ROOT, "src")):
        for name in names:
            if name.endswith((".c", ".h")):
                with open(os.path.join(where, name), encoding="utf-8") as f:
                    yield re.sub(r'"\s*"', "", f.read())


def main():
    known = {name: text for name, text in runpy.run_path(os.path.join(ROOT, "tests", "e2e", "sentences.py")).items()
             if isinstance(text, str) and name.isupper()}
    sources = "\n".join(literals())
    lost = [f"tests/e2e/sentences.py: {name}: no source prints {text!r}" for name, text in known.items() if text not in sources]
    print("\n".join(lost) if lost else f"{len(known)} sentences")
    sys.exit(1 if lost or not known else 0)


main()
