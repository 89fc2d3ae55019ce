#!/usr/bin/env bash
# Rebuilds the two embedded pages from their sources and fails unless that gives what is committed, byte for byte.
# Packed files are compared unpacked: versions of zlib pack the same bytes differently. The packages are those that
# `make deps` installed, in the lockfiles' exact versions.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for page in web/graphiql web/apidocs; do
	DIST="$scratch/built" npm run build --silent --prefix "$page/page"
	cp -R "$page/dist" "$scratch/committed"
	find "$scratch" -name '*.gz' -exec gunzip {} +
	if ! diff --recursive --brief "$scratch/built" "$scratch/committed"; then
		echo "$page/dist is not what its sources give: run npm run build in $page/page and commit $page/dist" >&2
		exit 1
	fi
	rm -rf "$scratch/built" "$scratch/committed"
done
