# `make check` verifies the bundled design documents, `make test` runs the fast tests.
# Both build .venv when it is missing or older than pyproject.toml.

PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.built

.PHONY: check test test-all lint bench clean

check: $(STAMP)
	$(VENV)/bin/slotcheck

test: $(STAMP)
	$(VENV)/bin/python -m pytest -q -n 2 -m "not slow"

test-all: $(STAMP)
	$(VENV)/bin/python -m pytest -q -n 2

lint: $(STAMP)
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy --strict

# Beside the other checkers that are installed here: docs/performance.md.
bench: $(STAMP)
	$(VENV)/bin/python -m benchmarks

# The stamp is written last: an installation that failed is started afresh the next time.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "slotcheck needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) build dist ./*.egg-info
