# SPDX-License-Identifier: MIT
"""The code of the loop in a built program, for calls.py and stack.py: the graph of calls from the roots.

Calls, jumps and taken addresses come from the machine code. Machine code does not show the targets of a call through a pointer:
the lines "pointer" of the list (calls.txt) declare them, level by level. A node of the graph is a function at the level of the
last pointer, and a chain of calls passes every level at most once."""
import fnmatch
import re
import shutil
import subprocess
import sys
from collections import namedtuple

SKIP = 77
TAKEN = "taken"
Thread = namedtuple("Thread", "bottom like file constant")


def skip(reason):
    print(f"skip: {reason}")
    sys.exit(SKIP)


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            skip(f"{tool} is not installed")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def skip_sanitized(symbols):
    if any(re.match("__(asan|tsan|ubsan)_", symbol) for symbol in symbols):
        skip("built with a sanitizer")


def plain(name):
    """Name of the function of a variant that the compiler made: count.constprop.0 is count."""
    return name.split(".")[0]


class List:
    """The lines of calls.txt."""

    def __init__(self, path):
        self.path, self.roots, self.allowed, self.levels, self.threads = path, [], set(), [], []
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                words = line.split("#")[0].split()
                if words[:1] == ["root"]:
                    self.roots += words[1:]
                elif words[:1] == ["allow"]:
                    self.allowed.update(words[1:])
                elif words[:1] == ["pointer"]:
                    self.levels.append(words[1:])
                elif words[:1] == ["thread"] and len(words) == 5:
                    self.threads.append(Thread(*words[1:]))
                elif words:
                    sys.exit(f"{path}:{number}: expected root, pointer, thread or allow, found: {line.strip()}")


class Program:
    """Functions by address, since static functions of two files may share a name."""

    TARGET = re.compile(r"\b([0-9a-f]+) <([^>+]+)(\+0x[0-9a-f]+)?>")
    CALL = re.compile(r"(call|j[a-z]+|bl?|b\.[a-z]+|cbn?z|tbn?z) ")
    POINTER = re.compile(r"(call|jmp) \*|bl?r ")

    def __init__(self, path):
        need("objdump", "nm", "readelf")
        self.name = {}          # {address: name}
        self.to = {}            # {address: addresses, and names of library functions}
        self.takes = {}         # {address: functions whose address it takes}
        self.by_pointer = set() # those that call through a pointer
        skip_sanitized(line.split()[-1] for line in run("nm", path))
        self._read_code(path)
        self.tables = self._read_tables(path)

    def _read_code(self, path):
        here, before = None, ""
        for line in run("objdump", "-d", "--no-show-raw-insn", path):
            start = re.match(r"([0-9a-f]+) <(.+)>:$", line)
            if start:
                here = int(start.group(1), 16)
                self.name[here] = start.group(2)
                self.to[here], self.takes[here] = set(), set()
                continue
            code = " ".join(line.split("\t")[-1].replace("notrack ", "").replace("bnd ", "").split())
            if here is None or not code:
                continue
            # A jump inside a function is shown as <name+offset>, a call to one as <name>; library functions go by
            # <name@plt> or through the table of addresses <name@GLIBC_2.17>.
            found = self.TARGET.search(code)
            if found and not found.group(3):
                to = found.group(2) if "@" in found.group(2) else int(found.group(1), 16)
                self.to[here].add(to)
                if not isinstance(to, str) and not self.CALL.match(code):
                    self.takes[here].add(to)
            elif not found and self.POINTER.match(code):
                # The jump of a switch goes to a sum.
                switch = re.match(r"(?:jmp \*%|br )(\w+)$", code)
                if not (switch and re.match(rf"add (.*,%{switch[1]}$|{switch[1]},)", before)):
                    self.by_pointer.add(here)
            before = code

    def _read_tables(self, path):
        """{name of a constant: functions it points to}"""
        objects = []
        for line in run("nm", "-S", "--defined-only", path):
            words = line.split()
            if len(words) == 4 and words[2] not in "tTwW":
                objects.append((int(words[0], 16), int(words[1], 16), words[3]))
        pointers = {}
        for line in run("readelf", "-rW", path):
            words = line.split()
            if len(words) == 4 and words[2].endswith("_RELATIVE") and int(words[3], 16) in self.name:
                pointers[int(words[0], 16)] = int(words[3], 16)
        return {name: [to for at, to in pointers.items() if first <= at < first + size] for first, size, name in objects}

    def foreign(self, to):
        """Name of the library function `to` leads to, or None."""
        name = to if isinstance(to, str) else self.name.get(to, "")
        return name.split("@")[0] if "@" in name else None

    def named(self, pattern):
        """Functions of that name, in all their variants, and those that constants of that name point to."""
        found = {at for at, name in self.name.items() if "@" not in name and fnmatch.fnmatchcase(plain(name), pattern)}
        return found.union(*(to for name, to in self.tables.items() if fnmatch.fnmatchcase(name, pattern)))


