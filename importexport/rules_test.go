package importexport

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/backoffice/backoffice"
)

func TestABadLineIsReportedWithItsFieldAndWhyAndLoadsNothing(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	before := textOf(t, h.dump(t, true))
	folder := t.TempDir()
	must(t, os.CopyFS(filepath.Join(folder, "files"), os.DirFS(filepath.Join(office(t), "files"))))
	outside := filepath.Join(t.TempDir(), "secret.txt")
	must(t, os.WriteFile(outside, []byte("secret"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(folder, "files", "link.txt")))
	for _, c := range []struct{ name, file, line, report string }{
		{"malformed JSON", "labels.ndjson", `{"_id":"x","name":"y"`, `labels.ndjson:1: the line is not one JSON object: malformed, or cut off`},
		{"two objects on a line", "labels.ndjson", `{"_id":"x","name":"y"} {}`, `labels.ndjson:1: the line is not one JSON object: malformed, or cut off`},
		{"an array", "labels.ndjson", `[1]`, `labels.ndjson:1: the line is JSON, but not an object`},
		{"bytes that are not UTF-8", "labels.ndjson", "{\"_id\":\"x\",\"name\":\"\xff\"}", `labels.ndjson:1: the line is not valid UTF-8`},
		{"a line that is too long", "labels.ndjson", `{"_id":"x","name":"` + strings.Repeat("y", MaxLine) + `"}`, `labels.ndjson:1: the line is longer than 1 MiB`},
		{"no identifier", "labels.ndjson", `{"name":"y"}`, `labels.ndjson:1: _id: this field is required`},
		{"an identifier that is a number", "labels.ndjson", `{"_id":7,"name":"y"}`, `labels.ndjson:1: _id: the value must be a string`},
		{"an identifier with a space", "labels.ndjson", `{"_id":"a b","name":"y"}`, `labels.ndjson:1: _id: an identifier must have 1 to 64 characters of A-Z a-z 0-9 _ -`},
		{"an unknown field", "labels.ndjson", `{"_id":"x","name":"y","colour":"#000000"}`, `labels.ndjson:1: colour: unknown field`},
		{"an unknown field that looks like a number", "labels.ndjson", `{"_id":"x","name":"y","85073003328":1}`, `labels.ndjson:1: #: unknown field`},
		{"a field with a line break", "labels.ndjson", `{"_id":"x","name":"y","a\nb":1}`, `labels.ndjson:1: "a\nb": unknown field`},
		{"a field twice", "labels.ndjson", `{"_id":"x","name":"y","n\u0061me":"z"}`, `labels.ndjson:1: name: duplicate field`},
		{"an identifier twice in a line", "labels.ndjson", `{"_id":"x","name":"y","_id":"z"}`, `labels.ndjson:1: _id: duplicate field`},
		{"half a character", "labels.ndjson", `{"_id":"x","name":"\ud800"}`, `labels.ndjson:1: name: a text must be valid UTF-8`},
		{"a required field missing", "labels.ndjson", `{"_id":"x"}`, `labels.ndjson:1: name: this field is required`},
		{"a required field cleared", "users.ndjson", `{"_id":"user-zoe","email":null}`, `users.ndjson:1: email: this field is required`},
		{"an empty text", "labels.ndjson", `{"_id":"x","name":""}`, `labels.ndjson:1: name: a text must have a character that is not a space; use null for none`},
		{"several faults", "users.ndjson", `{"_id":"x","firstName":"A","lastName":1,"email":true}`, `users.ndjson:1: lastName: the value must be a string; email: the value must be a string`},
		{"a moment cleared", "labels.ndjson", `{"_id":"label-audit","createdAt":null}`, `labels.ndjson:1: createdAt: this field is required`},
		{"a moment that is none", "labels.ndjson", `{"_id":"x","name":"y","createdAt":"yesterday"}`, `labels.ndjson:1: createdAt: an instant must look like 2026-06-01T09:30:00.000Z`},
		{"a version below one", "users.ndjson", `{"_id":"user-zoe","version":0}`, `users.ndjson:1: version: a version must be a whole number from 1 to 2000000000`},
		{"a version that leaves no room to grow", "users.ndjson", `{"_id":"user-zoe","version":2000000001}`, `users.ndjson:1: version: a version must be a whole number from 1 to 2000000000`},
		{"a label that is not there", "users.ndjson", `{"_id":"user-zoe","labels":["label-audit","nope"]}`, `users.ndjson:1: labels: no label has this identifier`},
		{"another noun's identifier", "labels.ndjson", `{"_id":"user-zoe","name":"y"}`, `labels.ndjson:1: _id: the identifier belongs to another record, a user`},
		{"a name that is taken", "labels.ndjson", `{"_id":"x","name":"Audit"}`, `labels.ndjson:1: name: another record already has this value, which must be unique`},
		{"a second year of the same start date", "financialyears.ndjson", `{"_id":"x","startDate":"2026"}`, `financialyears.ndjson:1: startDate: another financial year has this start date`},
		{"a second current year", "financialyears.ndjson", `{"_id":"x","startDate":"2027","isCurrentYear":true}`, `financialyears.ndjson:1: isCurrentYear: another year is current, and only one can be`},
		{"no current year", "financialyears.ndjson", `{"_id":"fy-2026","isCurrentYear":false}`, `financialyears.ndjson:1: isCurrentYear: no year would be current; one must be`},
		{"the current year deleted", "financialyears.ndjson", `{"_id":"fy-2026","_deleted":true}`, `financialyears.ndjson:1: _deleted: the year is the current one; make another one current first`},
		{"a year that is in use deleted", "financialyears.ndjson", `{"_id":"fy-2025","_deleted":true}`, `financialyears.ndjson:1: _deleted: the financial year still has checklists or minfin documents; delete them in an earlier import`},
		{"a current year that is archived", "financialyears.ndjson", `{"_id":"fy-2026","archivedAt":"2026-01-01T00:00:00Z"}`, `financialyears.ndjson:1: archivedAt: the current year cannot be archived`},
		{"a checklist that moves", "checklists.ndjson", `{"_id":"checklist-2026","financialYear":"fy-2025"}`, `checklists.ndjson:1: financialYear: an assigned checklist must stay in its financial year`},
		{"a checklist that is in use deleted", "checklists.ndjson", `{"_id":"checklist-2026","_deleted":true}`, `checklists.ndjson:1: _deleted: the checklist still has transcripts; delete them in an earlier import`},
		{"an unknown language", "checklists.ndjson", `{"_id":"checklist-2026","language":"Dutch"}`, `checklists.ndjson:1: language: a language must be an English name in lower case, such as dutch, french, german or english`},
		{"an unknown type", "customers.ndjson", `{"_id":"x","type":"COMPANY"}`, `customers.ndjson:1: type: a customer's type must be Company or Private Person`},
		{"a customer code that is taken", "customers.ndjson", `{"_id":"x","type":"Company","customerCode":"C-1"}`, `customers.ndjson:1: customerCode: another record already has this value, which must be unique`},
		{"a KBO number that fails its check", "customers.ndjson", `{"_id":"company","kboNumber":"0200065766"}`, `customers.ndjson:1: kboNumber: a KBO number must have ten digits: the first is 0 or 1, and the last two are check digits`},
		{"a KBO number of a person", "customers.ndjson", `{"_id":"person","kboNumber":"0200065765"}`, `customers.ndjson:1: kboNumber: a private person cannot have a KBO number`},
		{"a registration number that fails its check", "customers.ndjson", `{"_id":"person","registrationNumber":"85073003329"}`, `customers.ndjson:1: registrationNumber: a national registration number must have eleven digits with a valid birth date and check digits`},
		{"an unknown part of an address", "customers.ndjson", `{"_id":"company","addressFields":{"zip":"9000"}}`, `customers.ndjson:1: addressFields.zip: unknown field`},
		{"a part of an address twice", "customers.ndjson", `{"_id":"company","addressFields":{"city":"Gent","city":"Aalst"}}`, `customers.ndjson:1: addressFields.city: duplicate field`},
		{"a part of an address that is too long", "customers.ndjson", `{"_id":"company","addressFields":{"city":"` + strings.Repeat("x", 201) + `"}}`, `customers.ndjson:1: addressFields.city: a text has at most 200 characters`},
		{"a responsible that is no user", "customers.ndjson", `{"_id":"company","responsible":"label-audit"}`, `customers.ndjson:1: responsible: no user has this identifier`},
		{"a relation with itself", "relations.ndjson", `{"_id":"x","kind":"director","customer":"company","relatedCustomer":"company"}`, `relations.ndjson:1: relatedCustomer: a customer cannot have a relation with itself`},
		{"a relation that exists", "relations.ndjson", `{"_id":"x","kind":"UBO","customer":"company","relatedCustomer":"person"}`, `relations.ndjson:1: relatedCustomer: another record already has this value, which must be unique`},
		{"an unknown kind", "relations.ndjson", `{"_id":"x","kind":"ubo","customer":"company","relatedCustomer":"person"}`, `relations.ndjson:1: kind: a relation's kind must be director, UBO, shareholder or contact person`},
		{"a status that is a calculation's", "transcripts.ndjson", `{"_id":"transcript-bare","status":"Approved"}`, `transcripts.ndjson:1: status: a transcript's own status must be To Process or Sent`},
		{"progress over 100", "transcripts.ndjson", `{"_id":"transcript-bare","progressPercentage":100.1}`, `transcripts.ndjson:1: progressPercentage: a progress must be 0 to 100 percent`},
		{"a year that is not the checklist's", "transcripts.ndjson", `{"_id":"transcript-bare","financialYear":"fy-2026"}`, `transcripts.ndjson:1: financialYear: the financial year differs from the checklist's`},
		{"a document that was generated without a file", "transcripts.ndjson", `{"_id":"transcript-bare","documentGenerated":true}`, `transcripts.ndjson:1: documentGenerated: a transcript whose document was generated must have a file`},
		{"custom variables that are no object", "transcripts.ndjson", `{"_id":"transcript-bare","customVariables":[]}`, `transcripts.ndjson:1: customVariables: the value must be a JSON object`},
		{"custom variables with a number that is infinite to others", "transcripts.ndjson", `{"_id":"transcript-bare","customVariables":{"a":1e400}}`, `transcripts.ndjson:1: customVariables: a number in a JSON object must be within the range of a double`},
		{"custom variables with a key twice", "transcripts.ndjson", `{"_id":"transcript-bare","customVariables":{"a":{"b":1,"b":2}}}`, `transcripts.ndjson:1: customVariables: a JSON object cannot have duplicate keys`},
		{"a second calculation", "calculations.ndjson", `{"_id":"x","transcript":"transcript-full","state":"Approved"}`, `calculations.ndjson:1: transcript: another record already has this value, which must be unique`},
		{"a state that is none", "calculations.ndjson", `{"_id":"x","transcript":"transcript-bare","state":"Sent"}`, `calculations.ndjson:1: state: a calculation's state must be one of To Process, In calculation, Calculation done, Calculation sent, Locked, Unlocked, Approved, Rejected`},
		{"a document without a file", "documents.ndjson", `{"_id":"x","name":"y","customer":"company"}`, `documents.ndjson:1: file: this field is required`},
		{"a file cleared", "documents.ndjson", `{"_id":"document-1","file":null}`, `documents.ndjson:1: file: this field is required`},
		{"a file that is not there", "documents.ndjson", `{"_id":"document-1","file":"files/none.pdf"}`, `documents.ndjson:1: file: no such file in the folder`},
		{"a file that is a folder", "documents.ndjson", `{"_id":"document-1","file":"files"}`, `documents.ndjson:1: file: not a file`},
		{"a path upwards", "documents.ndjson", `{"_id":"document-1","file":"../secret.txt"}`, `documents.ndjson:1: file: the path must stay inside the folder: relative, without .. and without a link out of it`},
		{"a path down and up", "documents.ndjson", `{"_id":"document-1","file":"files/../files/articles.txt"}`, `documents.ndjson:1: file: the path must stay inside the folder: relative, without .. and without a link out of it`},
		{"an absolute path", "documents.ndjson", `{"_id":"document-1","file":"/etc/hostname"}`, `documents.ndjson:1: file: the path must stay inside the folder: relative, without .. and without a link out of it`},
		{"a link out of the folder", "documents.ndjson", `{"_id":"document-1","file":"files/link.txt"}`, `documents.ndjson:1: file: the path must stay inside the folder: relative, without .. and without a link out of it`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := reports(t, h, with(t, folder, c.file, c.line))
			must(t, os.Remove(filepath.Join(folder, c.file)))
			if len(got) != 1 || got[0] != c.report {
				t.Errorf("it is reported as\n%q, not as\n%q", got, c.report)
			}
		})
	}
	if diff := cmp.Diff(before, textOf(t, h.dump(t, true))); diff != "" {
		t.Errorf("bad lines changed the store:\n%s", diff)
	}
}

