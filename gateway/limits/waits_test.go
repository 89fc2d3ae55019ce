package limits

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/importexport"
	"example.org/backoffice/privacy"
)

// longest is longer than whatever a program has noted for a time is relied on.
const longest = 61 * time.Second

// lengthy is a store each of whose transactions lasts that long before its caller does anything in it. The embedded store
// has one writer: what waits in a transaction for another one ends with an error.
type lengthy struct {
	backoffice.Store
	mu     sync.Mutex
	opened map[string]bool // by which functions
	waited []string        // in a transaction, in the time of the test, which passes by waiting alone
}

// lasts runs what a transaction does after its time; the keys that were looked at may be a second old.
func (s *lengthy) lasts(what string, do func()) {
	time.Sleep(longest)
	began := time.Now()
	do()
	if wait := time.Since(began); wait > 2*time.Second {
		s.mu.Lock()
		s.waited = append(s.waited, fmt.Sprintf("%s waits for %v", what, wait))
		s.mu.Unlock()
	}
}

func (s *lengthy) Write(ctx context.Context, do func(context.Context, backoffice.Tx) error) error {
	callers := make([]uintptr, 30)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	s.mu.Lock()
	background := false
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		name := plainName(frame.Function)
		s.opened[name] = true
		background = background || name == "backoffice.RecordDiscrepancies"
	}
	s.mu.Unlock()
	if background { // small ones, between those of requests
		return s.Store.Write(ctx, do)
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) (err error) {
		s.lasts("a transaction", func() { err = do(ctx, tx) })
		return err
	})
}

func (s *lengthy) ResealTrash(ctx context.Context, change func(*backoffice.Customer) (bool, error)) error {
	return s.Store.ResealTrash(ctx, func(c *backoffice.Customer) (changed bool, err error) {
		s.lasts("the trash", func() { changed, err = change(c) })
		return changed, err
	})
}

func (s *lengthy) ResealWebhooks(ctx context.Context, change func(string, []byte) ([]byte, error)) error {
	return s.Store.ResealWebhooks(ctx, func(id string, before []byte) (sealed []byte, err error) {
		s.lasts("a webhook's secret", func() { sealed, err = change(id, before) })
		return sealed, err
	})
}

func (s *lengthy) UpdateCredential(ctx context.Context, id string, change func(*backoffice.Credential) error) error {
	return s.Store.UpdateCredential(ctx, id, func(c *backoffice.Credential) (err error) {
		s.lasts("a credential", func() { err = change(c) })
		return err
	})
}

func (s *lengthy) UpdateWebhook(
	ctx context.Context, id, act string, now backoffice.Instant, change func(*backoffice.Webhook) error,
) error {
	return s.Store.UpdateWebhook(ctx, id, act, now, func(w *backoffice.Webhook) (err error) {
		s.lasts("a webhook", func() { err = change(w) })
		return err
	})
}

func (s *lengthy) ChangeTrustedDocuments(
	ctx context.Context, act backoffice.Change,
	change func([]*backoffice.TrustedDocument) (backoffice.TrustedChanges, error),
) error {
	return s.Store.ChangeTrustedDocuments(ctx, act,
		func(d []*backoffice.TrustedDocument) (changes backoffice.TrustedChanges, err error) {
			s.lasts("trusted documents", func() { changes, err = change(d) })
			return changes, err
		})
}

func (s *lengthy) SealIdempotencyKeys(
	ctx context.Context, seal func(string, backoffice.Noun, string) (string, error),
) error {
	return s.Store.SealIdempotencyKeys(ctx, func(id string, noun backoffice.Noun, key string) (sealed string, err error) {
		s.lasts("an idempotency key", func() { sealed, err = seal(id, noun, key) })
		return sealed, err
	})
}

func (s *lengthy) OpenConsultationChain(
	ctx context.Context, seal func(int64) (chain, register backoffice.ConsultationHead),
) error {
	return s.Store.OpenConsultationChain(ctx, func(chain int64) (own, all backoffice.ConsultationHead) {
		time.Sleep(time.Second) // a request has ten for it
		return seal(chain)
	})
}

