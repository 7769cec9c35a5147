# The two commands that a newcomer needs are `make run` and `make test`; both install what they need and say so.
.PHONY: run test test-fast watch test-busy test-browser test-documents mutants docs lint format build tools help bench chaos audit sanitize dist image release engine-limits

help:
	@echo "make run     start a server with an embedded database, an app and fake identity providers, until Ctrl-C (gatehouse dev)"
	@echo "make test    run every test, those of storage and rules on SQLite and on a private PostgreSQL: ONLY=LoginTests or ONLY=LOGIN-3 for a part"
	@echo "make test-fast  run the tests that need no database server and no other process: seconds, once built"
	@echo "make watch   run the tests of what changes, whenever a source file does: ONLY=LoginTests for always the same"
	@echo "make test-busy  run every test five times beside four busy loops, as on a slow machine: RUNS=1 for fewer"
	@echo "make test-browser  log in with every provider, and at a real one, in headless Chromium; the console in Firefox, too"
	@echo "make test-documents  run every command of README.md, docs/ and the SDK's articles, in order, as a reader does: PAGE=README.md for one"
	@echo "make check   what looks deeper than CI, for what was touched: BASE=main since a commit, PARTS='browser audit' for parts, ALL=1 for all"
	@echo "make mutants break a hundred rules, one at a time, and name the test that notices: ONLY='BAN MAP-3' for some rules"
	@echo "make docs    build the SDK's reference, articles and tutorials as pages for a browser; each warning is an error"
	@echo "make apple   check the types of the code for Apple's systems against stand-ins for Apple's modules"
	@echo "make lint    check form, forbidden calls, file lengths, and what a game resolves; it builds nothing"
	@echo "make format  bring the sources into form"
	@echo "make build   build the server and the command"
	@echo "make bench   measure a release build: ONLY=guest_new,token_check SECONDS=5 for a part, GROWTH=1 for ten million members, ONLY=growth MEMBERS=200000 for fewer, ONLY=import MEMBERS=1000000 for members of another system, ONLY=instructions to count"
	@echo "make chaos   kill, starve and overload a release build, and look whether it kept its word: ONLY=kill ROUNDS=5 for a part"
	@echo "make audit   try a server with schemathesis, libFuzzer, sqlmap and slow clients: ONLY=fuzz SEED=1 for a part, LONG=1 for hours"
	@echo "make engine-limits  parse every statement, and print what CockroachDB and YugabyteDB refuse of them: docs/scaling.md"
	@echo "make sanitize  run the tests of storage and SDK under the thread sanitizer"
	@echo "make dist    one stripped binary with Swift's runtime inside, and a systemd unit, in dist/"
	@echo "make image   a container image of that binary from nothing, by buildah, without a daemon: dist/gatehouse-image.tar"

# On a small machine the first build seems to hang.
EXPLAIN := [ -e Server/.build/debug/gatehouse ] || echo "gatehouse: the first build fetches and compiles the server with its libraries: \
	5 minutes on two processors, 10 on slow ones, and a gigabyte of disk. Later builds take seconds."

tools:
	@scripts/install-tools run

build: tools
	@$(EXPLAIN)
	scripts/swift build --package-path Server --product gatehouse

run: build
	@exec Server/.build/debug/gatehouse dev

test:
	@scripts/install-tools test
	@scripts/test $(if $(ONLY),--only '$(ONLY)')

test-fast:
	@scripts/install-tools run
	@$(EXPLAIN)
	@scripts/test --fast --package root --package server

watch:
	@scripts/install-tools watch
	@$(EXPLAIN)
	@scripts/watch

RUNS ?= 5

test-busy:
	@scripts/install-tools test
	@RUNS=$(RUNS) scripts/test-busy

test-browser:
	@scripts/install-tools browser
	@axe=$$(scripts/fetch-tool axe || test -z "$$GATEHOUSE_REQUIRE_AXE") && \
		firefox=$$(command -v firefox-esr || command -v firefox || test -z "$$GATEHOUSE_REQUIRE_FIREFOX") && \
		GATEHOUSE_AXE="$$axe" GATEHOUSE_FIREFOX="$$firefox" GATEHOUSE_CHROMEDRIVER=$$(command -v chromedriver) \
		scripts/test --package server --filter BrowserTests

