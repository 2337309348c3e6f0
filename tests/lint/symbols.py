#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: symbols.py LIST LIBRARY.a...: our libraries use only external symbols that are on LIST, object by object.

calls.py follows the code of the loop; this program checks whole objects, set-up code included. The core uses no clock, thread or
stream, and the loop's libraries use nothing of liblo, libmodbus or systemd. A library may use all symbols of our libraries below
it. An object with the symbol `any` is not checked: no thread of the loop runs it. Exit status: 1 at any other symbol, 77 if the
objects cannot be read (sanitizers, no nm)."""
import os
import re
import sys

import loopcode

list_file, *archives = sys.argv[1:]
loopcode.need("nm")


def read_list():
    """{(library, object or *): symbols}"""
    groups, allowed = {}, {}
    with open(list_file, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            words = line.split("#")[0].split()
            if words[:1] == ["group"]:
                groups[words[1].rstrip(":")] = set(words[2:])
            elif words and words[0].endswith(":"):
                library, _, objects = words[0][:-1].partition("/")
                symbols = set().union(*(groups.get(word, {word}) for word in words[1:]))
                for name in objects.split(",") if objects else "*":
                    allowed.setdefault((library, name), set()).update(symbols)
            elif words:
                sys.exit(f"{list_file}:{number}: expected group NAME: or LIBRARY[/OBJECT,..]: and symbols, found: {line.strip()}")
    return allowed


allowed, own, wanted = read_list(), set(), []
for archive in archives:
    library = re.sub(r"libali3_(\w+)\.a", r"\1", os.path.basename(archive))
    for line in loopcode.run("nm", "-A", archive):
        at, kind, symbol = line.rsplit(" ", 2)
        if kind not in "Uwv":
            own.add(symbol)
        elif symbol not in ("_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"):  # the compiler adds both
            # The compiler takes checked variants of some functions (_FORTIFY_SOURCE), newer headers those of C23.
            wanted.append((library, at.split(":")[1].split(".")[0], re.sub(r"^__(?:isoc23_(\w+)|(\w+)_chk)$", r"\1\2", symbol)))
loopcode.skip_sanitized(symbol for _, _, symbol in wanted)

used, bad = set(), set()
for library, name, symbol in wanted:
    if symbol in own:
        continue
    key = next((key for key in ((library, "*"), (library, name)) if {symbol, "any"} & allowed.get(key, set())), None)
    if key:
        used.add((key, symbol))
    else:
        bad.add(f"{library}/{name} takes {symbol}, which {os.path.basename(list_file)} does not allow it")
print("\n".join(sorted(bad)) or f"{len(archives)} libraries, {len({symbol for _, symbol in used})} functions from outside")
sys.exit(1 if bad else 0)
