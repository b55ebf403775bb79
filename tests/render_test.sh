#!/usr/bin/env bash
# `sinew render` as a user would try it: pictures, films with and without ffmpeg, mistakes, Ctrl-C.
#
#     tests/render_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
source "$(dirname "$0")/command.sh"

# png FILE WIDTH HEIGHT: a whole PNG file of that size, every chunk's sum right, not of one colour.
cat >png.py <<'SCRIPT'
import struct, sys, zlib
d = open(sys.argv[1], "rb").read()
assert d[:8] == b"\x89PNG\r\n\x1a\n"
i, rows, size = 8, b"", None
while i < len(d):
    n, = struct.unpack(">I", d[i:i + 4])
    kind, body = d[i + 4:i + 8], d[i + 8:i + 8 + n]
    assert struct.unpack(">I", d[i + 8 + n:i + 12 + n])[0] == zlib.crc32(kind + body)
    if kind == b"IHDR":
        size = struct.unpack(">II", body[:8])
    if kind == b"IDAT":
        rows += body
    i += 12 + n
assert kind == b"IEND" and size == (int(sys.argv[2]), int(sys.argv[3])), size
raw = zlib.decompress(rows)
assert len(raw) == size[1] * (1 + 3 * size[0]) and len(set(raw)) > 10
SCRIPT
png() { yes "$1" python3 png.py "$2" "$3" "$4"; }

cat >ball.json <<'SCENE'
{
  "sinew": 1,
  "name": "Ball",
  "params": { "speed": { "value": 1, "min": 0, "max": 50, "unit": "m/s" } },
  "bodies": [
    { "name": "ball", "shape": { "type": "sphere", "radius": "5cm" }, "colour": "#c04020",
      "position": [0, 0, 1], "velocity": ["=speed", 0, 1] },
    { "name": "slab", "type": "static", "shape": { "type": "box", "size": [1, 1, 0.1] } },
  ],
  "run": { "time": 1, "step": "5ms" },
}
SCENE
small=(--size 64x48 --samples 2)

# ---- pictures ----
try render ball.json "${small[@]}"
is "a picture" 0
has "its name is printed" stdout '^out/ball\.png$'
png "it is a PNG file" out/ball.png 64 48
try render ball.json "${small[@]}" --at 0.25 -o later.png
png "later" later.png 64 48
yes "something has moved" sh -c '! cmp -s out/ball.png later.png'
try render ball.json "${small[@]}" --at 0.25 -o again.png --threads 3
yes "the same bytes with other threads" cmp later.png again.png
try render ball.json "${small[@]}" --at 0.25 --set speed=0 -o straight.png
yes "params can be turned" sh -c '! cmp -s straight.png later.png'
"$sinew" render ball.json "${small[@]}" -o - >piped.png 2>stderr
yes "- is standard output" cmp piped.png out/ball.png
for wrong in x.jpg x.jpeg x.bmp folder/x.tiff x.PNGX; do
    try render ball.json "${small[@]}" -o "$wrong"
    is "no picture named $wrong" 2
    has "and which names can be" stderr "^sinew render: --out $wrong: expected a name that ends in .png$"
    yes "nothing is written" test ! -e "$wrong"
done
try render ball.json "${small[@]}" -o x.mp4
has "a film by another option" stderr "expected a name that ends in .png; --video takes '.mp4'"
try render ball.json "${small[@]}" --video x.png
is "no film named x.png" 2
has "it is a picture's" stderr "expected a name that ends in .mp4 .*; --out takes '.png'"
try render ball.json "${small[@]}" -o UPPER.PNG
png "capitals are fine" UPPER.PNG 64 48
try render ball.json "${small[@]}" -o plain
png "no ending, too" plain 64 48
try render ball.json "${small[@]}" -o nowhere/at/all/x.png
is "a folder that is not there" 5
has "is named" stderr 'nowhere/at/all/x.png: cannot be written: there is no folder nowhere/at/all$'
for view in auto front back left right top corner 1,-2,1 1,-2,1/0,0,0.5 1,-2,1/0,0,0.5/30; do
    try render ball.json "${small[@]}" --camera "$view" -o view.png
    is "camera $view" 0
done
try render ball.json "${small[@]}" --at 100ms --json -o a.png
yes "--json tells what was made" python3 -c '
import json
j = json.load(open("stdout"))
assert j["file"] == "a.png" and j["width"] == 64 and j["height"] == 48 and j["samples"] == 2, j
assert abs(j["time"] - 0.1) < 1e-9 and j["pictures"] == 1 and not j["interrupted"], j
assert len(j["camera"]["position"]) == 3'
try run ball.json -q --out recorded --time 0.5
try render recorded "${small[@]}" --at 0.25 -o replayed.png
is "a picture of a recording" 0
png "is one" replayed.png 64 48
try render recorded --set speed=2 -o x.png
is "a recording has no params" 2
try render cam --size 160x100 --samples 1 --at 0.1 -o cam.png
is "a built-in scene" 0

# ---- mistakes ----
for size in 0x0 12 1280x x720 -5x5 20000x10 10x10x10 aXb; do
    try render ball.json --size=$size -o x.png
    is "size $size" 2
