package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

// specHistory is an origin with the specification's requests alone that changes and errs by chance, also while it is
// pulled, and its mirror, whose pulls are cut by chance.
type specHistory struct {
	t      *testing.T
	random *rand.Rand
	origin *specOrigin
	copied *office
	pull   *Pull
	made   int
	of     map[string][]string // customers on which a record hung at any time
	cut    context.CancelFunc  // the pull that runs
	calm   bool
	after  int64          // the end of the copy's change log before
	swept  map[string]int // deletions of a sweep, by noun
	sweeps map[string]int
}

func (h *specHistory) chance(percent int) bool { return h.random.IntN(100) < percent }

// fault is what happens beside a request; the origin is locked.
func (h *specHistory) fault() string {
	if h.calm {
		return ""
	}
	if h.chance(5) {
		h.change()
	}
	if h.chance(1) {
		h.cut()
	}
	if h.chance(10) {
		return append(faults, "too many requests")[h.random.IntN(len(faults)+1)]
	}
	return ""
}

// drop takes a record out of a list.
func drop(list []record, at int) []record { return slices.Delete(slices.Clone(list), at, at+1) }

// change changes something at the origin, which is locked.
func (h *specHistory) change() {
	o := h.origin
	h.made++
	at := h.random.IntN(len(o.customers))
	id := o.customers[at].id()
	other := o.customers[h.random.IntN(len(o.customers))].id()
	relation := func(kind string) record {
		r := fmt.Sprintf("r-%d", h.made)
		h.of[r] = []string{id, other}
		return record{"_id": textOf(r), "kind": textOf(kind), "customer": textOf(id), "relatedCustomer": textOf(other)}
	}
	switch h.random.IntN(12) {
	case 0, 1:
		id = fmt.Sprintf("c%d", 100+h.made)
		o.customers = append(o.customers, record{"_id": textOf(id), "type": textOf("Company"), "name": textOf("Nieuw")})
		o.relations[id] = []record{relation("director")}
	case 2, 3:
		altered := maps.Clone(o.customers[at])
		altered["email"] = textOf([]string{"no address", fmt.Sprintf("mail%d@office.example", h.made)}[min(1, h.random.IntN(6))])
		o.customers = slices.Clone(o.customers)
		o.customers[at] = altered
	case 4:
		if len(o.customers) < 5 {
			return
		}
		o.customers = drop(o.customers, at)
		delete(o.relations, id)
		delete(o.documents, id)
		for of, list := range o.relations {
			o.relations[of] = slices.DeleteFunc(slices.Clone(list), func(r record) bool { return r.text("relatedCustomer") == id })
		}
		o.minfin = slices.DeleteFunc(slices.Clone(o.minfin), func(r record) bool { return r.text("customer") == id })
		list := slices.Clone(o.lists["/transcripts"])
		o.lists["/transcripts"] = slices.DeleteFunc(list, func(r record) bool { return r.text("customer") == id })
	case 5:
		o.relations[id] = append(slices.Clone(o.relations[id]), relation("shareholder"))
	case 6:
		if list := o.relations[id]; len(list) > 0 {
			o.relations[id] = drop(list, 0)
		}
	case 7:
		d := fmt.Sprintf("d%d", 100+h.made)
		h.of[d] = []string{id}
		o.documents[id] = append(slices.Clone(o.documents[id]), record{"_id": textOf(d), "name": textOf("Brief.pdf")})
	case 8:
		if list := o.documents[id]; len(list) > 0 && h.chance(50) {
			o.documents[id] = drop(list, 0)
		} else if len(list) > 0 {
			o.revised[list[0].id()]++
		}
	case 9:
		m := fmt.Sprintf("m%d", 100+h.made)
		h.of[m] = []string{id}
		o.minfin = append(slices.Clone(o.minfin), record{"_id": textOf(m), "name": textOf("Aanslag.pdf"), "documentType": textOf("Aanslag"), "customer": textOf(id)})
	case 10:
		if n := len(o.minfin); n > 0 && h.chance(50) {
			o.minfin = drop(o.minfin, h.random.IntN(n))
		} else if n > 0 {
			o.revised[o.minfin[h.random.IntN(n)].id()]++
		}
	case 11:
		list := slices.Clone(o.lists["/transcripts"])
		if len(list) > 0 {
			list[0] = maps.Clone(list[0])
			list[0]["updatedAt"] = textOf(time.Date(2026, 3, 1, 0, 0, h.made, 0, time.UTC).Format("2006-01-02T15:04:05.000Z"))
			o.revised[list[0].id()]++
			o.lists["/transcripts"] = list
		}
	}
}

