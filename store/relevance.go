package store

import (
	"strings"

	"example.org/backoffice/backoffice"
)

// byRelevance orders customers by the match's place in the name, then by name. Its one argument is the exact search.
var byRelevance = func() order {
	of := byTextOf(func(d *Dialect) string {
		find := "instr"
		if d.bulk {
			find = "strpos"
		}
		contains := func(text, part string) string { return find + "(" + text + ", " + part + ")" }
		return strings.NewReplacer("NAME", "t.name_folded", "WORDS", "' ' || t.name_folded").Replace(
			"(CASE WHEN NAME = ? THEN '0' WHEN " + contains("NAME", "?") + " = 1 THEN '1' WHEN " +
				contains("WORDS", "' ' || ?") + " > 0 THEN '2' WHEN " +
				contains("NAME", "?") + " > 0 THEN '3' ELSE '4' END || NAME)")
	})
	of.text = func(criteria any) string { return criteria.(backoffice.CustomerCriteria).Search }
	return of
}()
