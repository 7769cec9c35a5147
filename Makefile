# The two commands that a newcomer needs are `make run` and `make test`; both install what they need and say so.
.PHONY: run test lint format build tools help

help:
	@echo "make run     start the server with an embedded database and a ready app (gatehouse dev)"
	@echo "make test    run every test, on SQLite and on a private PostgreSQL"
	@echo "make lint    check form, forbidden calls, file lengths, and what a game resolves"
	@echo "make format  bring the sources into form"
	@echo "make build   build the server and the command"

tools:
	@scripts/install-tools run

build: tools
	swift build --package-path Server --product gatehouse

run: build
	@exec Server/.build/debug/gatehouse dev

test:
	@scripts/install-tools test
	swift test
	scripts/with-postgres swift test --package-path Server
	scripts/check-apple

lint:
	@scripts/lint

format:
	swift format --in-place --parallel --recursive Sources Tests Server/Sources Server/Tests Package.swift Server/Package.swift
