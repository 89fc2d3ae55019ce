package resolvers

import (
	"context"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/loaders"
)

func (pageInfo) HasNextPage(ctx context.Context, pages []*backoffice.PageInfo) ([]bool, error) {
	return around(ctx, pages, true)
}

func (pageInfo) HasPreviousPage(ctx context.Context, pages []*backoffice.PageInfo) ([]bool, error) {
	return around(ctx, pages, false)
}

// around tells for each page whether rows stand on one side of it. Most pages know; equal questions of the others are
// put as one.
func around(ctx context.Context, pages []*backoffice.PageInfo, after bool) ([]bool, error) {
	type question struct {
		list   any
		window backoffice.Window
	}
	answers := make([]bool, len(pages))
	looks := make([]*backoffice.PageCheck, len(pages))
	var questions []question
	places := map[question][]int{}
	for i, page := range pages {
		if page == nil {
			continue
		}
		if answers[i], looks[i] = page.Around(after); looks[i] == nil {
			continue
		}
		q := question{looks[i].List, looks[i].Window}
		if places[q] == nil {
			questions = append(questions, q)
		}
		places[q] = append(places[q], i)
	}
	if len(questions) > 1 {
		loaders.From(ctx).AsksAgain()
	}
	for _, q := range questions {
		at := places[q]
		parents := make([]string, len(at))
		for i, place := range at {
			parents[i] = looks[place].Parent
		}
		exists, err := looks[at[0]].Exists(ctx, q.window, parents)
		if err != nil {
			return nil, err
		}
		for i, place := range at {
			answers[place] = exists[i]
		}
	}
	return answers, nil
}
