#!/bin/sh
# histories.sh N : checks N histories of writes and reads through the cache, on each engine, with a replica and through PgBouncer,
# and writes what came of it to docs/histories.md.
set -eu
cd "$(dirname "$0")/.."
output=$(mktemp)
trap 'rm -f "$output" "$output.page"' EXIT
for part in 'Linearizable/^SQLite' 'Linearizable/^PostgreSQL_with_(64|a_few)' 'Linearizable/a_replica' 'Linearizable/PgBouncer' NoQuestionThereIs FoundOut; do
	if ! ${GO:-go} test -count 1 -timeout 0 -v -run "$part" ./cache -histories "$1" -behind-reads 10000 >"$output" 2>&1; then
		cat "$output"
		exit 1
	fi
	sed -n 's/^ *[a-z_]*_test\.go:[0-9]*: //p; s/^ok .*cache[[:space:]]*\([0-9.]*\)s$/(in \1 s)/p' "$output" >>"$output.page"
done
{
	cat <<'TEXT'
# Histories of reads from memory, as they were checked

The output of `make histories`. In each history six callers write and read labels and customers' documents through three gateways, each
with a cache of its own, while an import writes beside them. A query reads a record, a list and its total. `porcupine` looks for
an order in which all that was answered could have come about one after the other, each between its question and its answer. The
replica's replay stops and goes on every 30 ms. Then every question that a store answers is asked behind a write, with a replica that is 250 ms behind. What is promised is in [the ADR](adr/0014-reads-from-memory.md). Last come copies of
the cache that are broken on purpose: each has to be found out.

```
TEXT
	cat "$output.page"
	echo '```'
} >docs/histories.md
