#!/usr/bin/env bash
# tools/layers on the project, and on a small one with each fault that it is there to find.
#
#     tests/layers_test.sh path/to/sinew
#
# One line per check, then `N passed, M failed`.
layers=$(realpath "$(dirname "$0")/../tools/layers")
source "$(dirname "$0")/command.sh"

check() {
    "$@" >stdout 2>stderr
    code=$?
}
check "$layers"
is "folders include downwards, and no file names more kinds of agents than before" 0
((code == 0)) || cat stdout

# A project of three folders, and a file that names a kind twice.
mkdir -p src/base src/agent src/world tests/data
printf '# order\nbase\nagent\nworld\n' >src/layers.txt
echo '#include "base/memory.h"' >src/agent/elastic.h
echo 'int memory;' >src/base/memory.h
printf '%s\n' '#include "agent/elastic.h"' 'int a = SN_SET_ELASTIC; // SN_SET_RIGID' 'int b = SN_SET_COUNT;' >src/world/step.c
export SINEW_LAYERS_ROOT=$PWD
check "$layers"
is "a file that names a kind fails" 1
has "and is named" stdout 'src/world/step.c: names kinds of agents 2 times, 0 are allowed'
check "$layers" --write
is "the list can be written" 0
has "with the file and its count" tests/data/kinds_allowed.txt '^src/world/step.c 2$'
check "$layers"
is "and then holds" 0
echo 'int c = world->elastics.count;' >>src/world/step.c
check "$layers"
is "one more fails" 1
check "$layers" --write
is "and is not written" 1
echo '#include "agent/elastic.h"' >src/world/step.c
check "$layers"
is "one less fails, so that the list shrinks" 1
has "with the command that renews it" stdout 'names kinds of agents 1 times, less than the 2 .*tools/layers --write'
"$layers" --write >/dev/null
echo '#include "agent/agent.h"' >src/base/memory.h
check "$layers"
is "an upward include fails" 1
has "and is named" stdout 'src/base/memory.h: includes agent/agent.h, but agent comes after base'
echo 'int memory;' >src/base/memory.h
mkdir -p src/agent/elastic
mv src/agent/elastic.h src/agent/elastic/elastic.h
sed -i 's/^agent$/agent\nagent\/elastic/' src/layers.txt
echo '#include "agent/elastic/elastic.h"' >src/world/step.c
check "$layers"
is "a kind may have a folder of its own" 0
echo '#include "agent/elastic/elastic.h"' >src/agent/agent.h
check "$layers"
is "which the folder around it may not include" 1
has "upwards" stdout 'src/agent/agent.h: includes agent/elastic/elastic.h, but agent/elastic comes after agent'
has "nor name" stdout 'src/agent/agent.h: names kinds of agents 1 times, 0 are allowed'
rm src/agent/agent.h
mkdir src/cloth
echo 'int cloth;' >src/cloth/cloth.c
check "$layers"
is "a folder that is not listed fails" 1
has "and is named" stdout 'src/cloth/cloth.c: its folder is not in src/layers.txt'
tell_counts
