# Litmus from a fresh checkout: `make run` and `make test` set up all they need. `make help` lists the rest.

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
# Without compiled files every server, worker and test process compiles all of Litmus again.
unexport PYTHONDONTWRITEBYTECODE

# That of the system first, where it can make environments: Debian compiles it with optimization by profile, and it takes
# three quarters of the time of one that pyenv has compiled. PYTHON=… for another.
SYSTEM_PYTHON := /usr/bin/python3
PYTHON ?= $(shell \
	for p in $(SYSTEM_PYTHON); do \
	$$p -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; done; \
	for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
PY := .venv/bin/python
PIP := $(PY) -m pip install --quiet --require-hashes
# A stamp carries the check sum of what was installed: a change installs again, an unchanged file needs no network.
STAMP = .venv/installed-$(shell cat $(1) 2>/dev/null | cksum | tr -dc '0-9')
INSTALLED := $(call STAMP,requirements.txt)
INSTALLED_DEV := $(call STAMP,requirements-dev.txt)
# A virtual environment dies with the Python that it was made by; then it is made again.
ifneq ($(shell $(PY) -c 'print("alive")' 2>/dev/null),alive)
.PHONY: $(INSTALLED) $(INSTALLED_DEV)
endif

.PHONY: help
help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(INSTALLED) ## Make the virtual environment .venv with everything that running needs, and an empty database
	-@$(PY) manage.py prepare
	-@$(MAKE) $(DOCUMENTATION)

# The documentation is built next to the start, which need not wait for it.
.PHONY: run
run: $(INSTALLED) ## Start Litmus with its demo; PORT=9000 for another port, ARGS="--no-demo" to start empty, or other options of `up`
	@nice $(MAKE) $(DOCUMENTATION) > /dev/null 2>&1 &
	@$(PY) manage.py up --demo $(if $(PORT),--port $(PORT)) $(ARGS)

.PHONY: test
test: $(INSTALLED_DEV) ## Run every test against real servers; ARGS="-k word tests/corpus" for some of them
	@$(PY) -m pytest -n $(TEST_PROCESSES) --dist worksteal $(ARGS)

.PHONY: test-quick
test-quick: $(INSTALLED_DEV) ## Run the tests that need no browser, kill no server and are quick; ARGS as above
	@$(PY) -m pytest -n $(QUICK_PROCESSES) --dist worksteal -m "not browser and not services and not slow" $(ARGS)

.PHONY: test-reached
test-reached: $(INSTALLED_DEV) ## Run the tests that your change can reach, from where it left main; CHANGE=HEAD~3.. for another
	@$(PY) -m tests.reached $(CHANGE) -- -n $(QUICK_PROCESSES) --dist worksteal $(ARGS)

# One more than cores, at most 6: tests of browsers, workers and killed servers wait as well as work. Two more made a
# whole run on two cores a fifth dearer, as each process collects all tests and keeps its own browser and worker;
# with as many as cores a quarter of the time was idle. Quick tests only work.
TEST_PROCESSES ?= $(shell n=$$(nproc 2>/dev/null || echo 2); test $$n -gt 5 && echo 6 || echo $$((n + 1)))
QUICK_PROCESSES ?= $(shell n=$$(nproc 2>/dev/null || echo 2); test $$n -gt 6 && echo 6 || echo $$n)

.PHONY: check
check: $(INSTALLED_DEV) ## Lint, format, types, import directions, templates, migrations, documentation, compose file, deployment
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy .
	$(PY) .venv/bin/lint-imports
	$(PY) -m djlint templates --check --lint
	$(PY) manage.py makemigrations --check --dry-run
	LITMUS_SITE_URL=https://litmus.example $(PY) manage.py check --deploy --fail-level WARNING
	$(MKDOCS)
	$(PY) -m check_jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
	@! command -v node >/dev/null || for script in $$(find static/js -name '*.js'); do \
		node --input-type=module --check < "$$script" || { echo "in $$script"; exit 1; }; done

# Each in the version that was tried; they share no environment with Litmus, whose libraries they look at.
AUDIT_TOOLS := pip-audit==2.10.1 detect-secrets==1.5.0 cyclonedx-bom==7.5.0

.PHONY: audit
audit: ## List the libraries (SBOM), look for known vulnerabilities in them and for keys in the files of this repository
	@test -x .venv/audit/bin/python || $(PYTHON) -m venv .venv/audit
	@if .venv/audit/bin/python -m pip install --quiet $(AUDIT_TOOLS); then .ci/audit .venv/audit/bin/python; \
	else echo "Nothing was looked at: pip could not install the tools."; fi

.PHONY: format
format: $(INSTALLED_DEV) ## Format Python and templates, repair what the linter can
	$(PY) -m ruff check --fix --exit-zero .
	$(PY) -m ruff format .
	$(PY) -m djlint templates --reformat --quiet

# Served at /docs/. What its reference is made from makes it old, too.
DOCUMENTATION := build/docs/index.html
MKDOCS = LITMUS_DATA_DIR=build/data $(PY) -m mkdocs --quiet build

.PHONY: docs
docs: $(INSTALLED) ## Build the documentation site into build/docs; a warning is an error
	@$(MKDOCS)

$(DOCUMENTATION): $(wildcard mkdocs.yml docs/* docs/*/* docs/*/*/* */*/operations*.py */*/commands.py) | $(INSTALLED)
	@$(MKDOCS)

.PHONY: bench
bench: $(INSTALLED_DEV) ## Measure speed and write docs/performance.md; ARGS for options
	@$(PY) -m bench $(ARGS)

.PHONY: size-report
size-report: $(INSTALLED_DEV) ## Fill a database in FOLDER with 1, 10 and 30 million judgments and measure it (hours; 30 GB there)
	@$(PY) -m bench.size --keep $(FOLDER) $(ARGS)

.PHONY: extraction-report
extraction-report: $(INSTALLED_DEV) ## Measure the reader of PDF files on ACM-CR's papers and write docs/extraction.md
	@! command -v pdflatex > /dev/null || $(PY) -m bench.made_report
	@$(PY) -m bench.extraction $(ARGS)

.PHONY: interval-report
interval-report: $(INSTALLED_DEV) ## Simulate how often intervals cover the truth and write docs/intervals.md (20 minutes)
	@$(PY) -m bench.intervals $(ARGS)

.PHONY: photographs
photographs: $(INSTALLED_DEV) ## Photograph every page in four faces into build/photographs (FOLDER=… for another; PAGES="home account_*" for some), with figures
	@LITMUS_PHOTOGRAPHS="$(or $(FOLDER),build/photographs)" LITMUS_PHOTOGRAPHS_OF="$(PAGES)" $(PY) -m pytest -q tests/browser/test_photographs.py

.PHONY: requirements
requirements: ## Pin the newest versions that pyproject.toml allows, with hashes (needs the network)
	@test -x .venv/uv/bin/uv || { $(PYTHON) -m venv .venv/uv && .venv/uv/bin/python -m pip install --quiet uv; }
	.venv/uv/bin/uv pip compile --upgrade $(COMPILE) --extra all --extra docs pyproject.toml -o requirements.txt
	.venv/uv/bin/uv pip compile --upgrade $(COMPILE) --extra all --extra docs --extra dev -c requirements.txt pyproject.toml \
		-o requirements-dev.txt

COMPILE := --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url

.PHONY: languages
languages: $(INSTALLED_DEV) ## Bring the catalogues of translations up to date with the sources, and compile them
	$(PY) languages/update.py

.PHONY: wheel
wheel: $(INSTALLED_DEV) ## Build dist/litmus_ir-….whl, which pip, pipx and uv install: code, templates, static files, documentation
	@rm -rf build dist
	@LITMUS_DATA_DIR=build/data LITMUS_STATIC_ROOT=build/collected $(PY) -m config.staticfiles
	@$(MKDOCS)
	@$(PY) -m hatchling build -t wheel -d dist

.PHONY: publish
publish: wheel ## Upload the wheel to PyPI (needs the network and the owner's token in UV_PUBLISH_TOKEN)
	@test -x .venv/uv/bin/uv || { $(PYTHON) -m venv .venv/uv && .venv/uv/bin/python -m pip install --quiet uv; }
	@.venv/uv/bin/uv publish dist/*.whl

.PHONY: clean
clean: ## Remove the virtual environment and caches; your data in .data stays
	rm -rf build dist .venv .mypy_cache .ruff_cache .hypothesis .import_linter_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): requirements.txt | environment
	@echo "Installing what Litmus needs into .venv …"
	@$(PIP) -r requirements.txt
	@touch $@

$(INSTALLED_DEV): requirements-dev.txt | environment
	@echo "Installing what Litmus and its tests need into .venv …"
	@$(PIP) -r requirements-dev.txt
	@touch $@ $(INSTALLED)

# Debian's python3 comes without ensurepip; a pip of the system can fill the environment as well.
.PHONY: environment
environment:
	@if test -z "$(PYTHON)"; then \
		echo "Litmus needs Python 3.11 or newer, and there is none on the PATH." >&2; \
		echo "Install it (Debian: apt install python3 python3-venv), or name one: make PYTHON=/path/to/python3" >&2; \
		exit 1; fi
	@$(PY) -c '' 2>/dev/null || { rm -rf .venv; \
		$(PYTHON) -m venv .venv 2>/dev/null \
		|| { rm -rf .venv; $(PYTHON) -m venv --without-pip .venv && $(PYTHON) -m pip --python $(PY) install --quiet pip; } \
		|| { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment." >&2; \
			echo "Install its venv module (Debian: apt install python3-venv), then try again." >&2; exit 1; }; }
