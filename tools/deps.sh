#!/usr/bin/env bash
# Installs what `make test` needs beyond Go: gcc for the race detector, PostgreSQL, PgBouncer, pgBackRest, nginx,
# Chromium, LibreOffice, Node's npm, zsh, fish, fonts, golangci-lint, and the npm packages of the two pages and of the clients that are tested. Only what is missing is
# installed; with --check nothing is, and it ends with 1 when something is missing.
# On Debian and its kin it uses apt (through sudo when needed); elsewhere it tells what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
command -v gcc >/dev/null || packages+=(gcc libc6-dev)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || packages+=(postgresql)
command -v pgbouncer >/dev/null || packages+=(pgbouncer)
command -v pgbackrest >/dev/null || packages+=(pgbackrest)
PATH=$PATH:/usr/sbin command -v nginx >/dev/null || packages+=(nginx)
command -v chromium-headless-shell >/dev/null || packages+=(chromium-headless-shell)
command -v node >/dev/null || packages+=(nodejs)
command -v npm >/dev/null || packages+=(npm)
command -v zsh >/dev/null || packages+=(zsh)
command -v fish >/dev/null || packages+=(fish)
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || packages+=(fonts-dejavu-core)
[ -e /usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf ] || packages+=(fonts-droid-fallback)
command -v soffice >/dev/null || packages+=(libreoffice-calc-nogui)
command -v setpriv >/dev/null || packages+=(util-linux)

# npm notes in node_modules/.package-lock.json what it installed; an older note is that of another lockfile.
folders=()
for folder in web/graphiql/page web/apidocs/page testdata/clients; do
	[ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] || folders+=("$folder")
done

linter=$(./tools/golangci-lint.sh --path)
[ -x "$linter" ] || linters=missing

if [ "${1:-}" = --check ]; then
	[ ${#packages[@]} = 0 ] && [ ${#folders[@]} = 0 ] && [ -z "${linters:-}" ]
	exit
fi

if [ ${#packages[@]} -gt 0 ]; then
	if ! command -v apt-get >/dev/null; then
		echo "Please install: ${packages[*]}" >&2
		exit 1
	fi
	sudo=""
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# PostgreSQL's package would otherwise start a server of its own.
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi
for folder in "${folders[@]}"; do
	npm ci --prefix "$folder"
	touch "$folder/node_modules/.package-lock.json"
done
[ -z "${linters:-}" ] || ./tools/golangci-lint.sh --install
