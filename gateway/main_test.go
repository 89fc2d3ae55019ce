package gateway_test

import (
	"os"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

func TestMain(m *testing.M) {
	if setting := os.Getenv(readsFrom); setting != "" {
		os.Exit(gatewaytest.Exit(readStreams(setting)))
	}
	remove, err := trustReceivers()
	if err != nil {
		panic(err)
	}
	code := gatewaytest.Main(m, enterLate)
	remove()
	os.Exit(code)
}
