package gateway_test

import (
	"os"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

func TestMain(m *testing.M) {
	remove, err := trustReceivers()
	if err != nil {
		panic(err)
	}
	code := gatewaytest.Main(m)
	remove()
	os.Exit(code)
}