func TestTheSameIdentifierOnTwoLinesIsRefused(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	got := reports(t, h, only(t, "labels.ndjson", `{"_id":"x","name":"a"}`, "", `{"_id":"x","name":"b"}`))
	if len(got) != 1 || got[0] != "labels.ndjson:3: _id: duplicate identifier, first on line 1" {
		t.Errorf("it is reported as %q", got)
	}
}

func TestTwoLinesThatShareAUniqueValueAreToldApart(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	got := reports(t, h, only(t, "customers.ndjson", `{"_id":"a","type":"Company"}`, `{"_id":"b","type":"Company","customerCode":"X"}`,
		`{"_id":"c","type":"Company","customerCode":"X"}`, `{"_id":"d","type":"Firm"}`))
	wanted := []string{
		"customers.ndjson:3: customerCode: another record already has this value, which must be unique",
		"customers.ndjson:4: type: a customer's type must be Company or Private Person",
	}
	if strings.Join(got, "\n") != strings.Join(wanted, "\n") {
		t.Errorf("it is reported as %q", got)
	}
}

func TestLinesMayBeBlankEndInCarriageReturnsAndBeginWithAMark(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	loaded := h.mustLoad(t, only(t, "labels.ndjson", "\ufeff"+`{"_id":"a","name":"a"}`+"\r", "", "  \t", ` { "name" : "b\u00e9\ud83d\ude00\/" , "_id" : "b" } `))
	if loaded["labels.ndjson"].Created != 2 {
		t.Errorf("the import did %+v", loaded)
	}
	if got := one(t, h.store.Labels(), "b").Name; got != "bé😀/" {
		t.Errorf("the name is %q", got)
	}
}

