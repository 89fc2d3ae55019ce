package inputs

import "example.org/backoffice/backoffice"

type BatchOutcome struct {
	Written int
	Outcome
}

// resultsOf maps an outcome, nil when the batch was rejected as a whole, to results and the rest of a payload.
func resultsOf[T, R any](outcome *backoffice.BatchOutcome[T],
	result func(object *T, userErrors []*backoffice.UserError) *R) ([]*R, BatchOutcome) {
	results := []*R{}
	if outcome == nil {
		return results, BatchOutcome{}
	}
	for _, one := range outcome.Results {
		userErrors := one.UserErrors
		if userErrors == nil {
			userErrors = []*backoffice.UserError{}
		}
		results = append(results, result(one.Object, userErrors))
	}
	return results, BatchOutcome{Written: outcome.Written}
}
