# SPDX-License-Identifier: MIT
"""FMUs of brake.c: their archives, with a description for each version of the standard."""
import os
import platform
import zipfile

MACHINE = {"x86_64": {2: "linux64", 3: "x86_64-linux"}, "aarch64": {2: "aarch64-linux", 3: "aarch64-linux"}}[platform.machine()]
# Name, reference, type in FMI 3.0, causality, variability, unit.
VARIABLES = [("pedal", 1, "Float64", "input", "continuous", "N"), ("speed", 2, "Float64", "input", "continuous", "m/s"),
             ("on", 3, "Boolean", "input", "discrete", None), ("gear", 4, "Int8", "input", "discrete", None),
             ("force", 5, "Float64", "output", "continuous", "N"), ("braking", 6, "Boolean", "output", "discrete", None),
             ("count", 7, "UInt64", "output", "discrete", None), ("gain", 8, "Float64", "parameter", "tunable", "N.s/m"),
             ("mood", 9, "String", "parameter", "fixed", None), ("when", 10, "Float64", "parameter", "fixed", "s"),
             ("heat", 11, "Float32", "output", "discrete", "kJ"), ("mode", 12, "Enumeration", "parameter", "fixed", None)]
OF2 = {"Float64": "Real", "Float32": "Real", "Boolean": "Boolean", "Int8": "Integer", "UInt64": "Integer", "String": "String",
       "Enumeration": "Enumeration"}
STARTS = {"Float64": "0", "Float32": "0", "Boolean": "true", "Int8": "1", "UInt64": "0", "Enumeration": "1"}


def variable(version, name, reference, kind, causality, variability, unit):
    attributes = f'name="{name}" valueReference="{reference}" causality="{causality}" variability="{variability}"'
    start = "" if causality == "output" or kind == "String" else f' start="{STARTS[kind]}"'
    declared = ' declaredType="Mode"' if kind == "Enumeration" else f' unit="{unit}"' if unit else ""
    if version == 2:
        return f"<ScalarVariable {attributes}><{OF2[kind]}{declared}{start}/></ScalarVariable>"
    body = '<Start value=""/>' if kind == "String" else ""
    return f"<{kind} {attributes}{declared}{start}>{body}</{kind}>"


def description(version, varies=True, step=0.01, identifier="brake"):
    token = "instantiationToken" if version == 3 else "guid"
    mode = ('<EnumerationType name="Mode"><Item name="a" value="1"/></EnumerationType>' if version == 3 else
            '<SimpleType name="Mode"><Enumeration><Item name="a" value="1"/></Enumeration></SimpleType>')
    units = "".join(f'<Unit name="{name}"><BaseUnit {base}/></Unit>' for name, base in
                    (("N", 'kg="1" m="1" s="-2"'), ("m/s", 'm="1" s="-1"'), ("N.s/m", 'kg="1" s="-1"'), ("s", 's="1"'),
                     ("kJ", 'kg="1" m="2" s="-2" factor="1000"')))
    outputs = [v for v in VARIABLES if v[3] == "output"]
    structure = ("".join(f'<Output valueReference="{v[1]}"/>' for v in outputs) if version == 3 else
                 "<Outputs>" + "".join(f'<Unknown index="{VARIABLES.index(v) + 1}"/>' for v in outputs) + "</Outputs>")
    suggested = f'<DefaultExperiment stepSize="{step}"/>' if step else ""
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<fmiModelDescription fmiVersion="{version}.0" modelName="brake" {token}="{{brake}}">'
            f'<CoSimulation modelIdentifier="{identifier}" canHandleVariableCommunicationStepSize="{str(varies).lower()}"/>'
            f"<UnitDefinitions>{units}</UnitDefinitions><TypeDefinitions>{mode}</TypeDefinitions>{suggested}"
            f"<ModelVariables>{''.join(variable(version, *v) for v in VARIABLES)}</ModelVariables>"
            f"<ModelStructure>{structure}</ModelStructure></fmiModelDescription>\n")


def write(path, library, version=3, mood="", **about):
    """The FMU; library: the object that is built from brake.c; mood: of FMI 3.0, from the start."""
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("modelDescription.xml", description(version, **about))
        z.writestr("resources/mood", mood)
        z.write(library, f"binaries/{MACHINE[version]}/{about.get('identifier', 'brake')}.so")
    return os.fspath(path)
