# topowise: two commands do everything on a fresh Debian or Ubuntu machine: `make demo` and `make test`. `make build` works everywhere.
JOBS ?= $(shell nproc)
VENVS := $(abspath $(or $(TOPOWISE_MPI_VENVS),.deps/mpi))
PYTHON = -DTOPOWISE_PYTHON=ON -DTOPOWISE_PYTHON_ABI3=ON -DPython_EXECUTABLE=$(CURDIR)/.deps/python/bin/python
# cmake/precompiled.cmake and cmake/unity.cmake explain when precompiled headers and joined sources help.
CONFIGURE = cmake -DTOPOWISE_PRECOMPILE=$(PRECOMPILE) -DTOPOWISE_UNITY=$(PRECOMPILE) --preset
PRECOMPILE ?= ON
# What packages consist of is linked against an older glibc (cmake/portable.cmake).
OLD_GLIBC = $(CURDIR)/.deps/glibc-2.31
PORTABLE = -DTOPOWISE_OLD_GLIBC=$(OLD_GLIBC)
N ?= 10
FUZZ_SECONDS ?= 2
RESULTS = $(CURDIR)/build/results
# Every test must really run: here a missing requirement is a failure, not a skip.
# ctest runs two tests more than there are processors, because ranks of MPI jobs wait for each other.
CTEST = TOPOWISE_MPI_VENVS=$(VENVS) TOPOWISE_REQUIRE_ALL=1 TOPOWISE_FUZZ_SECONDS=$(FUZZ_SECONDS) ctest -j $$(($(JOBS) + 2)) \
        --test-output-size-passed 1000000 --output-junit $(RESULTS)/$@.xml --preset
.DEFAULT_GOAL := help
.PHONY: help deps deps-drivers deps-demo deps-test deps-wide build fake-drivers demo docs test test-all test-repeat laws headers lint format bench figures clean \
        deps-packages deps-aarch64 packages packages-aarch64 release test-release test-checked test-tsan run-release run-checked run-tsan \
        laws-tree laws-tested laws-links laws-format all-release all-clock all-dev all-tsan all-fuzz all-bare

help:            ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /  make \1\t/p' Makefile | expand -t 26

deps:            ## see to it that building has what it needs (as root; otherwise print the command)
	@tools/install-deps.sh build
deps-drivers deps-demo:
	@tools/install-deps.sh $(@:deps-%=%)
deps-test:       ## install what testing needs as well
	@tools/install-deps.sh test
deps-wide:       # installs what make test-all needs as well
	@tools/install-deps.sh wide

build: deps      ## build/release/bin/topowise
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target topowise_product

deps-packages:
	@tools/install-deps.sh packages
packages: deps-packages ## tarball, .deb, .rpm, wheel and source archive for every Linux with glibc 2.28 or newer, in build/packages (Debian 12)
	$(CONFIGURE) release $(PYTHON) $(PORTABLE)
	cmake --build --preset release -j $(JOBS) --target topowise_product topowise_portable
	tools/make_packages.py build/release build/packages
deps-aarch64:
	@tools/install-deps.sh aarch64
packages-aarch64: deps-aarch64 ## tarball, .deb and .rpm for aarch64, compiled on an x86-64 machine, beside the others in build/packages (Debian 12)
	$(CONFIGURE) aarch64
	cmake --build --preset aarch64 -j $(JOBS) --target topowise_portable
	tools/make_packages.py build/aarch64 build/packages

release:         ## check that VERSION can be released, run all tests and make its packages (RELEASING.md)
	tools/release.py "$(VERSION)"

fake-drivers: deps-drivers ## stand-ins for the GPU drivers (docs/recipes/without-a-gpu.md), in build/release/lib
	$(CONFIGURE) release -DBUILD_TESTING=ON
	cmake --build --preset release -j $(JOBS) --target topowise_fake_cuda topowise_fake_hip topowise_fake_nvml

demo: deps-demo  ## record an MPI program, map it onto two GPU servers, predict and measure the gain
	$(CONFIGURE) release
	cmake --build --preset release -j $(JOBS) --target demo
	examples/demo.py build/release

test: deps-test  ## what every change must pass, in some 20 minutes (docs/testing.md)
	@tools/test_stages.py laws test-release docs test-checked test-tsan

test-all: deps-wide ## takes hours: every MPI library, every sanitizer over everything, long fuzzing, tests that compare times, several rounds
	@tools/test_stages.py laws headers all-release docs all-clock all-dev all-tsan all-fuzz all-bare
	@$(MAKE) test-repeat N=3

