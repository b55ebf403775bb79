# Sinew's everyday commands, thin over CMake presets. `make help` lists them.
.DEFAULT_GOAL := build
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
DESTDIR ?=
SCENE ?= $(SINEW_SCENE)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
SINEW := build/release/sinew
C_FILES = $(shell git ls-files -co --exclude-standard -- '*.c' '*.h' '*.cpp' '*.hpp' 2>/dev/null)

# cmake --preset writes a page; it is worth reading only when it fails.
configure = cmake --preset $(1) $(2) >build/configure-$(1).log 2>&1 || { cat build/configure-$(1).log >&2; exit 1; }

.PHONY: help run build test bench soak format lint install clean setup-run

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' Makefile | column -t -s '|' 2>/dev/null || \
	    sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1  \2/p' Makefile

run: build ## build, then run the main job on a built-in scene (SCENE=name chooses) into out/
	@tools/run $(SCENE)

build: ## the release libraries and build/release/sinew
	@tools/setup run
	@mkdir -p build
	@$(call configure,release)
	@cmake --build build/release --target products -j $(JOBS) -- --quiet

test: ## everything: unit tests, sanitizers, hashes, fuzzers, installed package (STEPS="release asan" chooses)
	@tools/setup test
	@JOBS=$(JOBS) tools/test $(STEPS)

bench: ## benchmarks beside peers, into build/bench.json
	@tools/setup bench
	@mkdir -p build
	@$(call configure,release,-DSINEW_BENCH=ON)
	@cmake --build build/release --target peers products -j $(JOBS) -- --quiet
	@tools/bench

soak: ## the long tests: minutes of every fuzzer, valgrind, repeated thread tests (MINUTES=5)
	@tools/setup test
	@JOBS=$(JOBS) tools/soak $(MINUTES)

format: ## clang-format over all sources
	@tools/setup lint
	@clang-format-14 -i $(C_FILES)

lint: ## clang-format check and clang-tidy, warnings are errors
	@tools/setup lint
	@JOBS=$(JOBS) tools/lint

install: build ## install under PREFIX (/usr/local), inside DESTDIR when given
	@$(call configure,release,-DCMAKE_INSTALL_PREFIX=$(PREFIX))
	@cmake --build build/release --target products -j $(JOBS) -- --quiet
	@DESTDIR=$(DESTDIR) cmake --install build/release >build/install.log || { cat build/install.log >&2; exit 1; }
	@echo "installed under $(DESTDIR)$(PREFIX)"

clean: ## remove build/ and out/
	@rm -rf build out
