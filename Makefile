# Everything that is done here is done through these targets; CI runs `make check`, nothing else.
# One profile (release, locked) for all of them, so that dependencies are compiled once. `demo` alone
# builds the three tools of the sentence without the rest of the workspace, which is quicker on a fresh
# machine; cargo chooses other features of some dependencies then, so `check` shows it what it has built.

.PHONY: help demo build check test live bless fmt lint docs bench fuzz format install cargo

# Where Rust's own tools are found; `make install PREFIX=/usr/local` for everybody.
PREFIX ?= $(or $(CARGO_HOME),$(HOME)/.cargo)
# The scripts look for the tools in the checkout, wherever a developer's other builds go.
export CARGO_TARGET_DIR := $(CURDIR)/target

PROFILE := --release --locked
# Archives in a bucket are part of what is installed and tested.
FEATURES := --features bv-memory/s3
DEMO_MANIFEST := tests/demo/cargo/Cargo.toml
FUZZ_MANIFEST := tests/fuzz/Cargo.toml
SH_SCRIPTS = $(shell grep -lsE '^.!/bin/sh' pipelines/* tests/*.sh tests/gpu/*.sh tests/fuzz/*.sh)
BASH_SCRIPTS = $(shell grep -lsE '^.!/.*bash' pipelines/* tests/*.sh .ci/*)
PY_SCRIPTS = $(wildcard pipelines/*.py pipelines/*/*.py tests/bench/*.py tests/gpu/*.py tests/memory/*.py)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  \1 - /p' Makefile

demo: ## two failing projects, their raw output beside their receipts
	@pipelines/demo

build: cargo ## the tools, into target/release
	cargo build $(PROFILE) $(FEATURES) --workspace --bins

check: cargo ## all that CI asks: format, lints, tests, real runners, docs, demo
	cargo fmt --all --check
	cargo fmt --manifest-path $(DEMO_MANIFEST) --check
	cargo fmt --manifest-path $(FUZZ_MANIFEST) --check
	$(MAKE) lint
	CI=1 $(MAKE) test
	$(MAKE) live
	$(MAKE) docs
	pipelines/demo --built

# The tests run the tools, and cargo builds no binary for the tests of another package.
test: build ## the tests of the whole; installs a software graphics driver where it may
	@tests/gpu/driver.sh target/release/bv-gpu
	cargo test $(PROFILE) $(FEATURES) --workspace

live: build ## the runners that this machine has, run afresh and held to the fixtures and to each other
	@cargo test $(PROFILE) $(FEATURES) --quiet --workspace --test bv -- live:: --ignored --nocapture

bless: build ## rewrite snapshots and schemas; read the diff before it is committed
	BLESS=1 INSTA_UPDATE=always cargo test $(PROFILE) $(FEATURES) --workspace

fmt: cargo ## format the code
	cargo fmt --all
	cargo fmt --manifest-path $(DEMO_MANIFEST)
	cargo fmt --manifest-path $(FUZZ_MANIFEST)

lint: cargo ## clippy with warnings fatal; the scripts' syntax
	cargo clippy $(PROFILE) $(FEATURES) --all-targets --workspace -- -D warnings
	@for script in $(SH_SCRIPTS); do \
		sh -n $$script || exit 1; \
		if command -v dash >/dev/null; then dash -n $$script || exit 1; fi; \
	done
	@for script in $(BASH_SCRIPTS); do bash -n $$script || exit 1; done
	@if command -v shellcheck >/dev/null; then shellcheck $(SH_SCRIPTS) $(BASH_SCRIPTS); \
	else echo 'lint: shellcheck is missing: shell scripts are checked for syntax only'; fi
	@if command -v python3 >/dev/null; then \
		for script in $(PY_SCRIPTS); do \
			python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' $$script || exit 1; \
		done; \
	else echo 'lint: python3 is missing: Python scripts are not checked'; fi

docs: cargo ## the API's documentation, warnings fatal
	RUSTDOCFLAGS=-Dwarnings cargo doc $(PROFILE) $(FEATURES) --no-deps --workspace

format: ## begin a runner format: NAME=my-runner RAW=out.txt
	@tests/scaffold.sh "$(NAME)" "$(RAW)"

bench: build ## how fast, how small
	@for part in tests/bench/*.py; do python3 "$$part" target/release || exit 1; done

fuzz: cargo ## each fuzz target for a minute (SECONDS=60), seeded from the fixtures; installs cargo-fuzz where it is missing
	@cargo fuzz --version >/dev/null 2>&1 || { echo 'fuzz: cargo-fuzz is missing: installing it'; cargo install --locked cargo-fuzz; }
	@tests/fuzz/run.sh "$(or $(SECONDS),60)" $(TARGETS)

install: build ## the tools and the script bv, into PREFIX/bin (~/.cargo/bin unless given)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	for tool in tools/*/; do \
		install -m 755 "target/release/$$(basename "$$tool")" "$(DESTDIR)$(PREFIX)/bin/"; \
	done
	install -m 755 pipelines/bv "$(DESTDIR)$(PREFIX)/bin/"

cargo:
	@command -v cargo >/dev/null || { echo 'make: cargo is missing: install Rust (https://rustup.rs)' >&2; exit 1; }
