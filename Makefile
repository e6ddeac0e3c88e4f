# Two targets do everything on a fresh machine: qualify (the main job) and test (everything that must pass).

GO      ?= go
OUT     ?= out
# Packages whose tests create a cluster. They run one after another: two clusters at once starve each other.
CLUSTER := ./harness/cluster ./scenarios
# Packages whose tests depend on this machine (its engine, processes and scripts), whose changes Go's test cache does not see.
MACHINE := ./harness/docker ./harness/nodeimage ./scripts
JUNIT    = $(GO) tool gotestsum --format testname --junitfile $(OUT)/junit-$(1).xml --
# A separate module, so that its dependencies are not ours. gotestsum is a tool of this module and has no -C: it reads
# the output of go test.
INTEROP  = $(GO) tool gotestsum --format testname --junitfile $(OUT)/junit-interop.xml --raw-command -- $(GO) -C receipts/interop test -json -race ./...

.PHONY: help
help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Prints the directory of the source tree, which it unpacks or clones once.
GAMEPLANE = scripts/gameplane-source $(OUT) "$(GAMEPLANE_SRC)" "$(GAMEPLANE_COMMIT)"

.PHONY: qualify
qualify: setup build ## Play the four scenarios in a separate cluster and decide on the receipts.
	$(OUT)/rehearsal run --out $(OUT)/receipts

.PHONY: gameplane
gameplane: gameplane-source setup build ## Do the same against Gameplane's own operator, built from GAMEPLANE_SRC: docs/gameplane.md.
	$(OUT)/rehearsal run --operator gameplane --operator-source "$$($(GAMEPLANE))" --out $(OUT)/receipts

# The set-up may take a quarter of an hour: a mistake in the variables shows before it.
.PHONY: gameplane-source
gameplane-source:
	@$(GAMEPLANE) >/dev/null

.PHONY: test
test: setup tools lint ## Run every test, the scenarios in a real cluster included.
	@mkdir -p $(OUT)
	$(call JUNIT,unit) -race $$($(GO) list ./... | grep -vxF "$$($(GO) list $(CLUSTER) $(MACHINE))")
	$(INTEROP)
	$(call JUNIT,machine) -race -count=1 $(MACHINE)
	$(call JUNIT,cluster) -race -count=1 -p 1 -timeout 45m $(CLUSTER)

.PHONY: lint
lint: ## Check format, vet and staticcheck.
	@unformatted=$$(find . \( -path './$(OUT)' -o -name '.?*' \) -prune -o -name '*.go' -exec gofmt -l {} +) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on: $$unformatted" >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) -C receipts/interop vet ./...
	$(GO) -C harness/nodeimage/components vet ./pause
	$(GO) tool staticcheck ./...

.PHONY: tools
tools: ## Install what the tests need in addition to Go: a C compiler for -race, and jq.
	@command -v cc >/dev/null || scripts/packages gcc libc6-dev
	@command -v jq >/dev/null || scripts/packages jq

.PHONY: build
build: ## Build the rehearsal command.
	CGO_ENABLED=0 $(GO) build -trimpath -o $(OUT)/rehearsal ./cmd/rehearsal

.PHONY: setup
setup: ## Make sure that a Docker engine answers and has a node image.
	scripts/setup

.PHONY: clean
clean: build ## Remove the remains of killed runs, and everything in out/ except the receipts.
	$(OUT)/rehearsal cleanup
	find $(OUT) -mindepth 1 -maxdepth 1 ! -name receipts -exec rm -rf {} +
