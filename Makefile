# topowise: two commands do everything on a fresh Debian or Ubuntu machine: `make demo` and `make test`.
JOBS ?= $(shell nproc)
VENVS := $(CURDIR)/.deps/mpi
CONFIGURE = cmake --preset
.DEFAULT_GOAL := help
.PHONY: help deps deps-test build fake-drivers demo test test-release test-dev test-tsan test-bare fuzz laws lint format bench clean

help:            ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22

deps:            ## install what building needs (root; otherwise prints the command)
	@tools/install-deps.sh build
deps-test:       ## install what testing needs as well
	@tools/install-deps.sh test

build: deps      ## build/release/bin/topowise
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target topowise topowise_interpose

fake-drivers:    ## stand-ins for the GPU drivers (docs/recipes/without-a-gpu.md), in build/release/lib
	$(CONFIGURE) release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS) --target topowise_fake_cuda topowise_fake_hip topowise_fake_nvml

demo: build      ## record a real MPI program, map it onto a real machine, run it again
	cmake --build --preset release -j $(JOBS) --target examples
	examples/demo.sh build/release

test: deps-test  ## everything: unit, CLI, real MPI jobs, install, sanitizers, fuzz smoke, laws
	$(MAKE) laws test-release test-dev test-tsan test-bare fuzz

# Every test must really run: what is missing is a failure here, not a skip.
test-release:    ## all tests on the program that users run
	$(CONFIGURE) release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS)
	TOPOWISE_MPI_VENVS=$(VENVS) TOPOWISE_REQUIRE_ALL=1 ctest --preset release

test-dev:        ## unit tests and CLI transcripts under AddressSanitizer and UndefinedBehaviorSanitizer
	$(CONFIGURE) dev
	cmake --build --preset dev -j $(JOBS)
	ctest --preset dev -L 'unit|cli|published'

test-tsan:       ## what runs on several threads, under ThreadSanitizer
	$(CONFIGURE) tsan
	cmake --build --preset tsan -j $(JOBS) --target tsan_tests
	ctest --preset tsan -R '^unit/(graph|mapper|interpose)$$'

test-bare:       ## a build on a machine that has nothing optional
	$(CONFIGURE) bare
	cmake --build --preset bare -j $(JOBS)
	ctest --preset bare -L 'unit|cli'

fuzz:            ## every parser, a few seconds each
	$(CONFIGURE) fuzz
	cmake --build --preset fuzz -j $(JOBS)
	tests/fuzz/run.sh build/fuzz/bin $(FUZZ_SECONDS)

laws:            ## include laws and formatting
	tools/check_laws.py
	tools/check_links.py
	git ls-files '*.cpp' '*.hpp' '*.c' | xargs clang-format --dry-run --Werror

lint: laws       ## the same and clang-tidy on every file (a quarter of an hour on two cores)
	tools/lint.sh

format:          ## format all sources in place
	git ls-files '*.cpp' '*.hpp' '*.c' | xargs clang-format -i

bench: deps-test ## mapper quality and speed, recording overhead, beside the peers
	$(CONFIGURE) bench
	cmake --build --preset bench -j $(JOBS)
	bench/run.sh build/bench

clean:           ## remove the build trees
	rm -rf build
