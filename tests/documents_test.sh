#!/usr/bin/env bash
# The documents agree with what they are made of: tables of docs/benchmarks.md with docs/benchmarks.json and
# bench/costs.json, links with files and headings. Both checkers are also shown mistakes, which they must find.
#
#     tests/documents_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
root=$(realpath "$(dirname "$0")/..")
source "$(dirname "$0")/command.sh"
tables() { "$root/tools/benchmark-tables" "$@" >stdout 2>stderr; code=$?; }
documents() { "$root/tools/check-documents" "$@" >stdout 2>stderr; code=$?; }
# again: the checked files anew in `copy`.
again() {
    rm -rf copy
    mkdir -p copy/bench copy/docs
    cp "$root/bench/costs.json" copy/bench
    cp "$root"/docs/benchmarks.* copy/docs
}
# finds NAME PATTERN COMMAND...: the command fails and says so.
finds() {
    local name=$1 pattern=$2
    shift 2
    "$@"
    is "$name" 1
    has "$name, and says where" stdout "$pattern" ' passed, [1-9][0-9]* failed$'
}

# ---- tables ----
tables --check
is "tables of docs/benchmarks.md are those of its sources: $(head -n 3 stdout | tr '\n' ' ')" 0
again
sed -i 's/^| chain of 100 | 327 /| chain of 100 | 328 /' copy/docs/benchmarks.md
finds "a figure changed in the page is found" '^mechanisms: ' tables --check --root copy
tables --root copy
is "writing tables" 0
yes "gives the page again" cmp copy/docs/benchmarks.md "$root/docs/benchmarks.md"
sed -i 's/"chain-10": [0-9.]*/"chain-10": 99/' copy/bench/costs.json
finds "counts that changed are found" '^instructions: ' tables --check --root copy
again
sed -i 's/"chain-10":/"chain-11":/' copy/bench/costs.json
finds "a case that nobody explains is found" "case 'chain-11'" tables --check --root copy
again
sed -i 's/^<!-- table: pile -->$/<!-- table: heap -->/' copy/docs/benchmarks.md
finds "a table without a source is found" '^heap: ' tables --check --root copy
has "and a source without a table" stdout '^pile: '
again
printf '\n| a | b |\n|---|---|\n| 1 | 2 |\n' >>copy/docs/benchmarks.md
finds "a table outside of markers is found" 'outside of markers' tables --check --root copy
again
sed -i 's/\["chain of 100", /["chain of 100", "1", /' copy/docs/benchmarks.json
finds "a row of the wrong length is found" '^mechanisms: a row of 8 cells' tables --check --root copy

# ---- links ----
documents --sources
is "links of all documents: $(head -n 3 stdout | tr '\n' ' ')" 0
mkdir -p pages/docs
printf '# One page: a `title`\n[good](docs/two.md#with-a-heading-1)\n' >pages/one.md
printf '# Two\n## With a heading\n## With a heading\n[good](../one.md#one-page-a-title)\n' >pages/docs/two.md
printf '```\n[code](nowhere.md)\n```\nand `[more](nowhere.md)`, [outside](https://example.org/nowhere)\n' >>pages/docs/two.md
documents --root pages
is "good links are good" 0
has "and counted" stdout '^2 passed, 0 failed$'
printf '[bad](three.md)\n' >>pages/one.md
finds "a link to nothing is found" '^one.md: three.md is not there' documents --root pages
printf '[bad](#nothing)\n' >pages/one.md
finds "so is a heading that is not there" '^one.md: #nothing has no such heading' documents --root pages
printf '# One page: a title\n' >pages/one.md
printf 'wide %0200d\n' 1 >pages/docs/glossary.md
finds "a line that is too long is found" '^docs/glossary.md: lines longer than 120 columns: 1' documents --root pages

tell_counts
