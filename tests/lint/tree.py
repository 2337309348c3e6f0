#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: tree.py ROOT: rules of the source tree that no compiler checks. Prints every breach; exit status 1 if any.

The link lines of src/WING/CMakeLists.txt define the layers: a layer sees the headers of the layers that its own line names, and names
no other. The program checks that these lines point down in ORDER, and that no source goes around them."""
import fnmatch
import os
import re
import sys

ROOT = sys.argv[1]
# Wings, lowest first, with their rooms, lowest first: a room links only rooms that stand before it, so a wing knows lower wings alone.
WINGS = {
    "core": ["base", "math", "model", "measure", "actuators", "dynamics", "articulated", "dca", "condensation", "layout", "kernels", "stepper", "assembly", "state", "mechanics", "linear", "together", "findings"],
    "platform": ["hexapod", "envelope", "cueing", "platform", "rig", "jog"],
    "lab": ["coordinates", "links", "integrators", "formulations", "recursive"],
    "host": ["rt", "trace", "outfile"],
    "realtime": ["signals", "inputs", "telemetry", "frames", "machine", "workers", "loop"],
    "picture": ["scene", "mesh", "draw"],
    "io": ["wire", "transport", "osc_messages", "osc", "modbus_server", "modbus_client", "packets", "fmi"],
    "file": ["command", "yaml", "expand", "settings", "config", "manual"],
    "daemon": ["log", "journal", "restart", "checkpoints", "parameters", "daemon"],
}
ORDER = [room for rooms in WINGS.values() for room in rooms]
WING = {room: wing for wing, rooms in WINGS.items() for room in rooms}
# The core has no I/O, no clock and no threads: it sees only itself, and no system header with them.
CORE = WINGS["core"]
CORE_HEADERS = {"assert.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h",
                "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h", "immintrin.h"}
TOP = {"CMakeLists.txt", "LICENSE", "README.md", "config", "include", "src", "systemd", "tests", "tools"}
# Names that the loop's layers, or all sources, may not have, with the reason.
LOOP = [*CORE, "hexapod", "envelope", "cueing", "platform", "rig", "jog", "rt", "trace", "signals", "inputs", "telemetry", "frames", "machine", "workers", "loop"]
BANNED_LOOP = {
    r"\b(pthread_(mutex|rwlock|cond|spin|barrier)|mtx_|cnd_|sem_)\w*": "the loop and its threads share no lock",
}
BANNED = {
    r"\bmodbus_(set|get)_float\w*": "libmodbus 3.1.6 swaps the bytes wrongly; see modbus_server/map.h",
    r"\bmodbus_receive\b": "blocks all clients for the slowest one; see modbus_server/mbap.h",
    r"\b(strcpy|strcat|sprintf|gets|alloca)\s*\(": "unbounded",
}
# Names that src/, the daemon, may not have.
BANNED_DAEMON = {
    r"\b(CLOCK_(REALTIME|TAI)\w*|(gettimeofday|timespec_get|time)\s*\()": "the wall clock jumps; instants are monotonic",
    r"\b(sem|pthread_(mutex|rwlock|cond)|mtx|cnd)_timed\w+": "waits until an instant of the wall clock, which jumps",
    r"\b(usleep|sleep|nanosleep|thrd_sleep)\s*\(": "sleeps are to absolute instants; see rt/clock.h",
}
# (file, a banned name that it may have): why.
EXCUSED = {
    ("src/daemon/log/wall_clock.c", "CLOCK_REALTIME"): "tells that the clock was set, and stamps the file of misses",
    ("src/io/transport/kernel_stamp.c", "CLOCK_REALTIME"): "the kernel's stamps are of it; only the difference to now is used",
}
# A source, its header and its private header x_parts.h are one unit. Circles of units that are there for a reason: a unit in each, how
# many units the circle has, and why. src/README.md says what to do instead.
CIRCLES = {
    "src/core/dca/tree": (8, "tree.h has the types of the elimination tree, and tree.c builds it from the others"),
    "src/core/dynamics/rows": (3, "a row holds a coordinate, and a coordinate is differentiated by the primitives of rows"),
}
LONGEST = 500  # lines of a source file that is to be read at a sitting
FULLEST = 30  # sources in a folder that is to be taken in at a glance
NAMESAKES = 2  # sources in src/ with one base name: a debugger shows a file without its folder

breaches = []


def breach(path, line, text):
    breaches.append(f"{os.path.relpath(path, ROOT)}:{line}: {text}")


def files(folder, *ends):
    for where, folders, names in os.walk(os.path.join(ROOT, folder)):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        yield from (os.path.join(where, name) for name in sorted(names) if not ends or name.endswith(ends))


def lines(path):
    with open(path, encoding="utf-8") as f:
        return list(enumerate(f.read().splitlines(), 1))


def without_comments(path):
    """(number, text) with comments and strings blanked, so that they may name what code may not."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    blank = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    return list(enumerate(blank.splitlines(), 1))