// plainName is package.Function, of a method or closure as well.
func plainName(function string) string {
	rest := function[strings.LastIndex(function, "/")+1:]
	pkg, rest, _ := strings.Cut(rest, ".")
	if strings.HasPrefix(rest, "(") {
		_, rest, _ = strings.Cut(rest, ").")
	}
	name, _, _ := strings.Cut(rest, "[")
	name, _, _ = strings.Cut(name, ".")
	return pkg + "." + name
}

// openTransactions are the functions that have a transaction run code of theirs.
func openTransactions(t *testing.T, pkg string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is || len(call.Args) != 2 {
					return true
				}
				if to, is := call.Fun.(*ast.SelectorExpr); is && strings.EqualFold(to.Sel.Name, "write") {
					if of, is := call.Args[1].(*ast.FuncLit); is && len(of.Type.Params.List) == 2 {
						names = append(names, pkg+"."+f.Name.Name)
					}
				}
				return true
			})
		}
	}
	return names
}

func TestEveryMethodOfTheStoreThatRunsItsCallersCodeInATransactionLasts(t *testing.T) {
	t.Parallel()
	reads := []string{"EachTrashed", "EachImported"} // they visit
	own := map[string]bool{}
	for method := range reflect.TypeFor[*lengthy]().Methods() {
		file, _ := runtime.FuncForPC(method.Func.Pointer()).FileLine(method.Func.Pointer())
		own[method.Name] = file != "<autogenerated>"
	}
	for method := range reflect.TypeFor[backoffice.Store]().Methods() {
		runs := false
		for in := range method.Type.Ins() {
			runs = runs || in.Kind() == reflect.Func
		}
		if runs && !own[method.Name] && !slices.Contains(reads, method.Name) {
			t.Errorf("%s of the store runs code in a transaction, which does not last here", method.Name)
		}
	}
}

func TestNothingInATransactionWaitsForAnotherWriter(t *testing.T) {
	t.Parallel()
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	settings.Keyset = filepath.Join(t.TempDir(), "keyset.json")
	content, err := os.ReadFile(gatewaytest.Path("testdata", "keyset.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings.Keyset, content, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(now)) // its clock begins with the year 2000
		transactionsThatLast(t, settings)
	})
}

