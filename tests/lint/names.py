#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: names.py [ROOT] [--folder FOLDER]: names that a stranger can search for, and a comment for each stage.

In src/ and tools/:
- a static function's name has a noun: two words or more, joined by "_";
- a static function or variable has its name alone, unless SAME says why several of them are the same thing;
- no identifier is one of IMAGES, whose meaning has to be learnt: use the field's word beside it;
- a function with more than 15 lines of code has a comment in its body, and one more for every 20 lines beyond 35;
- a line of a comment has at most 130 columns.
Prints every breach; exit status 1 if there is one. --folder judges one folder."""
import argparse
import os
import re
import sys

# Names of one word: the language or a library has the name, or the callback is known by it.
SINGLE = {
    "usage": "prints the usage of a program, in every program of the world",
}
# Names that several files may have, and why they mean one thing.
SAME = {
    "usage": "each program prints its own",
    "help": "each program prints its own",
    "take_options": "each program reads its own",
    "ask_to_stop": "each program's handler of SIGINT and SIGTERM",
}
# An image, and the word of the field.
IMAGES = {
    "alone": "self_contained", "apart": "separate", "bare": "leaf_children", "bell": "wakeup", "beside": "aligned", "book": "histograms",
    "calm": "settled", "eyes": "host_probe", "find_gives": "find_mobility", "fused": "merged", "gives": "mobility", "keeper": "param_server",
    "kept": "saved",
    "look": "inspect, read", "sight": "inspection", "stretch": "interval, run", "tips": "has_points", "told": "reported",
    "twin": "copy", "wish": "target",
}
CODE_UNCOMMENTED = 15  # lines of code that need no comment
CODE_PER_COMMENT = 20  # lines of code that each comment beyond the first serves
WIDEST = 130  # columns of a comment's line


def sources(root):
    for top in ("src", "tools"):
        for where, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(f for f in folders if f != "__pycache__")
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(where, name), root)


def blank(pattern, text):
    """The text with every match made of blanks: line numbers stay."""
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


COMMENT = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'  # or a string, which is not to be taken for one


class Source:
    """Declarations at file level, and functions with their bodies. The file is formatted by .clang-format: bodies begin and end
    with a brace in the first column."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8") as f:
            self.text = f.read()
        self.comments = [(self.text.count("\n", 0, m.start()) + 1, m.group())
                         for m in re.finditer(COMMENT, self.text, flags=re.S) if m.group().startswith("/")]
        code = blank(COMMENT, self.text)
        code = blank(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", code)
        self.code = blank(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", code).split("\n")

    def functions(self, static):
        """(name, is static, line of the name, code lines of the body, comments in it). static: the words that begin a static
        function."""
        for at, line in enumerate(self.code):
            if line.rstrip() != "{":
                continue
            first = at
            while first > 0 and self.code[first - 1].strip() and not re.search(r"[;}]\s*$", self.code[first - 1]):
                first -= 1
            head = " ".join(self.code[first:at])
            name = re.search(r"(\w+)\s*\(", head)
            end = next(n for n in range(at, len(self.code)) if self.code[n].startswith("}"))
            body = sum(1 for text in self.code[at + 1:end] if text.strip(" {}\t"))
            inside = sum(1 for number, _ in self.comments if at + 1 < number <= end)
            if name:
                yield name.group(1), head.split()[0] in static, first + 1, body, inside

    def variables(self):
        """(name, line) of static ones at file level."""
        for at, line in enumerate(self.code):
            found = re.match(r"static\s+(?!inline)[^=;({]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|;|$)", line)
            pointer = re.match(r"static\s[^=;{(]*\(\*(?:const )?(\w+)", line)
            if found or pointer:
                yield (found or pointer).group(1), at + 1


class Lint:
    def __init__(self, root):
        self.breaches = []  # (path, line, text)
        self.places = {}  # static name: [(path, line)]
        every = [Source(root, path) for path in sources(root)]
        macros = {name for source in every for name in re.findall(r"(?m)^#define (\w+) +static\b", source.text)}
        for source in every:
            self.judge(source, {"static"} | macros)
        for name, places in sorted(self.places.items()):
            files = sorted({path for path, _ in places})
            if len(files) > 1 and name not in SAME:
                for path, line in places:
                    others = ", ".join(other for other in files if other != path)
                    self.breaches.append((path, line, f"{name}: a static name of {others}, too: say the noun"))
        self.breaches.sort()

    def judge(self, source, statics):
        def breach(line, text):
            self.breaches.append((source.path, line, text))

        for name, static, line, code, comments in source.functions(statics):
            if static and "_" not in name.strip("_") and name not in SINGLE:
                breach(line, f"{name}: one word: say what it is done to")
            if static:
                self.places.setdefault(name, []).append((source.path, line))
            needed = 0 if code <= CODE_UNCOMMENTED else 1 + max(0, code - CODE_UNCOMMENTED - 1) // CODE_PER_COMMENT
            if comments < needed:
                breach(line, f"{name}: {code} lines of code, {comments} comments of {needed}: name its stages")
        for name, line in source.variables():
            self.places.setdefault(name, []).append((source.path, line))
        for line, text in enumerate(source.code, 1):
            for word in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)):
                if word in IMAGES:
                    breach(line, f"{word}: an image: say {IMAGES[word]}")
        for first, text in source.comments:
            for line, part in enumerate(text.split("\n"), first):
                width = len(source.text.split("\n")[line - 1])
                if width > WIDEST:
                    breach(line, f"a comment of {width} columns, more than {WIDEST}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", nargs="?", default=".")
    options.add_argument("--folder", type=lambda name: name.rstrip("/"))
    options = options.parse_args()
    root, folder = options.root, options.folder
    bad = 0
    for path, line, text in Lint(root).breaches:
        if not folder or path.startswith(folder + "/"):
            bad += 1
            print(f"{path}:{line}: {text}")
    print(f"{bad} breaches")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