mutants:
	@scripts/install-tools run
	@scripts/mutants $(ONLY)

test-documents:
	@scripts/install-tools documents
	@scripts/openapi-json --check
	@$$(scripts/fetch-tool typos) --config scripts/typos.toml --format brief .
	@scripts/check-translations
	@$(if $(PAGE),,Benchmarks/shard-simulation --check docs/scaling.md)
	scripts/swift build --package-path Server --product gatehouse
	@scripts/reference --check
ifndef PAGE
	scripts/swift build --package-path Examples/TitleScreen --scratch-path .build
	scripts/swift build --package-path Examples/Tutorial --scratch-path .build
endif
	@scripts/with-postgres scripts/check-documents $(PAGE)

# BASE=COMMIT: the parts of what was touched since. PARTS="browser audit": these. ALL=1: all.
check:
	@scripts/check $(if $(BASE),--base $(BASE)) $(if $(ALL),--all) $(PARTS)

docs:
	@scripts/docs

lint:
	@scripts/lint
	@Benchmarks/capacity-model --check docs/scaling.md

apple:
	@scripts/check-apple

format:
	swift format --in-place --parallel --recursive Sources Tests Server/Sources Server/Tests Benchmarks/Sources Examples \
		Fuzz/Sources/gatehouse-fuzz Package.swift Server/Package.swift Benchmarks/Package.swift Fuzz/Package.swift

# The server's release build has a folder of its own, so that it can be made beside tests.
RELEASE := $(CURDIR)/Server/.build-release

release:
	scripts/swift build -c release --package-path Server --scratch-path $(RELEASE) --product gatehouse
	scripts/swift build -c release --package-path Benchmarks

SECONDS ?= 5
ENGINES ?= sqlite,postgresql

bench:
	@scripts/install-tools bench
	@$(MAKE) --no-print-directory release
	@scripts/with-postgres Benchmarks/.build/release/gatehouse-bench --server $(RELEASE)/release/gatehouse \
		--output Benchmarks/results/latest.jsonl --seconds $(SECONDS) --engines $(ENGINES) \
		$(if $(ONLY),--only $(ONLY)) $(if $(GROWTH),--growth) $(if $(MEMBERS),--members $(MEMBERS)) \
		$(if $(HISTORY),--history $(HISTORY)) $(if $(REPLACE_BUDGET),--replace-budget)
	@$(if $(ONLY),,Benchmarks/.build/release/gamebase-bench --server $(RELEASE)/release/gatehouse)

chaos:
	@scripts/install-tools chaos
	@$(MAKE) --no-print-directory release
	@scripts/with-postgres Benchmarks/.build/release/gatehouse-chaos --server $(RELEASE)/release/gatehouse \
		$(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS))

audit:
	@scripts/install-tools audit
	scripts/swift build --package-path Server --product gatehouse
	@scripts/audit $(if $(ONLY),--only $(ONLY)) $(if $(LONG),--long) $(if $(SEED),--seed $(SEED))

sanitize:
	@scripts/install-tools test
	@scripts/test --sanitize --package root --filter "GatehouseTests|GamebaseTests"
	@scripts/test --sanitize --package server --filter "GatehouseStorageTests|GamebaseTests"

# The statements are those of the tests of storage and queries, which have every statement of the server.
engine-limits:
	@scripts/install-tools audit
	@test -d .audit-tools/engines || python3 -m venv .audit-tools/engines
	@.audit-tools/engines/bin/pip install --quiet --disable-pip-version-check --requirement Benchmarks/engine-requirements.txt
	@rm -rf .audit-tools/statements && mkdir -p .audit-tools/statements
	@GATEHOUSE_RECORD_STATEMENTS=$(CURDIR)/.audit-tools/statements scripts/test --package server \
		--filter '^(QueryTests|GatehouseStorageTests|GatehouseCoreTests)[.]'
	@.audit-tools/engines/bin/python Benchmarks/engine-limits .audit-tools/statements $(if $(CHECK),--check docs/scaling.md)

dist:
	@scripts/install-tools dist
	@scripts/make-dist

image: dist
	@scripts/install-tools image
	@scripts/make-image