func TestTheCurrentYearPassesFromOneToAnotherInAnyOrderOfLines(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	h.mustLoad(t, only(t, "financialyears.ndjson", `{"_id":"fy-2027","startDate":"2027","isCurrentYear":true}`, `{"_id":"fy-2026","isCurrentYear":false}`))
	old, current := one(t, h.store.FinancialYears(), "fy-2026"), one(t, h.store.FinancialYears(), "fy-2027")
	if old.IsCurrentYear || old.ArchivedAt.IsZero() || !current.IsCurrentYear || !current.ArchivedAt.IsZero() || current.EndDate != "2027" {
		t.Errorf("the years are %+v and %+v", old, current)
	}
}

func TestArchivedYearsTakeImports(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	h.mustLoad(t, only(t, "transcripts.ndjson", `{"_id":"transcript-bare","status":"Sent","progressPercentage":12}`, `{"_id":"late","customer":"bare","checklist":"checklist-2025"}`))
	if got := one[transcript](t, h.store.Transcripts(), "transcript-bare"); got.Status != backoffice.Sent || got.FinancialYearID != "fy-2025" {
		t.Errorf("the transcript is %+v", got)
	}
}

func TestATranscriptShowsTheStateOfItsCalculationAndItsOwnWhenThatIsGone(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	status := func() backoffice.TranscriptStatus {
		return one[transcript](t, h.store.Transcripts(), "transcript-full").Status
	}
	if got := status(); got != backoffice.CalculationDone {
		t.Errorf("the status is %s", got)
	}
	h.mustLoad(t, only(t, "calculations.ndjson", `{"_id":"calculation-1","_deleted":true}`))
	if got := status(); got != backoffice.Sent {
		t.Errorf("without a calculation the status is %s", got)
	}
}

