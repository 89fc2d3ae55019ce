package exports

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
	"example.org/backoffice/store/postgres/pgtest"
)

// openPaged is an office of 47 customers of which 7 are a page, and the credential that exports them.
func openPaged(t *testing.T, database string) (o *gatewaytest.Office, p *gatewaytest.Paged, walker [2]string) {
	t.Helper()
	settings := gatewaytest.Settings(t, database)
	filled := gatewaytest.OpenOn(t, database)
	for range 40 {
		filled.MakeCustomer(t)
	}
	p = &gatewaytest.Paged{BeforePage: func(int64) {}}
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Store, b.Store = b.Store, p
	o = gatewaytest.ServeConfig(t, b, gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.SmallPages())))
	issued, secret, err := auth.Issue(t.Context(), o.Store, "test walker", backoffice.AllScopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	return o, p, [2]string{issued.ID, secret}
}

const walked = `{ customers { nodes { id name } } }`

// pagesInMemory are how many pages of exports are in memory, as the metrics tell.
func pagesInMemory(t *testing.T, o *gatewaytest.Office) int {
	t.Helper()
	return o.Metric(t, "backoffice_export_pages")
}

// waitUntilFreed waits until no page of an export is in memory and the credential may have another export.
func waitUntilFreed(t *testing.T, o *gatewaytest.Office, origin string, credential [2]string) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, origin, credential, "format=csv", `{ labels { nodes { id } } }`, nil, nil))
		if e.Status != http.StatusTooManyRequests && pagesInMemory(t, o) == 0 {
			return
		}
		if time.Now().After(until) {
			t.Fatal("the credential still has an export")
		}
	}
}

func TestWhatFailsInTheMiddleBreaksTheConnection(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			for name, fail := range map[string]func(t *testing.T, o *gatewaytest.Office, walker [2]string){
				"the credential is revoked": func(t *testing.T, o *gatewaytest.Office, walker [2]string) {
					if err := auth.Revoke(t.Context(), o.Store, walker[0]); err != nil {
						t.Error(err)
					}
					for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
						if w := o.Send(t, walker, http.MethodGet, "/customers", ""); w.Code == http.StatusUnauthorized {
							return
						}
					}
				},
				"the store is away": func(t *testing.T, o *gatewaytest.Office, _ [2]string) {
					if err := o.Store.(*gatewaytest.Paged).Store.Close(); err != nil {
						t.Error(err)
					}
				},
			} {
				for _, format := range []string{"csv", "jsonl"} {
					t.Run(name+" "+format, func(t *testing.T) {
						o, p, walker := openPaged(t, database(t))
						server := o.ExportServer(t)
						p.BeforePage = func(page int64) {
							if page == 4 {
								fail(t, o, walker)
							}
						}
						e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, walker, "format="+format, walked, nil, nil))
						if e.Status != http.StatusOK || e.Err == nil || e.Trailer.Get("Export-Status") != "" || strings.Count(e.Body, "\n") > 30 {
							t.Errorf("%s: %v", format, e)
						}
					})
				}
			}
		})
	}
}

func TestAClientThatGoesFreesAllThatItsExportHas(t *testing.T) {
	t.Parallel()
	o, p, walker := openPaged(t, gatewaytest.Engines["SQLite"](t))
	server, other := o.ExportServer(t), o.Credential(t)
	reached, goOn := make(chan struct{}), make(chan struct{})
	p.BeforePage = func(page int64) {
		if page == 4 {
			close(reached)
			<-goOn
		}
	}
	ctx, gone := context.WithCancel(t.Context())
	r := gatewaytest.NewExportRequest(t, server.URL, walker, "format=jsonl", walked, nil, nil).WithContext(ctx)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(response.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), `{"id":"`) {
		t.Fatalf("%s %v", lines.Text(), lines.Err())
	}
	<-reached
	busy := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, walker, "format=csv", walked, nil, nil))
	if busy.Status != http.StatusTooManyRequests || busy.Code() != "RATE_LIMITED" || busy.Header.Get("Retry-After") == "" {
		t.Errorf("a second export: %v", busy)
	}
	if e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, other, "format=csv", walked, nil, nil)); !e.Complete() {
		t.Errorf("another credential's: %v", e)
	}
	gone()
	response.Body.Close()
	close(goOn)
	waitUntilFreed(t, o, server.URL, walker)
}

