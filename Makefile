# Two targets do all that is needed on a fresh machine: qualify (the main job) and test (everything that must pass).

GO      ?= go
OUT     ?= out
# Packages whose tests create a cluster. They run one after another: two clusters at once starve each other.
CLUSTER := ./harness/cluster ./scenarios
JUNIT    = $(GO) tool gotestsum --format testname --junitfile $(OUT)/junit-$(1).xml --

.PHONY: help
help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: qualify
qualify: setup build ## Play the four scenarios in a cluster of their own and decide on the receipts.
	$(OUT)/rehearsal run --out $(OUT)/receipts

.PHONY: test
test: setup lint ## Run every test, the scenarios in a real cluster included.
	@mkdir -p $(OUT)
	$(call JUNIT,unit) -race $$($(GO) list ./... | grep -vxF "$$($(GO) list $(CLUSTER))")
	$(call JUNIT,cluster) -race -p 1 -timeout 45m $(CLUSTER)

.PHONY: lint
lint: ## Check format, vet and staticcheck.
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on: $$unformatted" >&2; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

.PHONY: build
build: ## Build the rehearsal command.
	CGO_ENABLED=0 $(GO) build -trimpath -o $(OUT)/rehearsal ./cmd/rehearsal

.PHONY: setup
setup: ## Make sure that a Docker engine answers and a node image can be had.
	scripts/setup

.PHONY: clean
clean: build ## Remove every cluster, registry and volume that a killed run may have left.
	$(OUT)/rehearsal cleanup
	rm -rf $(OUT)
