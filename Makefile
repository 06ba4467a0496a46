# Two commands matter: `make course` opens the course, `make test` proves it. Both set up what they need.

PYTHON ?= python3
CONSTRAINTS ?= constraints.txt
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install -c $(CONSTRAINTS)

.DEFAULT_GOAL := help
.PHONY: help course test test-full test-anywhere lint format bench release readme

help:
	@echo 'make course         set up, then open the course in JupyterLab (HEADLESS=1: serve and print the address)'
	@echo 'make test           set up, then lint, check types and run the tests (10 minutes at most)'
	@echo 'make test-full      the tests, then every lecture as it is taught'
	@echo 'make test-anywhere  run the lectures with other seeds and threads, and say how safe each claim is'
	@echo 'make lint           ruff and mypy only'
	@echo 'make format         let ruff lay out the code'
	@echo 'make bench          our speed beside other implementations'
	@echo 'make release        make every assignment for students from its source'
	@echo 'make readme         draw the picture and the table of numbers in README.md again'

course: .venv/installed-course
	@$(BIN)/course lab

test: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --no-loadscope-reorder

test-full: test
	PRESET=lecture $(BIN)/pytest --durations=0 tests/notebooks

test-anywhere: .venv/installed-dev
	$(BIN)/python tests/notebooks/anywhere.py

lint: .venv/installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: .venv/installed-dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/course bench

release: .venv/installed-course
	$(BIN)/course release

readme: .venv/installed-course
	$(BIN)/course picture docs/attention.png
	$(BIN)/course results --into README.md

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'The course needs Python 3.11 or newer. Name one: make PYTHON=python3.12 …'; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'This Python cannot make virtual environments. Debian and Ubuntu: sudo apt install python3-venv'; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed-course: pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the course into .venv: some minutes the first time.'
	$(INSTALL) -e '.[course]'
	@touch $@

.venv/installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the course and its test tools into .venv: some minutes the first time.'
	$(INSTALL) -e '.[course,dev,browser]'
	@touch .venv/installed-course $@
