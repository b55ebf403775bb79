#!/usr/bin/env bash
# tools/run, the job of `make run`: it ends with the names of pictures, which are there.
#
#     tests/run_pictures_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
script=$(realpath "$(dirname "$0")/../tools/run")
source "$(dirname "$0")/command.sh"
mkdir -p tools build/release
cp "$script" tools/run
ln -s "$sinew" build/release/sinew
cat >mine.json <<'SCENE'
{
  "sinew": 1,
  "mobiles": [ { "name": "mine", "balance": "pivots", "hangs": { "arm": "20cm", "carries": [ { "disc": "2cm" }, { "disc": "3cm" } ] } } ],
  "run": { "time": 0.5 },
}
SCENE
tools/run mine.json >stdout 2>stderr
code=$?
is "make run of an own scene" 0
sed -n '/^pictures:$/,/^next:/p' stdout | grep '^  ' >named
yes "six pictures are named at its end" test "$(wc -l <named)" = 6
while read -r picture; do
    yes "$picture is there" test -s "$picture"
done <named
has "what comes next" stdout '^next: make view SCENE=mine.json$'
tools/run nothing.json >stdout 2>stderr
code=$?
is "a scene that is not there" 3
tell_counts
