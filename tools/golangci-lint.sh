#!/usr/bin/env bash
# Runs golangci-lint in its pinned version, with what it is given. It is built from its sources through Go's module proxy
# and kept in .cache/, so that the product's go.mod does not grow: --install does that, --path prints where it is.
set -euo pipefail
cd "$(dirname "$0")/.."

version=v2.15.0
folder=$PWD/.cache/golangci-lint/$version

case "${1:-}" in
--path) echo "$folder/golangci-lint" ;;
--install) GOBIN=$folder GOFLAGS=-trimpath "${GO:-go}" install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version" ;;
*) exec "$folder/golangci-lint" "$@" ;;
esac
