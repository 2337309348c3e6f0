#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: options.py BIN ROOT: every option that a program knows stands in its --help and its man page, and no other option does, and bash completion offers them.

A program knows the rows of its table of `struct command_option`. In --help an option begins a line; in a man page it is in the line after
.TP. Exit status 1 if the three sets of a program differ."""
import pathlib
import re
import subprocess
import sys

PROGRAMS = {  # program: its sources, its man page
    "ali3d": ("src/daemon/daemon/options.c", "ali3d.8"),
    "ali3-bench": ("tools/ali3-bench/*.c", "ali3-bench.1"),
    "ali3-doctor": ("tools/ali3-doctor/*.c", "ali3-doctor.1"),
    "ali3-exporter": ("tools/ali3-exporter/*.c", "ali3-exporter.1"),
    "ali3-fmu": ("tools/ali3-fmu/*.c", "ali3-fmu.1"),
    "ali3-import": ("tools/ali3-import/*.c", "ali3-import.1"),
    "ali3-link": ("tools/ali3-link/*.c", "ali3-link.1"),
    "ali3-lab": ("tools/ali3-lab/*.c", "ali3-lab.1"),
    "ali3-latency": ("tools/ali3-latency/*.c", "ali3-latency.1"),
    "ali3-omct": ("tools/ali3-omct/*.c", "ali3-omct.1"),
    "ali3-record": ("tools/ali3-record/*.c", "ali3-record.1"),
    "ali3-replay": ("tools/ali3-replay/*.c", "ali3-replay.1"),
    "ali3-sim": ("tools/ali3-sim/*.c", "ali3-sim.1"),
    "ali3-view": ("tools/ali3-view/*.c", "ali3-view.1"),
    "ali3-top": ("tools/ali3-top/*.c", "ali3-top.1"),
}
SCRIPTS = {"tools/ali3-rig": "ali3-rig.1", "tools/demo": "ali3-demo.1"}  # program: its man page
COMPLETION = "tools/completion/ali3"


def known(root, pattern):
    row = re.compile(r'\bCOMMAND_[A-Z]+\([^"]*"([a-z][a-z0-9-]*)"')
    texts = [source.read_text(encoding="utf-8") for source in root.glob(pattern)]
    added = {"help", "version"} if any("command_read(" in text for text in texts) else set()
    return added | {name for text in texts for name in row.findall(text)}


def in_usage(script):
    """The usage lines at the top of --help; --help need not stand there."""
    text = subprocess.run([script, "--help"], check=True, capture_output=True, text=True).stdout
    return {"help"} | set(re.findall(r"--([a-z][a-z0-9-]*)", text.partition("\n\n")[0]))


def completed(root, program):
    """The options that bash completion offers."""
    done = subprocess.run(["bash", "-c", '. "$1"; _ali3_options "$2"', "bash", root / COMPLETION, program], check=True, capture_output=True, text=True)
    return {word[2:] for word in done.stdout.split()}


def in_help(program):
    text = subprocess.run([program, "--help"], check=True, capture_output=True, text=True).stdout
    heads = [re.split(r"\s{2,}", line.strip())[0] for line in text.splitlines() if re.match(r"\s{2,}--", line)]
    return {name for head in heads for name in re.findall(r"--([a-z][a-z0-9-]*)", head)}


def in_page(page):
    lines = page.read_text(encoding="utf-8").replace("\\-", "-").splitlines()
    tags = [after for line, after in zip(lines, lines[1:]) if line.split()[:1] == [".TP"]]
    return {name for tag in tags for name in re.findall(r"--([a-z][a-z0-9-]*)", tag)}


def main():
    bin_folder, root = sys.argv[1], pathlib.Path(sys.argv[2])
    wrong, all_sets = [], {}
    for program, (pattern, page) in PROGRAMS.items():
        path = f"{bin_folder}/{program}"
        all_sets[program] = {"the source": known(root, pattern), "--help": in_help(path), "bash completion": completed(root, path),
                             page: in_page(root / "tools/man" / page)}
    for program, page in SCRIPTS.items():
        all_sets[program] = {"the usage": in_usage(root / program), "--help": in_help(root / program), "bash completion": completed(root, root / program), page: in_page(root / "tools/man" / page)}
    for program, sets in all_sets.items():
        if len(next(iter(sets.values()))) < 2:
            wrong.append(f"{program}: its source has no table of options")
        for name in sorted(set().union(*sets.values())):
            missing = [place for place, names in sets.items() if name not in names]
            if missing:
                wrong.append(f"{program}: --{name} is missing in {' and in '.join(missing)}")
    sys.exit("\n".join(wrong) or 0)


main()
