#!/usr/bin/env bash
# The counters of steps as a user meets them: lines and summary of `sinew run`, and the table of the gallery.
#
#     tests/counters_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
root=$(realpath "$(dirname "$0")/..")
source "$(dirname "$0")/command.sh"

cat >shot.json <<'SCENE'
{
  "sinew": 1,
  "materials": { "soft": { "young": "20kPa" } },
  "bodies": [
    { "name": "post", "type": "static", "shape": { "type": "box", "size": [0.02, 0.02, 0.4] } },
    { "name": "cube", "type": "elastic", "material": "soft", "position": [0.02, 0, 0.5], "velocity": [0, 0, -20],
      "mesh": { "type": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2] } },
  ],
  "run": { "time": 1, "step": "=1/60" },
}
SCENE
try run shot.json --no-files
is "a violent scene runs" 0
has "the energy guard names body, energy and time" stdout \
    "^energy guard: velocities scaled down in [0-9]+ of 60 steps \(most: 'cube', [0-9.e+-]+ J at [0-9.]+ s\)$"
has "what measures nothing names the body with most steps" stdout \
    "^continuous collision: elastic bodies set back before an impact in ([0-9]+) of 60 steps \(most: 'cube', \1 steps\)$"
cp stdout lines
try run shot.json --no-files --json
json "the summary has every counter" stdout 'len(j["counters"]) >= 20 and all("steps" in c for c in j["counters"].values())'
json "those that are 0 have no more than that" stdout 'j["counters"]["violated"] == {"steps": 0}'
json "others have body, amount, unit and time" stdout '(lambda c: c["most"] == "cube" and c["amount"] > 0 and
 c["unit"] == "J" and 0 < c["time"] <= 1 and c["first_time"] <= c["time"] and c["count"] >= c["steps"] > 0)(j["counters"]["velocity_scaled"])'
yes "lines and summary agree" python3 -c 'import json, re
lines = sum(re.search(r" in [0-9]+ of 60 steps", line) is not None for line in open("lines"))
counters = json.load(open("stdout"))["counters"].values()
assert lines == sum(each["steps"] > 0 for each in counters) > 2'

try run box-tower --no-files --time 0.5
is "a tower stands" 0
yes "nothing is printed where nothing happened" test "$(sed -n 3p stdout)" = ""

# Quick scenes; tools/gallery-counters makes all rows.
yes "the gallery's table is what runs give" env SINEW="$sinew" "$root/tools/gallery-counters" --check \
    box-tower double-pendulum moon-garden newtons-cradle stone-arch swing
yes "it has every scene" python3 -c 'import pathlib, sys
root = pathlib.Path(sys.argv[1])
table = (root / "docs/gallery.md").read_text(encoding="utf-8").split("## Counters of each scene")[1]
for scene in (root / "scenes").glob("*.json"):
    assert f"\n| {scene.stem} | " in table, scene' "$root"
tell_counts
