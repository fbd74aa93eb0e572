# `make help` lists the targets. Only pip, npm (for the checkers of the page's scripts) and the distribution's packages
# are used, and what is installed goes into .venv and node_modules, but for Chromium (and Node.js, npm, gettext), which
# `make test` takes from the distribution if missing.

SHELL := bash
.SHELLFLAGS := -o pipefail -c

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST_ARGS ?=
SEED ?= 1
COUNT ?= 2000
RELEASE ?= 3.10.8
THROTTLE ?= 1
TIMES ?= 1
APPS ?= 2
MINUTES ?=

# TINY=1 makes a target do the least that shows that it still works, in seconds and into var/tiny where it would write
# elsewhere. tests/house runs every target so: none can break unseen.
TINY ?=
ifneq ($(TINY),)
CORES := 0
COUNT := 2
DATE ?= 2026-01-31
PREDICT_ARGS := --tiny --recorded --out var/tiny/predictions.json
FIDELITY_ARGS := --traces 2 --crashes 3 --fuzz 3 --out var/tiny/fidelity.json
SURFACES_ARGS := --tiny --out var/tiny/surfaces.json
CONFORMANCE_ARGS := -k "h01 or h37 or clean-mixed"
DIFFERENTIAL_ARGS := --summary var/tiny/differential.json
WORDS_ARGS := --count 2 --summary var/tiny/words.json
LESSON_ARGS := --tiny --out var/tiny/lessons.md
ATTACK_ARGS := --tiny --first
CONSOLE_ARGS := --recorded --lines 40
STORIES_ARGS := --nodes 1 --summary var/tiny/stories.json
QUESTIONS_ARGS := --names 2 --out var/tiny/questions.json
INTEROP_ARGS := --tiny --summary var/tiny/interop.json
DIGESTS_ARGS := --only first-burst
UNIT := first-in
LINTED := static/js/wasm
STATIC_ARGS := --language en --tiny
SCORM_DIST := var/tiny/static
DOCS_IMAGES_ARGS := --tiny --out var/tiny/docs-images
SCREENSHOTS_ARGS := --pages 1 --out var/tiny/screenshots
HEATMAPS_ARGS := --master local[1] --descriptions tests/spark/tiny --out var/tiny/sweeps --published var/tiny/heatmaps
CLUSTER_ARGS := --port 0 --workers 1 --seconds 0 --folder var/tiny/cluster
APPS_ARGS := --port 0 --proof
LONG_ARGS := 'tests/fuzz/test_damaged_files.py::test_many_damaged_files[400]'
POSTGRESQL_TESTS := tests/web/test_languages.py tests/web/test_exercises.py::test_a_wrong_prediction_stands_beside_what_happened
BROWSER_TESTS := tests/browser/test_first_visit.py -k visitor
COVERAGE_TESTS := tests/golden/test_format_vectors.py
COVERAGE_OF := --cov=engine/formats
else
LINTED := .
SCORM_DIST := dist
CORES := auto
COVERAGE_TESTS := tests
COVERAGE_OF := --cov
POSTGRESQL_TESTS := tests/web
BROWSER_TESTS := tests/browser
fuzz: COUNT = 100000
endif

VENV := .venv
PY := $(VENV)/bin/python
# What is installed is compiled where it is imported first, and then kept: most of it never is.
PIP := $(PY) -m pip install --no-compile --disable-pip-version-check --no-input --progress-bar off
SHOW := sed -unE 's/^(Collecting [^ ]+|Installing collected packages|Successfully installed).*/  \1/p'
STAMPS := $(VENV)/stamps

# A module that was compiled once is not compiled again by each of the hundreds of processes that tests start, whatever
# the environment says; Python takes an empty value for none.
export PYTHONDONTWRITEBYTECODE :=

# Spark's workers must run the same Python as the program that starts them.
export PYSPARK_PYTHON := $(CURDIR)/$(PY)
export PYSPARK_DRIVER_PYTHON := $(CURDIR)/$(PY)

.DEFAULT_GOAL := help
.PHONY: help env dev-env spark-env run compiled cluster check test programs lint format types supplies supported js-lint js-types js-test py-test coverage \
	collect bench heatmaps spark-cluster spark-classes conformance differential console-lines stories questions interop interop-directories inspect-file fidelity surfaces words lesson-check slides predict digests docs-images screenshots attack \
	fuzz soak long-tests wasm static scorm wasm-digests static-digests \
	postgresql-test browser-test firefox-test messages constraints clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' \
		| awk -F '\t' '{ printf "  %-12s %s\n", $$1, $$2 }'

