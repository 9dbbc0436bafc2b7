# Everything a newcomer needs: `make demo`, `make test`. Python >= 3.11 and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SAMPLE := datasets/samples/sample.mp4
comma := ,
# Tests run side by side, file by file; JOBS=0 runs them one after another.
JOBS ?= 2
EXTRAS := $(if $(TRAIN),dev$(comma)train,dev)

.PHONY: demo test bench soak clean

$(VENV)/.runtime: pyproject.toml
	@echo "Setting up $(VENV): a few minutes, once."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	@touch $@

# Torch first and by name: the pair that imports together (see docs/training.md).
$(VENV)/.dev$(TRAIN): $(VENV)/.runtime
	$(if $(TRAIN),$(BIN)/pip install --quiet --disable-pip-version-check torch==2.14.1 torchvision==0.29.1)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[$(EXTRAS)]'
	@touch $@

demo: $(VENV)/.runtime
	$(BIN)/sueca watch $(SAMPLE) $(if $(ONCE),--once --port 0)

test: $(VENV)/.dev$(TRAIN)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n $(JOBS) --dist loadfile

# Every module of tests/bench and tests/soak is one part; each can be run alone with -m.
bench: $(VENV)/.dev$(TRAIN)
	@for part in $(basename $(notdir $(wildcard tests/bench/[a-z]*.py))); do \
		$(BIN)/python -m tests.bench.$$part || exit 1; done

soak: $(VENV)/.dev$(TRAIN)
	@for part in $(basename $(notdir $(wildcard tests/soak/[a-z]*.py))); do \
		$(BIN)/python -m tests.soak.$$part || exit 1; done

clean:
	rm -rf $(VENV) build *.egg-info
