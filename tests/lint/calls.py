#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: calls.py PROGRAM LIST: the loop calls no function that could block.

The program reads the machine code of the built daemon. From the roots of LIST it follows every call, jump, taken address and
declared pointer (loopcode.py), and compares the library functions that it reaches with those that LIST allows. So it finds a
printf or malloc three calls down, also in code that no test runs. The loop may not recurse either, because its stack is
bounded. It prints the path to each forbidden function. Exit status: 1 if there is one, 77 if the code cannot be read
(sanitizers, no objdump)."""
import sys

import loopcode

program, allow_list = sys.argv[1:]
rules = loopcode.List(allow_list)
loop = loopcode.Loop(loopcode.Program(program), rules)
used = list(loop.libraries())
reached = {name for name, _ in used}
bad = {" <- ".join([name, *loop.path(node)]) for name, node in used if name not in rules.allowed}

for problem in loop.problems:
    print(problem)
for path in sorted(bad):
    print(f"the loop can reach {path}")
for name in sorted(rules.allowed - reached):
    print(f"note: {name} is allowed but never reached")
if bad or loop.problems:
    sys.exit(1)
print(f"{len({at for at, _ in loop.way})} functions; of the C library: {', '.join(sorted(reached))}")
