#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: signals.py ALI3D ROOT: the tables of signals in the man pages name every signal with its unit, and no other signal. An OSC
address is a signal, or it is in the generated table of addresses."""
import json
import pathlib
import re
import subprocess
import sys

# Kinds of signals: the page, the section, and how the first cells of its rows begin.
PLACES = {
    "body": ("ali3d.yaml.5", "SIGNALS", "body.NAME."), "joint": ("ali3d.yaml.5", "SIGNALS", "joint.NAME."),
    "energy": ("ali3d.yaml.5", "SIGNALS", "energy."), "constraint": ("ali3d.yaml.5", "SIGNALS", "constraint."),
    "solver": ("ali3d.yaml.5", "SIGNALS", "solver."), "input": ("ali3d.yaml.5", "SIGNALS", "input.NAME."),
    "time": ("ali3d.yaml.5", "SIGNALS", "time"), "force": ("ali3d.yaml.5", "SIGNALS", ""),
    "sensor": ("ali3d.yaml.5", "SENSORS", ""), "platform": ("ali3-platform.7", "SIGNALS", ""),
    "loop": ("ali3-osc.7", "SIGNALS OF THE LOOP", ""),
}
OWN_TYPE = ("force", "sensor")  # rows of their tables begin with the type
NAMED = ("body", "joint", "force", "sensor", "input")  # the address has the name of an element


def plain(text):
    text = re.sub(r"\\f(\[\w*\]|.)|\\[&/,|]", "", text).replace("\\-", "-")
    return re.sub(r"^\.[A-Z]+ ", "", text, flags=re.M).replace('"', "")


def tables(page, section, head):
    """Rows of the tables in a section, as lists of cells. head: first cell of the table's head; None: any."""
    body = re.search(rf"^\.SH \"?{section}\"?\n(.*?)(?=^\.SH|\Z)", page, re.S | re.M)
    rows = []
    for table in re.findall(r"^\.TS\n(.*?)^\.TE", body.group(1) if body else "", re.S | re.M):
        table = re.sub(r"T\{\n(.*?)\nT\}", lambda m: m.group(1).replace("\n", " "), table, flags=re.S)
        own = [[plain(cell).strip() for cell in line.split("\t")] for line in table.split("\n") if "\t" in line]
        rows += [row for row in own[1:] if head is None or own[0][0] == head]
    return rows


def named(kind, row):
    """Quantities that a row is about: `body.NAME.position, .velocity` has position and velocity."""
    cell = row[1] if kind in OWN_TYPE else row[0]
    if kind == "sensor":  # a list with remarks in brackets
        return re.findall(r"(?:^|[\s,])\.(\w+)", cell)
    words = re.sub(r"\(.*?\)", "", cell).replace("...", "").split(",")
    return [re.sub(r"^.*\.(?=\w)|^\.", "", word.strip()) for word in words if word.strip()]


def has_units(units, text):
    """True if the text has each unit. "per s" stands for the rest of a unit, as in `m and rad; per s`."""
    for unit in re.sub(r"\bN m\b", "N", units).split():
        number, _, per = unit.partition("/")
        if not re.search(rf"(^|[\s:;(]){re.escape(unit)}($|[\s,:;)])", text) and not (
                re.search(rf"\b{number}\b", text) and per and f"per {per}" in text):
            return False
    return True


def main():
    ali3d, root = sys.argv[1:]
    printed = subprocess.run([ali3d, f"{root}/tests/man/signals.yaml", "--print-map=json"], check=True, capture_output=True, text=True)
    pages = {page.name: page.read_text(encoding="utf-8") for page in pathlib.Path(root, "tools", "man").glob("*.[0-9]")}
    rows = {kind: [row for row in tables(pages[page], section, "force type" if kind == "force" else None) if row[0].startswith(start)]
            for kind, (page, section, start) in PLACES.items()}
    wrong, seen = [], {kind: set() for kind in PLACES}
    for entry in json.loads(printed.stdout)["osc"]:
        address = entry["address"]
        kind, *path = address.removeprefix("/ali3/").split("/")
        # Other messages have a row of their own; some combine several signals.
        if kind not in PLACES or address in ("/ali3/platform/set", "/ali3/body/rod/state", "/ali3/body/slider/state"):
            if f"\t{address}\t" not in pages["ali3-osc.7"] and "/state" not in address:
                wrong.append(f"ali3-osc.7: no address {address}")
            continue
        name = path.pop(0) if kind in NAMED else ""
        if not path and kind == "input":
            continue  # all channels in one message
        if kind == "loop":
            path = path[2:] if path[0] == "level" else [".".join(path)] if path[0] == "load" else path
        quantity = path[0] if path else kind
        seen[kind].add(quantity if kind != "loop" or quantity[:4] != "load" else quantity.split(".")[1])
        # Rows of the sensor "pose" are as those of "point".
        own = [row for row in rows[kind] if kind not in OWN_TYPE or name in re.split(r",? +", row[0])]
        own += [row for row in rows[kind] if kind == "sensor" and any(f"as {row[0]}" in other[1] for other in own)]
        found = [row for row in own if quantity.split(".")[-1] in named(kind, row)]
        place = f"{PLACES[kind][0]}, {PLACES[kind][1]}"
        if not found:
            wrong.append(f"{place}: no signal {address}")
        elif kind != "sensor" and not any(has_units(entry["unit"], " ".join(row[1:])) for row in found):
            wrong.append(f"{place}: {address} is in {entry['unit']}, which its row does not say")
    for kind, (page, section, _) in PLACES.items():
        for word in sorted({word for row in rows[kind] for word in named(kind, row)} - seen[kind] - {"max"}):
            wrong.append(f"{page}, {section}: {kind} has no signal {word}")
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


main()
