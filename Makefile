# mintfeed. Two commands are enough: `make run` and `make test`. Each installs what it needs.
SHELL := /bin/sh
BIN := node_modules/.bin
INSTALLED := node_modules/.package-lock.json
NODE := $(BIN)/node
NO_NODE := mintfeed: The Node of the packages does not run here: npm has to run scripts of packages \
	(ignore-scripts=false), and this machine to have glibc 2.28 or newer.
PAGE := web/dist/index.html
BUNDLE := dist/main.js
RECORDING := packaging/simulated-market.ndjson.gz
PAGE_SOURCES := $(shell find web client/src -path web/dist -prune -o -type f -print 2>/dev/null)
PATH := $(CURDIR)/$(BIN):$(PATH)
export PATH

.PHONY: help build client run run-recorded test test-all test-long check bench bench-charts load mutants crash alerts-crash cluster cluster-kill cluster-crash conformance format sim fuzz attacks disconnects soak audit licences sbom feeds-faults reconnects

help: ## What there is
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(INSTALLED): package.json package-lock.json
	@echo "mintfeed: installing packages from the lock file (they bring Node 22 along)"
	@npm ci --no-audit --no-fund --loglevel=error
	@$(NODE) --version >/dev/null || { rm -f $(INSTALLED); echo "$(NO_NODE)" >&2; exit 1; }
	@touch $(INSTALLED)

$(PAGE): $(INSTALLED) $(PAGE_SOURCES)
	@echo "mintfeed: building the page (once, until its sources change)"
	@npm run --silent page

$(BUNDLE): $(INSTALLED) packaging/bundle.ts $(shell find src -type f)
	@echo "mintfeed: bundling the program (until its sources change)"
	@npm run --silent bundle

# Side by side: a first start waits for the longer of the two.
build: $(INSTALLED) ## The page and the bundle that bin/mintfeed.js, the unit and the image start
	@$(MAKE) -s --no-print-directory -j2 $(PAGE) $(BUNDLE) </dev/null

client: $(INSTALLED) ## Packs the client: client/mintfeed-client-<version>.tgz, for npm install
	@cd client && npm pack --silent

run: build ## Serve a living, simulated market on http://127.0.0.1:8080
	@echo "mintfeed: starting (stop with Ctrl-C)"
	@exec $(NODE) bin/mintfeed.js

run-recorded: build ## Serve a recording of a simulated day, with its prices of SOL: candles at once, nothing is kept
	@echo "mintfeed: starting with a recording (stop with Ctrl-C)"
	@DATA_DIR=none FEED=replay:$(RECORDING) SPEED=max exec $(NODE) bin/mintfeed.js

test: build ## The tests in their short form: model, properties, feeds, server, page; says what it leaves out
	@echo "mintfeed: running the tests in their short form"
	@npm test --silent

test-all: build ## Every test, random ones with a part of their cases: what CI runs
	@echo "mintfeed: running all tests with a part of the random cases"
	@npm run --silent test:all

test-long: build ## Every test at full length, 1,000,000 events of the model among them
	@echo "mintfeed: running all tests at full length"
	@npm run --silent test:long

test-long-%: build ## The same of one folder of test/: make test-long-model, test-long-store, test-long-process
	@npm run --silent test:long -- test/$*/

check: $(INSTALLED) ## Types and lint
	@echo "mintfeed: checking types and style"
	@npm run --silent check

bench: $(INSTALLED) $(BUNDLE) ## The goals S1 to S13 as one table, beside their peers; ONLY=S1,S5 for some
	@ONLY=$(ONLY) $(NODE) bench/run.ts

bench-charts: $(INSTALLED) ## Table and charts of the newest results into docs, figures into README.md
	@$(NODE) bench/publish.ts

load: $(INSTALLED) $(BUNDLE) ## A large market for DURATION (10m) with readers and pollers: latency, loop, memory
	@$(NODE) bench/load.ts

mutants: $(INSTALLED) ## Plants one fault at a time; the tests must find each
	@npm run --silent mutants

crash: $(INSTALLED) $(BUNDLE) ## Kills the program ROUNDS times (200); nothing a client saw may be lost
	@$(NODE) test/crash/run.ts

alerts-crash: $(INSTALLED) $(BUNDLE) ## Kills the program ROUNDS times (20) while DELIVERIES (100,000) go to a webhook that fails; none may be lost
	@$(NODE) test/alerts/run.ts

cluster: build ## Three nats-servers, two sequencers and three replicas of a simulated market; what dies is started again
	@exec $(NODE) test/cluster/run.ts

cluster-kill: $(INSTALLED) ## Kills one process of the cluster: NAME, or any
	@NAME=$(NAME) $(NODE) test/cluster/kill.ts

cluster-crash: $(INSTALLED) $(BUNDLE) ## Kills processes of a cluster ROUNDS times (200); its clients may lose and repeat nothing
	@$(NODE) test/cluster-crash/run.ts

feeds-faults: $(INSTALLED) ## Live feeds against mock peers: SCHEDULES (200) seeded schedules of faults a feed
	@FEED_SCHEDULES=$(or $(SCHEDULES),200) $(NODE) node_modules/vitest/vitest.mjs run test/feeds/yellowstone test/feeds/solana test/feeds/pumpportal/faults.test.ts test/feeds/live-feeds.test.ts test/app/history-build.test.ts

sim: $(INSTALLED) ## The simulated machine: SEED=n replays one run, else random ones for DURATION seconds
	@SEED=$(SEED) DURATION=$(or $(DURATION),300) $(NODE) test/simulation/run.ts

reconnects: $(INSTALLED) $(BUNDLE) ## Cuts the client COUNT times (100,000), from SEED, on all processors, of URLS replicas (1); nothing may be lost or repeated
	@COUNT=$(COUNT) SEED=$(SEED) URLS=$(URLS) $(NODE) test/client/reconnects.ts

conformance: CONFORMANCE_URL = $(or $(URL),http://127.0.0.1:8080)
conformance: $(INSTALLED) ## Runs the conformance suite against URL (and WS, /ws of it where it is not given)
	@npm run --silent conformance -- --url $(CONFORMANCE_URL) --ws $(or $(WS),$(CONFORMANCE_URL:http%=ws%)/ws)

format: $(INSTALLED) ## Formats the source
	@npm run --silent format

fuzz: $(INSTALLED) ## COUNT hostile inputs (20,000,000) from SEED into every reader, then on sockets
	@COUNT=$(COUNT) SEED=$(SEED) $(NODE) test/fuzz/run.ts

attacks: $(INSTALLED) $(BUNDLE) ## Attacks at full size on loopback; a table of what they cost others
	@$(NODE) test/attacks/run.ts

disconnects: $(INSTALLED) $(BUNDLE) ## COUNT (18,000) live connections gone at once: the loop's stall beside uWebSockets.js alone
	@$(NODE) test/attacks/disconnects.ts

soak: $(INSTALLED) $(BUNDLE) ## Runs a market for DURATION (30m) with faults; memory, stalls, errors, differences
	@DURATION=$(or $(DURATION),30m) $(NODE) test/soak/run.ts

audit: $(INSTALLED) ## Known weaknesses of the packages (asks the registry)
	@npm audit --audit-level=low

licences: $(INSTALLED) ## Licences of all packages; fails on one that is not permissive
	@$(NODE) packaging/licences.ts

sbom: $(INSTALLED) ## The bill of materials, CycloneDX JSON, on stdout
	@npm sbom --sbom-format cyclonedx --omit dev
