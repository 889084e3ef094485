# Whatever a target needs is installed first, into .venv, as pinned in requirements.lock.

PYTHON ?= python3

.PHONY: report test slow browser lessons docs fuzz mutation lock environment

report: environment
	.venv/bin/stacksim report

test: environment
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	PYTHONDONTWRITEBYTECODE= .venv/bin/pytest -n 2 --dist worksteal # rewritten once, not by each worker each time

slow: environment
	.venv/bin/pytest -m slow -o faulthandler_timeout=0

# Pages, lessons and site in a real browser: Debian's Chromium (apt-get install chromium), driven by Playwright.
browser: environment
	.venv/bin/pip install --quiet --disable-pip-version-check -e '.[browser,site]' --no-build-isolation
	.venv/bin/pytest -m browser tests/browser

# Lessons as pages without a kernel, with slides and handouts, in build/lessons; `make -j2` makes two at a time.
LESSONS = $(patsubst notebooks/%.ipynb,build/lessons/%.html,$(wildcard notebooks/*.ipynb))
lessons: environment $(LESSONS)

build/lessons/%.html: notebooks/%.ipynb $(shell find calibration-data models sim stacksim -type f -not -name '*.py[co]' -not -name '*.nb[ci]') | environment
	.venv/bin/python -m stacksim.notebook.edition notebooks build/lessons $*

# The site, from the pages in docs/ and from docstrings, with search; its links are checked as it is built.
docs: environment lessons
	.venv/bin/pip install --quiet --disable-pip-version-check -e '.[site]' --no-build-isolation
	.venv/bin/mkdocs build --quiet

# Random examples that differ from those of `test`, which are the same each time, and ten times as many.
fuzz: environment
	.venv/bin/pytest -n 2 -m "hypothesis and not slow and not browser" \
		-o faulthandler_timeout=0 --hypothesis-profile many --hypothesis-seed=$$(date +%s)

# Changes `sim` in a copy, one operator or number at a time, and looks whether a fast test fails: docs/dev/testing.md.
# `make mutation MUTANTS=20` tries fewer of each package, `SEED=2` others.
MUTANTS ?= 100
SEED ?= 1
mutation: environment
	.venv/bin/pip install --quiet --disable-pip-version-check cosmic-ray==8.7.0 coverage==7.17.3
	.venv/bin/python tests/mutation/study.py --mutants $(MUTANTS) --seed $(SEED)

# Needs uv. Versions already in the lock stay, unless pyproject.toml no longer allows them.
lock:
	PATH=".venv/bin:$$PATH" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--extra dev --no-emit-index-url --custom-compile-command 'make lock' \
		--output-file requirements.lock pyproject.toml

environment: .venv/installed

.venv/installed: requirements.lock pyproject.toml | .venv/bin/pip
	.venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
		"stacksim needs Python 3.11 or newer; $(PYTHON) is %d.%d. Name another: make PYTHON=python3.12" \
		% sys.version_info[:2])'
	$(PYTHON) -m venv .venv
