.PHONY: raced broken views disclosures overload restricted reseal soak mirrors release attacks streams histories hostile run test tests tooltests deps missing lint pages generate build benchmarks chaos

GO ?= go

# SQLite is C that was translated to Go. As C would be it is left out of the race detector, which makes it five times as slow;
# its driver is not. So are its allocator, and what only computes on bytes of its caller's.
PLAIN = modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory compress/flate hash/crc64
RACE = -race $(foreach package,$(PLAIN),-gcflags=$(package)=-race=false)

# Where goroutines of ours meet. Under the race detector a test takes five to eight times as long, and all run so only but
# RUN_BOTH, which skip some of theirs there (storetest.SkipUnderRace).
RACED ?= ./store/cache ./store/... ./gateway/feed ./graphql/... ./changes/... ./httpserver/... ./loaders
RUN_BOTH = ./store/cache ./store/postgres ./store/sqlite

run: ## serve demo data
	$(GO) run . demo

build:
	$(GO) build -trimpath -ldflags "-s -w" -o bin/backoffice .

release: ## archives for linux, macOS and Windows, Debian packages, checksums and bills of materials, in bin/release; ARGS="-targets linux/amd64"
	$(GO) run -C tools ./release $(ARGS)

# What is built without the race detector (for vet and the linters, a release, the pages, copies with a fault) is built
# once, as a release is: the cache has nothing for other flags.
test tests raced tooltests lint pages: export GOFLAGS := $(GOFLAGS) -trimpath
tests tooltests lint: export CGO_ENABLED := 0

test: missing ## everything that must hold before a change lands; installs what it needs and is missing
	$(MAKE) lint pages tests tooltests raced

# golangci-lint vets. Memory is cheaper than collecting it. The packages that take longest come first.
tests tooltests raced: export GOGC ?= 400
tests: all = $(filter-out $(shell $(GO) list $(RACED)),$(shell $(GO) list ./...)) $(RUN_BOTH)
tests: missing
	$(GO) test -json -vet=off -p 3 -parallel 3 -timeout 40m $(filter %/graphiql %/cli %/parity %/cache %/postgres %/mirror %/exports %/limits %/restricted,$(all)) $(all) | \
		$(GO) run -C tools ./slowest

raced: missing ## tests under the race detector; all of them with RACED=./...
	$(GO) test -json $(RACE) -vet=off -p 2 -parallel 4 -timeout 4h $(RACED) | CGO_ENABLED=0 $(GO) run -C tools ./slowest

tooltests: missing
	$(GO) test -C tools -vet=off -parallel 4 -timeout 40m ./...

deps: ## install what the tests need beyond Go
	./tools/deps.sh

missing:
	@./tools/deps.sh --check || $(MAKE) deps

ATTACKS ?= 10000
attacks: ## the attack suite, for a night: over 50,000 customers on each engine what was dear once, and what it makes up
	for engine in SQLite PostgreSQL; do $(GO) test -timeout 24h -run 'OnceWasDear|AttackSuite' -v ./gateway/limits \
		-attacks $(ATTACKS) -attack-customers 50000 -attack-engine $$engine || exit 1; done

IDLE ?= 10000
streams: ## so many idle streams of the change feed at one time, in one process with their clients
	$(GO) test -count=1 -run ManyIdleStreams -v ./gateway/feed -idle-streams $(IDLE)

HISTORIES ?= 1000
histories: ## the figures of docs/histories.md: so many histories on each engine and with a replica, checked for linearizability
	GO="$(GO)" ./tools/histories.sh $(HISTORIES)

RESTRICTED ?= 500
broken: ## copies of the sources with a fault each, which the tests of the promises have to find
	$(GO) test -count=1 -timeout 1h -run ACopyWithAFault -v ./gateway ./gateway/agents ./gateway/answers ./gateway/feed ./gateway/restricted \
		./cli ./store/sqlite ./store/ship -broken

VIEWS ?= 1000
views: ## random histories that restricted clients' copies follow by pages and by streams, on each engine
	$(GO) test -count=1 -timeout 24h -run CopiesOfRestrictedCredentials ./gateway/restricted -restricted-histories $(VIEWS)

restricted: ## docs/restricted.md: what a restricted client sees in so many random offices, on each engine, with and without a cache
	$(GO) test -count=1 -timeout 24h -run ARestrictedCredentialIsAnswered ./gateway/restricted -restricted-offices $(RESTRICTED)

DISCLOSURES ?= 100
disclosures: ## docs/privacy.md: kill -9 so many times while clients read registration numbers, on each engine; check the register
	$(GO) test -count=1 -timeout 2h -run 'NoNumberIsReceived|ACopyThatEnters' -v ./gateway/numbers -disclosure-kills $(DISCLOSURES)

MIRRORS ?= 200
mirrors: ## docs/pull.md: so many random histories of mirrors under faults, and how fast 100,000 customers are pulled
	$(GO) test -count=1 -timeout 4h ./importexport/mirror -run 'Converges|Found|NothingIsDeleted' -pull-histories $(MIRRORS)
	$(GO) test -count=1 -timeout 1h ./importexport/mirror ./cli -run - -bench Pull -benchtime 1x

reseal: ## docs/keys.md: rotates keys of 1,000,000 customers while they are read, searched, written; ARGS="-customers 100000"
	$(GO) run -C tools ./reseal $(ARGS)

hostile: ## 64 hostile connections on 200,000 customers, for 10 minutes; ARGS="-duration 30s -database postgres://… -keyset /PATH"
	$(GO) run -C tools ./hostile $(ARGS)

chaos: ## docs/reliability.md: kills, freezes, cuts and starves what the program stands on, and counts what clients notice; ARGS="-engine sqlite -kills 10", or -ship
	$(GO) run -C tools ./chaos $(ARGS)

overload: ## docs/reliability.md: five times the load that Q1 can carry, and what those who ask notice; ARGS="-engine sqlite -flags '--cache 0'"
	$(GO) run -C tools ./overload $(ARGS)

soak: ## an hour of reads and writes on a store, and whether what the server takes stays flat; ARGS="-engine postgres -duration 10m"
	$(GO) run -C tools ./soak $(ARGS)

lint: missing ## the form of the sources, and the OpenAPI document by the default rules of spectral
	test -z "$$(gofmt -l .)"
	./tools/golangci-lint.sh run ./...
	cd tools && ./golangci-lint.sh run ./...
	./tools/lint-openapi.sh

pages: missing ## the committed pages are what their sources give
	./tools/check-pages.sh

generate: ## graph/ from schema.graphqls and gqlgen.yml, and what the benchmarks take from stock gqlgen
	$(GO) generate ./...
	$(GO) generate -C tools ./...

benchmarks: ## docs/performance.md: this server beside its peers; ARGS="scale" or ARGS="width" for the rest
	./tools/benchmarks/tools.sh
	$(GO) run -C tools ./benchmarks $(ARGS)
