# make run    installs what is missing, builds, opens the window
# make test   the same for the tests, and runs them all
# make check  formats, lints and types: the fast loop
# make test-model: a goal, a plan and a run with a real small language model
# make test-long, make bench, make app: slow tests, figures, installable packages

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := run

TARGET := $(or $(CARGO_TARGET_DIR),target)
# The window carries the built page inside; one set of features for every build, so that nothing is built twice.
FEATURES := --features planloom-desktop/custom-protocol
WORKSPACE := --workspace $(FEATURES)
# The packager is fetched when it is asked for.
TAURI := npm exec --yes --package=@tauri-apps/cli@2.12.5 -- tauri

PAGE_SOURCES := $(shell find ui -path ui/node_modules -prune -o -path ui/dist -prune -o -type f -print)

.PHONY: run test test-long test-model check bench app ready-build ready-test page check-page check-rust clean

run: ready-build page
	cargo build -p planloom-desktop -p planloom-cli $(FEATURES)
	$(TARGET)/debug/planloom-desktop

test: ready-test check-page page check-rust tests/mcp/real/node_modules/.stamp
	npm --prefix ui test
	cargo build $(WORKSPACE) --all-targets
	PLANLOOM_BUILT=1 cargo test $(WORKSPACE)
	PLANLOOM_BUILT=1 cargo test $(WORKSPACE) --test e2e

# The campaigns: a thousand kills, death at every named point, ten thousand random runs and damaged files, ten minutes of
# each fuzz target, the journey five times.
test-long: ready-test page tests/mcp/real/node_modules/.stamp
	cargo build $(WORKSPACE) --all-targets
	PLANLOOM_BUILT=1 PLANLOOM_KILLS=1000 PLANLOOM_SEEDS=10000 cargo test $(WORKSPACE)
	scripts/fuzz 600
	for round in 1 2 3 4 5; do PLANLOOM_BUILT=1 cargo test $(WORKSPACE) --test e2e; done

# A goal, a plan, agents and their tools with a real small model (1.1 GB, fetched once; a few minutes).
test-model: ready-build
	scripts/small-model $(TARGET)/small-model
	cargo build -p planloom-cli
	PLANLOOM_BUILT=1 PLANLOOM_SMALL_MODEL=$(abspath $(TARGET))/small-model \
	  cargo test -p planloom-tests --test model -- --test-threads 1 --nocapture

check: ready-build check-page page check-rust

bench: ready-build
	cargo run --release -p planloom-tests --bin bench

app: ready-build ui/node_modules/.stamp
	$(TAURI) build --config src-tauri/tauri.bundle.conf.json

check-page: ui/node_modules/.stamp
	npm --prefix ui run lint
	npm --prefix ui run check

# The shell is compiled with the built page inside: `page` comes first.
check-rust: page
	cargo fmt --all --check
	cargo clippy $(WORKSPACE) --all-targets -- -D warnings
	cargo clippy $(WORKSPACE) --test e2e -- -D warnings

page: ui/dist/index.html

ui/dist/index.html: ui/node_modules/.stamp $(PAGE_SOURCES)
	npm --prefix ui run build
	touch $@

ui/node_modules/.stamp: ui/package-lock.json ui/package.json
	npm --prefix ui ci --no-audit --no-fund
	touch $@

# The reference MCP servers. Without a registry at hand their tests say so and pass.
tests/mcp/real/node_modules/.stamp: tests/mcp/real/package-lock.json tests/mcp/real/package.json
	if npm --prefix tests/mcp/real ci --ignore-scripts --no-audit --no-fund; then touch $@; fi

ready-build:
	@scripts/ready build

ready-test:
	@scripts/ready test

clean:
	rm -rf ui/dist ui/node_modules
	cargo clean
