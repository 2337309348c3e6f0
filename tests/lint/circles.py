#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: circles.py LIBRARY.a...: no two source files of a layer need each other, directly or through others.

An object needs another object of its library if it uses a symbol that the other defines. The program prints every circle. Exit
status: 1 if there is one, 77 if the objects cannot be read (no nm). It skips the kernels of the instruction sets, which code
reaches through a table of functions."""
import os
import re
import sys

import loopcode

loopcode.need("nm")


def needs_of(archive):
    """{object: {object it needs: symbol}}"""
    defined, taken = {}, []
    for line in loopcode.run("nm", "-A", archive):
        at, kind, symbol = line.rsplit(" ", 2)
        name = at.split(":")[1].split(".")[0]
        if name.endswith("_lanes"):
            continue
        if kind in "Uwv":
            taken.append((name, symbol))
        elif kind.isupper():
            defined[symbol] = name
    needs = {}
    for name, symbol in taken:
        other = defined.get(symbol)
        if other and other != name:
            needs.setdefault(name, {}).setdefault(other, symbol)
    return needs


def circles_of(needs):
    """Strongly connected sets of two objects or more."""
    reach = {name: set(others) for name, others in needs.items()}
    changed = True
    while changed:
        changed = False
        for name, others in reach.items():
            more = set().union(*(reach.get(other, set()) for other in others)) - others
            if more:
                others |= more
                changed = True
    seen = set()
    for name in sorted(reach):
        circle = {other for other in reach[name] if name in reach.get(other, set())}
        if circle and name not in seen:
            seen |= circle
            yield sorted(circle)


found = 0
for archive in sys.argv[1:]:
    library = re.sub(r"libali3_(\w+)\.a", r"\1", os.path.basename(archive))
    needs = needs_of(archive)
    for circle in circles_of(needs):
        found += 1
        ways = [f"{a} -> {b} ({s})" for a in circle for b, s in sorted(needs.get(a, {}).items()) if b in circle]
        print(f"src/{library}: a circle of {', '.join(circle)}: {'; '.join(ways)}")
print(f"{len(sys.argv) - 1} libraries, {found} circles")
sys.exit(1 if found else 0)
