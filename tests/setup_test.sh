#!/usr/bin/env bash
# tools/setup with a dpkg-query that knows no package and an apt-get and sudo that only write down what they were told:
# who is asked, what is installed for which goal, and what happens without a terminal.
#
#     tests/setup_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
setup=$(realpath "$(dirname "$0")/../tools/setup")
source "$(dirname "$0")/command.sh"

mkdir -p tools fake
cp "$setup" tools/setup
printf '#!/bin/sh\nexit 1\n' >fake/dpkg-query
printf '#!/bin/sh\necho "apt-get $*" >>calls\n' >fake/apt-get
printf '#!/bin/sh\necho "sudo" >>calls\nexec "$@"\n' >fake/sudo
chmod 755 tools tools/setup fake fake/*
chmod 777 .

# as USER ANSWER GOAL...: runs it as root or nobody; ANSWER is typed at a terminal, or - where there is none.
cat >as.py <<'SCRIPT'
import os, pty, sys
user, answer, goals = sys.argv[1], sys.argv[2], sys.argv[3:]
def begin():
    if user == "nobody" and os.geteuid() == 0:
        os.setgroups([]); os.setgid(65534); os.setuid(65534)
    os.environ["PATH"] = os.path.abspath("fake") + ":" + os.environ["PATH"]
    os.execv("tools/setup", ["tools/setup", *goals])
if answer == "-":
    pid = os.fork()
    if pid == 0:
        null = os.open("/dev/null", os.O_RDWR)
        out = os.open("output", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(null, 0); os.dup2(out, 1); os.dup2(out, 2)
        begin()
else:
    pid, end = pty.fork()
    if pid == 0:
        begin()
    os.write(end, (answer + "\n").encode())
    seen = b""
    while True:
        try:
            got = os.read(end, 4096)
        except OSError:
            break
        if not got:
            break
        seen += got
    open("output", "wb").write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
SCRIPT
as() {
    rm -f calls output
    python3 as.py "$@" >yes.log 2>&1
    code=$?
    touch calls output
    cp output stderr
}
unset SINEW_NO_SETUP SINEW_SETUP

as nobody - run
is "without a terminal it fails" 1
has "says what to do" output 'sudo apt-get install --no-install-recommends .*libassimp-dev' 'SINEW_SETUP=yes'
empty "and calls nothing" calls
as nobody n run
is "a no is a no" 1
has "it asked first" output 'may sudo apt-get install these [0-9]+ packages\? \[Y/n\]' 'missing: .*cmake'
empty "nothing was called" calls
as nobody y run
is "a yes installs" 0
has "through sudo" calls '^sudo$' '^apt-get .*install .*cmake'
as nobody "" run
has "so does Enter" calls '^sudo$'
SINEW_SETUP=yes as nobody - run
is "SINEW_SETUP=yes answers beforehand" 0
has "and installs" calls '^apt-get .*install .*cmake'
SINEW_NO_SETUP=1 as nobody - run
is "SINEW_NO_SETUP=1 does nothing" 0
empty "nothing at all" calls
for package in cmocka clang-14 valgrind gmsh chromium suitesparse mpfr lapacke mujoco python3 ffmpeg calculix; do
    SINEW_SETUP=yes as nobody - run
    yes "run does not install $package, which tests need" test -z "$(grep -- "$package" calls)"
done
SINEW_SETUP=yes as nobody - test
has "test does" calls 'cmocka' 'suitesparse' 'valgrind'
if ((EUID == 0)); then
    as root - run
    is "root is not asked" 0
    yes "and needs no sudo" test -z "$(grep sudo calls)"
    has "and installs" calls '^apt-get .*install .*cmake'
fi

tell_counts
