#!/usr/bin/env bash
# The server of `sinew view`: see tests/view/check.py.
exec timeout -s KILL 280 python3 "$(dirname "$0")/view/check.py" "$1"