// slow is a store whose register takes its time, so that an export's pages wait to be written.
type slow struct{ backoffice.Store }

func (s slow) AppendConsultations(ctx context.Context, head, next backoffice.ConsultationHead, entries []*backoffice.Consultation) error {
	time.Sleep(100 * time.Millisecond)
	return s.Store.AppendConsultations(ctx, head, next, entries)
}

// openSlow is openPaged with a slow register.
func openSlow(t *testing.T, url string) (o *gatewaytest.Office, p *gatewaytest.Paged, walker [2]string) {
	t.Helper()
	filled := gatewaytest.OpenOn(t, url)
	for range 40 {
		filled.MakeCustomer(t)
	}
	settings := gatewaytest.Settings(t, url)
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Vault = privacy.NewVault(b.Keys, slow{b.Store})
	p = &gatewaytest.Paged{Store: b.Store, BeforePage: func(int64) {}}
	b.Store = p
	o = gatewaytest.ServeConfig(t, b, gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.SmallPages())))
	issued, secret, err := auth.Issue(t.Context(), o.Store, "test walker", backoffice.AllScopes, 0)
	if err != nil {
		t.Fatal(err)
	}
	return o, p, [2]string{issued.ID, secret}
}

func TestAnExportHasThreePagesInMemoryHoweverLongItIs(t *testing.T) {
	t.Parallel()
	o, p, walker := openSlow(t, gatewaytest.Engines["SQLite"](t))
	var most atomic.Int64
	p.BeforePage = func(int64) {
		if n := int64(pagesInMemory(t, o)); n > most.Load() {
			most.Store(n)
		}
	}
	server := o.ExportServer(t)
	purpose := http.Header{privacy.PurposeHeader: {"yearly statement"}}
	e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, walker, "format=jsonl", `{ customers { nodes { id registrationNumber } } }`, nil, purpose))
	if read := p.Pages.Load(); !e.Complete() || read < 7 || most.Load() == 0 || most.Load() > 3 {
		t.Errorf("%d pages, of which %d were in memory: %v", read, most.Load(), e)
	}
	waitUntilFreed(t, o, server.URL, walker)
}

// slowly takes 700 ms for each write.
type slowly struct{ http.ResponseWriter }

func (s slowly) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s slowly) Write(text []byte) (int, error) {
	time.Sleep(700 * time.Millisecond)
	return s.ResponseWriter.Write(text)
}

func TestAPageOfNumbersIsSentAlsoWhenTheClientNeedsLongerForEarlierOnes(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.SmallPages()
	bounds.Time = time.Second
	database := gatewaytest.Engines["SQLite"](t)
	filled := gatewaytest.OpenOn(t, database) // without the bound
	for range 40 {
		filled.MakeCustomer(t)
	}
	o := gatewaytest.OpenWith(t, database, bounds)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.Handler.ServeHTTP(slowly{w}, r) }))
	defer server.Close()
	purpose := http.Header{privacy.PurposeHeader: {"yearly statement"}}
	e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, o.Credential(t, backoffice.AllScopes...), "format=jsonl",
		`{ customers { nodes { id registrationNumber } } }`, nil, purpose))
	if !e.Complete() || len(e.Lines()) < 40 {
		t.Errorf("%d lines: %v", len(e.Lines()), e)
	}
}

func TestAnExportGoesOnWhenTheDatabaseIsBackSoon(t *testing.T) {
	t.Parallel()
	proxy := pgtest.NewProxy(t)
	o, p, walker := openPaged(t, proxy.Through(gatewaytest.Engines["PostgreSQL"](t)))
	want := o.Export(t, o.Credential(t), "format=jsonl", walked)
	p.BeforePage = func(page int64) {
		if page == 4 {
			proxy.Stop()
			time.AfterFunc(300*time.Millisecond, func() { proxy.Start(t) })
		}
	}
	e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, o.ExportServer(t).URL, walker, "format=jsonl", walked, nil, nil))
	if !e.Complete() || !want.Complete() || e.Body != want.Body || p.Pages.Load() < 9 {
		t.Errorf("after %d pages: %v", p.Pages.Load(), e)
	}
}

