# The commands of the house; `make` lists them. Settings: CONTENT=dir for run, PKG=./core/... for test, check and bench,
# FUZZTIME=1000000x for fuzz: a count, since a duration now and then ends in "context deadline exceeded" (Go issue 75804).
PKG ?= ./...
FUZZTIME ?= 10000x
VERSION ?= $(shell git describe --always --dirty 2>/dev/null || echo dev)
LINT = go tool -modfile=.ci/tools/go.mod golangci-lint
INSTALL = core/postgres/embedded/install.sh

# Where one goroutine may disturb another: run with the race detector. The model is left out: it computes for seconds, and
# tens of them under the detector.
RACE_PKG = ./core/postgres/... ./core/gate/... ./core/record/... ./core/conflicts/... ./core/usage/... ./core/events/... ./server/... ./tui/...

export CONTENT

.PHONY: help run build test race fuzz check fmt bench clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## install what is missing, serve, and open the workbench; CONTENT=dir imports a folder of markdown
	@[ -n "$$DATABASE_URL" ] || $(INSTALL)
	@bin/wiki-server dev

build: ## build wiki-server and wiki-tui into bin/
	@go build -ldflags '-X main.version=$(VERSION)' -o bin/ ./cmd/...

test: ## run the tests, on a PostgreSQL that they start themselves
	@$(INSTALL)
	@go test -timeout 20m $(PKG)

race: ## run the tests of the concurrent packages with the race detector
	@$(INSTALL)
	@go test -race -timeout 20m $(RACE_PKG)

fuzz: ## try made-up input on each decoder and normaliser; FUZZTIME=1000000x for longer
	@grep -rno --include='*_test.go' '^func Fuzz[A-Za-z]*' . | sort | while IFS=: read -r file _ target; do \
		echo "$$file $${target#func }"; \
		go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; \
	done

check: ## run the linters
	@$(LINT) run $(PKG)

fmt: ## format the code as the linters want it
	@$(LINT) fmt

bench: ## measure, on this machine: each benchmark says what it measures
	@$(INSTALL)
	@go test -run '^$$' -bench . -benchmem -timeout 30m $(PKG) | grep -v -e '^ok ' -e '^?   ' -e '^PASS$$'

clean: ## remove what was built
	@rm -rf bin coverage
