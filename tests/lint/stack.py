#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: stack.py ROOT FOLDER PROGRAM LIST: the stacks of the loop and of its workers are large enough, by far.

The program adds up the frames that the compiler reports (-fstack-usage, NAME.su beside each object under FOLDER) along the deepest
chain of calls of every line "thread" in LIST. The sum is an upper bound: if functions share a name the largest frame counts, and
chains through pointers count even if no run takes them. Functions of the C library are not included; they use the rest of the
stack and the smallest stack of a thread. The program prints the chain of each thread. Exit status: 1 if a chain takes more than
70 % of the stack, if a frame has no bound, or at recursion; 77 if frames are unknown (sanitizers, a compiler without
-fstack-usage)."""
import os
import re
import sys

import loopcode

PART = 0.7
RETURN_ADDRESS = 8  # in every frame; clang does not count it
RED_ZONE = 128  # below the last frame

root, folder, program_file, rules_file = sys.argv[1:]
rules = loopcode.List(rules_file)
program = loopcode.Program(program_file)
loop = loopcode.Loop(program, rules)
problems = list(loop.problems)


def frames():
    """{function: bytes}, the largest if functions share a name; functions whose frame has no bound"""
    found, dynamic = {}, set()
    for where, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".su") or name[:-2] + "o" not in names:
                continue
            with open(os.path.join(where, name), encoding="utf-8") as f:
                for line in f:
                    at, size, kind = line.rstrip("\n").split("\t")
                    function = loopcode.plain(at.split(":")[-1])
                    found[function] = max(found.get(function, 0), int(size) + RETURN_ADDRESS)
                    if kind == "dynamic":  # as opposed to "dynamic,bounded"
                        dynamic.add(function)
    return found, dynamic


def constant(file, name):
    """Value of an enumerator in a source file."""
    with open(os.path.join(root, file), encoding="utf-8") as f:
        found = re.search(rf"^\s*{name} = (\d+),", f.read(), re.M)
    if not found:
        sys.exit(f"{file}: no line \"{name} = NUMBER,\": correct {rules_file}")
    return int(found.group(1))


frame, unbounded = frames()
if not frame:
    loopcode.skip("no NAME.su beside the objects: the compiler does not know -fstack-usage")


def frame_of(at):
    name = loopcode.plain(program.name[at])
    if name not in frame:
        problems.append(f"no frame is known of {name}")
    if name in unbounded:
        problems.append(f"{name}: its frame has no bound: no arrays of variable length, no alloca()")
    return frame.get(name, 0)


deepest = {}  # {node: (bytes, next node)}


def depth(node):
    if node not in deepest:
        below = max(((depth(to)[0], to) for to in loop.calls[node]), default=(0, None))
        deepest[node] = (frame_of(node[0]) + below[0], below[1])
    return deepest[node]


def chain(node):
    while node:
        yield f"{frame_of(node[0])} {program.name[node[0]]}"
        node = deepest[node][1]


def check(thread):
    bottoms = {at for at in program.name if program.name[at] == thread.bottom}
    level = {node[1] for node in loop.way if program.name[node[0]] == thread.like}
    if len(bottoms) != 1 or len(level) != 1:
        problems.append(f"thread {thread.bottom} {thread.like}: expected each once in the loop's code: correct {rules_file}")
        return
    (bottom,), (level,) = bottoms, level
    # Functions outside the loop were called before it, to set up, and have returned.
    below = loop.called(bottom, level) & loop.way.keys()
    used, first = max(((depth(to)[0], to) for to in below), default=(0, None))
    used += frame_of(bottom) + RED_ZONE
    size = constant(thread.file, thread.constant) * 1024
    room = size - os.sysconf("SC_THREAD_STACK_MIN")  # glibc keeps its own data of a thread there, and signals a frame
    print(f"{thread.bottom}: {used} of {room} bytes, {100 * used / room:.1f} %: "
          f"{', '.join([f'{frame_of(bottom)} {thread.bottom}', *chain(first)])}")
    if used > PART * room:
        problems.append(f"{thread.bottom}: more than {PART:.0%} of its stack: {thread.constant} in {thread.file} is {size // 1024}")


if not problems:  # there is no sum where there is recursion
    for one in rules.threads:
        check(one)
print("\n".join(sorted(set(problems))) or f"{len({at for at, _ in loop.way})} functions")
sys.exit(1 if problems else 0)
