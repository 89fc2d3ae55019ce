// Package notices holds the licenses of what the binary embeds that others wrote: Go's modules, npm's packages, fonts.
// It must not know the program.
package notices

import _ "embed"

// Text is what the licenses want to be passed on.
//
//go:generate go run -C ../../tools ./notices
//go:embed THIRD_PARTY_NOTICES.txt
var Text string
