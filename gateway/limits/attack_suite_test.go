package limits

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/graphql/limits"
)

var (
	attackCount = flag.Int("attacks", 200, "how many operations the attack suite tries")
	attackSeed  = flag.Uint64("attack-seed", 0, "where its chance begins; 0 is another one each time when there are over 200")
)

// effort is what an operation took.
type effort struct {
	text   string
	cpu    time.Duration // of the process
	memory uint64        // bytes that were allocated
	answer int           // bytes
	status int
	cost   int
}

func (e effort) each() time.Duration { return e.cpu / time.Duration(max(e.cost, 1)) }

// No single request within the limits takes more than these. They hold for a build without the race detector, which
// multiplies the first, and are counted by what the process has used, so other programs do not matter much.
const (
	mostCPU       = time.Second
	littleCPU     = mostCPU / 10 // of this its cost matters to nobody
	mostMemory    = 64 << 20     // alive at one time
	mostAllocated = 512 << 20    // in all
)

// measures are what the suite climbs: each per byte of the request.
var measures = map[string]func(effort) float64{
	"CPU":    func(e effort) float64 { return e.cpu.Seconds() * 1e6 / float64(len(e.text)) },
	"memory": func(e effort) float64 { return float64(e.memory) / float64(len(e.text)) },
	"bytes":  func(e effort) float64 { return float64(e.answer) / float64(len(e.text)) },
}

// The suite searches by itself for the operation that takes most of the server for the least of its sender: it makes
// random ones out of the schema, keeps the worst, and changes them.
func TestNoOperationThatTheAttackSuiteFindsTakesTooMuch(t *testing.T) {
	// Not parallel: what the process uses is measured.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	seed := *attackSeed
	if seed == 0 && *attackCount > 200 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	o := attackedOffice(t, 300)
	text, err := os.ReadFile("../../schema.graphqls")
	if err != nil {
		t.Fatal(err)
	}
	k := &attacker{random: rand.New(rand.NewPCG(seed, 1)), schema: gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphqls", Input: string(text)})}
	k.texts = []string{"dutch", "van", "checklist", strings.Repeat("0", 200), strings.Repeat("ﷺ", 22), "85073003328", "0403170701", "a@b.example"}
	k.ids = attacked(t, o)
	credential := o.Credential(t, backoffice.AllScopes...)

	worst := map[string][]effort{}
	trees := map[string]*attack{}
	names := slices.Sorted(maps.Keys(measures))
	var valid []effort
	var most effort // of allocations
	var live uint64 // the most that was alive
	for turn := range *attackCount {
		name := names[turn%len(names)]
		var operation *attack
		if known := worst[name]; len(known) > 0 && k.chance(75) {
			operation = k.change(trees[known[k.random.IntN(len(known))].text])
		} else {
			operation = k.operation()
		}
		e := try(t, o, credential, operation.text())
		if e.status == 0 {
			continue // over a limit
		}
		valid = append(valid, e)
		trees[e.text] = operation
		for name, measure := range measures {
			worst[name] = keepWorst(worst[name], e, measure)
		}
		if e.memory > mostMemory && e.memory > most.memory {
			most, live = e, max(live, alive(t, o, credential, e.text))
			if live > mostMemory {
				t.Errorf("%d MB alive at one time:\n%.2000s", live>>20, e.text)
			}
		}
		if tooMuch := e.cpu > mostCPU && !raceEnabled && again(t, o, credential, e).cpu > mostCPU; tooMuch || e.memory > mostAllocated || e.answer > limits.Defaults().Answer+(1<<20) {
			t.Errorf("%v of CPU, %d MB allocated, %d bytes of answer:\n%.2000s", e.cpu, e.memory>>20, e.answer, e.text)
		}
	}
	if len(valid) < *attackCount/10 {
		t.Fatalf("only %d of %d operations were within the limits: the suite searches nothing", len(valid), *attackCount)
	}
	dear := slices.DeleteFunc(valid, func(e effort) bool { return e.cpu < littleCPU })
	slices.SortFunc(dear, func(a, b effort) int { return int(a.each() - b.each()) })
	for _, e := range dear {
		most := dearest * dear[len(dear)/2].each()
		if e.each() > most && !raceEnabled && again(t, o, credential, e).each() > most {
			t.Errorf("%v of CPU for a cost of %d, %v for 1, of which the median is %v:\n%.2000s", e.cpu, e.cost, e.each(), most/dearest, e.text)
		}
	}
	t.Logf("of those that allocate most, %d MB were alive at one time", live>>20)
	for _, name := range names {
		for _, e := range worst[name][:1] {
			t.Logf("worst by %s: %v of CPU, %.1f MB allocated, %d bytes of answer for %d bytes:\n%.600s", name, e.cpu, float64(e.memory)/1e6, e.answer, len(e.text), e.text)
		}
	}
}

// keepWorst keeps the five worst.
func keepWorst(known []effort, e effort, measure func(effort) float64) []effort {
	if slices.ContainsFunc(known, func(k effort) bool { return k.text == e.text }) {
		return known
	}
	known = append(known, e)
	slices.SortStableFunc(known, func(a, b effort) int {
		switch x, y := measure(a), measure(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return known[:min(len(known), 5)]
}

// try sends an operation and measures it. The status is 0 when a limit refused it before it was executed.
func try(t *testing.T, o *gatewaytest.Office, credential [2]string, text string) effort {
	t.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	var began, ended syscall.Rusage
	runtime.ReadMemStats(&before)
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &began)
	below := usedBelow()
	answer := &unkept{header: http.Header{}}
	o.Handler.ServeHTTP(answer, attackRequest(t, credential, text))
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &ended)
	runtime.ReadMemStats(&after)
	e := effort{text: text, cpu: used(ended) - used(began) + usedBelow() - below, memory: after.TotalAlloc - before.TotalAlloc, answer: answer.length, status: answer.status}
	for _, code := range []string{limits.CodeCost, limits.CodeAlias, limits.CodeDepth, limits.CodeToken} {
		if bytes.Contains(answer.head, []byte(`"`+code+`"`)) {
			e.status = 0
		}
	}
	if answer.status == http.StatusBadRequest && bytes.Contains(answer.head, []byte("GRAPHQL_")) {
		t.Errorf("the suite makes operations that are not valid: %.300s\n%.1000s", answer.head, text)
	}
	if answer.status == http.StatusInternalServerError || answer.internal {
		t.Errorf("an internal error: %.300s\n%.1000s", answer.head, text)
	}
	if _, plan, _ := o.Plan(t, credential, text, "{}"); plan != nil {
		e.cost = plan.Cost
	}
	return e
}

// again measures a query twice more and returns the least effort: the database's own work is measured, too. No cache
// answers it. A mutation is not repeated.
func again(t *testing.T, o *gatewaytest.Office, credential [2]string, e effort) effort {
	t.Helper()
	for range 2 {
		if strings.HasPrefix(e.text, "mutation") {
			break
		}
		if other := try(t, o, credential, e.text); other.cpu < e.cpu {
			e.cpu = other.cpu
		}
	}
	return e
}

// alive sends an operation and tells how many bytes of the heap were alive at most beyond those before. Nobody keeps
// the answer, and the collector runs all the time meanwhile.
func alive(t *testing.T, o *gatewaytest.Office, credential [2]string, text string) (most uint64) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	read := func() uint64 { metrics.Read(sample); return sample[0].Value.Uint64() }
	before := read()
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Handler.ServeHTTP(&unkept{header: http.Header{}}, attackRequest(t, credential, text))
	}()
	for {
		select {
		case <-done:
			return most
		case <-time.After(200 * time.Microsecond):
			if now := read(); now > before {
				most = max(most, now-before)
			}
		}
	}
}

