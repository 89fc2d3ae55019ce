#!/usr/bin/env bash
# Runs golangci-lint in its pinned version on the module in which it is called, with what it is given. It is built from
# its sources through Go's module proxy and kept in .cache/, so that no go.mod grows: --install does that, --path prints
# where it is.
set -euo pipefail

version=v2.15.0
folder=$(cd "$(dirname "$0")/.." && pwd)/.cache/golangci-lint/$version

case "${1:-}" in
--path) echo "$folder/golangci-lint" ;;
--install) GOBIN=$folder GOFLAGS=-trimpath CGO_ENABLED=0 "${GO:-go}" install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version" ;;
*) exec "$folder/golangci-lint" "$@" ;;
esac