func TestAServerThatStopsEndsItsExports(t *testing.T) {
	t.Parallel()
	o, p, walker := openPaged(t, gatewaytest.Engines["SQLite"](t))
	server := o.ExportServer(t)
	p.BeforePage = func(page int64) {
		if page == 4 {
			o.Stop()
		}
	}
	e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, walker, "format=jsonl", walked, nil, nil))
	if e.Status != http.StatusOK || e.Err == nil {
		t.Errorf("%v", e)
	}
	if later := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, walker, "format=jsonl", walked, nil, nil)); later.Status != http.StatusServiceUnavailable {
		t.Errorf("one that begins then: %v", later)
	}
}

func TestMoreRowsThanAnExportMayHaveBreakIt(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.SmallPages()
	bounds.ExportRows = 6
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	all := o.Credential(t, backoffice.AllScopes...)
	if e := o.Export(t, all, "format=jsonl", `{ customers(first: 6) { nodes { id } } }`); !e.Complete() {
		t.Errorf("6 rows: %v", e)
	}
	if e := o.Export(t, all, "format=jsonl", `{ customers { nodes { id } } }`); e.Complete() {
		t.Errorf("7 rows: %v", e)
	}
}

func TestEachCustomerWhoseNumberLeavesIsInTheRegisterBeforeItDoes(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o, _, walker := openSlow(t, database(t))
			purpose := http.Header{privacy.PurposeHeader: {"yearly statement"}}
			response, err := http.DefaultClient.Do(gatewaytest.NewExportRequest(t, o.ExportServer(t).URL, walker, "format=csv", `{ customers(orderBy: {field: NAME}) { nodes { id registrationNumber } } }`, nil, purpose))
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			var with []string
			var id string
			first := -1 // how many entries there were when the first number was here
			for lines := bufio.NewScanner(response.Body); lines.Scan(); {
				one, number, _ := strings.Cut(lines.Text(), ",")
				if number == "" || one == "id" {
					continue
				}
				id = one
				with = append(with, "EXPORT "+id+" [REGISTRATION_NUMBER]")
				entries := o.RegisterEntries(t)
				if len(entries) < len(with) || entries[len(with)-1] != with[len(with)-1] {
					t.Fatalf("the number of %s is here, and not in the register", id)
				}
				if first < 0 {
					first = len(entries)
				}
			}
			if entries := o.RegisterEntries(t); len(with) < 40 || !slices.Equal(entries, with) || response.Trailer.Get("Export-Status") != "complete" {
				t.Errorf("the register has %d entries, %d numbers left", len(entries), len(with))
			}
			if first < 1 || first > len(with)/2 {
				t.Errorf("when the first number was here, %d of %d were in the register", first, len(with))
			}
			_, body, _ := o.Ask(t, walker, `query($id: ID!) { customer(id: $id) { privacyAccesses(first: 1) { nodes { operation purpose clientId fields } } } }`,
				json.RawMessage(`{"id": "`+id+`"}`), nil)
			if want := `{"operation":"EXPORT","purpose":"yearly statement","clientId":"` + walker[0] + `","fields":["REGISTRATION_NUMBER"]}`; !strings.Contains(string(body), want) {
				t.Errorf("privacyAccesses: %s", body)
			}
		})
	}
}

// unable is a store in whose register nothing can be entered.
type unable struct{ backoffice.Store }

func (unable) AppendConsultations(context.Context, backoffice.ConsultationHead, backoffice.ConsultationHead, []*backoffice.Consultation) error {
	return errors.New("the register's disk is full")
}

func TestNoNumberLeavesThatCannotBeEntered(t *testing.T) {
	t.Parallel()
	url := gatewaytest.Engines["SQLite"](t)
	gatewaytest.OpenOn(t, url)
	settings := gatewaytest.Settings(t, url)
	b, err := settings.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.Vault = privacy.NewVault(b.Keys, unable{b.Store})
	o := gatewaytest.ServeConfig(t, b, gatewaytest.Measured(t, gatewaytest.Config(gatewaytest.SmallPages())))
	purpose := http.Header{privacy.PurposeHeader: {"yearly statement"}}
	for _, format := range []string{"csv", "jsonl", "xlsx"} {
		e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, o.ExportServer(t).URL, o.Credential(t, backoffice.AllScopes...), "format="+format, `{ customers { nodes { id registrationNumber } } }`, nil, purpose))
		if e.Status != http.StatusServiceUnavailable || e.Code() != "UNAVAILABLE" {
			t.Errorf("%s: %d %.100q", format, e.Status, e.Body)
		}
	}
}
