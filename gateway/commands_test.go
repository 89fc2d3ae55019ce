package gateway_test

import (
	"os"

	"example.org/backoffice/cli"
)

// The tests' program is the command line as well, where it is asked to be.
func init() { //nolint:gochecknoinits // before TestMain, which cannot know package cli
	if os.Getenv("BACKOFFICE_TEST_COMMAND") != "" {
		os.Exit(cli.Main())
	}
}
