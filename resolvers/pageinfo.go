package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
)

func (pageInfo) HasNextPage(ctx context.Context, pages []*backoffice.PageInfo) ([]bool, error) {
	return around(ctx, pages, true)
}

func (pageInfo) HasPreviousPage(ctx context.Context, pages []*backoffice.PageInfo) ([]bool, error) {
	return around(ctx, pages, false)
}

// around reports for each page whether there are rows after it, or before it; equal questions are asked once.
func around(ctx context.Context, pages []*backoffice.PageInfo, after bool) ([]bool, error) {
	type question struct {
		list   any
		window backoffice.Window
	}
	answers := make([]bool, len(pages))
	checks := make([]*backoffice.PageCheck, len(pages))
	err := grouped(ctx, answers, func(i int) (q question, asks bool) {
		if pages[i] == nil {
			return q, false
		}
		if answers[i], checks[i] = pages[i].Around(after); checks[i] == nil {
			return q, false
		}
		return question{checks[i].List, checks[i].Window}, true
	}, func(places []int) ([]bool, error) {
		parents := backoffice.Map(places, func(place int) string { return checks[place].Parent })
		first := checks[places[0]]
		return first.Exists(ctx, first.Window, parents)
	})
	return answers, err
}
