package limits

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestFailedSignInsEntriesAndConnectionsAreMeasured(t *testing.T) {
	t.Parallel()
	o := gatewaytest.OpenMeasured(t)
	credential := o.Credential(t, backoffice.PrivacyRead)
	o.Send(t, credential, http.MethodGet, "/customers", "")
	o.Send(t, [2]string{credential[0], "wrong"}, http.MethodGet, "/customers", "")
	text := o.Metrics(t)
	for _, line := range []string{
		fmt.Sprintf(`backoffice_build_info{commit="",schema="%d",version=""} 1`, gateway.SchemaVersion()), "backoffice_sign_ins_failed_total 1", "backoffice_consultations_failed_total 0", "backoffice_admission_waiting 0",
		`backoffice_store_connections_in_use{pool="read"} 0`, `backoffice_store_connections_waited_for{pool="write"} 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(text, "backoffice_consultations_total 0\n") || !strings.Contains(text, "backoffice_consultations_total ") {
		t.Error("no entries are counted")
	}
}
