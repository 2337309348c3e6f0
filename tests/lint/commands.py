#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: commands.py ROOT BUILD: the commands that tests/README.md, src/README.md and CONTRIBUTING.md show can be given as they stand.

Paths below tests/, tools/ and config/ exist, tests/run accepts its arguments, patterns of ctest match a test, and every option of
another program stands in its help or in its source. tests/e2e/test_readme.py runs the commands of README.md itself."""
import os
import re
import shlex
import subprocess
import sys

ROOT, BUILD = sys.argv[1], os.path.abspath(sys.argv[2])
PAGES = ["tests/README.md", "src/README.md", ".github/CONTRIBUTING.md"]
OURS = re.compile(r"(tests|tools|config)/[\w./-]+$")
WINGS = [os.path.join("src", wing) for wing in os.listdir(os.path.join(ROOT, "src"))]  # pages name a source by its room
GIVEN = ("BIN", "FILE", "OTHER", "PORT", "SECONDS", "NAME", "LAYER", "FOLDER", "CASE")  # words that the reader replaces


def commands(text):
    """(line, command) of each code span and of each line of a code block."""
    for block in re.finditer(r"^```sh\n(.*?)^```", text, re.S | re.M):
        first = text.count("\n", 0, block.start(1)) + 1
        yield from ((first + i, line) for i, line in enumerate(block.group(1).splitlines()))
    for span in re.finditer(r"(?<!`)`([^`\n]+)`(?!`)", text):
        yield text.count("\n", 0, span.start()) + 1, span.group(1)


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=ROOT, check=False)
    return done.returncode, done.stdout + done.stderr


def program(word):
    """The file that a first word names; None if it is no program of ours."""
    for path in (os.path.join(ROOT, word), os.path.join(BUILD, os.path.relpath(word, "build")), os.path.join(BUILD, "bin", word)):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def says(path):
    """The text in which an option of a program must stand: its source if it is a script, else its help."""
    with open(path, "rb") as f:
        if f.read(4) != b"\x7fELF":
            f.seek(0)
            return f.read().decode()
    return output(path, "--help")[1]


def faults(command):
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return
    while words and re.match(r"[A-Z]\w*=", words[0]):  # environment
        words.pop(0)
    for word in words:
        if OURS.match(word) and not any(part in GIVEN for part in re.split(r"[/_.]", word)) and not any(
                os.path.exists(os.path.join(ROOT, where, word)) for where in ("", *WINGS)):
            yield f"{word} does not exist"
    if not words:
        return
    if words[0] == "tests/run":
        status, text = output("tests/run", "--dry-run", *words[1:])
        if status != 0:
            yield text.strip()
    elif words[0] == "ctest":
        for pattern in (words[i + 1] for i, word in enumerate(words[:-1]) if word == "-R"):
            if "Total Tests: 0" in output("ctest", "--test-dir", BUILD, "-N", "-R", pattern)[1]:
                yield f"no test matches {pattern}"
    elif program(words[0]) and (len(words) > 1):
        known = says(program(words[0]))
        for option in (word.split("=")[0] for word in words[1:] if re.match(r"--\w", word)):
            if not re.search(re.escape(option.lstrip("-")) + r"\b", known):
                yield f"{words[0]} has no option {option}"


def main():
    found = looked = 0
    for page in PAGES:
        with open(os.path.join(ROOT, page), encoding="utf-8") as f:
            text = f.read()
        for line, command in commands(text):
            looked += 1
            for fault in faults(command):
                print(f"{page}:{line}: {command}: {fault}")
                found += 1
    print(f"{looked} commands and names, {found} wrong")
    sys.exit(1 if found or not looked else 0)


main()
