#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: tables.py [--write] ALI3D ROOT: tables of the man pages that come from the tables in the code.

A man page has each of them between the lines `.\\" generated: NAME` and `.\\" end`. Without --write the pages are only compared with
what ALI3D prints; exit status 1 if one is out of date."""
import json
import pathlib
import re
import subprocess
import sys

import addresses
import key_tables
import signal_tables


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def table(form, head, rows):
    """A tbl table. The last column is a text block, which may break its lines."""
    lines = [".TS", form + ".", "\t".join(f"\\fB{h}\\fP" for h in head), "_"]
    for *cells, text in rows:
        lines.append("\t".join([escape(c) for c in cells] + [f"T{{\n{escape(text)}\nT}}" if text else ""]))
    return "\n".join(lines + [".TE"])


def osc_addresses(io_map):
    """Addresses that every configuration has. The page describes addresses of signals in words."""
    rows = []
    for a in io_map["osc"]:
        if not addresses.is_message(a["address"]):
            continue
        way = {(True, False): "in", (False, True): "out"}.get((a["in"], a["out"]), "both")
        types = " or ".join(t or "nothing" for t in a["types"].split("|"))
        if a["address"] == "/ali3/in/frame":
            types = "ih and one f for each channel"
        rows.append((way, a["address"], types, a["text"] + (f" ({a['unit']})" if a["unit"] and "-" not in a["unit"] else "")))
    return table("l l lx lx", ("way", "address", "types", "meaning"), rows)


def modbus_registers(io_map):
    """Registers that have one meaning in every configuration. The page describes registers of signals in words."""
    rows = []
    for r in io_map["modbus"]:
        if r["table"] == "discrete" or ("." in r["signal"] and not r["signal"].startswith("platform.")):
            continue
        kind = r["type"] + (f" ({r['unit']})" if r["unit"] else "")
        rows.append((r["table"], str(r["address"]), kind, r["signal"] + (f": {r['text']}" if r["text"] else "")))
    rows += [("holding", "100 + 2 k", "f32", "input channel k < 32, in the order of the file; acts when register 164 changes"),
             ("input", "1000 + 14 k", "7 x f32", "body k < 128: position x y z (m), orientation e0 e1 e2 e3"),
             ("input", "4000 + 2 k", "f32", "value k < 1024 of the sensors, in the order of the CSV columns")]
    rows.sort(key=lambda row: (["coil", "holding", "input"].index(row[0]), int(row[1].split()[0])))
    return table("l l l lx", ("table", "address", "type", "meaning"), rows)


def status_bits(io_map):
    rows = [(str(r["address"]), f"{r['signal']}: {r['text']}") for r in io_map["modbus"] if r["table"] == "discrete"]
    return table("r lx", ("bit", "meaning"), rows)


def main():
    write = sys.argv[1] == "--write"
    ali3d, root = sys.argv[1 + write:]
    printed = subprocess.run([ali3d, f"{root}/tests/man/interfaces.yaml", "--print-map=json"], check=True, capture_output=True, text=True)
    io_map = json.loads(printed.stdout)
    file_keys = key_tables.read_keys(ali3d)
    made = {f.__name__.replace("_", "-"): f(io_map) for f in (osc_addresses, modbus_registers, status_bits)}
    made["keys"] = key_tables.key_sections(file_keys)
    all_signals = signal_tables.read_signals(ali3d)
    loads = ("force", "torque")  # no signals
    types = {"force": [t for t in key_tables.types_of(file_keys, "forces") if t not in loads],
             "sensor": key_tables.types_of(file_keys, "sensors")}
    if missing := signal_tables.missing_types(all_signals, types):
        sys.exit(f"tests/man/signals.yaml has no element of the type {', '.join(missing)}: its name there is its type")
    made["signals"] = signal_tables.signal_table(all_signals)
    made["force-signals"] = signal_tables.force_table(all_signals)
    made["sections"] = key_tables.section_table(file_keys)
    old, found = [], set()
    for page in sorted(pathlib.Path(root, "tools", "man").glob("*.[0-9]")):
        text = page.read_text(encoding="utf-8")

        def put(m):
            found.add(m.group(2))
            return m.group(1) + (made[m.group(2)] + "\n" if m.group(2) in made else m.group(3)) + m.group(4)

        new = re.sub(r'(\.\\" generated: (\S+)\n)(.*?)(\.\\" end\n)', put, text, flags=re.S)
        if new != text:
            old.append(page.name)
            if write:
                page.write_text(new, encoding="utf-8")
    missing = set(made) - found
    if missing:
        sys.exit(f"tables without a page: {', '.join(sorted(missing))}")
    schema = json.loads(subprocess.run([ali3d, "--schema"], check=True, capture_output=True, text=True).stdout)
    page = pathlib.Path(root, "tools", "man", "ali3d.yaml.5").read_text(encoding="utf-8")
    undocumented, unknown = key_tables.compare_keys(page, schema, file_keys)
    if types := key_tables.missing_types(page, file_keys):
        sys.exit(f"ali3d.yaml.5: no table has the types {types}")
    if undocumented or unknown:
        sys.exit(f"ali3d.yaml.5 does not have the keys {undocumented}, and the program does not know {unknown}")
    if old and not write:
        sys.exit(f"out of date: {', '.join(old)}; run tests/refresh")


main()
