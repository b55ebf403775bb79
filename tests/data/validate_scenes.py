"""Checks the shipped scenes against the JSON Schema with python3-jsonschema, and that the schema refuses mistakes."""
import glob
import json
import re
import sys

import jsonschema


def read(path):
    """JSON without comments and trailing commas; strings are left alone."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    pieces = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.S)
    text = pieces.sub(lambda m: m.group(0) if m.group(0)[0] == '"' else " ", text)
    text = re.sub(r'("(?:\\.|[^"\\])*")|,(\s*[\]}])', lambda m: m.group(1) or m.group(2), text)
    return json.loads(text)


with open("schema/scene.schema.json", encoding="utf-8") as schema_file:
    schema = json.load(schema_file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failures = 0

scenes = sorted(glob.glob("scenes/*.json"))
if len(scenes) < 6:
    print("too few scenes found:", len(scenes))
    failures += 1
for path in scenes:
    for error in validator.iter_errors(read(path)):
        print(f"{path}: {list(error.absolute_path)}: {error.message}")
        failures += 1

body = {"name": "a", "shape": {"type": "sphere", "radius": 1}}


def jointed(**keys):
    """A scene with one joint that has these keys."""
    return {"sinew": 1, "bodies": [body], "joints": [dict({"name": "j", "type": "hinge", "child": "a"}, **keys)]}


refused = {
    "no version": {},
    "wrong version": {"sinew": 2},
    "unknown key": {"sinew": 1, "bodys": []},
    "wrong type": {"sinew": 1, "gravity": 9.81},
    "two components": {"sinew": 1, "gravity": [0, -9.81]},
    "negative radius": {"sinew": 1, "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": -1}}]},
    "unknown shape": {"sinew": 1, "bodies": [{"name": "a", "shape": {"type": "ball", "radius": 1}}]},
    "missing radius": {"sinew": 1, "bodies": [{"name": "a", "shape": {"type": "sphere"}}]},
    "key of another shape": {"sinew": 1, "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1, "height": 2}}]},
    "no name": {"sinew": 1, "bodies": [{"shape": {"type": "sphere", "radius": 1}}]},
    "unit without number": {"sinew": 1, "bodies": [dict(body, mass="kg")]},
    "unknown integrator": {"sinew": 1, "run": {"integrator": "euler"}},
    "bad rotation": {"sinew": 1, "bodies": [dict(body, rotation={"axis": [1, 0, 0]})]},
    "unknown quantity": {"sinew": 1, "probes": [{"name": "p", "quantity": "height"}]},
    "unknown drive": jointed(drive={"type": "speed", "target": 1}),
    "freedom 0": jointed(limit={"freedom": 0, "upper": 1}),
    "freedom as an expression": jointed(limit={"freedom": "=1", "upper": 1}),
    "seven limits": jointed(limit=7 * [{}]),
    "negative friction": jointed(friction=-1),
    "surface without its radius": jointed(type="surface", surface={"type": "sphere"}),
    "curve of one point": jointed(type="curve", curve={"points": [[0, 0, 0]]}),
    "motion that is a number": jointed(drive={"type": "motion", "motion": 3}),
    "point of three numbers": {"sinew": 1, "motions": {"m": {"points": [[0, 1, 2]]}}},
    "gear without ratio": {"sinew": 1, "couplings": [{"gear": {"a": "j", "b": "k"}}]},
}
for name, scene in refused.items():
    if validator.is_valid(scene):
        print("the schema accepts:", name)
        failures += 1
if not validator.is_valid({"sinew": 1, "bodies": [dict(body, mass="2 kg", rotation=[1, 0, 0, 0])]}):
    print("the schema refuses a good body")
    failures += 1

good = [
    jointed(friction="2 N m", limit={"lower": "-30deg", "upper": 1}, drive={"type": "velocity", "target": "=a"}),
    jointed(limit=[{"freedom": 1, "upper": 1}], drive=[{"type": "motion", "motion": "m"}]),
    jointed(drive={"type": "position", "motion": {"type": "step", "points": [[0, 1], ["2s", "3rad"]]}, "stiffness": 1}),
    jointed(type="surface", surface={"type": "torus", "radius": 2, "tube_radius": 1}),
    {"sinew": 1, "couplings": [{"terms": [{"joint": "j", "freedom": 2, "factor": -1}]}]},
]
for scene in good:
    for error in validator.iter_errors(scene):
        print("the schema refuses a good scene:", error.message)
        failures += 1

sys.exit(1 if failures else 0)
