package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/sqlite"
	"example.org/backoffice/store/storetest"
)

// large are the tables that can have more than 10,000 rows.
var large = strings.Fields("customers customer_scopes relations transcripts calculations documents minfin_documents consultations changes idempotency_keys user_labels credential_secrets")

// wholeTable is a step of a plan that reads something without an index: a table, or what a subquery or list gives.
var wholeTable = regexp.MustCompile(`^SCAN (\w+)$`)

// isLarge reports whether the name in a step stands for a large table in the statement.
func isLarge(text, name string) bool {
	for _, table := range large {
		if name == table || regexp.MustCompile(`\b`+table+`( AS)? `+name+`\b`).MatchString(text) && !strings.Contains(text, ") "+name) {
			return true
		}
	}
	return false
}

// filledWithPlans is a filled store, and its database to ask for plans.
func filledWithPlans(t *testing.T) (*sqlite.Store, *sql.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	storetest.Fill(t, opened)
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return opened, db
}

func TestNoStatementReadsALargeTableWithoutAnIndex(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	opened, db := filledWithPlans(t)
	recorder := &storetest.Recorder{}
	storetest.Sweep(t, opened.Through(recorder.On))
	if len(recorder.Statements()) < 400 {
		t.Errorf("only %d statements were recorded", len(recorder.Statements()))
	}
	for text, args := range recorder.Statements() {
		for _, step := range planOf(t, db, text, args) {
			if found := wholeTable.FindStringSubmatch(step); found != nil && isLarge(text, found[1]) {
				t.Errorf("%s\n\t%s", text, step)
			}
		}
	}
}

func TestAlternativesThatOtherTablesAnswerAreEachReadByTheirIndex(t *testing.T) {
	t.Parallel()
	opened, db := filledWithPlans(t)
	recorder := &storetest.Recorder{}
	storetest.SweepDear(t, opened.Through(recorder.On))
	unions := 0
	for text, args := range recorder.Statements() {
		if !strings.Contains(text, " UNION SELECT t.id FROM transcripts") {
			continue
		}
		unions++
		steps := strings.Join(planOf(t, db, text, args), "\n")
		if strings.Contains(steps, "SCAN t") || strings.Contains(steps, "transcripts_completed") || strings.Count(steps, "INDEX transcripts_customer ") != 2 {
			t.Errorf("%s\n%s", text, steps)
		}
	}
	if unions == 0 {
		t.Error("there was no union")
	}
}

func TestTranscriptsOfUsersAreFoundByTheirCustomersWhateverElseIsAsked(t *testing.T) {
	t.Parallel()
	opened, db := filledWithPlans(t)
	recorder := &storetest.Recorder{}
	storetest.SweepBelowUsers(t, opened.Through(recorder.On))
	if len(recorder.Statements()) < 100 {
		t.Errorf("only %d statements were recorded", len(recorder.Statements()))
	}
	reads := regexp.MustCompile(`(SCAN|SEARCH) t\b.*`)
	for text, args := range recorder.Statements() {
		for _, step := range reads.FindAllString(strings.Join(planOf(t, db, text, args), "\n"), -1) {
			if !strings.Contains(step, "customer_id=?") && !strings.Contains(step, "(rowid=?)") {
				t.Errorf("%s\n%s", text, step)
			}
		}
	}
}

