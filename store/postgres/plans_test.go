package postgres_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/store/postgres"
	"example.org/backoffice/store/postgres/pgtest"
	"example.org/backoffice/store/storetest"
)

// large are the tables that can have more than 10,000 rows (and users, whom the others refer to), with how often the
// rows of a small office are multiplied to have as many here, and the columns that must differ from one to the next.
var large = []struct {
	table  string
	times  int
	unique string // each becomes another text
}{
	{"users", 250, "id"},
	{"customers", 250, "id customer_code responsible_id"},
	{"customer_scopes", 250, "customer_id"},
	{"relations", 120, "id customer_id related_customer_id"},
	{"transcripts", 240, "id customer_id"},
	{"calculations", 240, "id transcript_id customer_id"},
	{"documents", 200, "id customer_id file_key"},
	{"minfin_documents", 200, "id customer_id file_key"},
	{"consultations", 0, ""},
	{"changes", 0, ""},
	{"idempotency_keys", 0, ""},
}

// multiply fills the large tables, in which each row of the office stands many times.
func multiply(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	execute := func(text string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for _, of := range large {
		if of.times == 0 {
			continue
		}
		var names string
		err := conn.QueryRow(t.Context(), "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0", of.table).Scan(&names)
		if err != nil {
			t.Fatal(err)
		}
		columns := strings.Fields(names)
		values := slices.Clone(columns)
		for i, column := range columns {
			if slices.Contains(strings.Fields(of.unique), column) {
				values[i] += " || '-' || g" // what is NULL stays so
			}
		}
		execute(fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s, generate_series(1, %d) g",
			of.table, strings.Join(columns, ", "), strings.Join(values, ", "), of.table, of.times))
	}
	execute(`INSERT INTO consultations (id, at, client_id, client_name, operation, customer_id, chain, number)
		SELECT 'x' || g, g, 'client', 'name', 'READ', 'c' || g % 5000, 99, g FROM generate_series(1, 20000) g`)
	execute(`INSERT INTO changes (sequence, at, client_id, action, noun, object_id) SELECT g + 1000000, g, 'client', 'action', 'noun', 'o' FROM generate_series(1, 20000) g`)
	execute(`INSERT INTO idempotency_keys (client_id, noun, key, digest, object_id, created_at) SELECT 'client', 'noun', 'key' || g, '\x00', 'o', g FROM generate_series(1, 20000) g`)
	execute("VACUUM (ANALYZE)")
	for range 100 { // an autovacuum that looks at a table just now keeps pages of it from being marked
		var marked bool
		err := conn.QueryRow(t.Context(), "SELECT bool_and(relallvisible >= 0.95 * relpages) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace").Scan(&marked)
		if err != nil {
			t.Fatal(err)
		}
		if marked {
			return
		}
		execute("VACUUM")
	}
	t.Fatal("VACUUM does not mark the pages of the tables")
}

// node is a step of a plan.
type node struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Hit      int    `json:"Shared Hit Blocks"`
	Read     int    `json:"Shared Read Blocks"`
	Plans    []node `json:"Plans"`
	Under    string `json:"Parent Relationship"`
}

// wholeTables are the large tables that a plan reads without an index.
func (n node) wholeTables() (found []string) {
	if strings.Contains(n.Type, "Seq Scan") {
		for _, of := range large {
			if of.table == n.Relation && of.table != "users" {
				found = append(found, n.Relation)
			}
		}
	}
	for _, below := range n.Plans {
		found = append(found, below.wholeTables()...)
	}
	return found
}

func TestNoStatementReadsALargeTableWithoutAnIndex(t *testing.T) {
	storetest.SkipUnderRace(t)
	t.Parallel()
	// A database of its own: transactions of other tests would keep VACUUM from marking pages, without which reading an
	// index alone costs more than the table.
	url := pgtest.Migrated(t, postgres.Migrate)
	opened, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	storetest.Fill(t, opened)
	recorder := &storetest.Recorder{}
	storetest.Sweep(t, opened.Through(recorder.On))
	if len(recorder.Statements()) < 400 {
		t.Errorf("only %d statements were recorded", len(recorder.Statements()))
	}

	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	multiply(t, conn)
	t.Run("a page far down a list reads no more than the first", func(t *testing.T) { comparePages(t, opened, conn) })
	t.Run("a page of the change feed reads no more of a long log than of a short one", func(t *testing.T) { compareFeeds(t, opened, conn) })
	t.Run("what has no index reads no table more often than it names it, and none for each row of another", func(t *testing.T) { planDear(t, opened, conn) })
	t.Run("groups read their table once, and look up names by index", func(t *testing.T) { planGroups(t, opened, conn) })
	for text, args := range recorder.Statements() {
		for name, plan := range map[string]node{"a plan for these arguments": customPlan(t, conn, text, args), "a plan for any arguments": genericPlan(t, conn, text, len(args))} {
			if found := plan.wholeTables(); len(found) > 0 {
				t.Errorf("%s reads all of %v:\n%s", name, found, text)
			}
		}
	}
}

