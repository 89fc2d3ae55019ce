#!/usr/bin/env bash
# Installs what the tests of the page need beyond Go: Debian's Chromium, and the page's npm packages (Node 20.19 or
# later must be there). Building and running the program needs none of it.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium
fi

npm ci --prefix graphiql/page
