#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: hardened.py LIBRARIES PROGRAM...

Reads the ELF files: every program loads at a random address, binds all symbols at its start, has read-only tables of pointers, no
executable stack, and checks its stack and its copies. Kernels, in LIBRARIES/*_lanes.c.o, have no such checks."""
import glob
import os
import re
import subprocess
import sys

import loopcode

libraries, *programs = sys.argv[1:]
bad = []


def read(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, env=dict(os.environ, LC_ALL="C")).stdout


for program in programs:
    name = os.path.basename(program)
    head, segments, dynamic, symbols = (read("readelf", "-W", flag, program) for flag in ("-h", "-l", "-d", "-s"))
    loopcode.skip_sanitized(re.findall(r"\S+$", symbols, re.M))
    for holds, what in ((re.search(r"Type:\s+DYN", head), "does not load at a random address (-pie)"),
                        ("GNU_RELRO" in segments, "has writable tables of pointers (-z relro)"),
                        (re.search(r"BIND_NOW|\bNOW\b", dynamic), "binds symbols when they are called (-z now)"),
                        (not re.search(r"GNU_STACK.* RWE ", segments), "has an executable stack"),
                        ("__stack_chk_fail" in symbols, "does not check its stack (-fstack-protector-strong)"),
                        (re.search(r"__\w+_chk@", symbols), "does not check its copies (_FORTIFY_SOURCE)")):
        if not holds:
            bad.append(f"{name} {what}")
kernels = glob.glob(os.path.join(libraries, "**", "*_lanes.c.o"), recursive=True)
for kernel in kernels:
    if "__stack_chk_fail" in read("nm", kernel):
        bad.append(f"{os.path.basename(kernel)} checks its stack, which costs time in every step")
if not kernels:
    bad.append(f"{libraries}: no kernels found")
print("\n".join(bad) or f"{len(programs)} programs, {len(kernels)} objects of kernels")
sys.exit(1 if bad else 0)
