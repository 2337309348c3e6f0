#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: prose.py [ROOT] [FOLDER...]: words that may not appear in what people read.

The program reads README files, man pages, comments, docstrings and string literals with two words or more. It compares each sentence
with prose.txt, which lists first words and phrases, each with the words to write instead. With folders or files it
checks these alone. Without them it checks the tree except the folders in prose_later.txt, which are still to be rewritten. It
prints `file:line: phrase: write this instead` for each finding. The exit status is 1 if there is a finding."""
import argparse
import bisect
import io
import os
import re
import sys
import tokenize

HERE = os.path.dirname(os.path.abspath(__file__))
TOPS = ["CMakeLists.txt", "README.md", "config", "include", "src", "systemd", "tests", "tools"]
DATA = ["tests/fuzz/corpus", "tests/reference"]  # files that programs read
NOTE = 7  # blanks; a shorter sentence that begins with a small letter is a note beside a name: `int number; /* of the miss */`


class Unit:
    """A paragraph, list item, table cell, comment or string: its text in one line, and the line number of each character. A label
    is a heading or a table cell, which may be a part of a sentence."""

    def __init__(self, label=False):
        self.text, self.label = "", label
        self.starts, self.lines = [], []  # offsets in text, and the file's line from each of them on

    def add(self, line, text):
        text = re.sub(r"\s+", " ", text).strip()
        if text:
            self.text += " " if self.text else ""
            self.starts.append(len(self.text))
            self.lines.append(line)
            self.text += text

    def line(self, offset):
        return self.lines[max(0, bisect.bisect_right(self.starts, offset) - 1)]


def paragraphs(lines):
    """Units of plain text in (number, text). A blank line, a list item and a change to a deeper indent each begin a new one."""
    unit, indent, found = Unit(), 0, []
    for number, text in lines:
        deep = len(text) - len(text.lstrip())
        if not text.strip() or re.match(r"\s*([-*•]|\d+\.) ", text) or deep > indent + 3:
            found.append(unit)
            unit = Unit()
        unit.add(number, re.sub(r"^\s*([-*•]|\d+\.) ", "", text))
        indent = deep
    return [u for u in [*found, unit] if u.text]


def numbered(line, text):
    return list(enumerate(text.split("\n"), line))


def comment_units(line, text):
    """A comment of C without its marks."""
    text = re.sub(r"^/\*+|\*+/$|^//+", lambda m: " " * len(m.group()), text)
    return paragraphs((n, re.sub(r"^\s*(//|\*(?!\S))", " ", t)) for n, t in numbered(line, text))


def string_units(line, text):
    """A literal, if people may read it: it has two words with a blank between them. Placeholders count as a word."""
    text = re.sub(r"\\x[0-9a-fA-F]+|\\[0-7]{1,3}", "", text)
    text = re.sub(r"\\n", lambda _: "\n", text)  # an escaped end of line ends a sentence of a help text
    text = re.sub(r"\\(.)", r"\1", text)
    if not re.search(r"[A-Za-z%}\]]['\"]?[,:;]? +[A-Za-z%{]", text):
        return []
    return [u for u in paragraphs([(line, t) for t in re.split(r"\n(?=\s*\n|\s*-)", text)]) if " " in u.text]


C_PIECE = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\])*")|'(?:\\.|[^'\\])+'""", re.S)
C_JOINED = re.compile(r'\s*(?:PRI\w+|[A-Z][A-Z0-9_]*)?\s*$')


def c_units(text):
    found, held = [], None  # held: (first line, text, end) of literals that the compiler joins
    at = lambda offset: text.count("\n", 0, offset) + 1

    def let_go():
        if held:
            found.extend(string_units(held[0], held[1]))

    comments = []  # [first line, last line, text]
    for m in C_PIECE.finditer(text):
        if m.group("comment"):
            first, last = at(m.start()), at(m.end() - 1)
            alone = not text[text.rfind("\n", 0, m.start()) + 1:m.start()].strip()
            if m.group().startswith("//") and alone and comments and comments[-1][1] == first - 1 and comments[-1][3]:
                comments[-1][1:3] = [last, comments[-1][2] + "\n" + m.group()]
            else:
                comments.append([first, last, m.group(), alone and m.group().startswith("//")])
        elif m.group("string"):
            if held and C_JOINED.match(text[held[2]:m.start()]):
                held = (held[0], held[1] + (" X " if text[held[2]:m.start()].strip() else "") + m.group()[1:-1], m.end())
            else:
                let_go()
                held = (at(m.start()), m.group()[1:-1], m.end())
    let_go()
    for first, _, comment, _ in comments:
        found.extend(comment_units(first, comment))
    return found


