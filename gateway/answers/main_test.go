package answers

import (
	"os"
	"testing"

	"example.org/backoffice/gateway/gatewaytest"
)

func TestMain(m *testing.M) { os.Exit(gatewaytest.Main(m)) }
