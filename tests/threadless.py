#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: threadless.py BUILD TIER: a regular expression of the tests of a tier that start no threads, for ctest --exclude-regex.

These are the tests that are given programs of the build folder, none of which calls pthread_create(). A test that is given a folder
may start any program there, and counts as one with threads. The thread sanitizer has nothing to find in a test without threads."""
import json
import os
import subprocess
import sys

build, tier = os.path.realpath(sys.argv[1]), sys.argv[2]
threads = {}  # program: whether it starts threads


def is_program(path):
    if not path.startswith(build + os.sep) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def starts_threads(path):
    if path not in threads:
        symbols = subprocess.run(["nm", "--undefined-only", path], capture_output=True, text=True, check=True).stdout
        threads[path] = "pthread_create" in symbols
    return threads[path]


def is_threadless(test):
    words = [os.path.realpath(word) for argument in test.get("command", []) for word in argument.split(";")]
    if any(word.startswith(build) and os.path.isdir(word) for word in words):
        return False
    programs = [word for word in words if is_program(word)]
    return bool(programs) and not any(map(starts_threads, programs))


listed = subprocess.run(["ctest", "--test-dir", build, "--build-config", tier, "--label-regex", f"^{tier}$", "--show-only=json-v1"],
                        capture_output=True, text=True, check=True)
names = [test["name"] for test in json.loads(listed.stdout)["tests"] if is_threadless(test)]
print(f"left out: {len(names)} tests of the tier {tier}, whose programs start no threads", file=sys.stderr)
print(f"^({'|'.join(names)})$" if names else "^$")
