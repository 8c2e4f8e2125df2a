# Two commands: `make crawl` tries the product, `make test` checks it. Everything they need is installed here.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

PYTHON ?= python3
PROFILE ?= release
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PATH := $(CURDIR)/$(BIN):$(PATH)
export HONDIUS_SUITES ?= $(CURDIR)/../shared/suites

PYTHON_SOURCES := $(shell find src -name '*.py')
NATIVE_SOURCES := $(shell find native/src -name '*.rs') native/Cargo.toml native/Cargo.lock
URL ?=
PAGES ?= 2000
N ?= 50
FRESH ?=
SECONDS ?= 600
TARGET ?=
MOST ?= 50
DIRECTORY ?=
ONLY ?= lossless
SEEDS ?= 100
JOBS ?= 1
WORKERS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
SEED ?=
PLANT ?=
FAULT ?=
PEERS ?=
SCHEMES ?=
HOSTS ?=
RECORD ?=
PART ?=
INSTALL_CARGO_DENY := cargo install cargo-deny --version 0.20.2 --locked

.PHONY: help setup crawl test check-python check-native check-licences licences accept crash simulate fuzz fuzz-native fuzz-journey growth bench main-text kernels wheel columns-page commands-page docs check-docs reference-page settings-page lock clean debian-nginx debian-chromium debian-valgrind

help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMPS)/native-$(PROFILE) $(STAMPS)/bytecode ## Create .venv and build the native module; PROFILE=quick compiles faster, for trying changes only

crawl: export HONDIUS_COMMAND := $(BIN)/hondius
crawl: setup ## Crawl 2,000 pages of the synthetic web; `make crawl URL=https://…` crawls that instead
	@if [ -n "$(URL)" ]; then exec hondius crawl "$(URL)"; else exec python scripts/crawl_testweb.py --pages $(PAGES); fi

test: setup check-python check-native check-licences ## Every check: format, lint, types, contracts, licences, Rust tests, pytest
	python -m pytest -q -W error -n $(WORKERS) --dist worksteal
	python -m tests.acceptance.crash --kills 30 --state $(VENV)/crash --fresh
	python -m tests.simulation --seeds 100 --jobs $(WORKERS)
	$(MAKE) --no-print-directory debian-valgrind || true
	python -m benchmarks.kernels --guard

check-python: setup
	ruff format --check .
	ruff check .
	mypy
	python -m mypy.stubtest hondius._native --ignore-disjoint-bases
	lint-imports --no-cache

check-native: setup
	cargo fmt --manifest-path native/Cargo.toml --check
	cargo clippy --manifest-path native/Cargo.toml --all-targets --locked --quiet -- -D warnings
	cargo clippy --manifest-path native/Cargo.toml --features python --locked --quiet -- -D warnings
	cargo test --manifest-path native/Cargo.toml --locked --quiet

check-licences: setup
	python scripts/check_licences.py
	if command -v cargo-deny >/dev/null; then cargo deny --manifest-path native/Cargo.toml --locked check --hide-inclusion-graph licenses bans sources
	else echo "cargo-deny is not installed, so the licences and sources of the Rust crates were NOT checked; to install it: $(INSTALL_CARGO_DENY)" >&2; fi

licences: check-licences ## Licences and sources of all dependencies, and known vulnerabilities of the Rust ones (needs the network and cargo-deny)
	@if ! command -v cargo-deny >/dev/null; then echo "cargo-deny is not installed, so known vulnerabilities were NOT looked up; to install it: $(INSTALL_CARGO_DENY)" >&2
	elif cargo deny --manifest-path native/Cargo.toml --locked fetch db; then cargo deny --manifest-path native/Cargo.toml --locked check --hide-inclusion-graph --disable-fetch advisories
	else echo "the database of advisories cannot be fetched from here, so known vulnerabilities were NOT looked up" >&2; fi

accept: setup $(STAMPS)/judges $(if $(filter reading,$(ONLY)),debian-chromium,debian-nginx) $(if $(filter unshakable,$(ONLY)),debian-chromium debian-valgrind) $(if $(filter use,$(ONLY)),debian-chromium) ## The figures a release must show: `make accept ONLY=unshakable`; PART=hostile runs one part alone
	python -m tests.acceptance.$(ONLY) $(foreach part,$(PART),--part $(part))

crash: setup ## kill -9 at random moments and disks that fill up: N kills in all; goes on where it stopped, FRESH=1 does not
	python -m tests.acceptance.crash --kills $(N) $(if $(FRESH),--fresh)

simulate: setup ## A crawl in virtual time, SEEDS of them; SEED=17 shows one, PLANT=no_overlay must be found, FAULT=exception_anywhere or cancel_anywhere survived
	python -m tests.simulation --seeds $(if $(PLANT),200,$(SEEDS)) --jobs $(JOBS) $(if $(SEED),--seed $(SEED)) $(if $(PLANT),--plant $(PLANT)) $(if $(FAULT),--fault $(FAULT))

fuzz: $(if $(filter journey,$(TARGET)),fuzz-journey,fuzz-native $(if $(TARGET),,fuzz-journey)) ## Mutated pages, URLs, robots.txt, sitemaps, answers and records, SECONDS of each; `TARGET=url` of one, `TARGET=journey`: through the whole crawl