// comparePages counts the blocks that the first page of a list reads, and those of a page far down.
func comparePages(t *testing.T, opened *postgres.Store, conn *pgx.Conn) {
	t.Helper()
	for _, key := range []backoffice.OrderKey{backoffice.KeyID, backoffice.KeyName, backoffice.KeyCreatedAt, backoffice.KeyUpdatedAt} {
		blocks := func(window backoffice.Window) int {
			recorder := &storetest.Recorder{}
			ask := backoffice.ListQuery[backoffice.CustomerCriteria]{Order: backoffice.Order{Key: key}, Window: window}
			if _, err := backoffice.ReadPages(t.Context(), opened.Through(recorder.On).Customers(), ask, nil, 0); err != nil {
				t.Fatal(err)
			}
			for text, args := range recorder.Statements() {
				plan := parsePlan(t, conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+text, args...), text)
				return plan.Hit + plan.Read
			}
			t.Fatal("nothing was asked")
			return 0
		}
		last, err := backoffice.ReadPages(t.Context(), opened.Customers(), backoffice.ListQuery[backoffice.CustomerCriteria]{
			Order: backoffice.Order{Key: key}, Window: backoffice.Window{Limit: 60, Backward: true}}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		first := blocks(backoffice.Window{Limit: 50})
		far := blocks(backoffice.Window{Limit: 50, After: last[backoffice.NoParent].Items[0].Position(key), HasAfter: true})
		if far > 2*first || first == 0 {
			t.Errorf("in order %d the first page reads %d blocks, and one far down %d", key, first, far)
		}
	}
}

