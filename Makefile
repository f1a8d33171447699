# SPDX-License-Identifier: Apache-2.0
# Thin names over CMake presets. `make help` explains them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: help run test bench reproduce install package setup clean configure-release build-release

help:
	@echo 'make run      build Skerry and run its twenty-two programs, each checked and timed against its serial elision, and a table of its systems'
	@echo 'make test     build and run the tests'
	@echo 'make bench    build and run the comparison with oneTBB, OpenMP and rayon'
	@echo 'make reproduce  build the thirteen programs for simulated cores, run them, print Table III (quick); TO=DIR'
	@echo 'make install  install headers, libraries, package files and the skerry command under PREFIX ($(PREFIX))'
	@echo 'make package  make a .deb of the same, build/release/skerry_*.deb'
	@echo 'make setup    install every package that any of these, or .ci/run, needs'
	@echo 'make clean    delete build/'
	@echo
	@echo 'Each installs the packages it misses (tools/packages.txt says which and why), as root or through sudo;'
	@echo 'with nothing missing it does not touch the network. JOBS ($(JOBS)) bounds parallel compilation.'

run: configure-release
	cmake --build --preset release --parallel $(JOBS) --target skerry_cli
	build/release/cli/skerry run all
	build/release/cli/skerry run systems

test:
	@tools/setup run test
	cmake --preset dev
	cmake --build --preset dev --parallel $(JOBS)
	ctest --preset dev --parallel $(JOBS)
	@tools/list_skips build/dev

bench:
	@tools/setup run bench
	tools/bench fork-join

TO ?= build/hcc-dts-quick
reproduce: configure-release
	cmake --build --preset release --parallel $(JOBS) --target skerry_cli skerry_reproduce
	build/release/cli/skerry reproduce hcc-dts --quick --jobs $(JOBS) --to "$(TO)"

install: build-release
	cmake --install build/release --prefix "$(PREFIX)"
	@tools/after_install "$(PREFIX)"

package: build-release
	@tools/setup package
	cd build/release && cpack

setup:
	@tools/setup

clean:
	rm -rf build

configure-release:
	@tools/setup run
	cmake --preset release

build-release: configure-release
	cmake --build --preset release --parallel $(JOBS)
