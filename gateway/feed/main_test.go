package feed

import (
	"os"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

// The tests' program also reads streams, in a process of its own: see startReaders.
func TestMain(m *testing.M) {
	if setting := os.Getenv(readsFrom); setting != "" {
		os.Exit(gatewaytest.Exit(readStreams(setting)))
	}
	os.Exit(gatewaytest.Main(m))
}
