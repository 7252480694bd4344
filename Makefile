# Every target sets up .venv by itself, on any machine with Python 3.11 or newer. PYTHON=... chooses the interpreter.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:

VENV := .venv
BIN := $(VENV)/bin
# With -P the root is no import path, so `import verifiers` fails as in an installation; `planspec.verifiers` is right.
PYTEST := $(BIN)/python -P -m pytest
QUICK := 'not slow and not integration and not thorough'
STAMP := $(VENV)/.installed
# Stamp of a smaller .venv for the demo: the package with its solvers.
SOLVE := $(VENV)/.solve
# Environment with few packages, for contributors who change only the language, the verifiers or the solvers.
CORE := build/core
ANSWERS := tasks/worldtravel/answers
# Tests start the command line a few hundred times. Without bytecode each start takes a second longer.
unexport PYTHONDONTWRITEBYTECODE
# mypy checks with one process for each core, if its version can.
export MYPY_NUM_WORKERS := auto
CODE := dsl verifiers solvers planspec tasks tests docs setup.py .github/site .github/release $(wildcard benchmarks integrations)

.PHONY: help
help: ## show the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: install
install: $(STAMP) ## set up .venv with the package (editable) and the tools

.PHONY: demo
demo: $(SOLVE) ## judge a failing answer and a passing one, and prove a task unique
	@printf '\n$$ planspec verify %s\n' $(ANSWERS)/demo-fail.json
	@status=0; $(BIN)/planspec verify $(ANSWERS)/demo-fail.json || status=$$?; \
	if [ $$status -ne 1 ]; then \
	    echo "error: a violated plan must give exit code 1, this gave $$status" >&2; exit 1; \
	fi
	@printf '\n$$ planspec verify %s\n' $(ANSWERS)/demo-pass.json
	@$(BIN)/planspec verify $(ANSWERS)/demo-pass.json
	@printf '\n$$ planspec validate berlin-001\n'
	@$(BIN)/planspec validate berlin-001
	@printf '\nnext: .venv/bin/planspec init mine, or read README.md\n'

.PHONY: test
test: lint types layers ## lint, types, layers and the tests
	$(PYTEST) -n auto --dist loadgroup -m 'not thorough'

.PHONY: core
core: $(CORE) ## the quick tests of the language, the verifiers and the solvers, in a separate environment
	$(CORE)/bin/python -P -m pytest -n auto --dist loadgroup -m $(QUICK) tests/dsl tests/verifiers tests/solvers

.PHONY: thorough
thorough: $(STAMP) ## longer versions of some tests, and all random examples
	PLANSPEC_THOROUGH=1 $(PYTEST) -n auto --dist loadgroup -m 'thorough or hypothesis'

.PHONY: quick
quick: lint types layers ## lint, types, layers and the quick tests: in a minute
	$(PYTEST) -n auto --dist loadgroup -m $(QUICK)

