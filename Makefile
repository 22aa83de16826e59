# mintfeed. Two commands are enough: `make run` and `make test`. Each installs what it needs.
SHELL := /bin/sh
BIN := node_modules/.bin
INSTALLED := node_modules/.package-lock.json
NODE := $(BIN)/node
PAGE := web/dist/index.html
PAGE_SOURCES := $(shell find web client/src -path web/dist -prune -o -type f -print 2>/dev/null)
PATH := $(CURDIR)/$(BIN):$(PATH)
export PATH

.PHONY: help run test check bench mutants crash conformance format sim

help: ## What there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(INSTALLED): package.json package-lock.json
	@echo "mintfeed: installing packages from the lock file (they bring Node 22 along)"
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $(INSTALLED)

$(PAGE): $(INSTALLED) $(PAGE_SOURCES)
	@echo "mintfeed: building the page (once, until its sources change)"
	@npm run --silent build

run: $(INSTALLED) $(PAGE) ## Serve a living, simulated market on http://127.0.0.1:8080
	@echo "mintfeed: starting (stop with Ctrl-C)"
	@exec $(NODE) src/main.ts

test: $(INSTALLED) $(PAGE) ## Every test: model, properties, feeds, server, conformance
	@echo "mintfeed: running all tests"
	@npm test --silent

check: $(INSTALLED) ## Types and lint
	@echo "mintfeed: checking types and style"
	@npm run --silent check

bench: $(INSTALLED) ## Figures: fold, journal, restart, snapshot pause, memory, tables, fan-out
	@npm run --silent bench

mutants: $(INSTALLED) ## Plants one fault at a time; the tests must find each
	@npm run --silent mutants

crash: $(INSTALLED) ## Kills the program ROUNDS times (200); nothing a client saw may be lost
	@$(NODE) test/crash/run.ts

sim: $(INSTALLED) ## The simulated machine: SEED=n replays one run, else random ones for DURATION seconds
	@SEED=$(SEED) DURATION=$(or $(DURATION),300) $(NODE) test/simulation/run.ts

conformance: $(INSTALLED) ## Runs the conformance suite against URL (and WS)
	@npm run --silent conformance -- --url $(or $(URL),http://127.0.0.1:8080) --ws $(or $(WS),ws://127.0.0.1:8080/ws)

format: $(INSTALLED) ## Formats the source
	@npm run --silent format
