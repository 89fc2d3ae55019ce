package store

import (
	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/migrations"
)

// Filled are computed columns of rows that are older than the columns. Since version 9 users, labels, checklists and
// documents are ordered by folded names; since version 14 customers are found by folded places, and words of names;
// since version 38 by similar names.
var Filled = []migrations.Filled{
	foldedName("users", "first_name || ' ' || last_name"), foldedName("labels", "name"),
	foldedName("checklists", "name"), foldedName("documents", "name"),
	{
		Table: "customers", Lacking: "city_folded = 'NOT FOLDED'",
		From: []string{"city", "postal_code", "country", "display_name", "customer_code", "email"},
		To:   []string{"city_folded", "postal_code_folded", "country_folded", "search_text"},
		Work: func(from []string) []any {
			search := backoffice.SearchTextOf(&backoffice.Customer{DisplayName: from[3],
				CustomerCode: backoffice.Text(from[4]), Email: backoffice.Text(from[5])})
			return []any{foldedOrNull(from[0]), foldedOrNull(from[1]), foldedOrNull(from[2]), search}
		},
	},
	{
		Table: "customers", Lacking: "similar_name = 'NOT FILLED'", From: []string{"display_name"},
		To:   []string{"similar_name"},
		Work: func(from []string) []any { return []any{orNull(backoffice.SimilarNameOf(from[0]))} },
	},
}

func foldedName(table, name string) migrations.Filled {
	return migrations.Filled{
		Table: table, Lacking: "name_folded = ''", From: []string{name}, To: []string{"name_folded"},
		Work: func(from []string) []any { return []any{backoffice.Fold(from[0])} },
	}
}

func foldedOrNull(text string) any { return orNull(backoffice.Fold(text)) }

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