// once pulls, and says what is wrong then.
func (h *specHistory) once() (report *Report, wrong []string) {
	ctx, cut := context.WithCancel(h.t.Context())
	defer cut()
	h.cut = cut
	report, err := h.pull.Once(ctx)
	if away := new(errAway); err != nil && ctx.Err() == nil && !asAway(err, &away) {
		h.t.Fatal(err, cause(err))
	}
	h.origin.mu.Lock()
	h.calm, h.origin.chance = true, nil // what follows asks only the copy
	h.origin.mu.Unlock()
	return report, append(h.deletions(), h.wrongBytes()...)
}

// wrongBytes are files whose content the origin never had.
func (h *specHistory) wrongBytes() (wrong []string) {
	for path, address := range map[string]string{"/documents": "/customers/documents/%s/download", "/minfin": "/minfin/download/%s", "/transcripts": "/transcripts/download/%s/file"} {
		for _, r := range h.copied.records(h.t, path) {
			status, body := h.copied.ask(h.t, http.MethodGet, fmt.Sprintf(address, r.id()))
			revision := -1
			_, _ = fmt.Sscanf(body, "%%PDF-1.4 "+r.id()+" %d", &revision)
			if status == http.StatusOK && (revision < 0 || revision > h.origin.revised[r.id()]) {
				wrong = append(wrong, fmt.Sprintf("wrong bytes of %s: %q", r.id(), body))
			}
		}
	}
	return wrong
}

// there are the identifiers that the origin has.
func (o *specOrigin) there() map[string]bool {
	there := map[string]bool{}
	for _, list := range slices.Concat([][]record{o.customers, o.minfin, o.lists["/transcripts"], o.lists["/checklists"]},
		slices.Collect(maps.Values(o.relations)), slices.Collect(maps.Values(o.documents))) {
		for _, r := range list {
			there[r.id()] = true
		}
	}
	return there
}

// deletions are those of the last pull that are wrong: of what the origin has, or more than the bound.
func (h *specHistory) deletions() (wrong []string) {
	there, gone, here := h.origin.there(), map[string][]string{}, map[string]int{}
	deleted := map[string]bool{}
	for {
		page, err := h.copied.store.Changes(h.t.Context(), h.after, 1000)
		must(h.t, err)
		if len(page) == 0 {
			break
		}
		for _, c := range page {
			if h.after = c.Sequence; c.Done == backoffice.Deleted {
				gone[string(c.Noun)] = append(gone[string(c.Noun)], c.ObjectID)
				deleted[c.ObjectID] = true
			}
		}
	}
	for noun, path := range map[string]string{"customer": "/customers", "relation": "/relations", "document": "/documents", "minfin document": "/minfin", "transcript": "/transcripts"} {
		here[noun] = len(h.copied.records(h.t, path))
		notes, err := h.copied.store.MirrorNotes(h.t.Context(), noun+" sweep")
		must(h.t, err)
		var at sweep
		if note := notes[noun+" sweep"]; note == nil || json.Unmarshal(note, &at) != nil || at.Sweeps != h.sweeps[noun] {
			h.swept[noun], h.sweeps[noun] = 0, at.Sweeps
		}
		for _, id := range gone[noun] {
			if there[id] {
				wrong = append(wrong, "deleted here and not there: "+noun+" "+id)
			}
			if !slices.ContainsFunc(h.of[id], func(customer string) bool { return deleted[customer] }) { // else it went with it
				h.swept[noun]++
			}
		}
		if bound := importexport.MostDeletions(here[noun]+len(gone[noun]), h.pull.AllowDeletions); h.swept[noun] > bound {
			wrong = append(wrong, fmt.Sprintf("%d of %d deleted of %s: %q", h.swept[noun], here[noun], noun, gone[noun]))
		}
	}
	return wrong
}

