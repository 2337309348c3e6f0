# SPDX-License-Identifier: MIT
"""The keys of a configuration file as a part of ali3d.yaml(5), from what `ali3d --help all` prints."""
import re
import subprocess
import textwrap

FACTS = ("type", "unit", "range", "default", "changes", "option", "with")
COMMON_LEAST = 3  # a key that has one text in this number of types of a list is described once
SHARED = ", keys of several types"


def escape(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def fill(text):
    """Lines of the source. None of them begins with a dot or an apostrophe, which would make it a request."""
    lines = textwrap.wrap(escape(text), 79, break_long_words=False, break_on_hyphens=False)
    return [("\\&" if line[0] in ".'" else "") + line for line in lines]


class Key:
    """path; doc; facts: {name: text}; variants: the documentation of the types of a list; section: whether the key has keys of its own."""

    def __init__(self, path):
        self.path, self.doc, self.facts, self.variants, self.section = path, "", {}, [], False

    @property
    def name(self):
        return self.path.rsplit(".", 1)[-1]

    @property
    def above(self):
        return self.path.rsplit(".", 1)[0] if "." in self.path else ""


def read_keys(ali3d):
    """Every key in the order of the file, sections before their keys."""
    printed = subprocess.run([ali3d, "--help", "all"], check=True, capture_output=True, text=True).stdout
    keys, fact, ended = [], None, False  # ended: the empty line behind the text, whose lines may begin with the word of a fact
    for line in printed.splitlines():
        key = keys[-1] if keys else None
        if re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", line) and (not key or key.facts):
            keys.append(Key(line))
            fact, ended = None, False
        elif not key.section and ended and (found := re.fullmatch(rf"  ({'|'.join(FACTS)}) +(.*)", line)):
            fact = found.group(1)
            key.facts[fact] = found.group(2)
        elif line == "keys:":
            key.section, fact = True, None
        elif not line or (key.section and line.startswith("  ")):
            fact, ended = None, True
            if key.section and not line:
                key.variants.append("")
        elif key.section:
            key.variants[-1] += " " * bool(key.variants[-1]) + line
        elif fact:
            key.facts[fact] += " " + line.strip()
        else:
            key.doc += " " * bool(key.doc) + line.strip()
    for key in keys:
        key.variants = [v for v in key.variants if v]
        assert key.variants or key.doc.endswith((".", "]", "}")), f"{key.path}: the text is cut behind ... {key.doc[-30:]}"
    return keys


def facts_text(key):
    """Type, unit, range, default and live, always in this order; then the option and the types that have the key."""
    f = key.facts
    value = {"type": f["type"].removeprefix("a "), "default": "none, required" if "required" in f["default"] else f["default"]}
    if key.section:
        return f"Type: {value['type']}. Default: {value['default']}."
    parts = [f"{name.capitalize()}: {(f | value)[name]}." for name in ("type", "unit", "range", "default")]
    parts.append("Live: yes." if f["changes"].startswith("live") else "Live: no.")
    if "alone reads it" in f["changes"]:
        parts.append("Only ali3-sim reads it.")
    if "option" in f:
        parts.append(f"Option: {f['option'].removesuffix(' overrides it')}.")
    if "with" in f:
        parts.append(f"Only with {f['with'].replace(': ', ' ')}.")
    return " ".join(parts)


def key_entry(key, more=""):
    return [".TP", f".B {escape(key.name)}", *fill(key.doc), ".br", *fill(facts_text(key) + more)]


def types_with(key, groups):
    """Types of a list that have this key with this text."""
    return [path.rsplit(".", 1)[-1] for path, members in groups.items() for k in members if text_of(k) == text_of(key)]


def text_of(key):
    return key.name, key.doc, facts_text(key)


def type_sections(keys, section):
    """A list whose elements have keys by their type: the keys that several types share, and then each type with its own keys."""
    groups = {}
    for key in keys:
        if key.above.startswith(section.path + "."):
            groups.setdefault(key.above, []).append(key)
    base = {k.name: k for k in keys if k.above == section.path}
    members = [k for group in groups.values() for k in group if k.name not in base or not base[k.name].doc.startswith(k.doc)]
    common = {text_of(k): k for k in members if len(types_with(k, groups)) >= COMMON_LEAST}
    out = [f".SS {escape(section.path + SHARED)}"] if common else []
    for key in common.values():
        out += key_entry(key, f" Only with type {', '.join(types_with(key, groups))}.")
    for (path, group), doc in zip(groups.items(), section.variants, strict=True):
        own = [k for k in group if k in members and text_of(k) not in common]
        other = [k.name for k in group if k not in own]
        out += [f".SS {escape(path)}", *fill(f"{doc} Other keys: {', '.join(other)}.")]
        for key in own:
            out += key_entry(key)
    return out


def key_sections(keys):
    out = []
    for section in keys:
        if not section.section and not section.above:
            out += [f".SS {escape(section.path)}", *fill(section.doc), ".br", *fill(facts_text(section))]
        if section.section:
            out += [f".SS {escape(section.path)}", *fill(section.doc), ".br", *fill(facts_text(section))]
            for key in keys:
                if key.above == section.path and not key.section:
                    out += key_entry(key)
            if section.variants:
                out += type_sections(keys, section)
    return "\n".join(out)


def section_table(keys):
    """The sections of a file, with the first sentence about each."""
    out = [".TS", "l lx.", "\\fBsection\\fP\t\\fBmeaning\\fP", "_"]
    for key in keys:
        if not key.above:
            doc = re.split(r"(?<=\.) ", key.doc)[0]
            out.append(f"{escape(key.path)}\tT{{\n" + "\n".join(fill(doc)) + "\nT}")
    return "\n".join([*out, ".TE"])


def schema_paths(schema, sections):
    """{path of a section, or of a type of a list: names of its keys}. sections: the paths whose keys the program explains there."""
    found = {}

    def visit(node, path):
        if "$ref" in node and (not path or path in sections):
            visit(schema["definitions"][node["$ref"].rsplit("/", 1)[-1]], path)
        for name, value in node.get("properties", {}).items():
            found.setdefault(path, set()).add(name)
            visit(value, f"{path}.{name}".lstrip("."))
        for part in [*node.get("allOf", []), *node.get("anyOf", []), *([node["items"]] if "items" in node else [])]:
            visit(part, path)
        if "then" in node:
            (by,) = node["if"]["properties"].values()
            visit(node["then"], f"{path}.{by['enum'][0]}" if "description" in node["then"] else path)

    visit(schema, "")
    return found


def page_paths(page):
    """As schema_paths(), from the headings and tags in the generated part of the page."""
    found, path = {}, ""
    text = re.search(r"generated: keys\n(.*?)\.\\\" end", page, re.S).group(1).replace("\\-", "-")
    for heading, name in re.findall(r"^\.SS (.+)$|^\.TP\n\.B (\S+)$", text, re.M):
        if heading:
            path = heading
            found[path] = set()
            above, _, last = path.removesuffix(SHARED).rpartition(".")
            found.setdefault(above, set()).add(last)
        else:
            found[path].add(name)
    return found


def compare_keys(page, schema, keys):
    """(keys that the page lacks, keys of the page that are none), from the JSON Schema that the program prints."""
    known, shown = schema_paths(schema, {k.path for k in keys if k.section}), page_paths(page)
    missing, wrong = set(), set()
    for path, names in known.items():
        above = path.rpartition(".")[0]
        is_type = path.rpartition(".")[2] not in known.get(above, set()) and path
        elsewhere = shown.get(above, set()) | shown.get(above + SHARED, set()) if is_type else set()
        missing |= {f"{path}.{name}" for name in names - shown.get(path, set()) - elsewhere}
    for path, names in shown.items():
        base = path.removesuffix(SHARED)
        allowed = known.get(base, set()) | {p.rpartition(".")[2] for p in known if p.startswith(base + ".")}
        if path != base:
            allowed = set().union(*(n for p, n in known.items() if p.startswith(base + ".")))
        wrong |= {f"{path}.{name}" for name in names - allowed}
    return sorted(missing), sorted(wrong)


def types_of(keys, section):
    """Types of the elements of a list of the model."""
    return [t for k in keys if k.path == f"model.{section}.type" for t in k.facts["range"].split(", ")]


def missing_types(page, keys):
    """Types of joints, forces and sensors that no table of the hand-written part of the page has in its first column."""
    text = re.sub(r'\.\\" generated: .*?\.\\" end', "", page, flags=re.S)
    cells = {word for row in re.findall(r"^([\w, ]+)\t", text, re.M) for word in row.split(", ")}
    return [t for section in ("joints", "forces", "sensors") for t in types_of(keys, section) if t not in cells]
