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

# Of the files with the faults of real robots that check_urdf accepts, at least 95 % are read and run for a second.
accepted=0
ours=0
for file in "$data"/real/*.urdf; do
    if check_urdf "$file" 2>/dev/null | grep "Successfully Parsed" >/dev/null; then
        accepted=$((accepted + 1))
        if "$sinew" run "$file" -q -t 1 -o second >/dev/null 2>message; then
            ours=$((ours + 1))
        else
            echo "refused: $file: $(head -n 1 message)"
        fi
    fi
done
echo "check_urdf accepts $accepted, of these are read and simulated $ours"
check "what check_urdf accepts" "$((accepted >= 60 && 100 * ours >= 95 * accepted))" 1

# Notes: all of them from `check`, one line from `run`; none of it under --strict.
robot=$data/workspace/src/crane/description/urdf/crane.urdf
unset ROS_PACKAGE_PATH AMENT_PREFIX_PATH
check "a note for a mesh that is not there" "$("$sinew" check "$robot" 2>&1 | grep -c 'note: the mesh "package://far_away/meshes/wedge.obj" is not found')" 1
check "run sums notes up" "$("$sinew" run "$data/real/gazebo_style.urdf" -t 0.1 -o out 2>&1 >/dev/null | grep -c '6 notes; `sinew check` lists them')" 1
"$sinew" check --strict "$robot" >/dev/null 2>message
check "strict refuses" "$? $(grep -c 'far_away' message)" "3 2"
for verb in check info "run -q -t 0.1 -o out" "render -q -o picture.png" "export --urdf again.urdf"; do
    # shellcheck disable=SC2086
    "$sinew" $verb --strict --package "far_away=$data/workspace/elsewhere/far" "$robot" >/dev/null 2>message
    check "a package for ${verb%% *}" "$? $(grep -c far_away message)" "0 0"
done
"$sinew" check --package "far_away=$data/nowhere" "$robot" 2>message
check "a package that is no folder" "$? $(grep -c 'there is no such folder' message)" "3 1"
"$sinew" check --package far_away "$robot" 2>message
check "a package without a folder" "$? $(grep -c 'takes NAME=DIR' message)" "2 1"
check "a package without the mesh" "$("$sinew" check --package "far_away=$data/workspace/src" "$robot" 2>&1 | grep -c 'no "meshes/wedge.obj" in the folder given for the package "far_away"')" 1
check "a misspelt package" "$("$sinew" check --package "faraway=$data/workspace/elsewhere/far" "$robot" 2>&1 | grep -c '"faraway" is given, did you mean that?')" 1
ROS_PACKAGE_PATH=/nowhere:$data/workspace/elsewhere "$sinew" check --strict "$robot" >/dev/null 2>&1
check "ROS_PACKAGE_PATH" $? 0

# Held or free.
check "a free base falls" "$("$sinew" info --json --base free "$data/real/xacro_output_style.urdf" 2>/dev/null | grep -c '"mount"')" 0
"$sinew" check --base loose "$robot" 2>message
check "a misspelt base" "$? $(grep -c "it takes one of fixed, free" message)" "2 1"
"$sinew" check --base free "$scenes/double-pendulum.json" 2>message
check "a scene says it itself" "$? $(grep -c 'is a scene, which says it in its "robots"' message)" "3 1"

echo "$passed passed, $failed failed"
((failed == 0))