// compareFeeds counts the blocks that pages of the feed read of a log in which entries of some nouns are rare, and
// then of one that is ten times as long.
func compareFeeds(t *testing.T, opened *postgres.Store, conn *pgx.Conn) {
	t.Helper()
	blocks := func(q backoffice.ChangeQuery) int {
		recorder := &storetest.Recorder{}
		if _, err := backoffice.ReadChangePage(t.Context(), opened.Through(recorder.On), q); err != nil {
			t.Fatal(err)
		}
		for text, args := range recorder.Statements() {
			const explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "
			plan := parsePlan(t, conn.QueryRow(t.Context(), explain+text, args...), text)
			// A statement that was run some times has a plan for any arguments.
			if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; PREPARE feed (bigint, text) AS "+text); err != nil {
				t.Fatal(err)
			}
			any := parsePlan(t, conn.QueryRow(t.Context(), fmt.Sprintf(explain+"EXECUTE feed (%d, '%v')", args...)), text)
			if _, err := conn.Exec(t.Context(), "DEALLOCATE feed; RESET plan_cache_mode"); err != nil {
				t.Fatal(err)
			}
			return max(plan.Hit+plan.Read, any.Hit+any.Read)
		}
		t.Fatal("nothing was asked")
		return 0
	}
	lengthen := func(by int) {
		_, err := conn.Exec(t.Context(), `INSERT INTO changes (sequence, at, client_id, action, noun, object_id, fields)
			SELECT m.last + g, g, 'client', 'import', CASE WHEN g % 100 = 0 THEN 'label' WHEN g % 3 = 0 THEN 'transcript' ELSE 'customer' END, 'o', CASE WHEN g % 3 = 1 THEN 'registrationNumber' END
			FROM generate_series(1, $1::int) g, (SELECT MAX(sequence) AS last FROM changes) m`, by)
		if err == nil {
			_, err = conn.Exec(t.Context(), "VACUUM (ANALYZE) changes")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	lengthen(20_000)
	pages := storetest.FeedPages(t)
	for _, at := range []int64{1_000, 1_020_100} {
		for _, q := range slices.Clone(pages) {
			q.After = at
			pages = append(pages, q)
		}
	}
	short := make([]int, len(pages))
	for i, q := range pages {
		short[i] = blocks(q)
	}
	lengthen(200_000)
	for i, q := range pages {
		if long := blocks(q); long > max(short[i], 2*q.First)+8*len(q.Kinds.Names()) || short[i] == 0 { // of a rare noun each row is in a block of its own
			t.Errorf("%d of %v after %d: %d blocks of a short log, and %d of a long one", q.First, q.Kinds.Names(), q.After, short[i], long)
		}
	}
}

// planGroups looks at the plans of groups.
func planGroups(t *testing.T, opened *postgres.Store, conn *pgx.Conn) {
	t.Helper()
	for _, filtered := range []bool{false, true} {
		recorder := &storetest.Recorder{}
		storetest.SweepGroups(t, opened.Through(recorder.On), filtered)
		if len(recorder.Statements()) < 18 {
			t.Errorf("only %d statements were recorded", len(recorder.Statements()))
		}
		for text, args := range recorder.Statements() {
			plan := customPlan(t, conn, text, args)
			found := plan.wholeTables()
			slices.Sort(found)
			switch once := slices.Compact(slices.Clone(found)); {
			case plan.readsWhole("users"), filtered && len(found) > 0:
				t.Errorf("%v is read whole:\n%s", found, text)
			case len(once) < len(found):
				t.Errorf("%v are read more than once:\n%s", found, text)
			}
		}
	}
}

// planDear looks at the plans of filters and orders that no index answers.
func planDear(t *testing.T, opened *postgres.Store, conn *pgx.Conn) {
	t.Helper()
	recorder := &storetest.Recorder{}
	storetest.SweepDear(t, opened.Through(recorder.On))
	if len(recorder.Statements()) < 20 {
		t.Errorf("only %d statements were recorded", len(recorder.Statements()))
	}
	for text, args := range recorder.Statements() {
		for name, plan := range map[string]node{"a plan for these arguments": customPlan(t, conn, text, args), "a plan for any arguments": genericPlan(t, conn, text, len(args))} {
			found := map[string]int{}
			for _, table := range plan.wholeTables() {
				found[table]++
			}
			for table, n := range found {
				if n > strings.Count(text, " "+table+" ") {
					t.Errorf("%s reads all of %s %d times:\n%s", name, table, n, text)
				}
			}
			if again := plan.forEachRow(); len(again) > 0 {
				t.Errorf("%s reads all of %v for each row of another:\n%s", name, again, text)
			}
		}
	}
}

// forEachRow are the large tables that a plan reads without an index as often as another table has rows.
func (n node) forEachRow() (found []string) {
	for i, below := range n.Plans {
		if below.Under == "SubPlan" || n.Type == "Nested Loop" && i == 1 && below.Type != "Materialize" {
			found = append(found, below.wholeTables()...)
		}
		found = append(found, below.forEachRow()...)
	}
	return found
}

// readsWhole reports whether a plan reads a table without an index.
func (n node) readsWhole(table string) bool {
	return n.Relation == table && strings.Contains(n.Type, "Seq Scan") || slices.ContainsFunc(n.Plans, func(below node) bool { return below.readsWhole(table) })
}

func customPlan(t *testing.T, conn *pgx.Conn, text string, args []any) node {
	t.Helper()
	return parsePlan(t, conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+text, args...), text)
}

// genericPlan is the one that a prepared statement has from its sixth run on, unless it looks much worse.
func genericPlan(t *testing.T, conn *pgx.Conn, text string, parameters int) node {
	t.Helper()
	execute := "EXECUTE planned"
	if parameters > 0 {
		execute += "(NULL" + strings.Repeat(", NULL", parameters-1) + ")"
	}
	if _, err := conn.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan; PREPARE planned AS "+text, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer func() {
		if _, err := conn.Exec(t.Context(), "DEALLOCATE planned; RESET plan_cache_mode", pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Error(err)
		}
	}()
	return parsePlan(t, conn.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) "+execute, pgx.QueryExecModeSimpleProtocol), text)
}

func parsePlan(t *testing.T, row pgx.Row, text string) node {
	t.Helper()
	var plan []byte
	if err := row.Scan(&plan); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal(plan, &plans); err != nil || len(plans) != 1 {
		t.Fatalf("%s: %v", plan, err)
	}
	return plans[0].Plan
}

func TestAFeedInViewIsPlannedOnceOnAConnection(t *testing.T) {
	t.Parallel()
	opened := openAt(t, pgtest.Migrated(t, postgres.Migrate), postgres.Options{MaxConns: 1})
	r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Labels: []string{"label"}})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		page := storetest.FeedPages(t)[0]
		if _, err := backoffice.ReadChangePage(backoffice.WithRestriction(t.Context(), r), opened, page); err != nil {
			t.Fatal(err)
		}
	}
	const plans = "SELECT custom_plans || ' for their arguments, ' || generic_plans || ' for any' FROM pg_prepared_statements" +
		" WHERE statement LIKE '%backoffice:changes.feed%' AND statement LIKE 'WITH%'"
	if got := opened.InRead(t, plans); len(got) != 1 || got[0] != "0 for their arguments, 8 for any" {
		t.Errorf("plans of the feed: %v", got)
	}
}