# Each package of integrations/ has a separate environment, since the harnesses pin other versions than planspec's tools.
# TORCH is the version of PyTorch with which TRL's tests were run. A build for CPUs is enough.
HARNESSES := $(patsubst integrations/%/tests,build/integrations/%,$(wildcard integrations/*/tests))
OPENREWARD := build/integrations/openreward
OPENENV := build/integrations/openenv
TORCH := torch==2.13.0
TRL := trl>=1.16,<2
# Harbor, which most readers of exported folders build on, needs Python 3.12.
READERS_PYTHON = $(shell for python in python3.12 $(BIN)/python python3.13 python3.14 $(wildcard $(HOME)/.pyenv/versions/3.1[2-9]*/bin/python); do \
    "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1 && echo "$$python" && break; \
done)
.PHONY: integrations $(HARNESSES) $(OPENREWARD) $(OPENENV)
integrations: $(STAMP) $(HARNESSES) $(OPENREWARD) $(OPENENV) ## drive browsers, clients, MCP, Inspect and training harnesses
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable '.[dev,browser]'
	$(PYTEST) -m integration

NEWER = @$(if $(READERS_PYTHON),:,echo "note: no Python 3.12 or newer was found: tests of readers that need it are skipped; choose \
    one with make integrations READERS_PYTHON=/path/to/python3.12")
# Without Python 3.12 the tests of readers that need it are skipped.
build/integrations/readers $(OPENENV): HARNESS_PYTHON = $(or $(READERS_PYTHON),$(BIN)/python)
HARNESS_PYTHON = $(BIN)/python

$(HARNESSES): build/integrations/%: $(STAMP)
	$(if $(filter readers,$*),$(NEWER))
	$(HARNESS_PYTHON) -m venv --clear $@
	$@/bin/python -m pip install --disable-pip-version-check --quiet $(if $(filter trl,$*),'$(TORCH)') \
	    --editable '.[solve]' --editable 'integrations/$*[test]'
	$(if $(filter readers,$*),$@/bin/python -m pip install --disable-pip-version-check --quiet --no-deps '$(TRL)')
	cd integrations/$* && $(CURDIR)/$@/bin/python -P -m pytest

$(OPENREWARD): $(STAMP)
	$(BIN)/python -m venv $@
	$@/bin/python -m pip install --disable-pip-version-check --quiet --editable '.[solve]' 'openreward>=0.1.167,<0.2' \
	    'hypothesis>=6.150' 'pytest>=9' pytest-benchmark pytest-xdist syrupy
	$@/bin/python -P -m pytest tests/planspec/exports/test_ors.py

# OpenEnv needs an earlier mcp than verifiers.
$(OPENENV): $(STAMP)
	$(NEWER)
	$(HARNESS_PYTHON) -m venv --clear $@
	$@/bin/python -m pip install --disable-pip-version-check --quiet --editable '.[solve]' --editable 'integrations/readers[openenv]'
	cd integrations/readers && $(CURDIR)/$@/bin/python -P -m pytest

# A policy of 4096 parameters needs only numpy, which is installed with the solvers. These certify the training tasks.
TRAIN := build/train
.PHONY: train
train: | $(BIN)/python ## train a small policy on errands, schedules and HiMAP's roles, and draw its curves in build/train/runs
	$(BIN)/python -m venv $(TRAIN)
	$(TRAIN)/bin/python -m pip install --disable-pip-version-check --quiet --editable '.[solve]' --editable integrations/train
	$(TRAIN)/bin/python -P -m planspec_train --out $(TRAIN)/runs

.PHONY: playground
playground: $(STAMP) ## build the page that runs planspec in a browser into build/playground, and test it in Chromium and in Node
	$(BIN)/planspec playground --out build/playground --wheels build/packages
	PLANSPEC_PLAYGROUND=$(CURDIR)/build/playground $(PYTEST) -n0 -m integration tests/planspec/live/playground

.PHONY: check
check: ## what CI runs
	@.ci/run

.PHONY: lint
lint: $(STAMP)
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)

.PHONY: types
types: $(STAMP)
	$(BIN)/mypy

.PHONY: layers
layers: $(STAMP)
	$(BIN)/lint-imports --no-cache

.PHONY: deep
deep: $(STAMP) ## all tests, with far more random examples, new ones each time
	PLANSPEC_THOROUGH=1 $(PYTEST) -n auto --dist loadgroup --hypothesis-profile=deep

.PHONY: bench
bench: $(STAMP) ## run the benchmarks
	$(BIN)/python -m benchmarks.suites
	$(BIN)/python -m benchmarks.verifier
	$(BIN)/python -m benchmarks.travelplanner
	$(BIN)/python -m benchmarks.trips --smt --cheapest --timeout 20
	$(BIN)/python -m benchmarks.importing
	$(BIN)/python -m benchmarks.veritrip
	$(BIN)/python -m benchmarks.retrieval --no-dense
	$(BIN)/python -m benchmarks.pictures build/pictures --sizes 400 --asked 40
	$(BIN)/python -m benchmarks.routing
	$(BIN)/python -m benchmarks.mobilitybench
	$(BIN)/python -m benchmarks.solving
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.monitor
	$(BIN)/python -m benchmarks.tools
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks.muses
	$(BIN)/python -m benchmarks.classical --limit 20 --second 3
	$(BIN)/python -m benchmarks.tours

