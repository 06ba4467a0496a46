# Two commands matter: `make course` opens the course, `make test` proves it. Both set up what they need.

PYTHON ?= python3
CONSTRAINTS ?= constraints.txt
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install -c $(CONSTRAINTS)

# The tests start a hundred Pythons. Without bytecode each would compile the course anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help course test test-full test-anywhere lint javascript format bench mutants release readme

help:
	@echo 'make course         set up, then open the course in JupyterLab (HEADLESS=1: serve and print the address)'
	@echo 'make test           set up, then lint, check types and run the tests (12 minutes at most)'
	@echo 'make test-full      the tests, every lecture as it is taught, every shipped model measured again'
	@echo 'make test-anywhere  run the lectures with other seeds and threads, and say how safe each claim is'
	@echo 'make lint           style, types and imports; of JavaScript too where there is Node'
	@echo 'make format         let ruff lay out the code'
	@echo 'make bench          our speed beside other implementations'
	@echo 'make mutants        near misses of the model answers that get full marks (PAPERS="ps04_attention ps01-bptt")'
	@echo 'make release        make every assignment for students from its source'
	@echo 'make readme         draw the picture and the tables of README.md and docs/ again'

course: .venv/installed-course
	@$(BIN)/course lab

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --no-loadscope-reorder

test-full: test
	PRESET=lecture $(BIN)/pytest --durations=0 tests/notebooks
	$(BIN)/pytest -m slow tests

test-anywhere: .venv/installed-dev
	$(BIN)/python tests/notebooks/anywhere.py

lint: .venv/installed-dev javascript
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

javascript: node_modules/.installed
	@if [ -e $< ]; then node_modules/.bin/eslint course_lib course_tools tests && node_modules/.bin/tsc; fi

format: .venv/installed-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/course bench

mutants: .venv/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m course_tools.grading.mutants $(PAPERS)

release: .venv/installed-course
	$(BIN)/course release

readme: .venv/installed-course
	$(BIN)/course picture docs/attention.png
	$(BIN)/course docs

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'The course needs Python 3.11 or newer. Name one: make PYTHON=python3.12 …'; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'This Python cannot make virtual environments. Debian and Ubuntu: sudo apt install python3-venv'; exit 1; }
	$(PYTHON) -m venv .venv
	@echo '{}' > .venv/package.json  # else Node takes JupyterLab's own scripts for modules, as ours are

.venv/installed-course: pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the course into .venv: some minutes the first time.'
	$(INSTALL) -e '.[course]'
	@touch $@

.venv/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the course and its test tools into .venv: some minutes the first time.'
	$(INSTALL) -e '.[course,dev,browser]'
	@touch .venv/installed-course $@

# Nobody needs Node to use the widgets. Where CI is set, their JavaScript must be checked.
node_modules/.installed: package.json package-lock.json
	@why=; \
	command -v npm >/dev/null || why='there is no Node here'; \
	[ "$$why" ] || npm ci --no-audit --no-fund --loglevel=silent || why='npm could not install its tools (no network?)'; \
	if [ "$$why" ]; then echo "JavaScript is neither checked nor tested: $$why." >&2; [ -z "$$CI" ]; else touch $@; fi
