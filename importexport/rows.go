package importexport

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// eachRow visits a list by identifier, page by page.
func eachRow[T backoffice.Entity, C comparable](ctx context.Context, rows backoffice.Reader[T, C], under backoffice.Parent, parent string, criteria C, visit func(T)) error {
	return eachPage(ctx, rows, under, parent, criteria, func(page []T) error {
		for _, row := range page {
			visit(row)
		}
		return nil
	})
}

// eachPage visits a list by identifier, a page at a time, and stops at the first error of visit.
func eachPage[T backoffice.Entity, C comparable](ctx context.Context, rows backoffice.Reader[T, C], under backoffice.Parent, parent string, criteria C, visit func([]T) error) error {
	ask := backoffice.ListQuery[C]{Under: under, Criteria: criteria, Window: backoffice.Window{Limit: backoffice.MaxPageSize}}
	for {
		pages, err := backoffice.ReadPages(ctx, rows, ask, []string{parent}, 0)
		if err != nil {
			return err
		}
		page := pages[parent]
		if len(page.Items) > 0 {
			if err := visit(page.Items); err != nil {
				return err
			}
		}
		if !page.More {
			return nil
		}
		ask.Window.After, ask.Window.HasAfter = page.Items[len(page.Items)-1].Position(backoffice.KeyID), true
	}
}

// once sorts identifiers and drops repetitions.
func once(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
