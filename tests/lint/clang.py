#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: clang.py BUILD [--tidy]: every source except tests passes clang's warnings as errors; with --tidy, clang-tidy's checks.
Tests are compiled with clang by tests/run --clang.

The flags of each file come from BUILD/compile_commands.json. Nothing is compiled. Exit status: 1 if a file fails, 77 if clang is
not installed, or in a build with a sanitizer of gcc, whose flags are not those of the product."""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys

GCC_ONLY = ("-fno-tree-loop-distribute-patterns", "--param=")  # clang rejects unknown options
# file: checks that clang-tidy skips there. Calls that the FMU refuses have the parameters of the standard.
LEFT_OUT = {"src/io/fmi/fmi3_absent.c": "-misc-unused-parameters"}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build, tidy = sys.argv[1], "--tidy" in sys.argv
tool = shutil.which("clang-tidy" if tidy else "clang")
if not tool:
    print(f"skip: {'clang-tidy' if tidy else 'clang'} is not installed")
    sys.exit(77)
with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
    units = {unit["file"]: unit for unit in json.load(f)}
if any("-fsanitize=" in unit["command"] for unit in units.values()):
    print("skip: built with a sanitizer")
    sys.exit(77)
units = {file: unit for file, unit in units.items() if not file.startswith(ROOT + "/tests/")}


def flags_of(unit):
    words = shlex.split(unit["command"])
    while not words[0].startswith("-"):  # the compiler, and perhaps its cache
        words.pop(0)
    flags = [flag for flag in words if flag not in ("-c", "-MD", unit["file"]) and not flag.startswith(GCC_ONLY)]
    for word in ("-o", "-MT", "-MF"):
        if word in flags:
            del flags[flags.index(word):flags.index(word) + 2]
    return flags


def tidied(unit):
    checks = "--checks=" + LEFT_OUT.get(os.path.relpath(unit["file"], ROOT), "")
    command = [tool, "--quiet", "--warnings-as-errors=*", checks, unit["file"], "--", *flags_of(unit)]
    done = subprocess.run(command, cwd=unit["directory"], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


def compiled(group):
    """Returns the messages of clang about each file that it refuses. The text of four files takes a third of their time, because
    headers are read once. Where they do not go together, which names of their own may cause, each is compiled alone."""
    text = ""
    for unit in group:
        with open(unit["file"], encoding="utf-8") as source:
            text += f'#line 1 "{unit["file"]}"\n{source.read()}\n'
    folders = [word for unit in group for word in ("-iquote", os.path.dirname(unit["file"]))]
    command = [tool, *flags_of(group[0]), *folders, "-Werror", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, cwd=group[0]["directory"], input=text, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    return [done.stderr] if len(group) == 1 else [said for unit in group for said in compiled([unit])]


def groups_of(count):
    """The units in groups of at most `count` with the same flags."""
    alike = {}
    for unit in units.values():
        alike.setdefault((unit["directory"], *flags_of(unit)), []).append(unit)
    return [group[k:k + count] for group in alike.values() for k in range(0, len(group), count)]


failed = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for said in pool.map(tidied, units.values()) if tidy else pool.map(compiled, groups_of(4)):
        failed += len(said)
        print(*said, sep="", end="", flush=True)
print(f"{len(units)} files, {failed} with findings")
sys.exit(1 if failed else 0)
