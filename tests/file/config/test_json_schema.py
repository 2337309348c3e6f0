#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_json_schema.py ALI3D ROOT: the JSON Schema that ali3d prints, compared with every file of the tree.

Every valid file of config/ and tests/ is valid by the schema. The schema finds the mistakes that a schema can see. A mistake that it
cannot see is of one of the kinds in UNSEEN."""
import glob
import json
import os
import re
import subprocess
import sys

import jsonschema
import yaml

ALI3D, ROOT = sys.argv[1:]
# Mistakes that concern more than the keys and values of one mapping: the kind, and a pattern of the messages.
UNSEEN = {
    "names: the elements they name, their characters, and whether they are unique":
        r"is named|the name of a packet|names? ?:|two (bodies|joints|forces|sensors)|appears twice|already|excludes this protocol|reserved",
    "alternatives: keys that exclude each other, or depend on the value of another key":
        r"stands for|has no meaning|expected one of the (two|keys)|missing key \"\w+\" (\(or|in platform)|beside|"
        r"missing key \"port\"|either the key|in a drive with external|needs the key|takes its number from|nothing withholds|key \"withheld\"|a function or a table|a sensor of the type|a constant (force|torque)|are those of a turn|needs a source|needs a condition|needs a field of type|remove one of the two",
    "values beside each other": r"the washout expects|a measurement of the rig|a sign of the rig|expected (metres|degrees|longer legs|hold|less than|lower at most|limits with room|lp_wn|a value within|half|at most|fewer|a tenth|the first numbers)|"
                                r"platform: |park pose|at neutral|the range of|joints \d and \d are|period: |need .* baud or more|has more than|ends? beyond|covers no bytes",
    "sections beside each other": r"the section|a section|lockstep|overrun: |clock: |pull: |spin: |autostart: true|serial: |"
                                  r"tcp: |record: |another target|default map|the server uses|the daemon uses|no other source|another source|on this line|an input, which has",
    "texts: addresses, signals, hexadecimal digits, speeds": r"(host|bind|prefix|address|interface|hex|baud|signal|unit|trigger): ",
    "numbers that must not be 0": r"scale: expected a number other than 0|direction|vanish|of any length|other than 0",
    "lists: number of elements": r"expected at most \d+|at least one entry|expected one entry",
    "other files": r"file: |model file|file of|included file|cannot take|map: ",
    "short forms: values of expressions, parameters and copies, and poses that follow from others":
        r"parameter|the value (is|has)|no unit is|expression|\$\{|<<|repeat: |parts? |relative_to: |attach_to: |key \"position\"|shape|a bushing has|use: |"
        r"directions are parallel|one or two of the axes",
    "the model: numbers that make no mechanism": r"too large|(body|joint|force|sensor|load|model) '|expected a body|moments?|inertia|mass|assembl|open|"
                                                          r"norm|table: |type: in a table|value|in metres|ratio|counter: |does not move",
}
VALID_LEAST = 24
MISTAKES_LEAST = 335
FOUND_LEAST = 99  # files with one mistake


class Loader(yaml.SafeLoader):
    """YAML 1.2, as editors read it: only true and false are booleans, 1e4 is a number, keys are unique, and << merges."""

    yaml_implicit_resolvers = {}


Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?\d+$"), list("-+0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$"),
                             list("-+.0123456789"))
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])
Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"^<<$"), ["<"])
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def validator(schema, name=None):
    """name: definition of a file that holds lists; None: a whole configuration."""
    root = {"$ref": f"#/definitions/{name}", "definitions": schema["definitions"]} if name else schema
    jsonschema.Draft7Validator.check_schema(root)
    return jsonschema.Draft7Validator(root)


def mistakes():
    """(name, text, messages expected)"""
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/file/config/mistakes/*.txt"))):
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            for case in f.read().split("==== ")[1:]:
                name, text = case.split("\n", 1)
                yield name, text, re.findall(r"^# expect: (.*)", text, re.M)


def is_refused(check, text):
    try:
        return not check.is_valid(yaml.load(text, Loader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return True


def check_valid_files(schema):
    file, packets, maps = (validator(schema, name) for name in (None, "a_file_of_packets", "a_file_of_maps"))
    names = [n for folder in ("config", "tests") for n in glob.glob(os.path.join(ROOT, folder, "**/*.yaml"), recursive=True)
             if "/fuzz/corpus/" not in n and not n.endswith("sweep/sweep.yaml")]  # which is for ali3-sim --batch
    failed = 0
    for name in sorted(names):
        with open(name, encoding="utf-8") as f:
            content = yaml.load(f, Loader)
        check = file if "model" in content else packets if "packets" in content else maps
        for error in check.iter_errors(content):
            failed += 1
            print(f"{os.path.relpath(name, ROOT)}: {error.json_path}: {error.message[:200]}")
    print(f"{len(names)} valid files")
    assert len(names) >= VALID_LEAST and failed == 0


def check_mistakes(schema):
    check = validator(schema)
    found, unseen, wrong = 0, dict.fromkeys(UNSEEN, 0), []
    for name, text, messages in mistakes():
        if is_refused(check, text):
            found += 1
            continue
        kinds = [kind for kind, pattern in UNSEEN.items() if any(re.search(pattern, m) for m in messages)]
        if kinds:
            unseen[kinds[0]] += 1
        else:
            wrong.append(f"{name}: not refused by the schema: {messages}")
    print(f"{found} files with a mistake that the schema finds (at least {FOUND_LEAST} expected), "
          f"{sum(unseen.values())} that it cannot find:")
    for kind, count in unseen.items():
        print(f"  {count:3} {kind}")
    print("\n".join(wrong))
    assert found >= FOUND_LEAST and found + sum(unseen.values()) >= MISTAKES_LEAST and not wrong


SCHEMA = json.loads(subprocess.run([ALI3D, "--schema"], check=True, capture_output=True).stdout)
check_valid_files(SCHEMA)
check_mistakes(SCHEMA)
