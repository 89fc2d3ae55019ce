#!/usr/bin/env bash
# Installs what the benchmarks need beyond Go: PostgreSQL 15, wrk, and npm for the peers.
# On Debian and its kin it uses apt (through sudo when needed); elsewhere it tells what is missing.
set -euo pipefail

missing=()
[ -x /usr/lib/postgresql/15/bin/postgres ] || missing+=(postgresql-15)
command -v wrk >/dev/null || missing+=(wrk)
command -v npm >/dev/null || missing+=(npm)

if [ ${#missing[@]} -gt 0 ]; then
	if ! command -v apt-get >/dev/null; then
		echo "Please install: ${missing[*]}" >&2
		exit 1
	fi
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
