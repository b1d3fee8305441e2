# Two commands do everything: `make run` shows the main job, `make test` runs all tests.
# Both set themselves up; they need Python >= 3.11, Node >= 20.19, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
NODE_STAMP := client-vscode/node_modules/.ready

.PHONY: help run vscode test check format lint types unit editors slow benchmarks clean

help:  ## Say what there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t14

run: $(STAMP)  ## Show the main job; PROJECT=DIR: with your own sessions of DIR
	$(BIN)/python scripts/demo.py $(if $(PROJECT),--project "$(PROJECT)")

vscode: $(STAMP) $(NODE_STAMP)  ## The same in a real VS Code in your browser
	scripts/vscode.sh

test: $(STAMP) $(NODE_STAMP) lint types unit editors  ## Run every check and test

check: lint types unit  ## Everything but the editors

lint: $(STAMP) $(NODE_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd client-vscode && npm run --silent lint

types: $(STAMP) $(NODE_STAMP)
	$(BIN)/mypy
	cd client-vscode && npm run --silent check

unit: $(STAMP) $(NODE_STAMP)
	$(BIN)/pytest -m "not editor and not slow"
	cd client-vscode && npm run --silent test:unit

editors: $(STAMP) $(NODE_STAMP)  ## Neovim and VS Code, driven for real
	$(BIN)/pytest -m "editor and not slow"

slow: $(STAMP)  ## Fault loops and long runs, beyond `make test`
	$(BIN)/pytest -m slow

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-virtualenv -r requirements.lock
	$(BIN)/pip install --quiet --require-virtualenv --no-deps --no-build-isolation -e .
	touch $@

$(NODE_STAMP): client-vscode/package-lock.json
	cd client-vscode && npm ci --no-audit --no-fund --loglevel=error
	touch $@

clean:
	rm -rf $(VENV) client-vscode/node_modules client-vscode/out .cache .pytest_cache
