# What a visitor needs: make, make demo, make test, make clean. Those who change the code use ./dev, which does the work.
.PHONY: build demo test clean
.NOTPARALLEL:

build:
	@tools/setup
	@./dev build

demo: build
	@tools/demo

test:
	@tools/setup
	@./dev test

clean:
	@rm -rf build build-clang build-asan build-tsan build-mutants build-bare
