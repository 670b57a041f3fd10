# make run     opens the app in the browser, offline once installed (HOST=0.0.0.0 for a class, PORT=8501)
# make install installs what the app, its tests and checks need, and opens nothing
# make test    runs the tests, those in a real browser included, but for those that are left to the night
# make test-all runs every test, with more examples of each property
# make page    writes the home page with the model in it as one file, build/one-token.html
# make wheel   builds the package that pip, pipx and uv install, into build/
# make check   lint, formatting, types, then every test
# make test-vllm  runs the tests of tests/server against vLLM itself, in an environment of its own (3.5 GB)
# make test-browsers  runs the main journeys in Firefox and WebKit, Debian's own, which it installs where it may
# make format  mends what can be mended by itself; make coverage, make bench and make clean do what they say
#
# Nothing is installed twice: a stamp in the environment bears the checksum of the requirements that are in it.
# On Linux without an NVIDIA GPU PyTorch's CPU build is installed; TORCH=cuda or TORCH=cpu decides otherwise.

SHELL := /bin/sh
.DEFAULT_GOAL := run

HOST ?= 127.0.0.1
PORT ?= 8501
WORKERS ?= auto
PYTEST_ARGS ?=

VENV := .venv
VLLM := $(VENV)-vllm
BIN := $(VENV)/bin
SOURCES := app.py one_token pages model viz training benchmarks conformance tests/driving
PIP := $(BIN)/python -m pip install $(if $(CI),--quiet) --disable-pip-version-check
DENO := DENO_DIR=$(VENV)/deno DENO_NO_UPDATE_CHECK=1 $(BIN)/python -m deno

APP_STAMP := $(VENV)/.app-$(shell cksum < requirements.txt | cut -d ' ' -f 1)
DEV_STAMP := $(VENV)/.dev-$(shell cat requirements.txt requirements-dev.txt | cksum | cut -d ' ' -f 1)

# The first Python that is new enough and able to make environments: `make run PYTHON=python3.12` decides otherwise.
CANDIDATES := $(or $(PYTHON),python3 python3.13 python3.12 python3.11)
IS_SUITABLE := import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

# "default" is macOS, where PyTorch has one build. A card without its driver, and so without nvidia-smi, is of no use.
TORCH ?= $(if $(filter Linux,$(shell uname)),$(if $(shell nvidia-smi -L 2>/dev/null | grep GPU),cuda,cpu),default)
GET_UV := $(PIP) --quiet --target $(VENV)/.uv uv 2>/dev/null
UV_PIP := $(VENV)/.uv/bin/uv pip install --python $(BIN)/python
UV_TORCH := $(UV_PIP) --torch-backend=cpu
# uv takes a fifth of pip's time for all but PyTorch; where it does not get through, pip says why
install_rest = { $(GET_UV) && UV_HTTP_RETRIES=1 $(UV_PIP) --quiet -r $(1) 2>/dev/null; } || $(PIP) -r $(1)
SIZE_cpu := about 1.6 GB, with PyTorch for the CPU (TORCH=cuda installs its build for NVIDIA GPUs)
SIZE_cuda := about 5 GB, with PyTorch for NVIDIA GPUs (TORCH=cpu installs its smaller build for the CPU)
SIZE_default := about 1.5 GB

.PHONY: run install page wheel test test-all test-browsers test-vllm check lint format types coverage bench clean

run: $(APP_STAMP)
	@exec $(BIN)/python -m one_token --host "$(HOST)" --port "$(PORT)"

install: $(DEV_STAMP)

page: $(APP_STAMP)
	@$(BIN)/python -m one_token page build/one-token.html

