# Every target does its own set-up: Rust, Python 3.11 and make are all that must be there before.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

FUZZ_SECONDS ?= 20
SECONDS ?= 600
FUZZ_OTHERS := input layout workload snapshot
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
RUST_SOURCES := $(shell find crates presets -type f 2>/dev/null) Cargo.toml Cargo.lock

# The bindings compile against the interpreter that will load them.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Where it is set, every start of Python compiles the package anew: 0.07 s each.
unexport PYTHONDONTWRITEBYTECODE

DEMO_TRACE := examples/linkbench-40s.blkparse.zst
DEMO_DEVICE := examples/demo.toml
DEMO_OUT := out/demo

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

.PHONY: demo
demo: $(VENV)/built ## Compare two schemes on the shipped trace; writes out/demo/report.html
	$(BIN)/slcache compare $(DEMO_TRACE) --device $(DEMO_DEVICE) \
		--schemes tlc-only,baseline --replay closed:4 --address compact --out $(DEMO_OUT)

# Libraries are built with assertions for their own tests, the core once with all of them; what runs
# them is tested on the libraries that the bindings have. The bindings are named in both, so that other
# people's crates have the features they were built with and are not built again.
TEST_RUST = cargo test --tests -p slcache-py -p slcache-base -p slcache-files -p slcache-traces -p slcache-core \
	&& cargo test --tests --config crates/as-built.toml -p slcache-py -p slcache-sim -p slcache-bench

.PHONY: test
test: $(VENV)/built ## Run every test a commit must pass
	$(TEST_RUST)
	$(BIN)/python -m pytest -n auto --dist loadfile

# Between edits: fewer random cases, one value of each kind, and none of the tests that take long.
.PHONY: quick
quick: export SLCACHE_QUICK = 1
quick: export SLCACHE_FUZZ_SECONDS = 0.1
quick: $(VENV)/built ## Try a little of every kind of test, in a few minutes
	$(TEST_RUST)
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow and not long'

.PHONY: slow
slow: $(VENV)/built ## Run the tests that take minutes
	$(BIN)/python -m pip install --quiet 'ray>=2.40'
	$(BIN)/python -m pytest -n auto --dist loadfile -m slow
	SLCACHE_SLOW=1 cargo test --tests -p slcache-core -p slcache-sim
	SLCACHE_SLOW=1 cargo test -p slcache-traces --lib -- --include-ignored

.PHONY: check-rust
check-rust: $(BIN)/python
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --profile test -- -D warnings

.PHONY: check-python
check-python: $(VENV)/tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.PHONY: check
check: check-rust check-python ## Check formatting, lints and types

