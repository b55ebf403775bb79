# What scripts that try the command share. To be sourced, from a script that got `path/to/sinew`:
#
#     source "$(dirname "$0")/command.sh"
#
# It goes to an empty folder, which is taken away at the end. Checks print one line each; `tell_counts` ends a script.
set -uo pipefail
if (($# != 1)); then
    echo "usage: $0 path/to/sinew" >&2
    exit 2
fi
sinew=$(realpath "$1")
work=$(mktemp -d)
trap 'chmod -R u+rwX "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR
export TERM=xterm LC_ALL=C.UTF-8 SINEW_CACHE=off
passed=0
failed=0
code=0

pass() {
    echo "ok      $1"
    passed=$((passed + 1))
}
fail() {
    echo "FAILED  $1${2:+: $2}"
    failed=$((failed + 1))
}

# Runs the command; afterwards $code, and the files stdout and stderr.
try() {
    "$sinew" "$@" >stdout 2>stderr </dev/null
    code=$?
}
# is NAME CODE: the last try ended so.
is() {
    if ((code == $2)); then pass "$1"; else fail "$1" "exit code $code, not $2; $(head -c 300 stderr)"; fi
}
# has NAME FILE PATTERN...: a file matches all extended regular expressions.
has() {
    local name=$1 file=$2 pattern
    shift 2
    for pattern in "$@"; do
        if ! grep -qE -- "$pattern" "$file"; then
            fail "$name" "no '$pattern' in $file: $(head -c 300 "$file")"
            return
        fi
    done
    pass "$name"
}
# yes NAME COMMAND...: the command succeeds.
yes() {
    local name=$1
    shift
    if "$@" >yes.log 2>&1; then pass "$name"; else fail "$name" "$(tail -c 300 yes.log)"; fi
}
empty() { if [[ ! -s $2 ]]; then pass "$1"; else fail "$1" "$2 has: $(head -c 300 "$2")"; fi; }
# json NAME FILE EXPRESSION: python agrees, with the parsed file as `j`.
json() {
    yes "$1" python3 -c 'import json, sys
j = json.load(open(sys.argv[1]))
assert eval("(" + sys.argv[2] + ")", {"j": j}), sys.argv[2]' "$2" "$3"
}
# wait_for COMMAND...: until it succeeds, a minute at most.
wait_for() {
    local i
    for ((i = 0; i < 1200; ++i)); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done
    return 1
}

tell_counts() {
    echo "$passed passed, $failed failed"
    ((failed == 0))
}
