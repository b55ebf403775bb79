#!/usr/bin/env bash
# `sinew verify` passes: the published table of accuracy, all of it, in lines of at most 80 columns. With sanitizers, where its long runs would take
# many minutes, only what is quick.
#
#     tests/verify_test.sh path/to/sinew
#
# Ends with `N passed, M failed`, counting cases.
set -uo pipefail
groups=(--only energy)
if [[ ${SINEW_SANITIZED:-0} != 1 ]]; then
    groups=()
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$1" verify "${groups[@]}" >"$log" 2>&1
status=$?
cat "$log"
if ! tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [0-9]+ failed$'; then
    echo "0 passed, 1 failed"
    exit 1
fi
if awk 'length > 80 {print "longer than 80 columns: " $0; found = 1} END {exit !found}' "$log"; then
    echo "0 passed, 1 failed"
    exit 1
fi
exit $status