done
has "a size is explained" stderr 'expected WIDTHxHEIGHT'
try render ball.json --samples 3
is "three samples" 2
try render ball.json --camera frnt -o x.png
is "unknown camera" 2
has "gets a suggestion" stderr "did you mean 'front'"
try render ball.json --camera 1,2 -o x.png
is "camera with two numbers" 2
try render ball.json --camera 1,2,3/1,2,3 -o x.png
is "camera that looks at itself" 2
try render gyroscpe
is "unknown scene" 3
has "unknown scene gets a suggestion" stderr "did you mean 'gyroscope'"
try render ball.json --fps 10
is "--fps without a film" 2
try render ball.json --video a.mp4 --at 1
is "--at with a film" 2
try render ball.json --at=-1
is "before the start" 2
try render ball.json "${small[@]}" -o missing/folder/a.png
is "a folder that is not there" 5
try render ball.json "${small[@]}" -o .
is "a folder instead of a file" 2
try render ball.json "${small[@]}" --video missing/folder/a.mp4 --time 0.1
is "a film in a folder that is not there" 5
yes "no picture was made by mistake" test ! -e x.png
if [[ -e /dev/full ]]; then
    "$sinew" render ball.json "${small[@]}" -o /dev/full >stdout 2>stderr
    code=$?
    is "a full disk" 5
fi
try render ball.json --video long.mp4 --time 1e6
is "a film of a year" 2

# ---- films ----
try render ball.json "${small[@]}" --video frames/ --fps 20 --time 0.2
is "pictures into a folder" 0
yes "as many as there must be" test "$(ls frames | wc -l)" = 5
png "each a PNG file" frames/frame-00005.png 64 48
mkdir tools
ln -s "$(command -v env)" "$(command -v bash)" tools/
PATH=$work/tools "$sinew" render ball.json "${small[@]}" --video film.mp4 --fps 20 --time 0.2 >stdout 2>stderr
code=$?
is "a film without ffmpeg" 0
has "is told plainly" stderr 'no ffmpeg'
has "and where the pictures are" stdout '^film-frames$'
png "they are there" film-frames/frame-00003.png 64 48
cat >tools/ffmpeg <<SCRIPT
#!/bin/bash
echo "\$@" >$work/ffmpeg-arguments
exec $(command -v cat) >"\${@: -1}"
SCRIPT
chmod +x tools/ffmpeg
PATH=$work/tools:$PATH "$sinew" render ball.json "${small[@]}" --video film.mp4 --fps 20 --time 0.2 --from 0.1 >stdout 2>stderr
code=$?
is "a film through ffmpeg" 0
has "its name is printed" stdout '^film\.mp4$'
has "ffmpeg knows size and speed" ffmpeg-arguments '-s 64x48 -r 20'
yes "ffmpeg got all pictures" test "$(stat -c %s film.mp4)" = $((5 * 64 * 48 * 3))
printf '#!/bin/bash\nexit 3\n' >tools/ffmpeg
PATH=$work/tools:$PATH "$sinew" render ball.json "${small[@]}" --video film.mp4 --fps 20 --time 2 >stdout 2>stderr
code=$?
is "ffmpeg that fails" 5
has "is said to have given up" stderr 'ffmpeg gave up'
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    # A film of an odd size gets a row and a column more, as players want it.
    try render ball.json --size 65x49 --samples 2 --video real.mp4 --fps 20 --time 0.5
    is "a film through the real ffmpeg" 0
    ffprobe -v error -count_frames -show_entries stream=codec_name,pix_fmt,width,height,r_frame_rate,nb_read_frames \
        -of default=nokey=0:noprint_wrappers=1 real.mp4 >probe 2>&1
    has "h264 that all players take" probe '^codec_name=h264$'
    has "in their colours" probe '^pix_fmt=yuv420p$'
    has "its width" probe '^width=66$'
    has "its height" probe '^height=50$'
    has "its rate" probe '^r_frame_rate=20/1$'
    has "all of its pictures" probe '^nb_read_frames=11$'
    try render ball.json "${small[@]}" --video real.xyz --time 0.2
    is "a kind of film that there is not" 2
has "says which there are" stderr 'a name that ends in \.mp4 \.webm \.mkv'
else
    echo "skipped the real ffmpeg: there is none here (apt-get install ffmpeg)"
fi

# ---- Ctrl-C ----
"$sinew" render ball.json --size 320x200 --video cut/ --fps 1000 --time 50 >stdout 2>stderr &
child=$!
for ((i = 0; i < 1200; ++i)); do
    if [[ -e cut/frame-00002.png ]]; then break; fi
    sleep 0.05
done
kill -INT $child
wait $child
code=$?
is "Ctrl-C ends a film" 130
has "and says so" stderr 'interrupted'
yes "no half file is left" test -z "$(ls cut | grep -v '^frame-[0-9]*\.png$')"
png "the last picture is whole" "cut/$(ls cut | tail -n 1)" 320 200
"$sinew" render ball.json --at 1e6 -o never.png >stdout 2>stderr &
child=$!
sleep 0.5
kill -INT $child
wait $child
code=$?
is "Ctrl-C ends the way to a picture" 130
yes "no picture then" test ! -e never.png

tell_counts
