package graphqlhttp

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"example.org/backoffice/graphql/limits"
)

func TestADocumentIsPreparedOnceAndRefusedOnesAreNotKept(t *testing.T) {
	t.Parallel()
	d := newDocuments(contract(), limits.Defaults())
	first, _ := d.get("{ viewer { name } }")
	again, _ := d.get("{ viewer { name } }")
	if first == nil || first != again {
		t.Error("prepared twice")
	}
	if entry, errs := d.get("{ nothing }"); entry != nil || errs == nil {
		t.Error("accepted")
	}
	d.known.CleanUp()
	if n := d.known.EstimatedSize(); n != 1 {
		t.Errorf("%d documents are kept", n)
	}
}

func TestTheMemoryOfDocumentsIsBounded(t *testing.T) {
	t.Parallel()
	settings := limits.Defaults()
	settings.Documents = 1 << 20
	d := newDocuments(contract(), settings)
	for i := range 5_000 {
		if _, errs := d.get(fmt.Sprintf(`{ customer(id: "%d") { id name } }`, i)); errs != nil {
			t.Fatal(errs)
		}
	}
	d.known.CleanUp()
	if weight := d.known.WeightedSize(); weight > 1<<20 {
		t.Errorf("%d bytes are kept", weight)
	}
}

// A document's text is a part of a request's body, most of which may be variables.
func TestWhatIsKeptOfADocumentIsNotTheBodyThatItCameIn(t *testing.T) {
	// Not parallel: the memory of the process is measured.
	const padding = 200_000
	g := endpoint()
	variables := map[string]any{"unknown": strings.Repeat("a", padding)}
	flood := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			if got := post(t, g, body(fmt.Sprintf(`{ customer(id: 7) { id name } } # %d`, i), variables)); got.status != 200 {
				t.Fatal(got.text)
			}
		}
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	before := flood(0, 10)
	if after := flood(10, 210); after > before+padding*20 {
		t.Errorf("200 documents hold %d kB", (after-before)/1_000)
	}
	runtime.KeepAlive(g)
}

func TestADocumentMayBeAskedForByManyAtATime(t *testing.T) {
	t.Parallel()
	g := endpoint()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			text := body(fmt.Sprintf("query($n: Int) { customers(first: $n) { nodes { id } } } # %d", i%5), map[string]any{"n": i})
			if got := post(t, g, text); got.status != 200 {
				t.Errorf("%s", got.text)
			}
		})
	}
	all.Wait()
}

func TestAnOperationIsChosenByName(t *testing.T) {
	t.Parallel()
	d := newDocuments(contract(), limits.Defaults())
	two, _ := d.get("query A { viewer { name } } query B { viewer { name } }")
	one, _ := d.get("query A { viewer { name } }")
	for _, c := range []struct {
		of    *document
		name  string
		found string
	}{{two, "A", "A"}, {two, "B", "B"}, {two, "", ""}, {two, "C", ""}, {one, "", "A"}, {one, "A", "A"}, {one, "B", ""}} {
		got, refused := c.of.operation(c.name)
		if (refused == nil) != (c.found != "") || refused == nil && got.Name != c.found {
			t.Errorf("%q of %d: %v %v", c.name, len(c.of.operations), got.OperationDefinition, refused)
		}
	}
}

func TestADocumentWithAValueInAGuardedPlaceIsNotKept(t *testing.T) {
	t.Parallel()
	const number = `"85073003328"`
	for text, kept := range map[string]bool{
		`{ customers(filter: {registrationNumber: ` + number + `}) { totalCount } }`:                                               false,
		`{ customers(filter: {language: "dutch", spouseRegistrationNumber: ` + number + `}) { totalCount } }`:                      false,
		`query($n: String = ` + number + `) { customers(filter: {registrationNumber: $n}) { totalCount } }`:                        false,
		`query($f: CustomerFilter = {registrationNumber: ` + number + `}) { customers(filter: $f) { totalCount } }`:                false,
		`{ ...F } fragment F on Query { ... on Query { customers(filter: {registrationNumber: ` + number + `}) { totalCount } } }`: false,
		`mutation { createCustomer(input: {type: COMPANY, registrationNumber: ` + number + `}) { customer { id } } }`:              false,
		`query($n: String) { customers(filter: {registrationNumber: $n}) { totalCount } }`:                                         true,
		`query($f: CustomerFilter) { customers(filter: $f) { totalCount } }`:                                                       true,
		`{ customers(filter: {registrationNumber: null}) { totalCount } }`:                                                         true,
		`query($n: Int = 5) { customers(first: $n, filter: {language: "dutch"}) { nodes { registrationNumber } } }`:                true,
	} {
		d := newDocuments(contract(), limits.Defaults())
		if _, errs := d.get(text); errs != nil {
			t.Errorf("%s: %v", text, errs)
		}
		d.known.CleanUp()
		if got := d.known.EstimatedSize() == 1; got != kept {
			t.Errorf("kept %v: %s", got, text)
		}
	}
}
