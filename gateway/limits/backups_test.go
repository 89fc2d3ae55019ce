package limits

import (
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestTheAgeOfTheLastBackupIsMeasuredOfAnEmbeddedStore(t *testing.T) {
	t.Parallel()
	const name = "backoffice_backup_age_seconds"
	for engine, database := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			settings := gatewaytest.Settings(t, database(t))
			measure := func(at backoffice.Instant) (*gatewaytest.Office, bool) {
				b, err := settings.Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !at.IsZero() {
					if err := backoffice.NoteDone(t.Context(), b.Store, backoffice.DoneBackup, "somebody@here", at); err != nil {
						t.Fatal(err)
					}
				}
				o := gatewaytest.ServeConfig(t, b, gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.Limits())))
				return o, strings.Contains(o.Metrics(t), name)
			}
			o, measured := measure(0)
			if measured != (engine == "SQLite") {
				t.Fatalf("measured: %t", measured)
			}
			if !measured {
				return
			}
			if age := o.Metric(t, name); age != -1 {
				t.Errorf("without a backup: %d", age)
			}
			o.Stop()
			o, _ = measure(backoffice.InstantOf(time.Now().Add(-50 * time.Hour)))
			age := o.Metric(t, name)
			if age < 180_000 || age > 181_000 {
				t.Errorf("of 50 hours ago: %d", age)
			}
		})
	}
}