func TestACalculationFollowsItsTranscriptToAnotherCustomer(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	h.mustLoad(t, only(t, "transcripts.ndjson", `{"_id":"transcript-full","customer":"person"}`))
	if got := one(t, h.store.Calculations(), "calculation-1").CustomerID; got != "person" {
		t.Errorf("the calculation is still that of %s", got)
	}
}

func TestAReplacedFileIsStoredAndTheOldOneForgotten(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	folder := office(t)
	h.mustLoad(t, folder)
	before := one(t, h.store.Documents(), "document-1").File
	with(t, folder, "files/articles.txt", "Artikel 2.")
	loaded := h.mustLoad(t, folder)
	if got := loaded["documents.ndjson"]; got.Updated != 1 {
		t.Errorf("the import did %+v", got)
	}
	after := one(t, h.store.Documents(), "document-1").File
	if after.Key == before.Key || after.Size != len("Artikel 2.\n") || after.ContentType != before.ContentType {
		t.Errorf("the file is %+v", after)
	}
	forgotten, err := h.store.ForgottenFiles(t.Context(), 10)
	must(t, err)
	if len(forgotten) != 2 { // of the document and of the minfin document that shares the bytes
		t.Errorf("%d files are to be removed", len(forgotten))
	}
}

func TestDeletingAUserLogsEachOfItsCustomersOnce(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	const customers = 1001 // more than are logged with the user
	var lines []string
	for i := range customers {
		lines = append(lines, fmt.Sprintf(`{"_id":"c%d","type":"Company","responsible":"user-zoe"}`, i))
	}
	h.mustLoad(t, only(t, "customers.ndjson", lines...))
	logged := len(h.changes(t))
	h.mustLoad(t, only(t, "users.ndjson", `{"_id":"user-zoe","_deleted":true}`))
	times := map[string]int{}
	for _, c := range h.changes(t)[logged:] {
		times[c.ObjectID]++
	}
	for id, n := range times {
		if n > 1 {
			t.Errorf("%s is logged %d times", id, n)
		}
	}
	if len(times) != customers+2 { // one had it before
		t.Errorf("%d are logged", len(times))
	}
}

