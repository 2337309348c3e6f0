#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: calls.py PROGRAM LIST: the loop reaches nothing that could block.

Reads the machine code of the built daemon: from the functions that LIST calls roots it follows every call, jump and taken
address, and compares the library functions reached with those LIST allows. So a printf or malloc three calls down is
found, also in code that no test happens to run. Nor may the loop recurse: its stack is bounded. Prints the way to each
forbidden function; exit status 1 if any, 77 where the code cannot be read (sanitizers, no objdump)."""
import re
import shutil
import subprocess
import sys

program, allow_list = sys.argv[1:]
objdump = shutil.which("objdump")
if not objdump:
    print("skip: objdump is not installed")
    sys.exit(77)

roots, allowed = [], set()
with open(allow_list, encoding="utf-8") as f:
    for line in f:
        words = line.split("#")[0].split()
        if words[:1] == ["root"]:
            roots += words[1:]
        elif words[:1] == ["allow"]:
            allowed.update(words[1:])

# One node per function address, since static functions of two files may share a name.
name_of, edges, here = {}, {}, None
target = re.compile(r"\b([0-9a-f]+) <([^>+]+)(\+0x[0-9a-f]+)?>")
code = subprocess.run([objdump, "-d", "--no-show-raw-insn", program], capture_output=True, text=True, check=True).stdout
for line in code.splitlines():
    start = re.match(r"([0-9a-f]+) <(.+)>:$", line)
    if start:
        here = int(start.group(1), 16)
        name_of[here] = start.group(2)
        edges[here] = set()
    elif here is not None:
        found = target.search(line)
        # A jump inside a function is shown as <name+offset>, a call to one as <name>; library functions go by
        # <name@plt> or through the table of addresses <name@GLIBC_2.17>.
        if found and not found.group(3):
            edges[here].add(found.group(2) if "@" in found.group(2) else int(found.group(1), 16))
if any("__asan_" in name or "__tsan_" in name or "__ubsan_" in name for name in name_of.values()):
    print("skip: built with a sanitizer")
    sys.exit(77)

starts = [a for a, name in name_of.items() if name in roots]
missing = set(roots) - {name_of[a] for a in starts}
way, todo, reached, bad = {a: None for a in starts}, list(starts), set(), []
while todo:
    at = todo.pop()
    for to in edges[at]:
        if isinstance(to, str) or name_of.get(to, "").endswith("@plt"):
            name = (to if isinstance(to, str) else name_of[to]).split("@")[0]
            reached.add(name)
            if name not in allowed:
                path, step = [name], at
                while step is not None:
                    path.append(name_of[step])
                    step = way[step]
                bad.append(" <- ".join(path))
        elif to in edges and to not in way:
            way[to] = at
            todo.append(to)

# Recursion: what is left when functions that call nothing more are taken away again and again.
calls = {at: {to for to in edges[at] if to in way} for at in way}
while True:
    leaves = {at for at, out in calls.items() if not out}
    if not leaves:
        break
    calls = {at: out - leaves for at, out in calls.items() if at not in leaves}
recursive = sorted(name_of[at] for at in calls if any(at in calls[to] for to in calls[at]) or at in calls[at])

for name in sorted(missing):
    print(f"root {name} is not in {program}: correct {allow_list}")
for path in sorted(set(bad)):
    print(f"the loop can reach {path}")
if calls:
    print(f"the loop can recurse, among: {', '.join(recursive or sorted(name_of[at] for at in calls))}")
for name in sorted(allowed - reached):
    print(f"note: {name} is allowed but never reached")
if bad or missing or calls:
    sys.exit(1)
print(f"{len(way)} functions; of the C library: {', '.join(sorted(reached))}")
