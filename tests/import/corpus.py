#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: corpus.py BIN LIST ROOT [--keep DIR] [OPTION of ali3-import]...

Imports every file of a list of public URDF files and checks the models. BIN: folder of ali3-import and ali3d. LIST: lines REPOSITORY
PATH ..., where # begins a comment. ROOT: folder with the repositories. --keep DIR keeps the models, as NUMBER.yaml.

Each file must become a model that ali3d --check accepts, or end with a message that names the file. Exit status: 0 each does, 1 one
does not, 2 wrong usage."""
import collections
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 60


def run(*command):
    """(exit status, standard output, standard error); None in place of the status if it took too long."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, b"", ""
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def listed(path):
    with open(path, encoding="utf-8") as file:
        return [line.split()[:2] for line in file if line.strip() and not line.startswith("#")]


def cause(message):
    """The first error, without names and numbers."""
    lines = [line for line in message.splitlines() if "error:" in line] or ["no message"]
    text = lines[0].partition("error: ")[2] or lines[0]
    return re.sub(r"[0-9][0-9.e+-]*", "N", re.sub(r"'[^']*'", "'..'", text))[:90]


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    binaries, names, root, *options = arguments
    keep = None
    if options[:1] == ["--keep"]:
        keep, options = options[1], options[2:]
        os.makedirs(keep, exist_ok=True)
    causes, bad, models = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (repository, path) in enumerate(listed(names)):
            file = os.path.join(root, repository, path)
            status, model, message = run(os.path.join(binaries, "ali3-import"), file, *options)
            if status == 1 and file in message and "error:" in message and not model:
                causes[cause(message)] += 1
                continue
            if status != 0:
                bad.append(f"{path}: ali3-import: exit status {status}: {message[-300:]}")
                continue
            written = os.path.join(keep or folder, f"{number}.yaml")
            with open(written, "wb") as output:
                output.write(model)
            status, _, message = run(os.path.join(binaries, "ali3d"), written, "--check")
            if status == 0:
                models += 1
            else:
                bad.append(f"{path}: {number}.yaml: ali3d --check: exit status {status}: {message[:600]}")
    for text, count in causes.most_common():
        print(f"{count:4} {text}")
    print(f"{models:4} models that ali3d --check accepts")
    for text in bad:
        print("BAD", text)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