func TestDeletingAUserFreesItsCustomersAndLogsIt(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	logged := len(h.changes(t))
	h.mustLoad(t, only(t, "users.ndjson", `{"_id":"user-zoe","_deleted":true}`))
	if c := one(t, h.store.Customers(), "company"); c.ResponsibleID != "" || c.Version != 8 {
		t.Errorf("the customer has the responsible %q and the version %d", c.ResponsibleID, c.Version)
	}
	if changes := h.changes(t)[logged:]; len(changes) != 2 || changes[0].ObjectID != "user-zoe" || changes[1].ObjectID != "company" {
		t.Errorf("the log has %+v", changes)
	}
}

func TestNoReportHoldsAValueOfTheLine(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	const secret = "s3cr3t"
	for file, fields := range map[string][]string{
		"customers.ndjson":    {"type", "kboNumber", "companyType", "registrationNumber", "responsible", "language", "email", "phone", "createdAt", "version"},
		"relations.ndjson":    {"kind", "customer", "relatedCustomer"},
		"transcripts.ndjson":  {"status", "checklist", "customVariables", "progressPercentage", "file"},
		"calculations.ndjson": {"state", "transcript"},
	} {
		for _, field := range fields {
			id := map[bool]string{true: "company", false: "new"}[file == "customers.ndjson"]
			line := `{"_id":"` + id + `","` + field + `":"` + secret + `"}`
			for _, report := range reports(t, h, only(t, file, line)) {
				if strings.Contains(report, secret) || !strings.Contains(report, field+":") {
					t.Errorf("%s is reported as %q", field, report)
				}
			}
		}
	}
}

func TestNumbersOfCustomVariablesKeepTheirDigits(t *testing.T) {
	t.Parallel()
	h := newEnv(t)
	h.mustLoad(t, office(t))
	h.mustLoad(t, only(t, "transcripts.ndjson", `{"_id":"transcript-bare","customVariables":{"b":12345678901234567890123,"a":1.10}}`))
	if got := one[transcript](t, h.store.Transcripts(), "transcript-bare").CustomVariables; got != `{"b":12345678901234567890123,"a":1.10}` {
		t.Errorf("they are %s", got)
	}
}