def folder_of(layer):
    return f"src/{WING[layer]}/{layer}"


def check_links():
    """{layer: layers that it may include}, from the link lines of all wings, and {layer: (file, number of its line, words after
    LINK)}."""
    sees, lines_of = {}, {}
    for wing, rooms in WINGS.items():
        path = os.path.join(ROOT, "src", wing, "CMakeLists.txt")
        for number, line in lines(path) if os.path.exists(path) else ():
            found = re.match(r"ali3_layer\((\w+)(?: ALL_LANES)?(?: LINK ([^)]*))?\)", line)
            if not found:
                continue
            layer, links = found.group(1), [w for w in (found.group(2) or "").split() if w in ORDER]
            if layer not in rooms:
                breach(path, number, f"{layer} is no room of the wing {wing}: WINGS in tests/lint/tree.py has its rooms")
                continue
            for other in links:
                if ORDER.index(other) >= ORDER.index(layer):
                    breach(path, number, f"{layer} links {other}, which is not below it")
            sees[layer] = {layer, *links}
            lines_of[layer] = (path, number, (found.group(2) or "").partition("HEADERS")[0].split())
    for wing in os.listdir(os.path.join(ROOT, "src")):
        for layer in os.listdir(os.path.join(ROOT, "src", wing)) if os.path.isdir(os.path.join(ROOT, "src", wing)) else ():
            if os.path.isdir(os.path.join(ROOT, "src", wing, layer)) and (layer not in sees or WING[layer] != wing):
                breach(os.path.join(ROOT, "src", wing), 1, f"src/{wing}/{layer} is no layer of this wing")
    return sees, lines_of


def check_includes(sees, lines_of):
    for layer, seen in sees.items():
        used = {layer}
        for path in files(folder_of(layer), ".c", ".h"):
            for number, line in lines(path):
                own = re.match(r'\s*#\s*include\s+"([^"]*)"', line)
                system = re.match(r"\s*#\s*include\s+<([^>]*)>", line)
                used.add(own.group(1).split("/")[0] if own else layer)
                if own and own.group(1).split("/")[0] not in seen:
                    breach(path, number, f'"{own.group(1)}": layer {layer} sees only {", ".join(sorted(seen))}')
                if system and layer in CORE and system.group(1) not in CORE_HEADERS and not system.group(1).startswith("ali3/"):
                    breach(path, number, f"<{system.group(1)}> in the core")
        line_file, line_number, linked = lines_of[layer]
        for other in sorted(seen.intersection(linked) - used - set(CORE)):  # public functions of the core need no include of a room
            breach(line_file, line_number, f"{layer} links {other}, and includes nothing of it")
    for path in files("include", ".h"):
        for number, line in lines(path):
            if re.match(r'\s*#\s*include\s+"', line):
                breach(path, number, "a public header includes public headers only")
    for path in files("tools", ".c", ".h"):
        for number, line in lines(path):
            if re.match(r'\s*#\s*include\s+"daemon/', line):
                breach(path, number, "a tool meets the daemon only from the outside")


def check_circles():
    """No circle of units by their includes, besides CIRCLES. lint/circles checks that no objects need each other."""
    paths = [os.path.relpath(path, ROOT) for top in ("src", "tools") for path in files(top, ".c", ".h")]
    units = {path: re.sub("_parts$", "", path[:-2]) for path in paths}
    header = {"/".join(path.split("/")[-2:]): unit for path, unit in units.items() if path.endswith(".h")}
    needs = {unit: set() for unit in units.values()}
    for path, unit in units.items():
        folder = path.split("/")[-2]
        for name in re.findall(r'^#include "([^"]+)"', "\n".join(text for _, text in lines(os.path.join(ROOT, path))), re.M):
            needs[unit].add(header.get(name) or header.get(f"{folder}/{name}") or unit)
    # Reach of each unit; two units that reach each other are in one circle.
    reach = {}
    for unit in needs:
        reach[unit], todo = set(), [unit]
        while todo:
            more = needs[todo.pop()] - reach[unit]
            reach[unit] |= more
            todo += more
    found = {frozenset(other for other in reach[unit] if unit in reach[other]) for unit in needs if unit in reach[unit]}
    for circle in found:
        others = {other for other in circle if needs[other] & (circle - {other})}
        anchor = next((unit for unit in CIRCLES if unit in circle), None)
        if len(others) > 1 and (not anchor or len(others) != CIRCLES[anchor][0]):
            breach(os.path.join(ROOT, min(others)), 0, f"a circle of includes: {', '.join(sorted(others))}; see Layers in src/README.md")
    for anchor in CIRCLES.keys() & needs.keys():
        if not any(anchor in circle and len(circle) > 1 for circle in found):
            breach(os.path.join(ROOT, anchor), 0, "is in no circle of includes: take it out of CIRCLES in tree.py")


