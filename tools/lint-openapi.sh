#!/usr/bin/env bash
# Holds the OpenAPI document to spectral's default rules: no error, no warning, no hint. `make deps` installs
# spectral.
set -euo pipefail
cd "$(dirname "$0")/.."

document=$(mktemp --suffix=.json)
trap 'rm -f "$document"' EXIT
"${GO:-go}" run ./rest/openapi >"$document"
web/apidocs/page/node_modules/.bin/spectral lint --fail-severity=hint --ruleset web/apidocs/page/.spectral.yaml "$document"
