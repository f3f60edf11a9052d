# From a fresh clone with only Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: env demo test check bench soak clean

env: $(READY)

$(READY): uv.lock pyproject.toml
	@test -x $(BIN)/uv || { $(PYTHON) -m venv $(VENV) && $(BIN)/python -m pip install --quiet --disable-pip-version-check uv; }
	$(BIN)/uv sync --frozen --quiet
	@touch $(READY)

demo: env  ## prepare the demo, play a conversation, serve the chat page (ONCE=1: end after the conversation)
	$(BIN)/wenshu demo $(if $(ONCE),--once)

test: env  ## every test, doctests too
	$(BIN)/pytest -n auto

check: env  ## style, types and the four floors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: env  ## the numbers of docs/numbers.md, measured here
	$(BIN)/python -m benchmarks

soak: env  ## half an hour of half load on the service: memory stays flat
	$(BIN)/python -m benchmarks serve 30

clean:
	rm -rf $(VENV) var .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
