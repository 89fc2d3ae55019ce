package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/tools/rig"
)

// asking is a checker of a server that answers as a test wants.
func asking(t *testing.T, answer http.HandlerFunc) *checker {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return &checker{
		client: rig.NewClient(strings.TrimPrefix(server.URL, "http://"), rig.Credential{}, 1, time.Minute), of: &noted{counts: counts{acknowledged: 1}}, name: "Witness",
		deaf: func() bool { return true }, files: map[string]string{},
	}
}

// A server that makes a record of each key, and loses the first answer when a test wants it.
func TestACheckerNoticesAKeyThatMakesMoreThanOneRecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers  []string // to each time it is sent; "" is no answer
		replayed int
	}{
		"the same record":                       {[]string{"a", "a", "a"}, 0},
		"a lost answer, then the same record":   {[]string{"", "a", "a"}, 0},
		"another record":                        {[]string{"a", "b"}, 1},
		"a lost answer, then two records":       {[]string{"", "a", "b"}, 1},
		"a key that is refused when sent again": {[]string{"a", "refused"}, 1},
	} {
		for noun := range mutations {
			made := &creation{noun: "CUSTOMER", id: "c"}
			var turn atomic.Int64
			w := asking(t, func(w http.ResponseWriter, r *http.Request) {
				id := c.answers[turn.Add(1)-1]
				switch rest := r.URL.Path != "/graphql"; {
				case id == "":
					panic(http.ErrAbortHandler)
				case rest && id == "refused":
					w.WriteHeader(http.StatusUnprocessableEntity)
				case rest:
					w.WriteHeader(http.StatusCreated)
					fmt.Fprintf(w, `{"_id":%q}`, id)
				case id == "refused":
					fmt.Fprint(w, `{"data":{"done":{"made":null,"userErrors":[{"code":"IDEMPOTENCY_KEY_REUSED"}]}}}`)
				default:
					fmt.Fprintf(w, `{"data":{"done":{"made":{"id":%q},"userErrors":[]}}}`, id)
				}
			})
			one := w.newCreation(noun, map[string]any{}, made, made)
			for i := range c.answers {
				w.send(one, i > 0)
			}
			if w.of.replayed != c.replayed || w.of.isWhole(time.Minute) != (c.replayed == 0) || (w.of.example == "") != (c.replayed == 0) {
				t.Errorf("%s, %s: %+v", noun, name, w.of.counts)
			}
		}
	}
}

