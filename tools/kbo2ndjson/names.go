package main

import (
	"path/filepath"
	"strings"

	"example.org/backoffice/backoffice"
)

// name is an enterprise's best denomination so far; a lower rank is better.
type name struct {
	text, language string
	rank           int
}

// languages are those of the register's denominations, by code; 0 is unknown.
var languages = map[string]string{"0": "", "1": "french", "2": "dutch", "3": "german", "4": "english"}

const (
	// kinds orders the types of denominations: the name in the statutes, the commercial name, the abbreviation, the
	// name of a branch.
	kinds = "1324"
	// preferred orders their languages: Dutch, French, German, English, unknown.
	preferred = "21340"
)

// readNames picks for each enterprise its best sound denomination; of two that are as good the first.
func readNames(folder string, counts *tally) (map[string]name, error) {
	names := map[string]name{}
	err := eachRow(filepath.Join(folder, "denomination.csv"), counts, func(row row) error {
		number, err := backoffice.ParseKBONumber(row.get("EntityNumber"))
		if err != nil {
			return counts.leaveOut("the number fails its check")
		}
		found, sound := nameOf(row)
		if !sound {
			return counts.leaveOut("unknown type or language, or not a text")
		}
		counts.add("denomination.csv: sound rows")
		if best, ok := names[number]; !ok || found.rank < best.rank {
			names[number] = found
		}
		return nil
	})
	return names, err
}

func nameOf(row row) (found name, sound bool) {
	kind := indexOf(kinds, strings.TrimLeft(row.get("TypeOfDenomination"), "0")) // 001; 1 if a spreadsheet saved it
	language := indexOf(preferred, row.get("Language"))
	text := row.get("Denomination")
	if kind < 0 || language < 0 || backoffice.CheckText(text, backoffice.MaxText) != nil {
		return name{}, false
	}
	return name{text, languages[row.get("Language")], kind*len(preferred) + language}, true
}

// indexOf is the place of a one-letter code, -1 for any other.
func indexOf(codes, code string) int {
	if len(code) != 1 {
		return -1
	}
	return strings.Index(codes, code)
}
