package importexport

import (
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

func TestAnUpdateInTheFutureSaysNothingOfWhenItWas(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	const line = `{"_id":"early","type":"Company","name":"Early","updatedAt":"2999-01-01T00:00:00.000Z"}`
	began := backoffice.InstantOf(time.Now())
	h.mustLoad(t, only(t, "customers.ndjson", line))
	first := one(t, h.store.Customers(), "early")
	if first.UpdatedAt < began || first.UpdatedAt > backoffice.InstantOf(time.Now()) {
		t.Errorf("it shows %v", first.UpdatedAt)
	}
	logged := len(h.changes(t))
	if loaded := h.mustLoad(t, only(t, "customers.ndjson", line))["customers.ndjson"]; loaded.Unchanged != 1 || len(h.changes(t)) != logged {
		t.Errorf("a second run did %+v", loaded)
	}
	h.mustLoad(t, only(t, "customers.ndjson", `{"_id":"early","name":"Earlier","updatedAt":"2020-01-01T00:00:00.000Z"}`))
	if kept := one(t, h.store.Customers(), "early").UpdatedAt; kept.String() != "2020-01-01T00:00:00.000Z" {
		t.Errorf("an update of the past shows %v", kept)
	}
}
