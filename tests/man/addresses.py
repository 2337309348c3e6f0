#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: addresses.py ALI3D ROOT: an OSC address that is not a signal is in the table of ali3-osc(7), and the table of ali3-platform(7)
has every signal of the platform with its unit, and no other. tables.py generates the tables of all other signals."""
import json
import pathlib
import re
import subprocess
import sys

SIGNALS = "body joint force sensor input energy constraint solver time loop platform".split()
MESSAGES = ("/ali3/platform/set", "/ali3/platform/jog")  # under the name of a kind of signals


def is_message(address):
    """True for an address that is not a signal: ali3-osc(7) has it in its table."""
    return address.removeprefix("/ali3/").split("/")[0] not in SIGNALS or address in MESSAGES


def plain(text):
    return re.sub(r"\\f(\[\w*\]|.)|\\[&/,|]", "", text).replace("\\-", "-")


def platform_rows(page):
    """{name: the other cells of its row} in the table of the section SIGNALS."""
    section = re.search(r"^\.SH SIGNALS\n(.*?)^\.SH", page, re.S | re.M).group(1)
    table = re.search(r"^\.TS\n(.*?)^\.TE", section, re.S | re.M).group(1)
    table = re.sub(r"T\{\n(.*?)\nT\}", lambda m: m.group(1).replace("\n", " "), table, flags=re.S)
    rows = [plain(line).split("\t") for line in table.split("\n") if "\t" in line][1:]
    return {name: " ".join(cells) for names, *cells in rows for name in names.split(", ")}


def has_unit(unit, text):
    """True if the text has the unit, also in the form `m and rad; per s`."""
    length, _, time = unit.partition("/")
    words = re.split(r"[\s,:;]+", text)
    return unit in words or length in words and f"per {time}" in text


def main():
    ali3d, root = sys.argv[1:]
    printed = subprocess.run([ali3d, f"{root}/tests/man/interfaces.yaml", "--print-map=json"], check=True, capture_output=True, text=True)
    osc, platform = (pathlib.Path(root, "tools", "man", page).read_text(encoding="utf-8") for page in ("ali3-osc.7", "ali3-platform.7"))
    rows, seen, wrong = platform_rows(platform), set(), []
    for entry in json.loads(printed.stdout)["osc"]:
        kind, *path = entry["address"].removeprefix("/ali3/").split("/")
        if is_message(entry["address"]):
            if f"\t{entry['address']}\t" not in plain(osc):
                wrong.append(f"ali3-osc.7: no address {entry['address']}")
        elif kind == "platform":
            seen.add(path[0])
            if path[0] not in rows:
                wrong.append(f"ali3-platform.7: no signal {path[0]}")
            elif not all(has_unit(unit, rows[path[0]]) for unit in entry["unit"].split()):
                wrong.append(f"ali3-platform.7: {path[0]} is in {entry['unit']}, which its row does not say")
    wrong += [f"ali3-platform.7: the platform has no signal {name}" for name in sorted(rows.keys() - seen)]
    print("\n".join(wrong))
    sys.exit(1 if wrong or not seen else 0)


if __name__ == "__main__":
    main()
