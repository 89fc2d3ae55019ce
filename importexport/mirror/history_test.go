package mirror

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
)

var (
	histories = flag.Int("pull-histories", 24, "how many random histories there are")
	worst     = flag.Int("pull-worst", 2, "how many of them have lists cut short alone")
)

// history is an origin that changes by chance, and what is between it and its mirror, which errs by chance.
type history struct {
	t       testing.TB
	origin  *office
	mu      sync.Mutex
	random  *rand.Rand
	made    int
	calm    bool // no faults
	still   bool // no changes
	worst   bool // faults of the one kind that the broken copies fall for
	bare    bool // the origin has the specification's requests alone
	changes int
}

func newHistory(t testing.TB, seed uint64, origin *office) *history {
	return &history{t: t, origin: origin, random: rand.New(rand.NewPCG(seed, 1))}
}

func (h *history) chance(percent int) bool { return h.random.IntN(100) < percent }

// one picks a record of a list, nil when there is none.
func (h *history) one(path string) record {
	all := h.origin.records(h.t, path)
	if len(all) == 0 {
		return nil
	}
	return all[h.random.IntN(len(all))]
}

func (h *history) id() string {
	h.made++
	return fmt.Sprintf("%c%d-%d", 'a'+rune(h.random.IntN(26)), h.random.IntN(100), h.made)
}

// change changes something at the origin.
func (h *history) change() {
	h.changes++
	say := func(noun backoffice.Noun, format string, args ...any) {
		h.origin.say(h.t, noun, fmt.Sprintf(format, args...))
	}
	gone := func(noun backoffice.Noun, r record) {
		if r != nil {
			say(noun, `{"_id":%q,"_deleted":true}`, r.id())
		}
	}
	customer, other := h.one("/customers"), h.one("/customers")
	if customer == nil {
		say(backoffice.NounCustomer, `{"_id":%q,"type":"Company","name":"N"}`, h.id())
		return
	}
	file := func() string {
		name := fmt.Sprintf("f%d.txt", h.random.IntN(20))
		must(h.t, writeFile(h.origin.beside, name, strings.Repeat(name, 1+h.random.IntN(200))))
		return name
	}
	switch h.random.IntN(19) {
	case 0, 1, 2:
		say(backoffice.NounCustomer, `{"_id":%q,"type":"Company","name":"Klant %d","customerCode":"K-%d"}`, h.id(), h.made, h.random.IntN(40))
	case 3:
		say(backoffice.NounCustomer, `{"_id":%q,"name":"Anders %d"}`, customer.id(), h.random.Int())
	case 4: // two swap their codes
		if customer.id() != other.id() {
			h.origin.say(h.t, backoffice.NounCustomer, fmt.Sprintf(`{"_id":%q,"customerCode":%s}`, customer.id(), other["customerCode"]), fmt.Sprintf(`{"_id":%q,"customerCode":%s}`, other.id(), customer["customerCode"]))
		}
	case 5, 6:
		gone(backoffice.NounCustomer, customer)
	case 7:
		say(backoffice.NounRelation, `{"_id":%q,"kind":"director","customer":%q,"relatedCustomer":%q}`, h.id(), customer.id(), other.id())
	case 8:
		gone(backoffice.NounRelation, h.one("/relations"))
	case 9: // something moves from one customer to another, and the first goes
		if r := h.one("/transcripts"); r != nil && r.text("customer") != customer.id() {
			say(backoffice.NounTranscript, `{"_id":%q,"customer":%q}`, r.id(), customer.id())
			say(backoffice.NounCustomer, `{"_id":%q,"_deleted":true}`, r.text("customer"))
		}
	case 10:
		if list := h.one("/checklists"); list != nil {
			say(backoffice.NounTranscript, `{"_id":%q,"customer":%q,"checklist":%q,"customVariables":{"b":1,"a":%d}}`, h.id(), customer.id(), list.id(), h.random.IntN(9))
		}
	case 11:
		if r := h.one("/transcripts"); r != nil {
			say(backoffice.NounTranscript, `{"_id":%q,"isCompleted":%t,"progressPercentage":100,"documentGenerated":true,"status":"Sent","file":%q}`, r.id(), h.chance(70), file())
		}
	case 12:
		gone(backoffice.NounTranscript, h.one("/transcripts"))
	case 13:
		if r := h.one("/transcripts"); r != nil {
			say(backoffice.NounCalculation, `{"_id":%q,"transcript":%q,"state":"Calculation sent","file":%q}`, h.id(), r.id(), file())
		}
	case 14:
		if r := h.one("/calculations"); r != nil {
			say(backoffice.NounCalculation, `{"_id":%q,"state":"Approved","file":%q}`, r.id(), file())
		}
	case 15:
		say(backoffice.NounDocument, `{"_id":%q,"name":"Brief %d","customer":%q,"file":%q}`, h.id(), h.made, customer.id(), file())
	case 16:
		if r := h.one("/documents"); r != nil && h.chance(50) {
			say(backoffice.NounDocument, `{"_id":%q,"customer":%q,"file":%q}`, r.id(), other.id(), file())
		} else {
			gone(backoffice.NounDocument, r)
		}
	case 17:
		say(backoffice.NounUser, `{"_id":%q,"firstName":"An","lastName":"Maes","email":"an%d@office.example"}`, h.id(), h.made)
		if user := h.one("/users"); user != nil {
			say(backoffice.NounCustomer, `{"_id":%q,"responsible":%q}`, customer.id(), user.id())
			gone(backoffice.NounUser, h.one("/users"))
		}
	case 18:
		say(backoffice.NounLabel, `{"_id":%q,"name":"L %d"}`, h.id(), h.random.IntN(6))
		if h.chance(40) {
			gone(backoffice.NounLabel, h.one("/settings/labels"))
		}
	}
}

