#!/bin/sh
# histories.sh N : checks N histories of writes and reads through the cache, on each engine, with a replica and through PgBouncer,
# and prints the figures of docs/histories.md.
set -eu
cd "$(dirname "$0")/.."
output=$(mktemp)
trap 'rm -f "$output"' EXIT
for part in 'Linearizable/^SQLite' 'Linearizable/^PostgreSQL_with_(64|a_few)' 'Linearizable/a_replica' 'Linearizable/PgBouncer' NoQuestionThereIs FoundOut; do
	if ! ${GO:-go} test -count 1 -timeout 0 -v -run "$part" ./store/cache -histories "$1" -behind-reads 10000 >"$output" 2>&1; then
		cat "$output"
		exit 1
	fi
	sed -n 's/^ *[a-z_]*_test\.go:[0-9]*: //p; s/^ok .*cache[[:space:]]*\([0-9.]*\)s$/(in \1 s)/p' "$output"
done
