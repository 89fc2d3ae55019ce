#!/usr/bin/env bash
# Installs what the tests need beyond Go: gcc for the race detector, PostgreSQL, PgBouncer, nginx, Chromium, Node's npm, fonts.
# On Debian and its kin it uses apt (through sudo when needed); elsewhere it tells what is missing.
set -euo pipefail

missing=()
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v pgbouncer >/dev/null || missing+=(pgbouncer)
PATH=$PATH:/usr/sbin command -v nginx >/dev/null || missing+=(nginx)
command -v chromium >/dev/null || missing+=(chromium)
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing+=(fonts-dejavu-core)
[ -e /usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf ] || missing+=(fonts-droid-fallback)
command -v setpriv >/dev/null || missing+=(util-linux)

if [ ${#missing[@]} -gt 0 ]; then
	if ! command -v apt-get >/dev/null; then
		echo "Please install: ${missing[*]}" >&2
		exit 1
	fi
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# PostgreSQL's package would otherwise start a server of its own.
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

npm ci --prefix "$(dirname "$0")/../graphiql/page"
npm ci --prefix "$(dirname "$0")/../apidocs/page"
npm ci --prefix "$(dirname "$0")/../testdata/clients"