def python_units(text):
    found, block, depth = [], [], 0  # block: consecutive lines of comments
    lines = text.split("\n")
    start = None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "COMMENT":
            alone = not lines[token.start[0] - 1][:token.start[1]].strip()
            if block and not (alone and block[-1][0] == token.start[0] - 1):
                found.extend(paragraphs(block))
                block = []
            block.append((token.start[0], token.string.lstrip("#!")))
            if not alone:
                found.extend(paragraphs(block))
                block = []
        elif name == "FSTRING_START":
            depth += 1
            start = start or token.start
        elif name == "STRING" and not depth or name == "FSTRING_END":
            depth -= name == "FSTRING_END"
            if depth:
                continue
            first, last = start or token.start, token.end
            start = None
            raw = "\n".join(lines[first[0] - 1:last[0]])
            raw = raw[first[1]:len(raw) - len(lines[last[0] - 1]) + last[1]]
            mark = re.match(r"[a-zA-Z]*('''|\"\"\"|'|\")", raw)
            inside = raw[mark.end():-len(mark.group(1))]
            if "\n" in inside:
                found.extend(paragraphs(numbered(first[0], inside)))
            else:
                found.extend(string_units(first[0], inside))
    return found + paragraphs(block)


HASH_PIECE = re.compile(r'''"(?:\\.|[^"\\])*"|(?<!\w)'[^']*'|(?:(?<=\s)|^)#.*''')


def hash_units(text, strings):
    """Comments after #, and strings in quotation marks, of shell, CMake, YAML and units of systemd."""
    found, block = [], []
    here = None  # the word that ends a here-document
    for number, line in enumerate(text.split("\n"), 1):
        if here:
            if line.strip() == here:
                here = None
            else:
                found.extend(string_units(number, line))
            continue
        begun = re.search(r"<<-?\s*['\"]?(\w+)", line) if strings else None
        here = begun.group(1) if begun else None
        before, mark = line, ""
        for m in HASH_PIECE.finditer(line):
            if m.group().startswith("#"):
                before, mark = line[:m.start()], m.group()
            elif strings:
                found.extend(string_units(number, m.group()[1:-1]))
        if block and (not mark or before.strip() or block[-1][0] != number - 1):
            found.extend(paragraphs(block))
            block = []
        if mark:
            block.append((number, mark.lstrip("#!")))
            if before.strip():
                found.extend(paragraphs(block))
                block = []
    return found + paragraphs(block)


def markdown_units(text):
    found, prose, fenced, blank = [], [], False, True
    for number, line in numbered(1, text):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            prose.append((number, ""))
            continue
        code = fenced or (line.startswith("    ") and blank)  # an indented block goes on until a line with less indent
        blank = not line.strip() or code
        if code:
            prose.append((number, ""))
            continue
        line = re.sub(r"`[^`]*`", "`c`", line)
        if line.startswith(("#", "|")):
            prose.append((number, ""))
            for cell in re.split(r"(?<!\\)\|", line.strip("|# ")):
                unit = Unit(label=True)
                unit.add(number, cell)
                found.append(unit)
        else:
            prose.append((number, re.sub(r"^>+ ?", "", line)))
    return found + paragraphs(prose)


ROFF_BREAK = re.compile(r"\.(TP|PP|P|LP|IP|SH|SS|RS|RE|TH|HP|br|sp|TQ|UR|UE|MT|ME|ti|in)\b")


