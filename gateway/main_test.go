package gateway

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if setting := os.Getenv(readsFrom); setting != "" {
		os.Exit(exit(readStreams(setting)))
	}
	remove, err := trustReceivers()
	if err != nil {
		panic(err)
	}
	code := runTests(m, enterLate)
	remove()
	os.Exit(code)
}