.PHONY: proofs
proofs: $(STAMP) ## prove every shipped claim into build/proofs, and print a table
	$(BIN)/python -m benchmarks.proofs --jobs 2

.PHONY: certificates
certificates: $(STAMP) ## renew the shipped certificates that are no longer valid: hours for all of them
	$(BIN)/python -m benchmarks.certificates --jobs 2

.PHONY: requests
requests: $(STAMP) ## write the handwritten requests of the cities into the shipped tasks
	$(BIN)/python -m tests.families.worldtravel.city_requests

.PHONY: fmt
fmt: $(STAMP) ## format the code, and apply the automatic fixes
	$(BIN)/ruff check --fix-only --quiet $(CODE)
	$(BIN)/ruff format $(CODE)

.PHONY: grammar
grammar: $(STAMP) ## rewrite the parser's table, after a change of dsl/syntax/grammar.lark
	$(BIN)/python -c "from planspec.dsl.syntax.parser_table import write_table; write_table()"

.PHONY: docs
docs: $(STAMP) ## rewrite the outputs and the generated pages of the documentation
	$(BIN)/python -m tests.docs.generate

.PHONY: site
site: $(STAMP) ## build the documentation as a site in build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

.PHONY: pictures
pictures: $(STAMP) ## redraw the pictures in docs/pictures, in Chromium
	$(BIN)/python .github/site/pictures.py

FLOORS := build/floors
.PHONY: floors
floors: $(STAMP) ## run the quick tests with the lowest versions that pyproject.toml allows
	rm -rf $(FLOORS)
	$(BIN)/python -m venv $(FLOORS)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet 'uv>=0.8'
	$(BIN)/python -m uv pip install --quiet --python $(FLOORS)/bin/python --resolution lowest-direct --editable '.[test]' --editable integrations/pictures
	$(FLOORS)/bin/python -P -m pytest -n auto --dist loadgroup -m $(QUICK) -W ignore::DeprecationWarning

.PHONY: dist
dist: $(STAMP) ## build the wheel and the source distribution into dist/, and check them
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable '.[release]'
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	$(BIN)/twine check --strict dist/*

.PHONY: release
release: dist ## build the distributions, try the wheel in new environments, and print the size of each extra
	$(BIN)/python .github/release/bare.py dist/*.whl

.PHONY: clean
clean: ## remove everything that is not source
	rm -rf $(VENV) build integrations/*/build dist *.egg-info .benchmarks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml | $(BIN)/python
	@echo "installing planspec with its tools into $(VENV): a few minutes"
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable '.[dev]' --editable integrations/pictures
	@touch $@ $(SOLVE)

$(CORE): pyproject.toml | $(BIN)/python
	@echo "installing planspec with its solvers and pytest into $(CORE) (450 MB)"
	@$(BIN)/python -m venv $(CORE)
	@$(CORE)/bin/python -m pip install --disable-pip-version-check --quiet --editable '.[core]'
	@touch $@

$(SOLVE): pyproject.toml | $(BIN)/python
	@echo "installing planspec with its solvers into $(VENV) (400 MB): half a minute or more"
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --editable '.[solve]'
	@touch $@

# Each candidate is run, since version managers leave commands on the PATH that start nothing. Debian's Python may lack
# ensurepip. If no other Python exists, the error then names the package to install.
$(BIN)/python:
	@chosen=; bare=; \
	for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	    if "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then chosen=$$python; break; fi; \
	    bare=$${bare:-$$python}; \
	done; \
	if [ -z "$$chosen" ] && [ -n "$$bare" ]; then \
	    version=$$("$$bare" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	    echo "error: $$bare cannot make virtual environments; on Debian and Ubuntu: apt install python$$version-venv" >&2; exit 1; \
	fi; \
	if [ -z "$$chosen" ]; then \
	    echo "error: planspec needs Python 3.11 or newer, and $(or $(PYTHON),the PATH) has none; choose one with make PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	"$$chosen" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