fuzz-native: export RUSTC_WORKSPACE_WRAPPER := $(CURDIR)/native/fuzz/instrumented
fuzz-native: export LLVM_PROFILE_FILE := /dev/null
fuzz-native:
	cargo bench --manifest-path native/Cargo.toml --profile fuzz --bench fuzz --locked -- --seconds $(SECONDS) $(if $(TARGET),--only $(TARGET))

fuzz-journey: setup
	python -m tests.hostile.journey --seconds $(SECONDS)

growth: setup ## Does the frontier hold at 50 million URLs? 25 minutes, 20 GB; MOST=5 is a short run, MOST=200 HOSTS=4000000 a long one
	python -m benchmarks.growth --most $(MOST) $(if $(HOSTS),--hosts $(HOSTS)) $(if $(DIRECTORY),--directory $(DIRECTORY))

bench: setup debian-nginx ## Hondius against other crawlers on the same pages: `make bench PEERS=scrapy,colly`; HOSTS=50 is a quick try
	python -m benchmarks.compare $(if $(PEERS),--peers $(PEERS)) $(if $(SCHEMES),--schemes $(SCHEMES)) $(if $(HOSTS),--hosts $(HOSTS)) \
	  $(if $(filter command,$(origin PAGES)),--pages $(PAGES)) $(if $(FRESH),--fresh)

main-text: setup $(STAMPS)/judges ## Is the main text of a page found? Hondius and other extractors on annotated pages; RECORD=1 writes the table
	cargo build --release --locked --quiet --manifest-path benchmarks/main_text/candidates/Cargo.toml
	python -m benchmarks.main_text $(if $(RECORD),--record)

kernels: setup debian-valgrind ## What each hot kernel takes: time, instructions; RECORD=1 commits to the counts, PLANT=15 must be found
	python -m benchmarks.kernels $(if $(RECORD),--record) $(if $(PLANT),--plant $(PLANT))

wheel: setup ## Build a wheel into dist/ and try it in a bare environment without a compiler
	rm -rf dist
	maturin build --release --locked --out dist --quiet
	python scripts/try_wheel.py dist

columns-page: setup ## Write docs/columns.md from the columns in the code
	python -c 'from hondius.use.export.columns_page import make_columns_page; print(make_columns_page(), end="")' > docs/columns.md

commands-page: setup ## Write docs/commands.md from the commands in the code
	python -m scripts.make_commands_page > docs/commands.md

reference-page: setup ## Write docs/reference.md from the docstrings of the Python interface
	python -m scripts.make_reference_page > docs/reference.md

docs: $(STAMPS)/docs ## Build the documentation into site/
	$(VENV)/docs/bin/mkdocs build --quiet

check-docs: setup docs ## Crawl the built documentation with Hondius: no broken link, no request to another host
	python -m scripts.check_docs_site site

settings-page: setup ## Write docs/settings.md from the settings in the code
	python -m hondius.settings_text > docs/settings.md

lock: ## Resolve the Python dependencies anew (needs uv)
	uv pip compile pyproject.toml --group test --universal --generate-hashes --no-emit-index-url --no-header -q -o requirements.lock
	uv pip compile pyproject.toml --group judges --universal --generate-hashes --no-emit-index-url --no-header -q -o requirements-judges.lock
	uv pip compile pyproject.toml --group docs --universal --generate-hashes --no-emit-index-url --no-header -q -o requirements-docs.lock

clean: ## Remove everything that was built
	rm -rf $(VENV) native/target dist site crawls .mypy_cache .ruff_cache .pytest_cache .hypothesis src/hondius/_native*.so

$(STAMPS)/environment: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Hondius needs Python 3.11 or newer: set PYTHON=/path/to/python3.11" >&2; exit 1; }
	command -v cargo >/dev/null || { echo "Hondius needs a Rust toolchain (cargo) to build its native module" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv does not work: on Debian, apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	mkdir -p $(STAMPS) && touch $@

# One stamp a profile: what was built to try a change must not be taken for a release.
$(STAMPS)/native-$(PROFILE): $(STAMPS)/environment $(NATIVE_SOURCES) pyproject.toml
	rm -f $(STAMPS)/native-*
	PIP_QUIET=1 maturin develop --profile $(PROFILE) --locked --quiet
	python -m compileall -q $(VENV)/lib || true
	touch $@

# Where Python is told to write none (PYTHONDONTWRITEBYTECODE), each start would compile all files that have changed since.
$(STAMPS)/bytecode: $(STAMPS)/native-$(PROFILE) $(PYTHON_SOURCES)
	python -m compileall -q src/hondius || true
	touch $@

$(STAMPS)/judges: $(STAMPS)/environment requirements-judges.lock
	$(PYTHON) -m venv $(VENV)/judges
	$(VENV)/judges/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-judges.lock
	touch $@

$(STAMPS)/docs: $(STAMPS)/environment requirements-docs.lock
	$(PYTHON) -m venv $(VENV)/docs
	$(VENV)/docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-docs.lock
	touch $@

debian-nginx:
	@command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] && exit 0
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y nginx-light >/dev/null
	else echo "nginx is needed: on Debian, apt-get install nginx-light" >&2; exit 1; fi

debian-chromium:
	@command -v chromium >/dev/null && exit 0
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null
	else echo "Chromium is needed: on Debian, apt-get install chromium" >&2; exit 1; fi

debian-valgrind:
	@command -v valgrind >/dev/null && exit 0
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends valgrind >/dev/null
	else echo "valgrind is needed to count instructions: on Debian, apt-get install valgrind" >&2; exit 1; fi