// differences are what the copy has and the origin does not, and the other way round, but for records that the report
// names as rejected.
func (h *specHistory) differences(report *Report) (found []string) {
	o, want := h.origin, map[string]string{}
	add := func(list []record, fields ...string) {
		for _, r := range list {
			for _, field := range fields {
				want[r.id()] += r.text(field) + ";"
			}
		}
	}
	add(o.customers, "name", "email")
	add(slices.Concat(slices.Collect(maps.Values(o.relations))...), "kind", "customer", "relatedCustomer")
	add(slices.Concat(slices.Collect(maps.Values(o.documents))...), "name")
	add(o.minfin, "name", "customer")
	add(o.lists["/transcripts"], "customer", "updatedAt")
	for path, fields := range map[string][]string{
		"/customers": {"name", "email"}, "/relations": {"kind", "customer", "relatedCustomer"}, "/documents": {"name"}, "/minfin": {"name", "customer"}, "/transcripts": {"customer", "updatedAt"},
	} {
		address := map[string]string{"/documents": "/customers/documents/%s/download", "/minfin": "/minfin/download/%s", "/transcripts": "/transcripts/download/%s/file"}[path]
		for _, r := range h.copied.records(h.t, path) {
			got := ""
			for _, field := range fields {
				got += r.text(field) + ";"
			}
			if want[r.id()] != got {
				found = append(found, fmt.Sprintf("%s %s is %q instead of %q", path, r.id(), got, want[r.id()]))
			} else if address != "" {
				if _, body := h.copied.ask(h.t, http.MethodGet, fmt.Sprintf(address, r.id())); body != string(o.bytesOf(r.id())) {
					found = append(found, fmt.Sprintf("the bytes of %s are %q", r.id(), body))
				}
			}
			delete(want, r.id())
		}
	}
	for i := range report.Nouns {
		for _, rejected := range report.Nouns[i].Rejected {
			delete(want, rejected.Record)
		}
	}
	for id := range want {
		found = append(found, id+" is missing")
	}
	return found
}

func (h *specHistory) run() (wrong []string) {
	for range 8 {
		h.origin.mu.Lock()
		h.calm, h.origin.chance = false, h.fault
		for range h.random.IntN(3) {
			h.change()
		}
		h.pull.later += []time.Duration{time.Minute, 6 * time.Hour, 25 * time.Hour}[h.random.IntN(3)]
		h.origin.mu.Unlock() // a request of the pull before, cut off by it, may still draw its fault
		if _, wrong = h.once(); len(wrong) > 0 {
			return wrong
		}
	}
	for i, customer := range h.origin.customers {
		if customer.text("email") == "no address" {
			h.origin.customers[i] = record{"_id": customer["_id"], "type": customer["type"], "name": customer["name"], "email": textOf("mended@office.example")}
		}
	}
	var report *Report
	for range 4 {
		h.pull.later += 25 * time.Hour
		if report, wrong = h.once(); len(wrong) > 0 {
			return wrong
		}
	}
	differ := h.differences(report)
	if len(differ) > 0 && !report.Incomplete() {
		return append([]string{"it says nothing, and differs: " + differ[0]}, differ...)
	}
	for i := range report.Nouns {
		n := &report.Nouns[i]
		isSaid := strings.Contains(n.Incomplete, "no longer exist") || strings.HasPrefix(n.Incomplete, "its list is empty")
		if n.Incomplete != "" && !isSaid {
			wrong = append(wrong, fmt.Sprintf("of an origin that is well, %s is incomplete: %s", n.Noun, n.Incomplete))
		}
	}
	h.pull.AllowDeletions = 1000 // which is all that was left
	for range 3 {
		h.pull.later += 25 * time.Hour
		var more []string
		if report, more = h.once(); len(more) > 0 {
			return append(wrong, more...)
		}
	}
	return append(wrong, h.differences(report)...)
}

func TestAMirrorOfTheSpecificationAloneConvergesWhateverTheOriginAnswers(t *testing.T) {
	t.Parallel()
	count := *histories
	if count <= 24 {
		count /= 3
	}
	for seed := range uint64(count) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := &specHistory{
				t: t, random: rand.New(rand.NewPCG(seed, 7)), origin: newSpecOrigin(12), copied: newOffice(t, openSQLite(t)),
				of: map[string][]string{}, swept: map[string]int{}, sweeps: map[string]int{},
			}
			for i := range 12 {
				h.of[fmt.Sprintf("rc%02d", i)] = []string{fmt.Sprintf("c%02d", i), fmt.Sprintf("c%02d", (i+1)%12)}
				h.of[fmt.Sprintf("d%02d", i)] = []string{fmt.Sprintf("c%02d", i)}
				h.of[fmt.Sprintf("m%d", i)], h.of[fmt.Sprintf("t%d", i)] = []string{"c00"}, []string{"c00"}
			}
			server := httptest.NewServer(h.origin)
			t.Cleanup(server.Close)
			h.pull = &Pull{Store: h.copied.store, Files: h.copied.files, Keys: h.copied.keys, From: server.URL, ClientID: "id", Secret: "secret", pause: 1}
			if wrong := h.run(); len(wrong) > 0 {
				t.Errorf("%d are wrong; the first: %s", len(wrong), wrong[0])
			}
		})
	}
}
