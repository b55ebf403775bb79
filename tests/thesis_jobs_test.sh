#!/usr/bin/env bash
# The jobs of the thesis' programs as a user would do them: model, surf, coloring, energy, showen, convert, show3d, sim.
#
#     tests/thesis_jobs_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
source "$(dirname "$0")/command.sh"

# ---- model ----
for demo in torus elast loop gizmo; do
    try thesis model "$demo" --out "$demo"
    is "model $demo" 0
done
has "model tells the files" stdout '^gizmo/gizmo.st$'
has "model counts" stderr '^659 tetrahedra, 249 vertices, 400 faces, 4 fixed vertices; gravity 327 cm/s\^2$'
has "files have headers" torus/torus.tp '^begin topology \(format of 97-04-14\)$'
try thesis model tours
is "a demonstration that is not there" 2
has "and what was meant" stderr "did you mean 'torus'"
try thesis model torus --out torus/torus.st
is "model cannot write" 5

# ---- surf ----
try thesis surf torus/torus.tp -o again.su --friction 0.4 --static-friction 0.5 --restitution 0.8
is "surf" 0
yes "surf finds the faces of the model" cmp again.su torus/torus.su
try thesis surf torus/torus.st
is "surf of states" 2
try thesis surf missing.tp
is "surf of nothing" 3
try thesis surf torus/torus.tp -o /no/such/a.su
is "surf cannot write" 5

# ---- coloring ----
try thesis coloring elast/elast.su -o colored.su --textures 4,5,6 --tx three.tx
is "coloring" 0
has "coloring tells the conflicts" stderr '^452 faces in three textures, 0 edges between equal ones$'
yes "coloring uses the three" awk 'NF == 7 {n[$4]++} END {exit !(n[4] > 90 && n[5] > 90 && n[6] > 90 && n[4] + n[5] + n[6] == 452)}' colored.su
has "coloring writes textures" three.tx '^textures = 3$'
try thesis coloring elast/elast.su --textures 1,2
is "coloring with two" 2

# ---- energy ----
# The torus falls freely and turns about the vertical, as a rigid body: P = 0 and W = 0, K and G known.
python3 - <<'MAKE'
import math
x, v = [], []
for line in open("torus/torus.st"):
    if ":" in line:
        x.append([float(a) for a in line.split(":")[1].split()[:3]])
omega, g = 3.0, 980.0
with open("fall.st", "w") as out:
    for i in range(11):
        t = i / 30.0
        c, s = math.cos(omega * t), math.sin(omega * t)
        out.write(f"begin state format of (97-03-14)\nvertices = {len(x)}\nt = {t!r}\n")
        for k, (a, b, z) in enumerate(x):
            p = (c * a - s * b, s * a + c * b, z - 0.5 * g * t * t)
            out.write(f"{k}: {p[0]!r} {p[1]!r} {p[2]!r} {-omega * p[1]!r} {omega * p[0]!r} {-g * t!r}\n")
        out.write("end state\n\n")
MAKE
try thesis energy fall.st torus/torus.tp
is "energy" 0
has "energy tells its file" stdout '^fall.en$'
yes "energies of free fall" python3 -c '
rows = [[float(a) for a in l.split()] for l in open("fall.en").read().splitlines()[2:-1]]
assert len(rows) == 11
total = [r[1] + r[2] + r[3] for r in rows]
assert max(abs(t - total[0]) for t in total) < 1e-9 * rows[-1][1], total
assert max(abs(r[2]) for r in rows) < 1e-12 * rows[-1][1]
assert max(abs(r[4]) for r in rows) < 1e-12 * rows[-1][1]
'
try thesis energy torus/torus.tp elast/elast.st -o - --gravity 0,0,-400
is "energy of other states" 0 # all vertices are there, only the body is another
has "inverted elements are told" stderr 'elements are flat or inverted, the first is [0-9]+$'
try thesis energy elast/elast.tp torus/torus.st
is "energy of too few vertices" 3
has "and which" stderr 'names vertex [0-9]+; 0 to 179'
try thesis energy torus/torus.tp
is "energy without states" 2
try thesis energy torus/torus.tp fall.st --gravity heavy
is "gravity that is no number" 2
sed 's/^5: .*/5: 1 2 x/' fall.st >bad.st
try thesis energy torus/torus.tp bad.st
is "a state with a mistake" 3
has "its place" stderr "bad.st:9:8: 'x'; a coordinate was expected"
for bodies in 0 1 2 2,0; do
    try thesis energy elast/elast.tp elast/elast.st --gravity 400 --body $bodies
    is "energy of bodies $bodies" 0