# --- environments: each stamp is renewed when what is locked changes; pip installs nothing whose hash is not there ---

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Creating $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) \
		|| { echo "Could not create $(VENV). On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@mkdir -p $(STAMPS) && touch $@

# The lists name everything with its hash, so pip looks for nothing else: an extra of a listed package would have none.
$(STAMPS)/app: locked/app.txt | $(STAMPS)/venv
	@echo "Installing the app's packages ..."
	@$(PIP) --no-deps --require-hashes -r locked/app.txt | $(SHOW)
	@touch $@

$(STAMPS)/dev: locked/dev.txt | $(STAMPS)/app
	@echo "Installing the tools for testing ..."
	@$(PIP) --no-deps --require-hashes -r locked/app.txt -r locked/dev.txt | $(SHOW)
	@touch $@

$(STAMPS)/spark: locked/spark.txt | $(STAMPS)/app
	@echo "Installing Spark (a large download) ..."
	@$(PIP) --no-deps --require-hashes -r locked/app.txt -r locked/spark.txt | $(SHOW)
	@touch $@

node_modules/.installed: package.json package-lock.json .npmrc
	@echo "Installing the checkers of the page's scripts ..."
	@"$$(tools/ensure_npm.sh)" ci --loglevel=error --no-progress
	@touch $@

env: $(STAMPS)/app ## Create .venv with what the app needs, and nothing more
dev-env: env $(STAMPS)/dev ## Add the tools for linting and testing to .venv
spark-env: env $(STAMPS)/spark ## Add Spark, and a Java runtime where there is none, to .venv

# --- the app ---

run: env ## Start the app on http://HOST:PORT (127.0.0.1:8000), with the ready scenarios loaded
	@PYTHON=$(PY) exec tools/start.sh $(HOST) $(PORT)

compiled: dev-env ## Compile the engine's busiest modules (needs a C compiler): run and heatmaps then take them, with the same digests
	@$(PY) -m tools.compiled $(if $(TINY),--tiny)

cluster: $(if $(TINY),dev-env,env) ## Start APPS=2 processes behind nginx, with PostgreSQL and Redis, as for a school
	@$(PY) tools/compile_messages.py
	@$(PY) -m tools.cluster --apps $(APPS) --host $(HOST) --port $(PORT) $(APPS_ARGS)

heatmaps: spark-env ## Sweep the settings with Spark and publish the heatmaps
	@JAVA_HOME="$$($(PY) tools/ensure_java.py)" $(PY) -m tools.compiled --run -m spark_jobs heatmaps $(HEATMAPS_ARGS)

spark-cluster: spark-env ## Start a Spark master and two workers on spark://127.0.0.1:7077 (Ctrl-C ends them)
	@JAVA_HOME="$$($(PY) tools/ensure_java.py)" $(PY) -m spark_jobs cluster $(CLUSTER_ARGS)

spark-classes: spark-env ## Keep Spark's classes as a JVM has loaded them: after that it starts with half of the work
	@echo "Spark's classes ..."
	@JAVA_HOME="$$($(PY) tools/ensure_java.py)" $(PY) -m spark_jobs.class_archive

bench: dev-env spark-env node_modules/.installed ## Measure engine, wire, page and sweeps (TINY=1: only see that all of it runs; BENCH=wire: one)
	@tools/ensure_chromium.sh
	@JAVA_HOME="$$($(PY) tools/ensure_java.py)" $(PY) -m bench $(if $(TINY),--tiny) $(BENCH)

docs-images: dev-env ## Take the pictures of the README again, into docs/img
	@tools/ensure_chromium.sh
	@$(PY) -m tools.docs_images $(DOCS_IMAGES_ARGS)

screenshots: dev-env ## Picture every page, desktop and phone, light and dark, into var/screenshots
	@tools/ensure_chromium.sh
	@$(PY) -m tools.screenshots $(SCREENSHOTS_ARGS)

wasm: dev-env node_modules/.installed ## Build the engine for browsers and Node.js (Pyodide) into dist/wasm
	@$(PY) -m tools.wasm --out dist/wasm

static: wasm ## Write the edition for any static host into dist, with the engine that browsers run
	@$(PY) tools/compile_messages.py >/dev/null
	@$(PY) -m playground.static_edition dist $(STATIC_ARGS)

scorm: $(if $(TINY),dev-env,static) ## A zip for learning platforms (SCORM 1.2): make scorm UNIT=waterline (or an exercise; IN=zh-hans)
	@test -n "$(UNIT)" || { echo "Name a unit or an exercise, as in its address: make scorm UNIT=waterline"; exit 1; }
	@$(PY) -m playground.static_edition $(SCORM_DIST) --scorm $(UNIT) --language $(or $(IN),en) $(if $(TINY),--tiny)

wasm-digests: wasm ## Play all ready scenarios and exercises with it in Node.js, and compare their digests with the native ones
	@$(PY) -m tools.proofs.wasm node dist/wasm $(if $(TINY),first-burst)

static-digests: wasm ## The same in a worker of Chromium, where the static edition plays them
	@tools/ensure_chromium.sh
	@$(PY) -m tools.proofs.wasm chromium dist/wasm $(if $(TINY),first-burst exercise-first-in)

messages: dev-env ## Collect the texts to translate into locale/, and compile the translations
	@tools/ensure_gettext.sh
	@$(PY) manage.py makemessages --all --no-location --ignore .venv --ignore var --ignore dist --ignore staticfiles
	@$(PY) manage.py makemessages --all --no-location --domain djangojs \
		--ignore .venv --ignore var --ignore dist --ignore staticfiles --ignore static/vendor --ignore node_modules
	@$(PY) tools/compile_messages.py

# --- checks ---

# What only waits for a network goes beside what computes, and the types, which take longest on one core, beside everything
# else. Whoever installs npm is done before, as the distribution's installer works for one at a time.
test: dev-env ## Install all that the checks need, then run every one of them
	@tools/ensure_npm.sh >/dev/null
	@status=0; parallel="$(MAKE) --no-print-directory --keep-going --output-sync=target"; \
		$$parallel --jobs=3 spark-classes programs types js-test lint collect supplies || status=1; \
		$(MAKE) --no-print-directory py-test || status=1; \
		exit $$status

programs: ## Install the programs that tests start, where there are none: Chromium, Node.js, PostgreSQL, Redis, nginx
	@tools/ensure_chromium.sh
	@tools/ensure_node.sh
	@tools/ensure_postgresql.sh >/dev/null
	@tools/ensure_redis.sh >/dev/null
	@tools/ensure_nginx.sh >/dev/null

check: dev-env ## The loop while you work, under a minute: engine, web and scripts, without Spark and Chromium
	@$(PY) -m tools.check $(if $(TINY),--tiny)

lint: dev-env js-lint ## Check style, formatting, templates, and which room imports which
	@echo "ruff ..."
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@echo "djlint ..."
	@$(VENV)/bin/djlint --lint --quiet templates
	@echo "import-linter ..."
	@$(VENV)/bin/lint-imports --cache-dir var/imports

format: dev-env ## Put every Python file into the project's format
	@$(VENV)/bin/ruff check --fix-only --quiet .
	@$(VENV)/bin/ruff format .

types: dev-env spark-env js-types ## Check the types of all Python, the engine's strictly, and those of the page's scripts
	@echo "mypy ..."
	@$(VENV)/bin/mypy

supplies: dev-env ## Check what is installed against what is pinned, without the network: versions, licences, known trouble
	@$(PY) -m tools.supplies
	@$(PY) -m tools.lock --check

supported: dev-env ## What is out of support at a day, of all that is built on: make supported DATE=2027-12-31
	@test -n "$(DATE)" || { echo "Give a day: make supported DATE=2027-12-31"; exit 1; }
	@$(PY) -m tools.support --date $(DATE)

js-lint: node_modules/.installed ## Check the page's scripts by ESLint's rules
	@echo "eslint ..."
	@"$$(tools/ensure_node.sh)" node_modules/eslint/bin/eslint.js --cache --cache-location var/eslint.cache $(LINTED)

js-types: node_modules/.installed ## Check the types of the page's scripts, strictly
	@echo "tsc --checkJs ..."
	@"$$(tools/ensure_node.sh)" node_modules/typescript/bin/tsc -p tsconfig.json

js-test: ## Run the tests of the page's scripts in Node.js
	@echo "node --test tests/js ..."
	@"$$(tools/ensure_node.sh)" tools/script_tests.mjs

# What needs no browser and no Spark goes test by test, two at once on each core, as many of them only wait for servers
# of their own; the rest by whole files, each with one server for all, three at once on two cores: two leave a core
# without work while both wait, four hold each other up. Long files come first, so that no core is without work at the end.
# Both runs share what is made once: the engine for browsers, a server's tables (tools/prepared.py).
WAITING := tests/house tests/spark tests/bench tests/web/test_own_sweeps.py tests/survival tests/browser
WORKERS = $$((2 * $$(getconf _NPROCESSORS_ONLN)))
BROWSERS = $$((3 * $$(getconf _NPROCESSORS_ONLN) / 2))

py-test: dev-env spark-env
	@echo "pytest ..."
	@status=0; export JAVA_HOME="$$($(PY) tools/ensure_java.py)"; \
		export WATERLINE_PREPARED="$$(mktemp -d)"; trap 'rm -rf "$$WATERLINE_PREPARED"' EXIT; \
		$(PY) -m pytest -n $(WORKERS) --dist worksteal --long-first tests -m "not soak and not browser and not spark" $(PYTEST_ARGS) </dev/null \
			|| status=1; \
		$(PY) -m pytest -n $(BROWSERS) --dist loadfile --no-loadscope-reorder --long-first files -m "not soak and (browser or spark)" $(WAITING) $(PYTEST_ARGS) </dev/null \
			|| status=1; \
		exit $$status

# What pytest makes of the tests' sources is kept by this one process; each worker of a run would make it anew.
collect: dev-env spark-env ## Find all tests without running any
	@echo "pytest --collect-only ..."
	@mkdir -p var && { $(PY) -m pytest --collect-only -qq > var/collected.txt </dev/null || { cat var/collected.txt; exit 1; }; }

browser-test: dev-env ## Run the tests in a browser (THROTTLE=4 TIMES=10: on a processor four times slower, ten times)
	@tools/ensure_chromium.sh
	@for time in $$(seq $(TIMES)); do $(PY) -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder --long-first files $(BROWSER_TESTS) --throttle $(THROTTLE) \
		$(PYTEST_ARGS) </dev/null || exit 1; done

# One run of everything that needs neither Spark nor a browser; the scripts' own coverage comes from Node.js.
coverage: dev-env ## Count the lines and branches that the tests reach, part by part, for docs/figures.md
	@$(PY) -m pytest -q -n $(CORES) --dist worksteal -m "not soak and not browser and not spark" $(COVERAGE_TESTS) $(PYTEST_ARGS) \
		$(COVERAGE_OF) --cov-report=term:skip-covered --cov-report=json:var/coverage.json </dev/null
	@$(PY) -m tools.coverage_figure var/coverage.json $(if $(TINY),,tests/coverage.json && $(PY) -m tools.figures)

conformance: dev-env ## Replay the traces and open the directories recorded from the real broker
	@$(PY) -m pytest tests/golden tests/conformance $(CONFORMANCE_ARGS) $(PYTEST_ARGS)

differential: dev-env ## Compare COUNT random programs from SEED on with a real broker of RELEASE (2000 from 1 on)
	@$(PY) -m tools.proofs.differential --release $(RELEASE) --seed $(SEED) --count $(COUNT) $(DIFFERENTIAL_ARGS)

stories: dev-env ## Play COUNT random AMQP programs from SEED on, about each theme in turn, with real nodes of RELEASE and on the engine
	@$(PY) -m tools.proofs.stories --release $(RELEASE) --seed $(SEED) --count $(COUNT) $(if $(MINUTES),--minutes $(MINUTES)) $(STORIES_ARGS)

questions: dev-env ## Ask a real node of RELEASE which arguments, policies and exchanges it takes; make the engine's tables of the answers
	@$(PY) -m tools.proofs.questions --release $(RELEASE) $(QUESTIONS_ARGS)

console-lines: dev-env ## Ask a real node of RELEASE the lines of the console's tests, and compare every answer
	@$(PY) -m tests.ctl.compare --release $(RELEASE) $(CONSOLE_ARGS)

interop: dev-env ## Exchange directories with a real RabbitMQ node of RELEASE, both ways
	@$(PY) -m tools.proofs.interop --release $(RELEASE) $(INTEROP_ARGS)

inspect-file: env ## Build dist/waterline-inspect.pyz: one file that reads a node's directory where it lies
	@$(PY) -m tools.inspect_file $(if $(TINY),var/tiny,dist)

interop-directories: dev-env ## Compare what Inspect says of real nodes' directories, whole and damaged, with what the nodes did
	@$(PY) -m tools.proofs.interop.directories $(if $(TINY),--tiny)

firefox-test: dev-env ## Open the page of a run from a disk in Firefox, and see that it draws
	@$(PY) -m tools.proofs.firefox $(if $(TINY),--tiny,--firefox "$$(tools/ensure_firefox.sh)")

digests: env ## After a change of the engine that was meant: write the ready scenarios' new digests
	@$(PY) -m tools.story_digests $(DIGESTS_ARGS)

fidelity: dev-env ## Measure what is proved of the engine, for the page /fidelity: make fidelity DATE=2026-01-31
	@test -n "$(DATE)" || { echo "Give the day of the run: make fidelity DATE=2026-01-31"; exit 1; }
	@$(PY) -m tools.proofs.fidelity --date $(DATE) $(FIDELITY_ARGS)

surfaces: dev-env ## Ask every surface on every release, for the table of the page /fidelity: make surfaces DATE=2026-01-31
	@test -n "$(DATE)" || { echo "Give the day of the run: make surfaces DATE=2026-01-31"; exit 1; }
	@tools/ensure_chromium.sh
	@$(PY) -m tools.proofs.surfaces --date $(DATE) $(SURFACES_ARGS)

words: dev-env ## Hold headline, log, Why?, gauges and table to each other at every moment of random runs, and count
	@$(PY) -m tools.proofs.words $(WORDS_ARGS)

lesson-check: dev-env ## Let simulated learners answer all exercises: what shows each misconception, and what guessing gains
	@$(PY) -m tools.proofs.lessons $(LESSON_ARGS)

slides: env ## Write the slides of a unit as one file to present with: make slides UNIT=waterline (IN=zh-hans)
	@$(PY) manage.py write_slides $(if $(TINY),waterline,$(UNIT)) $(if $(TINY),var/tiny,dist) --language $(or $(IN),en)

attack: dev-env ## Try all that a stranger may (or GROUP=files), with a server beside it that is left alone; on this machine only
	@$(PY) -m tools.proofs.attack $(ATTACK_ARGS) $(if $(GROUP),--group $(GROUP))

fuzz: $(if $(TINY),dev-env,compiled) ## Play COUNT=100000 random programs over all verbs from SEED on, on the sources and compiled
	@$(PY) -m tools.proofs.fuzz --seed $(SEED) --count $(COUNT) $(if $(MINUTES),--minutes $(MINUTES))

soak: dev-env ## Users, nonsense, kills and faults for MINUTES=60, with attacks by ATTACKS=1; then nothing may be lost, different or left over
	@$(PY) -m tools.proofs.soak --minutes $(or $(MINUTES),60) $(if $(TINY),--tiny) $(if $(ATTACKS),--attacks)

predict: dev-env ## Drive a real node of RELEASE with the workloads, run the engine on the same, write the errors: make predict DATE=2026-01-31
	@test -n "$(DATE)" || { echo "Give the day of the run: make predict DATE=2026-01-31"; exit 1; }
	@$(PY) -m tools.proofs.predictions --date $(DATE) --release $(RELEASE) $(if $(MINUTES),--minutes $(MINUTES)) $(PREDICT_ARGS)

long-tests: dev-env spark-env ## Run the long tests that `make test` leaves out
	@tools/ensure_chromium.sh
	@JAVA_HOME="$$($(PY) tools/ensure_java.py)" $(PY) -m pytest -m soak $(LONG_ARGS) $(PYTEST_ARGS)

postgresql-test: dev-env ## Run the tests of the web side on a private PostgreSQL
	@$(PY) -m tools.private_postgresql $(PY) -m pytest $(POSTGRESQL_TESTS) $(PYTEST_ARGS)

constraints: | $(STAMPS)/app ## Pin and lock again what the requirements bring along, after changing one of them
	@mkdir -p var
ifeq ($(TINY),)
	@$(PIP) -r requirements.txt -r requirements-dev.txt -r requirements-spark.txt | $(SHOW)
endif
	@$(PY) tools/pin_constraints.py > var/constraints.new
	@$(if $(TINY),true,mv var/constraints.new constraints.txt)
	@$(PY) -m tools.lock $(if $(TINY),--check)
	@$(PY) -m pip check

clean: ## Remove the environment, the caches and everything under var/
	@rm -rf $(VENV) node_modules var staticfiles .pytest_cache .mypy_cache .ruff_cache .hypothesis spark-warehouse
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
