# Every target does its own set-up: Rust, Python 3.11 and make are all that must be there before.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
RUST_SOURCES := $(shell find crates presets -type f 2>/dev/null) Cargo.toml Cargo.lock

# The bindings compile against the interpreter that will load them.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1

DEMO_TRACE := examples/linkbench-40s.blkparse.zst
DEMO_DEVICE := examples/demo.toml
DEMO_OUT := out/demo

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

.PHONY: demo
demo: $(VENV)/built ## Compare two schemes on the shipped trace; writes out/demo/report.html
	$(BIN)/slcache compare $(DEMO_TRACE) --device $(DEMO_DEVICE) \
		--schemes tlc-only,baseline --replay closed:4 --address compact --out $(DEMO_OUT)

.PHONY: test
test: $(VENV)/built ## Run every test a commit must pass
	cargo test
	$(BIN)/python -m pytest

.PHONY: check
check: $(VENV)/tools ## Check formatting, lints and types
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.PHONY: bench
bench: ## Measure speed and memory
	cargo run --release -p slcache-sim --bin slcache-bench

.PHONY: golden
golden: ## Rewrite the golden results after an intended change
	SLCACHE_GOLDEN=write cargo test -p slcache-sim golden

.PHONY: clean
clean: ## Remove what the other targets made
	rm -rf $(VENV) target out .mypy_cache .pytest_cache .ruff_cache python/slcache/_core*.so

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

# The package is installed in place: only a change on the Rust side builds anew.
$(VENV)/built: $(RUST_SOURCES) pyproject.toml $(VENV)/tools
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release
	touch $@