def check_text():
    excused = set()
    for path in [*files("src", ".c", ".h"), *files("include", ".h")]:
        code, name = without_comments(path), os.path.relpath(path, ROOT)
        rules = BANNED | BANNED_DAEMON
        if os.path.basename(os.path.dirname(path)) in LOOP:
            rules |= BANNED_LOOP
        for number, line in code:
            for pattern, why in rules.items():
                for found in re.finditer(pattern, line):
                    if (name, found.group()) in EXCUSED:
                        excused.add((name, found.group()))
                    else:
                        breach(path, number, f"{found.group()}: {why}")
        if len(code) > LONGEST:
            breach(path, len(code), f"longer than {LONGEST} lines")
    for folder in ("src", "include", "tests", "tools", "systemd"):
        for path in files(folder):
            if "/tests/reference/" in path or "/tests/fuzz/corpus/" in path or "/tools/debian/" in path or path.endswith((".yaml", ".csv", "abi.txt")):
                continue  # data; the first line of some is read by tests, or by the tools of Debian; debian/copyright names the licence of all
            if os.path.basename(path) != "README.md" and "SPDX-License-Identifier: MIT" not in "".join(t for _, t in lines(path)[:3]):
                breach(path, 1, "no line SPDX-License-Identifier: MIT at the top")
    for name, what in EXCUSED.keys() - excused:
        breach(os.path.join(ROOT, name), 0, f"excused for {what}, which it does not name: take it out of tree.py")


def check_folders():
    counts = {}
    for top in ("src", "tools"):
        for path in files(top, ".c", ".h"):
            counts[os.path.dirname(path)] = counts.get(os.path.dirname(path), 0) + 1
    for folder, sources in counts.items():
        if sources > FULLEST:
            breach(folder, 0, f"{sources} sources, more than {FULLEST}: make a room of some of them")


def check_namesakes():
    places = {}
    for path in files("src", ".c", ".h"):
        places.setdefault(os.path.basename(path), []).append(path)
    for name, paths in places.items():
        if len(paths) > NAMESAKES:
            breach(paths[-1], 0, f"{len(paths)} sources in src/ have the name {name}, more than {NAMESAKES}")


def check_readme(sees):
    """src/README.md has a row for each layer, and every source that it names is there."""
    path = os.path.join(ROOT, "src", "README.md")
    if not os.path.exists(path):
        return
    sources = {os.path.relpath(name, ROOT) for top in ("include", "src", "tests", "tools") for name in files(top, ".c", ".h", ".py")}
    known = sources | {name.split("/", n)[-1] for name in sources for n in (1, 2)} | {os.path.basename(name) for name in sources}
    rows = set()
    for number, line in lines(path):
        row = re.match(r"\| `(\w+)` \|", line)
        rows |= {row.group(1)} if row else set()
        for name in re.findall(r"`([a-z0-9_/*]+\.(?:c|h|py))`", line):
            if not fnmatch.filter(known, name):
                breach(path, number, f"{name}: no such source")
    for layer in sorted(sees.keys() - rows):
        breach(path, 1, f"no row for the layer {layer}")


def check_top():
    for name in os.listdir(ROOT):
        if name not in TOP and not name.startswith((".", "build")):
            breach(os.path.join(ROOT, name), 0, "not among the entries of the top folder")


def check_commands():
    """A script whose name has no suffix is a command, as README.md and --help write it."""
    for top in ("tests", "tools"):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for path in (os.path.join(folder, name) for name in names if "." not in name):
                with open(path, "rb") as f:
                    if f.read(2) == b"#!" and not os.access(path, os.X_OK):
                        breach(path, 0, "a script without a suffix is a command: make it executable")


layers, link_lines = check_links()
check_includes(layers, link_lines)
check_readme(layers)
check_circles()
check_text()
check_folders()
check_namesakes()
check_commands()
check_top()
print("\n".join(breaches) or "the tree is in order")
sys.exit(1 if breaches else 0)