func writeFile(folder *os.Root, name, text string) error {
	to, err := folder.Create(name)
	if err != nil {
		return err
	}
	if _, err = to.WriteString(text); err != nil {
		return err
	}
	return to.Close()
}

// between changes the origin and its answers by chance.
func (h *history) between(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		if !h.still && h.chance(6) {
			h.change()
		}
		kind := -1
		if !h.calm && h.chance(12) {
			kind = h.random.IntN(9)
		}
		if h.worst && kind >= 0 {
			kind = 4
		}
		amount := 1 + h.random.IntN(3)
		h.mu.Unlock()
		switch kind {
		case 0, 1:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[kind])
			return
		case 2:
			w.WriteHeader(http.StatusBadGateway)
			return
		case 3:
			time.Sleep(time.Duration(amount) * time.Millisecond)
		}
		if kind < 4 {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		var read struct {
			First string            `json:"first_page"`
			Last  string            `json:"last_page"`
			Total int               `json:"total"`
			Count int               `json:"count"`
			Data  []json.RawMessage `json:"data"`
		}
		isList := json.Unmarshal(body, &read) == nil && read.Data != nil
		length := len(body)
		switch {
		case kind == 8: // the connection ends in the middle
			length += 100
		case !isList:
		case kind == 4 || kind == 5:
			read.Data = read.Data[:max(0, len(read.Data)-amount)]
			if kind == 5 { // and the total agrees
				read.Total = max(0, read.Total-amount)
			}
		case kind == 6:
			read.Data, read.Total = []json.RawMessage{}, read.Total*h.zero(amount)
		case kind == 7:
			read.Total += amount - 2
		}
		if isList && kind != 8 {
			read.Count = len(read.Data)
			body, _ = json.Marshal(read)
			length = len(body)
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Set("Content-Length", strconv.Itoa(length))
		w.WriteHeader(answer.Code)
		_, _ = bytes.NewReader(body).WriteTo(w)
	})
}

func (h *history) zero(amount int) int { return amount % 2 }

// deletedHere are the records of the origin that the copy once had and deleted. No identifier is used twice.
func deletedHere(t testing.TB, origin, copied *office) (wrong []string) {
	t.Helper()
	there := map[string]bool{}
	for _, n := range nouns {
		for _, r := range origin.records(t, n.path) {
			there[r.id()] = true
		}
	}
	for after := int64(0); ; {
		page, err := copied.store.Changes(t.Context(), after, 1000)
		must(t, err)
		if len(page) == 0 {
			return wrong
		}
		for _, c := range page {
			if after = c.Sequence; c.Done == backoffice.Deleted && there[c.ObjectID] {
				wrong = append(wrong, string(c.Noun)+" "+c.ObjectID)
			}
		}
	}
}

// run lets a mirror follow for some rounds, and then without faults until it has to be the same.
func (h *history) run(copied *office, rounds int) (wrong []string) {
	t := h.t
	pull := copied.pullFrom(h.origin.serve(t, func(next http.Handler) http.Handler {
		if h.bare {
			next = bare(next)
		}
		return h.between(next)
	}), h.origin)
	pull.pageSize, pull.AllowDeletions = 3, 1000
	pull.mustRun(t)
	for range rounds {
		h.mu.Lock()
		for range 1 + h.random.IntN(4) {
			h.change()
		}
		h.mu.Unlock()
		if h.bare {
			pull.later += 25 * time.Hour // a sweep
		}
		pull.mustRun(t)
		if wrong = deletedHere(t, h.origin, copied); len(wrong) > 0 {
			return wrong
		}
	}
	h.mu.Lock()
	h.calm, h.still = true, true
	h.mu.Unlock()
	for range 4 {
		pull.mustRun(t)
	}
	wrong = deletedHere(t, h.origin, copied)
	if h.bare {
		return wrong
	}
	return append(wrong, differences(t, h.origin, copied)...)
}

// mustRun pulls; that the origin is away is no failure.
func (p *Pull) mustRun(t testing.TB) {
	t.Helper()
	_, err := p.Once(t.Context())
	if away := new(errAway); err != nil && !asAway(err, &away) {
		t.Fatal(err, cause(err))
	}
}

// converge runs random histories from a seed on, each on an engine; kind makes the origin one of its kind.
func converge(t *testing.T, count int, first uint64, kind func(*history)) {
	t.Helper()
	for i := range count {
		name, open := "SQLite", openSQLite
		if i%8 == 7 {
			name, open = "PostgreSQL", openPostgres
		}
		t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, first+uint64(i), newOffice(t, openSQLite(t)).furnish(t))
			kind(h)
			if wrong := h.run(newOffice(t, open(t)), 6); len(wrong) > 0 {
				t.Errorf("%d are wrong; the first: %s", len(wrong), wrong[0])
			}
		})
	}
}

func TestNothingIsDeletedThatTheOriginHasAndEverythingConverges(t *testing.T) {
	t.Parallel()
	converge(t, *histories, 0, func(*history) {})
}

func TestNothingIsDeletedByListsThatAreCutShort(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*worst) {
		h := newHistory(t, 1000+seed, newOffice(t, openSQLite(t)).furnish(t))
		h.worst = true
		if wrong := h.run(newOffice(t, openSQLite(t)), 4); len(wrong) > 0 {
			t.Fatalf("%d are wrong; the first: %s", len(wrong), wrong[0])
		}
	}
}