func transactionsThatLast(t *testing.T, settings gateway.Settings) {
	of := &lengthy{opened: map[string]bool{}}
	bounds := gatewaytest.Limits()
	bounds.Time = time.Hour
	h, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	of.Store, h.Store = h.Store, of
	c := gatewaytest.Config(bounds)
	c.Trash.Keep = gateway.TrashTime(24 * time.Hour)
	o := gatewaytest.ServeConfig(t, h, c)
	ctx := t.Context()
	done := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, backoffice.Cause(err))
		}
	}
	for _, dry := range []bool{true, false} {
		importer := importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys, DryRun: dry}
		_, err := importer.Import(ctx, gatewaytest.Path("testdata", "office"))
		done("import", err)
	}
	one := filepath.Join(t.TempDir(), "labels.ndjson")
	if err := os.WriteFile(one, []byte(`{"_id":"undone","name":"Undone"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var undone int64
	importer := importexport.Importer{Store: o.Store, Files: o.Files, Keys: o.Keys, Trash: time.Hour, Numbered: func(number int64) { undone = number }}
	_, err = importer.Import(ctx, one)
	done("an import that can be taken back", err)
	_, err = importer.Undo(ctx, undone)
	done("import undo", err)
	done("cache drop", backoffice.ForgetWhatWasRead(ctx, o.Store, backoffice.InstantOf(time.Now())))
	act := backoffice.WithAct(ctx, &backoffice.Act{Action: "keys rotate"})
	done("an act", backoffice.NoteAct(act, o.Store))
	all := o.Credential(t, backoffice.AllScopes...)
	mutate := func(text string) {
		t.Helper()
		status, body, _ := o.Ask(t, all, "mutation { m: "+text+" { userErrors { code message } } }", nil, nil)
		if status != 200 || !strings.Contains(string(body), `"userErrors":[]`) {
			t.Errorf("%s: %d %s", text, status, body)
		}
	}
	const number = `registrationNumber: "85.07.30-033.28"`
	mutate(`createCustomer(input: {type: PRIVATE_PERSON, lastName: "Maes", idempotencyKey: "one", ` + number + `})`)
	mutate(`createCustomers(inputs: [{type: PRIVATE_PERSON, lastName: "Claes", ` + number + `}])`)
	mutate(`updateCustomer(input: {id: "els", ` + number + `})`)
	mutate(`updateCustomers(inputs: [{id: "els", spouse` + strings.ToUpper(number[:1]) + number[1:] + `}])`)
	mutate(`createCustomerRelation(input: {customerId: "brouwerij", relatedCustomerId: "els", kind: UBO})`)
	mutate(`createCustomerRelation(input: {customerId: "cafe", relatedCustomerId: "fien", kind: SHAREHOLDER, sharePercent: 100})`) // not declared
	mutate(`updateCustomerRelation(input: {id: "rel-1", note: "founder"})`)
	mutate(`noteDiscrepancy(input: {id: "discrepancy-1", note: "Told them"})`)
	mutate(`deleteCustomerRelation(input: {id: "rel-1"})`)
	mutate(`assignChecklist(input: {customerId: "acme", checklistId: "list-2026-fr"})`)
	mutate(`assignChecklists(input: {customerIds: ["els"], checklistId: "list-2026-fr"})`)
	mutate(`generateTranscriptDocument(input: {transcriptId: "tr-1"})`)
	mutate(`createDocumentUpload(input: {customerId: "acme", name: "a.pdf"})`)
	mutate(`mergeCustomers(input: {keepId: "cafe", dropId: "duo"})`)
	mutate(`updateUser(input: {id: "user-bruno", language: "dutch"})`)
	mutate(`deleteUser(input: {id: "user-bruno"})`)
	mutate(`deleteCustomers(inputs: [{id: "els"}])`)
	_, err = o.Service().RestoreTrashed(ctx, "els")
	done("trash restore", err)
	mutate(`deleteCustomer(input: {id: "els"})`)
	rotator := &privacy.KeyRotator{Keys: o.Keys, Store: o.Store, Wait: time.Hour}
	_, _, err = rotator.Rotate(ctx)
	done("keys rotate", err)
	_, err = rotator.Reseal(ctx)
	done("keys reseal", err)
	_, err = o.Service().StartYear(ctx, backoffice.YearStart{Year: "2027", WithChecklists: true})
	done("years start", err)
	if len(of.waited) > 0 {
		t.Error(of.waited)
	}
	elsewhere := map[string]string{
		"backoffice.copyOf": "it reads what a mirror has copied; importexport/mirror/through_test.go",
	}
	opened := slices.Sorted(maps.Keys(of.opened))
	for _, name := range slices.Concat(openTransactions(t, "backoffice"), openTransactions(t, "importexport")) {
		if !slices.Contains(opened, name) && elsewhere[name] == "" {
			t.Errorf("no transaction of %s was opened here: add what opens it", name)
		}
	}
}

func TestAWaitInATransactionIsFound(t *testing.T) {
	t.Parallel()
	settings := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	synctest.Test(t, func(t *testing.T) {
		h, err := settings.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		of := &lengthy{Store: h.Store, opened: map[string]bool{}}
		err = of.Write(t.Context(), func(ctx context.Context, _ backoffice.Tx) error {
			if err := backoffice.ForgetWhatWasRead(ctx, h.Store, 1); err == nil {
				t.Error("two write at once")
			}
			return nil
		})
		if err != nil || len(of.waited) != 1 {
			t.Errorf("found is %q (%v)", of.waited, err)
		}
	})
}
