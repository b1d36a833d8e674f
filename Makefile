# `make check` is everything the continuous integration runs after the tests of the README.
PYTHON ?= python
LINKS := build/typing/vpstop

.PHONY: help check format format-check lint types contracts test pictures clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

check: format-check lint types contracts test  ## all gates

format:  ## rewrite the sources in the house format
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

format-check:
	$(PYTHON) -m ruff format --check .

lint:  ## ruff
	$(PYTHON) -m ruff check .

# mypy and import-linter do not follow the import hook of an editable install:
# they see the package through a tree of links.
$(LINKS): core tui assets sample_traces
	rm -rf $@
	mkdir -p $@
	ln -s $(CURDIR)/core/* $@/
	ln -s $(CURDIR)/tui $@/tui
	ln -s $(CURDIR)/assets $@/assets
	ln -s $(CURDIR)/sample_traces $@/samples

types: $(LINKS)  ## mypy --strict
	MYPYPATH=build/typing:tests $(PYTHON) -m mypy --strict -p vpstop
	MYPYPATH=build/typing:tests:tests/bench $(PYTHON) -m mypy --strict --explicit-package-bases tests

contracts: $(LINKS)  ## import contracts
	PYTHONPATH=build/typing $(dir $(shell command -v $(PYTHON)))lint-imports

test:  ## the whole suite
	$(PYTHON) -m pytest

pictures:  ## screenshots of the README, from the sample traces
	$(PYTHON) assets/pictures.py

clean:
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
