#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: layout.py ROOT [--write]: tools/python/ali3/_layout.py has the structs, enumerations and functions of include/ali3 as ctypes
sees them, and sizes and offsets are those of tests/consumer/abi.txt, which a compiled program prints. With --write it replaces the file.
Exit status: 0 equal, 1 not."""
import ctypes
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
TARGET = ROOT / "tools" / "python" / "ali3" / "_layout.py"
SCALARS = {"double": "c_double", "int": "c_int", "unsigned": "c_uint", "bool": "c_bool", "size_t": "c_size_t", "uint64_t": "c_uint64",
           "unsigned char": "c_ubyte", "char": "c_char"}
HEAD = '''# SPDX-License-Identifier: MIT
# Made by tools/python/layout.py from include/ali3: do not change it by hand.
# mypy: ignore-errors
"""Structs, constants and functions of libali3."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_ubyte, c_uint, c_uint64,
                    c_void_p)

'''


def headers():
    names = ["status", "types", "version", "options", "model", "flat", "stepper", "mechanics", "state", "linear"]
    text = "\n".join((ROOT / "include" / "ali3" / f"{n}.h").read_text(encoding="utf-8") for n in names)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return text


def constants():
    """Values of the table that the compiler printed."""
    found = {}
    for line in (ROOT / "tests" / "consumer" / "abi.txt").read_text(encoding="utf-8").splitlines():
        match = re.fullmatch(r"(ALI3_\w+) (-?\d+)", line)
        if match:
            found[match[1]] = int(match[2])
    found["ALI3_ABI"] = int((ROOT / "tests" / "consumer" / "abi.txt").read_text(encoding="utf-8").split()[1])
    return found


def plain_type(text, structs):
    """The ctypes name of a type without an array."""
    text = re.sub(r"\bconst\b", "", text).strip()
    text = re.sub(r"\s+", " ", text)
    stars = text.count("*")
    base = text.replace("*", "").strip()
    if base in SCALARS and stars == 0:
        return SCALARS[base]
    if base == "char" and stars == 1:
        return "c_char_p"
    if base in structs:
        return base if stars == 0 else f"POINTER({base})"
    if base in SCALARS and stars == 1:
        return f"POINTER({SCALARS[base]})"
    if stars:
        return "c_void_p"
    return "c_int"  # an enumeration


def fields(body, structs):
    for declaration in body.split(";"):
        declaration = " ".join(declaration.split())
        if not declaration:
            continue
        pointer = re.fullmatch(r"(.*?)\(\s*\*(\w+)\s*\)(.*)", declaration)
        if pointer:  # a pointer to an array or to a function
            yield pointer[2], "POINTER(c_double)" if pointer[3].startswith("[") else "c_void_p"
            continue
        first, *rest = declaration.split(",")
        match = re.fullmatch(r"(.*?[\s*])(\w+)((?:\s*\[[^\]]*\])*)", first)
        kind = match[1].replace("*", "")
        for declarator in ["*" * match[1].count("*") + match[2] + match[3], *rest]:
            stars = kind + "*" * declarator.count("*")
            name, array = re.fullmatch(r"[\s*]*(\w+)((?:\s*\[[^\]]*\])*)", declarator).groups()
            made = plain_type(stars, structs)
            for size in reversed(re.findall(r"\[(\w+)\]", array)):
                made = f"{made} * {size}"
            yield name, made


def written():
    text = headers()
    structs = re.findall(r"typedef struct \{(.*?)\} (\w+);", text, re.S)
    names = [n for _, n in structs]
    out = [HEAD]
    known = constants()
    out.append("CONSTANTS = {\n" + "".join(f'    "{n}": {v},\n' for n, v in sorted(known.items())) + "}\n\n")
    statuses = re.findall(r'X\((ALI3_\w+), -?\d+,\s*"((?:[^"\\]|\\.)*)"\)', text)
    out.append("STATUS_NAMES = {\n" + "".join(f'    {known[n]}: "{n}",\n' for n, _ in statuses) + "}\n")
    for body, name in structs:
        rows = "".join(f'        ("{f}", {t}),\n' for f, t in fields(body, names))
        out.append(f"\n\nclass {name}(Structure):\n    _fields_ = [\n{rows}    ]\n")
    out.append("\n\nSTRUCTS = [\n" + "".join(f"    {n},\n" for n in names) + "]\n\n# name: (result, arguments)\nFUNCTIONS = {\n")
    for result, name, arguments in sorted(re.findall(r"^([a-z][\w \t]*?[\s*]+)(ali3_\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\);", text, re.M), key=lambda f: f[1]):
        kinds = []
        for argument in arguments.split(","):
            argument = " ".join(argument.split())
            if argument == "void":
                continue
            array = re.fullmatch(r"(.*?[\s*])\w+\s*\[[^\]]*\]", argument)
            kind = plain_type(array[1] + "*", names) if array else plain_type(re.fullmatch(r"(.*?[\s*])\w+", argument)[1], names)
            kinds.append("c_void_p" if kind.startswith("POINTER") else kind)
        made = "None" if result.strip() == "void" else plain_type(result, names)
        out.append(f'    "{name}": ({made}, [{", ".join(kinds)}]),\n')
    out.append("}\n")
    return "".join(out)


def check_offsets(text):
    """Sizes and offsets of ctypes are those of the compiler."""
    scope = {}
    exec(compile(text, "_layout.py", "exec"), scope)  # the file that this program wrote
    expected = {}
    name = None
    for line in (ROOT / "tests" / "consumer" / "abi.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  ."):
            field, offset = line[3:].split()
            expected[name][1][field] = int(offset)
        elif line.startswith("ali3_"):
            name, size = line.split()
            expected[name] = (int(size), {})
    wrong = False
    for struct in scope["STRUCTS"]:
        size, offsets = expected[struct.__name__]
        found = {f: getattr(struct, f).offset for f, *_ in struct._fields_}
        if ctypes.sizeof(struct) != size or found != offsets:
            print(f"layout.py: {struct.__name__}: ctypes has {ctypes.sizeof(struct)} bytes {found}, the compiler {size} {offsets}")
            wrong = True
    return not wrong


def main():
    text = written()
    good = check_offsets(text)
    if "--write" in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        print("layout.py: tools/python/ali3/_layout.py is not that of include/ali3: run tests/refresh")
        good = False
    sys.exit(0 if good else 1)


main()