test-repeat:     ## run the tests of the last `make test` N times without building (N=10), and count the failures of each test
	@tools/test_stages.py --times $(N) run-release run-checked run-tsan

# The stages of `make test`.
test-release:    ## all tests on the program that users run
	$(CONFIGURE) release -DBUILD_TESTING=ON $(PYTHON) $(PORTABLE)
	cmake --build --preset release -j $(JOBS) --target all topowise_portable
	@$(MAKE) --no-print-directory run-release
run-release:
	$(CTEST) release -LE 'wide|clock|laws|threads'

test-checked:    ## tests of the recorder and of what reads foreign input, under AddressSanitizer and UndefinedBehaviorSanitizer; short fuzzing
	$(CONFIGURE) checked
	cmake --build --preset checked -j $(JOBS) --target checked_tests fuzz_targets
	@$(MAKE) --no-print-directory run-checked
run-checked:
	$(CTEST) checked -L 'checked|fuzz'

test-tsan:       ## tests of what runs on several threads, under ThreadSanitizer
	$(CONFIGURE) tsan
	cmake --build --preset tsan -j $(JOBS) --target tsan_tests
	@$(MAKE) --no-print-directory run-tsan
run-tsan:
	$(CTEST) tsan -L threads

# The stages of `make test-all`. Each file is compiled alone and without precompiled headers, so a file that forgets an include does not compile.
all-release: PRECOMPILE = OFF
all-release:
	$(CONFIGURE) release -DBUILD_TESTING=ON $(PYTHON) $(PORTABLE)
	cmake --build --preset release -j $(JOBS) --target all topowise_portable
	$(CTEST) release -LE 'clock|threads'

all-clock:       # on a machine that does nothing else
	$(CTEST) release -L clock

all-dev:         # ASAN_OPTIONS: programs without AddressSanitizer start with a preloaded library that has it
	$(CONFIGURE) dev
	cmake --build --preset dev -j $(JOBS)
	ASAN_OPTIONS=verify_asan_link_order=0 $(CTEST) dev -L 'unit|cli' -LE clock

all-tsan:        # leaves out the tests of how much memory large files take, since one thread reads those files
	$(CONFIGURE) tsan
	cmake --build --preset tsan -j $(JOBS)
	$(CTEST) tsan -L unit -LE clock -E '^memory/'

all-fuzz: FUZZ_SECONDS = 120
all-fuzz:
	$(CONFIGURE) fuzz
	cmake --build --preset fuzz -j $(JOBS) --target fuzz_targets
	$(CTEST) fuzz -L fuzz

all-bare:        # as on a machine without MPI
	$(CONFIGURE) bare
	cmake --build --preset bare -j $(JOBS)
	$(CTEST) bare -L 'unit|cli' -LE clock

headers:         ## every header compiles alone
	tools/check_headers.sh $(JOBS)

laws:            ## include laws and formatting
	@$(MAKE) --no-print-directory --output-sync -j $(JOBS) laws-tree laws-tested laws-links laws-format
laws-tree:
	tools/check_laws.py
laws-tested:     # tests that each law finds its breaches
	python3 tests/tools/check_laws_test.py
laws-links:
	tools/check_links.py
	python3 tests/tools/check_links_test.py
laws-format:
	git ls-files '*.cpp' '*.hpp' '*.c' | xargs clang-format --dry-run --Werror

lint: laws       ## the same as laws, and clang-tidy on every file (a quarter of an hour on two cores)
	tools/lint.sh

format:          ## format all sources in place
	git ls-files '*.cpp' '*.hpp' '*.c' | xargs clang-format -i

docs:            ## the documentation as a site, with the library's reference: build/site/index.html
	@tools/install-deps.sh docs
	$(CONFIGURE) release
	tools/build-docs.sh .deps/docs build/release

bench: deps-test ## measure mapper quality and speed and recording overhead, beside the peers
	$(CONFIGURE) bench
	cmake --build --preset bench -j $(JOBS)
	bench/run.sh build/bench

figures: deps-test ## write the tables of docs/models that programs of bench/ print (minutes; figures of this machine)
	$(CONFIGURE) bench
	cmake --build --preset bench -j $(JOBS) --target quality_bench model_gpu_selection
	tools/figures.py build/bench

clean:           ## remove the build trees
	rm -rf build
