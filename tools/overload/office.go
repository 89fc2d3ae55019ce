package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// customers are as many as Q1 has to choose from.
const customers = 500

// writeOffice makes a folder for import in which every customer has what Q1 asks of one: 10 relations and 10
// transcripts.
func writeOffice(folder string) error {
	type line = map[string]any
	files := map[string][]line{}
	add := func(file string, l line) { files[file] = append(files[file], l) }
	for year := range 2 {
		add("financialyears", line{"_id": fmt.Sprint("year-", year), "startDate": fmt.Sprint(2024 + year), "endDate": fmt.Sprint(2024 + year), "isCurrentYear": year == 1})
		for i := range 5 {
			add("checklists", line{"_id": fmt.Sprint("checklist-", year, "-", i), "name": fmt.Sprintf("Aangifte personenbelasting %d", i), "language": "dutch", "financialYear": fmt.Sprint("year-", year)})
		}
	}
	for i := range 20 {
		add("users", line{"_id": fmt.Sprint("user-", i), "firstName": fmt.Sprint("Gabriel ", i), "lastName": "Lambert", "email": fmt.Sprintf("user%d@example.org", i), "language": "dutch"})
	}
	kinds := []string{"director", "UBO", "shareholder", "contact person"}
	for i := range customers {
		id := fmt.Sprintf("customer-%04d", i)
		add("customers", line{"_id": id, "type": "Company", "name": fmt.Sprintf("Bakkerij Peeters en Zonen %04d", i), "customerCode": fmt.Sprintf("K%04d", i),
			"responsible": fmt.Sprint("user-", i%20), "language": "dutch", "email": fmt.Sprintf("office%d@example.org", i)})
		for k := range 10 {
			add("relations", line{"_id": fmt.Sprint("relation-", i, "-", k), "kind": kinds[k%len(kinds)], "customer": id, "relatedCustomer": fmt.Sprintf("customer-%04d", (i+(k+1)*37)%customers)})
			add("transcripts", line{"_id": fmt.Sprint("transcript-", i, "-", k), "customer": id, "checklist": fmt.Sprint("checklist-", k%2, "-", k/2), "status": "To Process"})
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for name, lines := range files {
		if err := writeLines(filepath.Join(folder, name+".ndjson"), lines); err != nil {
			return err
		}
	}
	return nil
}

func writeLines(path string, lines []map[string]any) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	to := bufio.NewWriter(file)
	encoder := json.NewEncoder(to)
	for _, l := range lines {
		if err := encoder.Encode(l); err != nil {
			return err
		}
	}
	if err := to.Flush(); err != nil {
		return err
	}
	return file.Close()
}