done
has "energy of bodies tells its file" stdout '^elast/elast-body-2-0.en$'
try thesis energy elast/elast.tp elast/elast.st --gravity 400 -o elast/all.en
yes "bodies' energies add up" python3 -c '
def row(name): return [float(a) for a in open("elast/" + name + ".en").read().splitlines()[2].split()]
bed, cube, ball, two, whole = row("elast-body-0"), row("elast-body-1"), row("elast-body-2"), row("elast-body-2-0"), row("all")
assert abs(bed[3] + cube[3] + ball[3] - whole[3]) < 1e-12 * abs(whole[3])
assert abs(bed[3] + ball[3] - two[3]) < 1e-12 * abs(two[3])
assert abs(cube[3] - 2 * 6**3 * 400 * 12) < 1e-9 * cube[3], cube # 2 g/cm^3, 6 cm wide, its middle 12 cm above the origin
'
try thesis energy elast/elast.tp elast/elast.st --body 3
is "energy of a body that is not there" 3
has "and which there are" stderr 'no body 3; 0 to 2'
try thesis energy elast/elast.tp elast/elast.st --body 0,
is "energy of no number" 2

# ---- showen ----
try thesis showen fall.en
is "showen" 0
has "showen has a title" fall.svg '>fall<'
has "showen has all curves" fall.svg 'T = U \+ D'
try thesis showen fall.en -o /no/such/a.svg
is "showen cannot write" 5
try thesis showen torus/torus.su
is "showen of faces" 2

# ---- sim ----
try thesis sim torus/torus.st torus/torus.tp torus/torus.co --time 0.1 --viscosity 0 --tolerance 1e-9 -o swing.st
is "sim" 0
yes "sim tells its files" test "$(cat stdout)" = $'swing.st\nswing.en'
has "sim tells how it went" stderr '^4 states to 0.1 s in .*; T = K \+ P \+ G \+ D kept to [0-9.e-]+ of 4\.5[0-9e+]+$'
yes "energy kept without viscosity" python3 -c '
import re
assert float(re.search("kept to ([0-9.e-]+) of", open("stderr").read()).group(1)) < 1e-7
rows = [[float(a) for a in l.split()] for l in open("swing.en").read().splitlines()[2:-1]]
assert len(rows) == 25 and abs(rows[-1][0] - 0.1) < 1e-12 and max(r[4] for r in rows) == 0.0
'
try thesis energy torus/torus.tp swing.st -o again.en
is "energy of what sim wrote" 0
yes "sim measures as energy does" python3 -c '
def last(path): return [float(a) for a in open(path).read().splitlines()[-2].split()]
a, b = last("swing.en"), last("again.en")
assert a[:4] == b[:4], (a, b)
'
try thesis sim swing.st torus/torus.tp torus/torus.co --time 0.05 --policy lockstep --step 5ms -o on.st
is "sim from its own states" 0 # the first of them
try thesis sim elast/elast.* --gravity 400 --policy lockstep --time 0.1 --fps 20 -o bed.st
is "sim of all files of a model, .tx and .li passed over" 0
yes "twenty states a second" test "$(grep -c '^begin state' bed.st)" = 3
try thesis sim loop/loop.* --gravity 0 --time 0.1 --policy lockstep -o ring.st
is "sim with a dragged vertex" 0
yes "and it was dragged" python3 -c '
d = [float(a) for a in open("loop/loop.dr").read().splitlines()[2].split()]
text = open("ring.st").read().split("begin state")[-1]
x = [float(a) for l in text.splitlines() if l.startswith("%d:" % d[0]) for a in l.split(":")[1].split()]
s, t = 0.1, d[2] - d[1]
for k in range(3):
    u, w, v, z = d[3 + k], d[6 + k], d[9 + k], d[12 + k]
    a, b = 2 * (u - v) / t**3 + (w + z) / t**2, 3 * (v - u) / t**2 - (2 * w + z) / t
    assert abs(((a * s + b) * s + w) * s + u - x[k]) < 1e-5, (k, x)