func TestTranscriptsBelowARecordOrByNameAreNotReadByAnIndexOfHalfOfAll(t *testing.T) {
	t.Parallel()
	opened, db := filledWithPlans(t)
	recorder := &storetest.Recorder{}
	for parent, filter := range map[backoffice.Parent]backoffice.TranscriptCriteria{
		backoffice.OfChecklist:     {FinancialYearID: "a", IsCompleted: backoffice.No, DocumentGenerated: backoffice.No},
		backoffice.OfFinancialYear: {ChecklistID: "a", IsCompleted: backoffice.No, DocumentGenerated: backoffice.No},
	} {
		list := backoffice.ListQuery[backoffice.TranscriptCriteria]{Parent: parent, Criteria: filter, Window: backoffice.Window{Limit: 50}}
		if _, err := backoffice.ReadPages(t.Context(), opened.Through(recorder.On).Transcripts(), list, []string{"b", "c"}, 0); err != nil {
			t.Fatal(err)
		}
	}
	related := backoffice.ListQuery[backoffice.RelationCriteria]{
		Parent: backoffice.OfCustomer, Criteria: backoffice.RelationCriteria{Kind: "UBO"}, Window: backoffice.Window{Limit: 50},
	}
	if _, err := backoffice.ReadPages(t.Context(), opened.Through(recorder.On).Relations(), related, []string{"b", "c"}, 0); err != nil {
		t.Fatal(err)
	}
	named := backoffice.ListQuery[backoffice.TranscriptCriteria]{
		Criteria: backoffice.TranscriptCriteria{Updated: backoffice.Span{From: 1, HasFrom: true}},
		Order:    backoffice.Order{Key: backoffice.KeyCustomerName}, Window: backoffice.Window{Limit: 50},
	}
	if _, err := backoffice.ReadPages(t.Context(), opened.Through(recorder.On).Transcripts(), named, nil, 0); err != nil {
		t.Fatal(err)
	}
	if len(recorder.Statements()) != 4 {
		t.Errorf("%d statements were recorded", len(recorder.Statements()))
	}
	for text, args := range recorder.Statements() {
		steps := strings.Join(planOf(t, db, text, args), "\n")
		wrong := "transcripts_(completed|updated)|relations_kind"
		if !strings.Contains(text, "financial_year_id = p") {
			wrong += "|transcripts_year"
		}
		if regexp.MustCompile(wrong).MatchString(steps) {
			t.Errorf("%s\n%s", text, steps)
		}
	}
}

func TestGroupsReadTheirTableOnceAndLookUpNamesByIndex(t *testing.T) {
	t.Parallel()
	opened, db := filledWithPlans(t)
	for _, filtered := range []bool{false, true} {
		recorder := &storetest.Recorder{}
		storetest.SweepGroups(t, opened.Through(recorder.On), filtered)
		if len(recorder.Statements()) < 18 {
			t.Errorf("only %d statements were recorded", len(recorder.Statements()))
		}
		for text, args := range recorder.Statements() {
			most := strings.Count(text, " t") - strings.Count(text, " t.") - strings.Count(text, " total") // how often the text names it
			if filtered {
				most = 0
			}
			steps := strings.Join(planOf(t, db, text, args), "\n")
			if found := strings.Count(steps, "SCAN t"); found > most || strings.Contains(steps, "SCAN u") || strings.Contains(steps, "SCAN k") || strings.Contains(steps, "SCAN y") {
				t.Errorf("%s\n%s", text, steps)
			}
		}
	}
}

func TestWhatHasNoIndexReadsNoTableMoreOftenThanItNamesIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	storetest.Fill(t, opened)
	recorder := &storetest.Recorder{}
	storetest.SweepDear(t, opened.Through(recorder.On))
	if len(recorder.Statements()) < 20 {
		t.Errorf("only %d statements were recorded", len(recorder.Statements()))
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for text, args := range recorder.Statements() {
		found, correlated := map[string]int{}, false
		for _, step := range planOf(t, db, text, args) {
			correlated = correlated || strings.HasPrefix(step, "CORRELATED")
			if of := wholeTable.FindStringSubmatch(step); of != nil && isLarge(text, of[1]) {
				if found[of[1]]++; correlated {
					t.Errorf("for each row of another: %s\n\t%s", text, step)
				}
			}
		}
		for name, n := range found {
			if n > strings.Count(text, " "+name+" ")+strings.Count(text, " "+name+")") {
				t.Errorf("%s is read %d times:\n%s", name, n, text)
			}
		}
	}
}

// However long the log is, a page of the feed reads its entries in their order, and none of those between them.
func TestAPageOfTheChangeFeedIsReadFromItsIndexInOrder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "backoffice.db")
	opened, err := sqlite.Open(t.Context(), "sqlite:"+path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, q := range storetest.FeedPages(t) {
		recorder := &storetest.Recorder{}
		if _, err := backoffice.ReadChangePage(t.Context(), opened.Through(recorder.On), backoffice.ChangeQuery{First: q.First, Kinds: q.Kinds}); err != nil {
			t.Fatal(err)
		}
		for text, args := range recorder.Statements() {
			steps := strings.Join(planOf(t, db, text, args), "\n")
			if found := strings.Count(steps, "USING INDEX changes_feed (<expr>=? AND sequence>?)"); found != len(q.Kinds.Names()) || strings.Contains(steps, "SCAN changes") ||
				strings.Count(steps, "TEMP B-TREE FOR ORDER BY") > 1 { // that of the page itself
				t.Errorf("%d of %d kinds:\n%s", found, len(q.Kinds.Names()), steps)
			}
		}
	}
}

func planOf(t *testing.T, db *sql.DB, text string, args []any) (steps []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	return steps
}
