#!/usr/bin/env bash
# Rebuilds the page from its sources and fails unless that gives what is committed in ../dist.
# Packed files are compared by what is in them: versions of zlib pack the same bytes differently.
set -euo pipefail
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

npm ci
npx tsc --noEmit
npx vite build --logLevel warn --outDir "$scratch/built" --emptyOutDir
node pack.mjs "$scratch/built"

cp -R ../dist "$scratch/committed"
find "$scratch/built" "$scratch/committed" -name '*.gz' -exec gunzip {} +
diff --recursive --brief "$scratch/built" "$scratch/committed"
echo "the committed page is what its sources give"
