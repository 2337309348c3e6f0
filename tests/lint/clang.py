#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: clang.py BUILD [--tidy]: every source except tests passes clang's warnings as errors; with --tidy, clang-tidy's checks.
Tests are compiled with clang by tests/run --clang.

The flags of each file come from BUILD/compile_commands.json. Nothing is compiled. Exit status: 1 if a file fails, 77 if clang is
not installed."""
import concurrent.futures
import json
import os
import shlex
import shutil
import subprocess
import sys

GCC_ONLY = ("-fno-tree-loop-distribute-patterns", "--param=")  # clang rejects unknown options
# file: checks that clang-tidy skips there. The analyzer takes a minute for all shapes of links, and assumes a link without a
# body.
LEFT_OUT = {"src/core/stepper/link_lanes.c": "-clang-analyzer-*"}
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build, tidy = sys.argv[1], "--tidy" in sys.argv
tool = shutil.which("clang-tidy" if tidy else "clang")
if not tool:
    print(f"skip: {'clang-tidy' if tidy else 'clang'} is not installed")
    sys.exit(77)
with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
    units = {unit["file"]: unit for unit in json.load(f)}


units = {file: unit for file, unit in units.items() if not file.startswith(ROOT + "/tests/")}


def check(unit):
    flags = [flag for flag in shlex.split(unit["command"])[1:]
             if flag not in ("-c", unit["file"]) and not flag.startswith(GCC_ONLY)]
    del flags[flags.index("-o"):flags.index("-o") + 2]
    if tidy:
        checks = "--checks=" + LEFT_OUT.get(os.path.relpath(unit["file"], ROOT), "")
        command = [tool, "--quiet", "--warnings-as-errors=*", checks, unit["file"], "--", *flags]
    else:
        command = [tool, *flags, "-Werror", "-fsyntax-only", unit["file"]]
    done = subprocess.run(command, cwd=unit["directory"], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + ("" if tidy and done.returncode == 0 else done.stderr)


failed = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for status, said in pool.map(check, units.values()):
        if status != 0:
            failed += 1
            print(said, end="")
print(f"{len(units)} files, {failed} with findings")
sys.exit(1 if failed else 0)