// A feed of changes as number, record and action. Each third answer is lost.
func TestAFollowerNoticesWhatTheFeedDoesWrongly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		feed string
		gaps int
	}{
		"all in order":              {"1 a UPDATED, 2 b UPDATED, 3 x CREATED, 5 a UPDATED, 6 b UPDATED, 7 x DELETED", 0},
		"an unfinished write too":   {"1 a UPDATED, 2 b UPDATED, 3 x CREATED, 4 y CREATED, 5 a UPDATED, 6 b UPDATED, 7 x DELETED", 0},
		"a creation is left out":    {"1 a UPDATED, 2 b UPDATED, 5 a UPDATED, 6 b UPDATED, 7 x DELETED", 1},
		"a change is left out":      {"1 a UPDATED, 2 b UPDATED, 3 x CREATED, 5 a UPDATED, 7 x DELETED", 2}, // as a count, and as a note
		"a change is told twice":    {"1 a UPDATED, 2 b UPDATED, 3 x CREATED, 4 x CREATED, 5 a UPDATED, 6 b UPDATED, 7 x DELETED", 1},
		"a page is told twice":      {"1 a UPDATED, 2 b UPDATED, 3 x CREATED, 5 a UPDATED, 5 a UPDATED, 6 b UPDATED, 7 x DELETED", 2},
		"a creation comes too late": {"1 a UPDATED, 2 b UPDATED, 5 a UPDATED, 6 b UPDATED, 7 x CREATED, 8 x DELETED", 2},
		"a deletion is left out":    {"1 a UPDATED, 2 b UPDATED, 3 x CREATED, 5 a UPDATED, 6 b UPDATED", 1},
	} {
		var asked atomic.Int64
		changes := strings.Split(c.feed, ", ")
		w := asking(t, func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1)%3 == 2 { // an answer that is lost
				panic(http.ErrAbortHandler)
			}
			after := r.FormValue("after")
			if r.Method == http.MethodPost {
				var sent struct{ Variables struct{ After string } }
				_ = json.NewDecoder(r.Body).Decode(&sent)
				after = sent.Variables.After
			}
			from, page := 0, []change{}
			_, _ = fmt.Sscan(after, &from)
			for i, text := range changes[from:min(len(changes), from+2)] {
				one := change{Cursor: fmt.Sprint(from + i + 1)}
				if _, err := fmt.Sscan(text, &one.Sequence, &one.ID, &one.Action); err != nil {
					t.Error(err)
				}
				page = append(page, one)
			}
			text, _ := json.Marshal(page)
			text = []byte(strings.NewReplacer(`"Cursor"`, `"cursor"`, `"Sequence"`, `"sequence"`, `"ID"`, `"id"`, `"Action"`, `"action"`).Replace(string(text)))
			if r.Method == http.MethodPost {
				fmt.Fprintf(w, `{"data":{"changes":{"nodes":%s}}}`, text)
				return
			}
			fmt.Fprintf(w, `{"changes":%s}`, text)
		})
		f := &follower{checker: w, told: map[string][]int{}}
		f.finish([]*checker{{ids: [2]string{"a", "b"}, begun: [2]int{1, 1}, versions: [2]int{3, 3}, notes: []note{
			{id: "a", action: "UPDATED", which: 1, from: 1, to: 1}, {id: "b", action: "UPDATED", which: 1, from: 1, to: 1},
			{id: "x", action: "CREATED", from: 2, to: 3}, {id: "a", action: "UPDATED", which: 2, from: 4, to: 4},
			{id: "b", action: "UPDATED", which: 2, from: 4, to: 4}, {id: "x", action: "DELETED", from: 5, to: 5},
		}}})
		if w.of.gaps != c.gaps || w.of.isWhole(time.Minute) != (c.gaps == 0) || (w.of.example == "") != (c.gaps == 0) {
			t.Errorf("%s: %d gaps: %s", name, w.of.gaps, w.of.example)
		}
	}
}

// Lists with two rows each, and counts as a test wants them.
func TestACountThatIsNotThatOfTheRowsIsNoticed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		total, toProcess, open, replayed, miscounted int
		second                                       string
	}{
		"as it is":                {total: 2, toProcess: 1, open: 1, second: "b"},
		"one too few":             {total: 1, toProcess: 1, open: 1, second: "b", miscounted: len(lists)},
		"one too many":            {total: 3, toProcess: 1, open: 1, second: "b", miscounted: len(lists)},
		"a status is wrong":       {total: 2, toProcess: 2, open: 1, second: "b", miscounted: 1},
		"what is open is wrong":   {total: 2, toProcess: 1, open: 2, second: "b", miscounted: 1},
		"two records of one name": {total: 2, toProcess: 1, open: 1, second: "a", replayed: 1},
	} {
		w := asking(t, func(w http.ResponseWriter, r *http.Request) {
			var sent struct{ Variables struct{ After *string } }
			_ = json.NewDecoder(r.Body).Decode(&sent)
			id, listed, status, next := "1", "a", "TO_PROCESS", `{"hasNextPage":true,"endCursor":"1"}`
			if sent.Variables.After != nil {
				id, listed, status, next = "2", c.second, "SENT", `{"hasNextPage":false,"endCursor":"2"}`
			}
			fmt.Fprintf(w, `{"data":{"all":{"totalCount":%d,"statusCounts":[{"status":"TO_PROCESS","count":%d},{"status":"SENT","count":1}],`+
				`"nodes":[{"id":%q,"name":%q,"status":%q,"isCompleted":%v}],"pageInfo":%s},"open":{"totalCount":%d}}}`,
				c.total, c.toProcess, id, listed, status, status == "SENT", next, c.open)
		})
		w.tally([]*checker{{sent: []*creation{{noun: "CUSTOMER", name: "a"}, {noun: "CUSTOMER", name: "deleted", dropped: true}}}})
		if w.of.miscounted != c.miscounted || w.of.replayed != c.replayed || w.of.wrong > 0 ||
			w.of.isWhole(time.Minute) != (c.miscounted+c.replayed == 0) || (w.of.example == "") != (c.miscounted+c.replayed == 0) {
			t.Errorf("%s: %+v", name, w.of.counts)
		}
	}
}