class Loop:
    """Everything that the roots reach: nodes are (function, level)."""

    def __init__(self, program, rules):
        self.program, self.problems = program, []
        self.level = {}  # {function: of the line that names it}
        for number, patterns in enumerate(rules.levels, 1):
            for pattern in set(patterns) - {TAKEN}:
                functions = program.named(pattern)
                if not functions:
                    self.problems.append(f"pointer {pattern} is not in the program: correct {rules.path}")
                for at in functions:
                    self.level.setdefault(at, number)
        roots = set()
        for name in rules.roots:
            found = {(at, 0) for at, known in program.name.items() if known == name}
            if not found:
                self.problems.append(f"root {name} is not in the program: correct {rules.path}")
            roots |= found
        taken_level = next((n for n, patterns in enumerate(rules.levels, 1) if TAKEN in patterns), None)
        while True:
            self._walk(roots, len(rules.levels))
            more = self._taken() - self.level.keys() if taken_level else set()
            if not more:
                break
            self.level.update((at, taken_level) for at in more)
        again = self._recursive()
        if again:
            self.problems.append(f"the loop can recurse, among: {', '.join(again)}")

    def _taken(self):
        return {to for at, _ in self.way for to in self.program.takes[at] if to in self.program.to}

    def called(self, at, level):
        """Nodes one call away from a function."""
        program = self.program
        nodes = {(to, max(level, self.level.get(to, 0))) for to in program.to[at]
                 if not program.foreign(to) and to in program.to}
        if at in program.by_pointer:
            nodes = nodes.union(*self.behind[level:])
        return nodes

    def _walk(self, roots, levels):
        self.behind = [{(at, n) for at, level in self.level.items() if level == n} for n in range(1, levels + 1)]
        self.way, self.calls = {node: None for node in roots}, {}  # {node: a node that calls it}, {node: nodes that it calls}
        todo = sorted(roots)
        while todo:
            node = todo.pop()
            self.calls[node] = self.called(*node)
            for to in sorted(self.calls[node] - self.way.keys()):
                self.way[to] = node
                todo.append(to)

    def libraries(self):
        """(library function, node that calls it)"""
        for node in self.way:
            for to in self.program.to[node[0]]:
                name = self.program.foreign(to)
                if name:
                    yield name, node

    def path(self, node):
        """Names on the way to a node, last first."""
        names = []
        while node:
            names.append(self.program.name[node[0]])
            node = self.way[node]
        return names

    def _recursive(self):
        """Names of functions that can be called again before they return, and of those that call them."""
        # Remove functions that call nothing until no function goes: the rest recurses.
        calls = dict(self.calls)
        while True:
            leaves = {node for node, out in calls.items() if not out & calls.keys()}
            if not leaves:
                return sorted({self.program.name[node[0]] for node in calls})
            calls = {node: out for node, out in calls.items() if node not in leaves}