# setuptools is in the environment, for torch needs it; what an earlier build left is removed, for it would be packed too
wheel: $(APP_STAMP)
	@rm -rf build/lib build/bdist.* *.egg-info
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build .
	@ls -l build/*.whl

test: $(DEV_STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(PYTEST_ARGS)

test-all: $(DEV_STAMP)
	@HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "" $(PYTEST_ARGS)

test-browsers: $(DEV_STAMP)
	@sh tests/install_browsers.sh || echo "A browser that is missing is skipped, for the reason above." >&2
	@$(BIN)/python -m pytest tests/journeys.py -q $(PYTEST_ARGS)

test-vllm: $(DEV_STAMP)
	@if [ ! -e $(VLLM)/.ready ]; then \
	  sh tests/server/install_vllm.sh $(VLLM) || { \
	    echo "vLLM's CPU build cannot be installed here, for the reason above: its tests do not run." >&2; exit 0; }; \
	fi; \
	ONE_TOKEN_TEST_VLLM=$(VLLM)/bin/vllm $(BIN)/python -m pytest tests/server -q -o timeout=1800 $(PYTEST_ARGS)

check: lint types test

lint: $(DEV_STAMP)
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(DENO) lint --quiet
	@$(DENO) check --quiet pages
	@$(DENO) fmt --check --quiet

format: $(DEV_STAMP)
	@$(BIN)/python -m ruff check --fix .
	@$(BIN)/python -m ruff format .
	@$(DENO) lint --fix --quiet
	@$(DENO) fmt --quiet

types: $(DEV_STAMP)
	@$(BIN)/python -m mypy $(SOURCES)

coverage: $(DEV_STAMP)
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --cov --cov-report=term-missing $(PYTEST_ARGS)

bench: $(DEV_STAMP)
	@export ONE_TOKEN_MEASURED=benchmarks/measured.json; for file in benchmarks/bench_*.py; do \
	  echo; echo "== $$file"; $(BIN)/python -m "benchmarks.$$(basename $$file .py)" || exit 1; \
	done
	@$(BIN)/python -m benchmarks.table

clean:
	rm -rf $(VENV) $(VLLM) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(APP_STAMP):
	@[ -n "$(SIZE_$(TORCH))" ] || { echo "TORCH=$(TORCH) is no build: say TORCH=cpu or TORCH=cuda, or nothing." >&2; exit 1; }
	@$(BIN)/python -c 'import pip; $(IS_SUITABLE)' 2>/dev/null || { \
	  for python in $(CANDIDATES); do \
	    "$$python" -c '$(IS_SUITABLE)' 2>/dev/null && break; \
	    python=; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "No Python from 3.11 to 3.13 with venv was found among: $(CANDIDATES). Install one (Debian: apt install python3-venv," \
	      "macOS: brew install python@3.13) or name yours: make run PYTHON=/path/to/python3.13" >&2; \
	    exit 1; \
	  fi; \
	  echo "Making $(VENV) with $$("$$python" --version)"; \
	  "$$python" -m venv --clear $(VENV); }
	@echo "Installing requirements.txt into $(VENV): $(SIZE_$(TORCH))"
	@# the dry run knows within seconds whether PyTorch's own index can be reached; uv does not read pip's settings, so pip may get further
	@if [ "$(TORCH)" = cpu ] && $(GET_UV) \
	  && UV_HTTP_RETRIES=1 $(UV_TORCH) --quiet --dry-run --no-deps "$$(grep '^torch==' requirements.txt)" 2>/dev/null \
	  && $(UV_TORCH) $(if $(CI),--quiet) -r requirements.txt; \
	then :; else \
	  [ "$(TORCH)" != cpu ] || echo "PyTorch's own index cannot be reached: pip installs the build that it finds, up to 5 GB"; \
	  $(PIP) "$$(grep '^torch==' requirements.txt)" && { $(call install_rest,requirements.txt); }; \
	fi
	@rm -rf $(VENV)/.uv
	@rm -f $(VENV)/.app-*
	@touch $@

$(DEV_STAMP): $(APP_STAMP)
	@echo "Installing requirements-dev.txt into $(VENV)"
	@$(call install_rest,requirements-dev.txt)
	@rm -rf $(VENV)/.uv
	@rm -f $(VENV)/.dev-*
	@touch $@
