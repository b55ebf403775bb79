#!/usr/bin/env bash
# What the command writes as URDF, ROS's own reader (check_urdf of urdfdom) understands, with the same tree of links.
#
#     tests/urdf_tools_test.sh path/to/sinew
set -uo pipefail
sinew=$(realpath "$1")
scenes=$(realpath scenes) data=$(realpath tests/data/urdf)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0

check() {
    if [[ $2 == "$3" ]]; then
        echo "ok      $1"
        passed=$((passed + 1))
    else
        printf 'FAILED  %s\n%s\nexpected:\n%s\n' "$1" "$2" "$3"
        failed=$((failed + 1))
    fi
}


# The world, then what the scene says: parent and child of every joint.
pairs_of() {
    "$sinew" info --json "$1" | python3 -c '
import json, sys
for joint in sorted(json.load(sys.stdin)["joints"], key=lambda j: j["child"]):
    print(joint["parent"], joint["child"])'
}
pairs_of_tree() {
    check_urdf "$1" | python3 -c '
import re, sys
above, pairs = [], []
for line in sys.stdin:
    root = re.match(r"root Link: (.*) has \d+ child", line)
    child = re.match(r"( +)child\(\d+\):  (.*)$", line)
    if root:
        above = [root.group(1)]
    elif child:
        depth = len(child.group(1)) // 4
        above = above[:depth] + [child.group(2)]
        pairs.append((above[depth - 1], child.group(2)))
for pair in sorted(pairs, key=lambda p: p[1]):
    print(*pair)'
}

# A robot by itself and written again, and a scene.
for source in "$scenes/robot-arm.urdf" "$data/tree.urdf" "$scenes/double-pendulum.json" "$scenes/wind-up-toy.json"; do
    name=$(basename "${source%.*}")
    "$sinew" export "$source" --urdf "$name.urdf" 2>/dev/null
    check "check_urdf reads $name" "$(check_urdf "$name.urdf" | sed -n 2p)" "---------- Successfully Parsed XML ---------------"
    # Static bodies hang on the world by joints that the scene does not have.
    check "the tree of $name" "$(pairs_of_tree "$name.urdf" | grep -vxFf <(
        "$sinew" info --json "$source" | python3 -c '
import json, sys
for body in json.load(sys.stdin)["bodies"]:
    if body["type"] == "static":
        print("world", body["name"])'))" "$(pairs_of "$source")"
done

# Meshes stand beside the file, and are found again.
"$sinew" export "$scenes/shape-zoo.json" --urdf zoo.urdf 2>/dev/null
check "meshes are written" "$(ls zoo-*.obj | wc -l) $(grep -c '<mesh' zoo.urdf)" "11 22"
check "and read" "$("$sinew" check zoo.urdf 2>&1 | cut -d' ' -f2,3)" "ok (16"

# What URDF cannot say is told; what would fall apart is refused.
check "what is left out is told" "$("$sinew" export "$scenes/wind-up-toy.json" --urdf - 2>&1 >/dev/null | grep -c 'left out: of the joint')" 4
"$sinew" export "$scenes/hanging-chain.json" --urdf chain.urdf 2>message
check "balls are refused" "$? $(grep -c 'URDF has no word for a ball' message) $(ls chain.urdf 2>/dev/null)" "3 1 "

# A misspelt part of a robot, shown in its line.
sed 's/<child link="hand"/<child link="hnad"/; s/link="flange"/link="flnage"/' "$scenes/robot-arm.urdf" >wrong.urdf
"$sinew" check wrong.urdf 2>message
check "mistakes have their place" "$? $(head -n 1 message)" \
    "3 wrong.urdf:$(grep -n flnage wrong.urdf | head -n 1 | cut -d: -f1):5: there is no link \"flnage\"; did you mean \"flange\"?"

echo "$passed passed, $failed failed"
((failed == 0))
