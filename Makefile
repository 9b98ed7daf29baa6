# Everything here works on a fresh machine with python3.11, git and a package index:
# the virtual environment is made on first use and again when pyproject.toml changes.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= 2
# Data sets for benchmarks/recall_quality.py, read where they lie.
DATA ?= ../shared/data
BENCHMARKS := $(filter-out __init__ corpus,$(basename $(notdir $(wildcard benchmarks/*.py))))

# The suite starts some hundred processes: each would compile what it imports once more.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test contract gates faults clients vectors lint format schemas docs bench wheel clean

help: ## Lists the targets
	@awk -F ':.*## ' '/^[a-z ]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memfs needs Python 3.11 or newer")'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP) ## Shows the whole way of a memory, from import to recall, and checks what it shows
	@PATH="$(abspath $(BIN)):$$PATH" sh fixtures/demo/demo.sh

test: $(STAMP) ## Runs all tests, faults included, on WORKERS cores (default 2)
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

contract: $(STAMP) ## Runs the 29 invariants against every operation and surface, a line each
	$(BIN)/python -m pytest tests/contract --invariants

gates: $(STAMP) ## Tries ten promises of which no breach is tolerated, then each without its guard
	$(BIN)/python -m benchmarks.gates
	$(BIN)/python -m benchmarks.gates --sabotage --cases 1

faults: $(STAMP) ## Runs the fault tests at full count; takes a quarter of an hour
	MEMFS_FAULTS=full $(BIN)/python -m pytest tests/faults --timeout 1800

clients: $(STAMP) ## Runs clients and servers that are not ours against ours; needs node and npm
	MEMFS_CLIENTS=1 $(BIN)/python -m pytest tests/clients -rs

vectors: $(STAMP) ## Installs the extras for vectors and runs the tests that need them
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[vectors,qdrant]'
	$(BIN)/python -m pytest tests/services/test_embedders.py tests/services/test_qdrant_vectors.py \
	  tests/index/test_vector_files.py -rs

lint: $(STAMP) ## Checks style, formatting, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMP) ## Formats the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix --quiet .

schemas docs: $(STAMP) ## Write the JSON Schemas and the generated pages from the code
	$(BIN)/python -m docs.generate

bench: $(STAMP) ## Prints what is fast and how it grows, each figure beside its floor or peer
	@set -e; for name in $(BENCHMARKS); do \
	  printf '\n== %s\n' "$$name"; \
	  case $$name in \
	    recall_quality | locomo) \
	      if [ -d "$(DATA)" ]; then $(BIN)/python -m benchmarks.$$name --data "$(DATA)"; \
	      else echo "skipped: there is no $(DATA); say make bench DATA=FOLDER"; fi ;; \
	    evaluation) $(BIN)/python -m benchmarks.$$name $(if $(wildcard $(DATA)),--data "$(DATA)") ;; \
	    *) $(BIN)/python -m benchmarks.$$name ;; \
	  esac; \
	done

wheel: $(STAMP) ## Builds the wheel into dist/
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean: ## Removes what these targets made
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