# Builds with a profile: the program is built with counters, does the work of `slcache-bench --train`,
# and is built again for what it spent its time on. Naming the target keeps the flags away from what
# only runs while building; as encoded flags they may have a path with spaces.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
PGO := target/pgo
PROFILE := $(PGO)/slcache.profdata
LLVM_PROFDATA = $(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata
WITH_PROFILE = CARGO_ENCODED_RUSTFLAGS="-Cprofile-use=$(CURDIR)/$(PROFILE)"
PGO_BENCH = $(PGO)/built/$(HOST)/release/slcache-bench

.PHONY: pgo
pgo: $(PGO_BENCH) ## Build the programs for what they spend their time on, in target/pgo/built

$(PROFILE): $(RUST_SOURCES)
	@test -x "$(LLVM_PROFDATA)" || rustup component add llvm-tools \
		|| { echo "error: llvm-profdata is missing: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf $(PGO)/raw
	CARGO_ENCODED_RUSTFLAGS="-Cprofile-generate=$(CURDIR)/$(PGO)/raw" cargo build --release \
		--target $(HOST) --target-dir $(PGO)/instrumented -p slcache-bench
	$(PGO)/instrumented/$(HOST)/release/slcache-bench --train
	"$(LLVM_PROFDATA)" merge --output=$@ $(PGO)/raw

$(PGO_BENCH): $(PROFILE)
	$(WITH_PROFILE) cargo build --release --target $(HOST) --target-dir $(PGO)/built -p slcache-sim -p slcache-bench --bins

.PHONY: wheel
wheel: $(PROFILE) $(VENV)/tools ## Build dist/*.whl with a profile
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(WITH_PROFILE) $(BIN)/maturin build --release --strip --target $(HOST) \
		--target-dir $(PGO)/built --out dist
	$(BIN)/python tests/wheel_smoke.py dist stripped

# The wheel is made of the build that is there, without a profile: it is the packaging that is tried.
# Stripping would have the bindings built again.
.PHONY: wheel-check
wheel-check: $(VENV)/built ## Build a wheel without a profile and try it in an empty environment
	rm -rf out/wheel
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin build --profile dev --out out/wheel
	$(BIN)/python tests/wheel_smoke.py out/wheel

.PHONY: docs
docs: $(VENV)/built $(VENV)/docs ## Build the documentation, out/docs/index.html
	$(BIN)/python tests/generated_pages.py
	$(BIN)/zensical build --strict

.PHONY: bench
bench: $(PGO_BENCH) $(VENV)/built ## Measure speed and memory of a build with a profile
	$(PGO_BENCH)
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release
	$(BIN)/python benches/environment.py
	$(BIN)/python benches/own_schemes.py

.PHONY: growth
growth: $(PGO_BENCH) $(VENV)/built ## Measure cost as the work grows; draws docs/images/growth.png
	mkdir -p out
	$(PGO_BENCH) --growth --rounds 3 > out/growth.json
	$(BIN)/python benches/growth.py

# Instructions do not depend on what else the machine does; counting needs valgrind.
COUNT = cargo run --release -p slcache-bench -- $(1) benches/instructions.toml

.PHONY: bench-check
bench-check: ## Fail when a request takes over 1 % more instructions than committed
	$(call COUNT,--check)

.PHONY: instructions
instructions: ## Rewrite the committed instructions per request
	$(call COUNT,--write)

# Fuzzing is a tool of its own: libFuzzer wants flags that stable Rust only takes so. Leaks
# are not looked for, since that hangs where ptrace is not allowed.
FUZZ := crates/traces/fuzz
FUZZ_TOOL := target/tools/bin/cargo-fuzz
FUZZ_BIN = target/fuzz/$$(rustc -vV | sed -n 's/^host: //p')/release
FUZZ_LIMITS = -max_total_time=$(FUZZ_SECONDS) -max_len=32768 -timeout=10 -rss_limit_mb=1024 \
	-detect_leaks=0 -print_final_stats=1 -verbosity=0 -artifact_prefix=target/fuzz/artifacts/

.PHONY: fuzz
fuzz: export ASAN_OPTIONS = detect_leaks=0
fuzz: $(FUZZ_TOOL) ## Fuzz each reader of files for FUZZ_SECONDS (20)
	cp Cargo.lock $(FUZZ)/Cargo.lock
	RUSTC_BOOTSTRAP=1 $(FUZZ_TOOL) build --fuzz-dir $(FUZZ) --target-dir target/fuzz
	mkdir -p target/fuzz/artifacts
	$(FUZZ_BIN)/seeds target/fuzz/corpus > target/fuzz/formats
	for format in $$(cat target/fuzz/formats); do echo "fuzzing the reader of $$format"; \
		SLCACHE_FUZZ_FORMAT=$$format $(FUZZ_BIN)/reader $(FUZZ_LIMITS) \
		target/fuzz/corpus/reader/$$format || exit 1; done
	for target in $(FUZZ_OTHERS); do echo "fuzzing $$target"; \
		$(FUZZ_BIN)/$$target $(FUZZ_LIMITS) target/fuzz/corpus/$$target || exit 1; done

$(FUZZ_TOOL):
	cargo install cargo-fuzz --version 0.13.2 --locked --root target/tools

# The model tests use every core; beside them runs one process with changed inputs.
.PHONY: soak
soak: $(VENV)/built ## Test random devices and changed inputs for SECONDS (600)
	cargo test -p slcache-core --lib --no-run
	SLCACHE_SOAK_SECONDS=$(SECONDS) cargo test -p slcache-core --lib model::soak -- --ignored \
		& model=$$!; $(BIN)/python tests/changed_runs.py $(SECONDS); inputs=$$?; \
		wait $$model && exit $$inputs

.PHONY: golden
golden: ## Rewrite the golden results after an intended change
	SLCACHE_GOLDEN=write cargo test -p slcache-sim --test it golden::

# Held-out figures are not read; git shows what moved. DRIVES names some, all by default.
.PHONY: presets
presets: $(VENV)/built ## Calibrate the presets that are like drives anew (an hour), or DRIVES='A B'
	PYTHONPATH=tests $(BIN)/python tests/drive_presets.py $(DRIVES)

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf $(VENV) target out dist .mypy_cache .pytest_cache .ruff_cache python/slcache/_core*.so

$(BIN)/python:
	@command -v cargo >/dev/null || { echo "error: Rust is missing: see https://rustup.rs" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "error: Python 3.11 or newer is missing; name one with PYTHON=" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

# What the package needs to run and what its development needs; maturin passes dependency
# groups to pip, which older ones do not know.
$(VENV)/tools: pyproject.toml | $(BIN)/python
	$(BIN)/python -c 'import tomllib; \
		project = tomllib.load(open("pyproject.toml", "rb")); \
		print(*project["project"]["dependencies"], *project["dependency-groups"]["dev"], \
		*project["build-system"]["requires"], "pip>=25.1", sep="\n")' > $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/requirements.txt
	touch $@

$(VENV)/docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

# The package is installed in place: only a change on the Rust side builds anew. Its profile builds in
# less time; `make wheel` and `make bench` take the best one.
$(VENV)/built: $(RUST_SOURCES) pyproject.toml $(VENV)/tools
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile dev
	touch $@
