package answers

import "strings"

// Listed are the fields that fields.go lists, by type.
func Listed() map[string][]string {
	all := map[string][]string{}
	for _, listed := range []map[string]string{ofReads, ofRequest} {
		for of, fields := range listed {
			all[of] = append(all[of], strings.Fields(fields)...)
		}
	}
	return all
}
