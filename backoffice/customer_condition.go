package backoffice

import "crypto/sha256"

// TranscriptsCondition is a condition on a customer's transcripts: exactly one of the two is not nil.
type TranscriptsCondition struct {
	Some *TranscriptFilter // at least one meets it
	None *TranscriptFilter // none meets it
}

func (t *TranscriptsCondition) criteria(c *CustomerCriteria) error {
	if t == nil {
		return nil
	}
	if (t.Some == nil) == (t.None == nil) {
		return Errorf(BadInput, "a condition on transcripts must have exactly one of some and none")
	}
	if t.Some != nil {
		of, err := t.Some.Criteria()
		if c.SomeTranscript = NestedOf(of); of.Nothing {
			c.Nothing = true
		}
		return err
	}
	of, err := t.None.Criteria()
	if !of.Nothing { // else every customer meets it
		c.NoTranscript = NestedOf(of)
	}
	return err
}

// RelationsCondition is a condition on a customer's relations.
type RelationsCondition struct {
	Kind      *RelationKind      // nil: of any kind
	Direction *RelationDirection // nil: seen from either end
	AsOf      *string            // in force on this day; nil: on any
	AtLeast   *int               // the least number of them, 1 when nil
	None      *bool              // true: there must be fewer
}

// RelationsCriteria is a RelationsCondition prepared for the store; the zero value is no criterion.
type RelationsCriteria struct {
	Kind      RelationKind
	Direction RelationDirection
	AsOf      string
	AtLeast   int  // 0 for no criterion
	Fewer     bool // than AtLeast
}

// Counted are the relations that count, seen from either end.
func (c RelationsCriteria) Counted() RelationCriteria {
	return RelationCriteria{Kind: c.Kind, AsOf: c.AsOf}
}

func (r *RelationsCondition) criteria() (c RelationsCriteria, err error) {
	if r == nil {
		return c, nil
	}
	c = RelationsCriteria{Kind: wanted(r.Kind), Direction: wanted(r.Direction), AtLeast: 1, Fewer: wanted(r.None)}
	if r.AtLeast != nil {
		c.AtLeast = *r.AtLeast
	}
	if c.AtLeast < 1 {
		return c, Errorf(BadInput, "atLeast must be 1 or more")
	}
	c.AsOf, err = ParseDay(r.AsOf)
	return c, err
}

type SearchMode string

const (
	SearchExact SearchMode = "EXACT" // finds texts that contain the search
	SearchFuzzy SearchMode = "FUZZY" // finds similar names
)

// SearchDigest identifies the search that relevance is computed from.
func (c CustomerCriteria) SearchDigest() string {
	sum := sha256.Sum256([]byte(c.Search + "\n" + c.Fuzzy))
	return string(sum[:8])
}

// OrderOf is the order of the customers that the filter picks. A FUZZY search without an order has the most similar
// first. Errors: BadInput for RELEVANCE without a search.
func (f *CustomerFilter) OrderOf(o *CustomerOrder) (Order, error) {
	searches := f != nil && f.Search != nil
	if o == nil && searches && f.SearchMode == SearchFuzzy {
		return Order{Key: KeyRelevance}, nil
	}
	order := o.Order()
	if order.Key != KeyRelevance {
		return order, nil
	}
	if !searches {
		return order, Errorf(BadInput, "RELEVANCE needs search")
	}
	return Order{Key: KeyRelevance}, nil // the best first, in either direction
}
