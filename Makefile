# Sinew's everyday commands, thin over CMake presets. `make help` lists them.
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
DESTDIR ?=
SCENE ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
C_FILES = $(shell git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cpp' '*.hpp' 2>/dev/null)

# Silent unless something is wrong: preset, target, more cache variables.
build = JOBS=$(JOBS) tools/build-preset $(1) $(2) $(3) >&2

.PHONY: help run view build web test bench costs soak newcomer pictures format lint install clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|' 2>/dev/null || \
	    sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1  \2/p' Makefile

run: build ## build, then run the main job on a built-in scene (SCENE=name chooses) into out/
	@tools/run $(SCENE)

view: build ## build, then watch and steer a scene in the browser (SCENE=name or file)
	@build/release/sinew view $(SCENE)

build: ## the release libraries and build/release/sinew, with the page inside where node is there
	@tools/setup run
	@echo "build: release" >&2
	@tools/build-page || echo "build: going on without the page, which only sinew view needs" >&2
	@$(call build,release,products)

web: ## the page with the engine in WebAssembly, into build/web, for any file server
	@tools/setup web
	@JOBS=$(JOBS) tools/build-web

test: ## everything: unit tests, sanitizers, hashes, fuzzers, installed package (STEPS="release asan" chooses)
	@tools/setup test web
	@JOBS=$(JOBS) tools/test $(STEPS)

bench: ## benchmarks beside peers, into build/bench.json
	@tools/setup bench
	@$(call build,release,peers,-DSINEW_BENCH=ON)
	@tools/bench

costs: ## instructions of a step of each case of bench/cost_probe.c, written to bench/costs.json
	@tools/setup test
	@JOBS=$(JOBS) tools/costs --write
	@tools/benchmark-tables

soak: ## the long tests: minutes of every fuzzer, valgrind, repeated thread tests (MINUTES=5)
	@tools/setup test
	@JOBS=$(JOBS) tools/soak $(MINUTES)

newcomer: ## types docs/getting-started.md and looks at what comes out, in this folder (see tools/newcomer)
	@tools/newcomer --in-place

pictures: build ## the pictures of README.md anew, into docs/images
	@tools/setup pictures
	@tools/pictures

format: ## clang-format over all sources
	@tools/setup lint
	@clang-format-14 -i $(C_FILES)

lint: ## clang-format check and clang-tidy, warnings are errors
	@tools/setup lint
	@JOBS=$(JOBS) tools/lint

install: build ## install under PREFIX (/usr/local), inside DESTDIR when given
	@$(call build,release,products,-DCMAKE_INSTALL_PREFIX=$(PREFIX))
	@DESTDIR=$(DESTDIR) cmake --install build/release >build/install.log || { cat build/install.log >&2; exit 1; }
	@echo "installed under $(DESTDIR)$(PREFIX)"

clean: ## remove build/ and out/
	@rm -rf build out