'
try thesis sim torus/torus.st torus/torus.tp --time 0.01 -o torus/torus.st
is "sim does not write over its start" 5
try thesis sim torus/torus.st torus/torus.tp -o /no/such/a.st
is "sim cannot write" 5
try thesis sim torus/torus.st -t 1
is "sim without tetrahedra" 2
try thesis sim torus/torus.st elast/elast.tp
is "sim of files that do not fit" 3
has "and why" stderr 'names vertex [0-9]+; 0 to 179'
try thesis sim bad.st torus/torus.tp
is "sim of a state with a mistake" 3
has "and where" stderr "bad.st:9:8: 'x'; a coordinate was expected"
sed 's/^1 1.5 /1 0 /' loop/loop.dr | sed 's/^\([0-9]*\) 0 1.5 /\1 2 1.5 /' >bad.dr
try thesis sim loop/loop.st loop/loop.tp bad.dr
is "a drag that ends before it starts" 3
has "and in which line" stderr 'bad.dr:3:[0-9]+: .*an end after the start, 2, was expected'
try thesis sim torus/torus.st torus/torus.tp --policy fast
is "a policy that is not there" 2

# ---- convert ----
try thesis convert fall.st torus/torus.su torus/torus.tx torus/torus.li -o frame-
is "convert" 0
has "convert tells the first" stdout '^frame-0000.pov$'
yes "a scene a state" test "$(ls frame-*.pov | wc -l)" = 11
yes "a triangle a face" test "$(grep -c triangle frame-0010.pov)" = 320
if command -v povray >/dev/null; then
    yes "POV-Ray draws it" povray +Iframe-0003.pov +W64 +H48 -D +Oframe.png
    yes "and there is a picture" test -s frame.png
fi
try thesis convert fall.st torus/torus.su -o /no/such/frame
is "convert cannot write" 5
try thesis convert fall.st
is "convert without faces" 2

# ---- show3d ----
try thesis show3d fall.st torus/torus.su torus/torus.tx torus/torus.li --size 160x90 --samples 1 -o a.png
is "show3d" 0
try thesis show3d fall.st torus/torus.tp --size 160x90 --samples 1 --at 0.2 -o b.png
is "show3d of tetrahedra, later" 0
yes "pictures differ" test "$(cmp a.png b.png >/dev/null; echo $?)" = 1
try thesis show3d fall.st torus/torus.su --size 64x36 --samples 1 --video frames/
is "show3d as a film" 0
yes "a picture a state" test "$(ls frames/*.png | wc -l)" = 11
try thesis show3d fall.st
is "show3d without faces" 2
try thesis show3d fall.st torus/torus.su --size 64
is "show3d of no size" 2
try thesis show3d fall.st torus/torus.su --fps 20
is "show3d: fps without a film" 2
try thesis show3d torus/torus.st elast/elast.su
is "show3d: faces of another body" 3
try thesis show3d fall.st torus/torus.su --size 64x36 --samples 1 -o /no/such/a.png
is "show3d cannot write" 5

tell_counts
