package rest_test

import "testing"

func TestADayOrThresholdThatIsInvalidIsNamed(t *testing.T) {
	t.Parallel()
	o := open(t)
	for path, name := range map[string]string{
		"/customers/acme/ownership?asOf=2026-02-30": "asOf", "/customers/acme/ownership?threshold=150": "threshold",
		"/customers/acme/ownership?rule=CUSTOM": "threshold", "/customers/acme/ownership?maxDepth=21": "maxDepth",
		"/customers/acme/relations?asOf=2026-02-30": "asOf", "/relations?asOf=": "asOf",
	} {
		o.get(t, path).fault(400, name, "INVALID")
	}
}

func TestAPeriodThatOverlapsIsTakenAtTheDayThatWasChanged(t *testing.T) {
	t.Parallel()
	o := open(t)
	relate := func(start, end string) *answer {
		return o.ask(t, o.all, "POST", "/customers/acme/relations", map[string]any{
			"relatedCustomer": "fien", "kind": "contact person", "startDate": start, "endDate": end})
	}
	first := "/customers/acme/relations/" + relate("2024-01-01", "2024-12-31").is(201)["_id"].(string)
	second := "/customers/acme/relations/" + relate("2025-01-01", "2025-12-31").is(201)["_id"].(string)
	relate("2024-06-01", "2024-06-30").fault(409, "/relatedCustomer", "TAKEN")
	for _, c := range []struct{ path, body, place string }{
		{first, `{"endDate":"2025-01-01"}`, "/endDate"},
		{first, `{"startDate":"2024-01-01","endDate":null}`, "/endDate"},
		{second, `{"startDate":"2024-12-31"}`, "/startDate"},
	} {
		a := o.ask(t, o.all, "PATCH", c.path, c.body)
		a.fault(409, c.place, "TAKEN")
		has(t, a.problem(409), map[string]any{
			"detail": c.place + ": the same relation exists in an overlapping period"})
	}
}