def man_units(text):
    found, unit, verbatim, heading = [], Unit(), False, False

    def end(label=False):
        nonlocal unit
        found.append(unit)
        unit = Unit(label)

    for number, line in numbered(1, text):
        if line.startswith(('.\\"', "'\\\"")):
            if "generated:" not in line:
                found.extend(paragraphs([(number, line[3:])]))
            continue
        if re.match(r"\.(nf|EX)\b", line):
            verbatim = True
        elif re.match(r"\.(fi|EE)\b", line):
            verbatim = False
        if verbatim or re.match(r"\.(nf|fi|EX|EE|TS|TE|TH)\b", line):
            end()
            continue
        heading = re.match(r"\.(SH|SS)\b", line)
        if ROFF_BREAK.match(line) or line.startswith(("T{", "T}")) or "\t" in line:
            end(bool(heading))
        line = re.sub(r"^\.[A-Za-z]+ ?", "", line)
        line = re.sub(r'"', "", line) if text.startswith(".") else line
        line = re.sub(r"\\f(\[\w*\]|.)|\\[&/,|^)%]|\\s[-+]?\d", "", line)
        line = re.sub(r"\\-", "-", re.sub(r"\\\((bu|em|en)", "-", re.sub(r"\\e", "/", line)))
        for cell in line.split("\t"):
            if "\t" in line:
                end(label=True)
            unit.add(number, cell.removeprefix("T{").removeprefix("T}"))
        if heading:
            end()
    end()
    return [u for u in found if u.text]


def units(path, text):
    name = os.path.basename(path)
    first = text.split("\n", 1)[0]
    if name.endswith((".c", ".h", ".c.in", ".h.in")):
        return c_units(text)
    if name.endswith(".py") or first.startswith("#!") and "python" in first:
        return python_units(text)
    if name == "CMakeLists.txt" or name.endswith((".cmake", ".sh")) or first.startswith("#!"):
        return hash_units(text, strings=True)
    if name.endswith((".yaml", ".yml", ".in", ".service")):
        return hash_units(text, strings=False)
    if name.endswith(".md"):
        return markdown_units(text)
    if re.search(r"\.\d$", name):
        return man_units(text)
    return []


class Rules:
    """The lines of prose.txt: `words -> write this instead`, under [starts] or [phrases]."""

    def __init__(self, path):
        self.starts, self.phrases = [], []
        section = ""
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                if line.startswith("["):
                    section = line.strip("[]")
                    continue
                words, arrow, advice = (part.strip() for part in line.rpartition(" -> "))
                if not arrow:
                    sys.exit(f"{path}:{number}: {line!r}: expected `words -> what to write instead`")
                if section == "starts":
                    self.starts.append((re.compile(rf"{words}\b(?!\))", re.I), words, advice))
                else:
                    self.phrases.append((re.compile(words, re.I), advice))

    def judge(self, unit):
        """(line, words, advice) of each finding in the unit."""
        found = []
        for m in re.finditer(r"(?:^|(?<=[.!?])[)\"'”]* (?=[A-Z]))[(\"'“]*", unit.text):
            sentence = re.match(r".*?(?:[.!?](?= |$)|$)", unit.text[m.end():]).group()
            note = unit.label or sentence[:1].islower() and sentence.count(" ") < NOTE
            for pattern, words, advice in self.starts:
                if pattern.match(sentence) and not note and not sentence.endswith("?"):
                    found.append((unit.line(m.end()), f'a sentence begins with "{words}"', advice))
        for pattern, advice in self.phrases:
            for m in pattern.finditer(unit.text):
                words = m.group().strip(" .:;(")
                found.append((unit.line(m.start() + m.group().find(words)), f'"{words}"', advice))
        return found


def files(root, folders, later):
    for top in folders or TOPS:
        path = os.path.join(root, top)
        if os.path.isfile(path):
            yield path
        for where, inside, names in os.walk(path):
            at = os.path.relpath(where, root)
            inside[:] = sorted(f for f in inside if f != "__pycache__" and os.path.join(at, f) not in DATA + later)
            yield from (os.path.join(where, name) for name in sorted(names) if os.path.join(at, name) not in later)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", nargs="?", default=".")
    options.add_argument("folders", nargs="*")
    options = options.parse_args()
    options.folders = [os.path.normpath(folder) for folder in options.folders]
    with open(os.path.join(HERE, "prose_later.txt"), encoding="utf-8") as f:
        later = [] if options.folders else [line.strip() for line in f if not line.startswith("#")]
    for folder in options.folders:
        if not os.path.exists(os.path.join(options.root, folder)):
            sys.exit(f"{folder}: no such file or folder in {options.root}: give a path below the root")
    rules = Rules(os.path.join(HERE, "prose.txt"))
    bad = 0
    for path in files(options.root, options.folders, later):
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except UnicodeDecodeError:
            continue  # data
        findings = sorted({finding for unit in units(path, text) for finding in rules.judge(unit)})
        for line, words, advice in findings:
            print(f"{os.path.relpath(path, options.root)}:{line}: {words}: {advice}")
        bad += len(findings)
    print(f"{bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