func attackRequest(t *testing.T, credential [2]string, text string) *http.Request {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/graphql", strings.NewReader(document(t, text)))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/graphql-response+json")
	request.Header.Set(auth.ClientIDHeader, credential[0])
	request.Header.Set(auth.ClientSecretHeader, credential[1])
	return request
}

// unkept takes an answer and keeps its beginning alone, so that what the server takes is measured, and no client.
type unkept struct {
	header   http.Header
	status   int
	length   int
	head     []byte
	internal bool // there is an internal error in it
}

func (u *unkept) Header() http.Header    { return u.header }
func (u *unkept) WriteHeader(status int) { u.status = status }
func (u *unkept) Write(b []byte) (int, error) {
	u.status = cmp.Or(u.status, http.StatusOK)
	u.length += len(b)
	u.head = append(u.head, b[:min(len(b), 1_000-len(u.head))]...)
	u.internal = u.internal || bytes.Contains(b, []byte("INTERNAL_SERVER_ERROR"))
	return len(b), nil
}

func document(t *testing.T, query string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func used(r syscall.Rusage) time.Duration {
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// usedBelow is what the processes that this one has begun have used: a PostgreSQL, with all that answer for it.
func usedBelow() time.Duration {
	parents, ticks := map[int]int{}, map[int]int{}
	folders, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range folders {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var pid int
		_, _ = fmt.Sscan(string(stat), &pid)
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parents[pid], _ = strconv.Atoi(fields[1])
		for _, used := range fields[11:15] { // by itself and by those that it has waited for
			n, _ := strconv.Atoi(used)
			ticks[pid] += n
		}
	}
	total := 0
	for pid := range ticks {
		for above := parents[pid]; above != 0; above = parents[above] {
			if above == os.Getpid() {
				total += ticks[pid]
			}
		}
	}
	return time.Duration(total) * 10 * time.Millisecond
}

// attacked adds what makes answers long and lists full, and gives identifiers to ask for.
func attacked(t *testing.T, o *gatewaytest.Office) (ids []string) {
	t.Helper()
	gatewaytest.Hold(t, o, 100, 60_000)
	credential := o.Credential(t, backoffice.AllScopes...)
	_, body, _ := o.Ask(t, credential, `{
		customers(first: 60) { nodes { id } } transcripts(last: 40) { nodes { id } } users(first: 5) { nodes { id } }
		checklists(first: 5) { nodes { id } } financialYears(first: 5) { nodes { id } } labels(first: 5) { nodes { id } }
	}`, nil, nil)
	var answer struct {
		Data map[string]struct{ Nodes []struct{ ID string } }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	for _, list := range answer.Data {
		for _, node := range list.Nodes {
			ids = append(ids, node.ID)
		}
	}
	slices.Sort(ids)
	if ids = append(ids, "holder"); len(ids) < 100 {
		t.Fatalf("only %d identifiers", len(ids))
	}
	return ids
}
