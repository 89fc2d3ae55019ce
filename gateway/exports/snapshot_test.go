package exports

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

// customersOf are the names of exported customers by their identifiers.
func customersOf(t *testing.T, lines []string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, line := range lines {
		var c struct{ ID, Name string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		names[c.ID] = c.Name
	}
	return names
}

// joinChanges brings an export to the state of now by the changes behind a number, as docs/exports.md says.
func joinChanges(t *testing.T, o *gatewaytest.Office, credential [2]string, rows map[string]string, after string) {
	t.Helper()
	for more := true; more; {
		var page struct {
			Data struct {
				Changes struct {
					Nodes []struct {
						Cursor, ObjectID string
						Object           *struct{ Name string }
					}
					PageInfo struct{ HasNextPage bool }
				}
			}
		}
		_, body, _ := o.Ask(t, credential, `query($after: String!) { changes(after: $after, first: 4, nouns: [CUSTOMER]) { nodes { cursor objectId object { ... on Customer { name } } } pageInfo { hasNextPage } } }`,
			json.RawMessage(`{"after": "`+after+`"}`), nil)
		if err := json.Unmarshal(body, &page); err != nil || strings.Contains(string(body), `"errors"`) {
			t.Fatalf("%s %v", body, err)
		}
		for _, c := range page.Data.Changes.Nodes {
			if after = c.Cursor; c.Object == nil {
				delete(rows, c.ObjectID)
			} else {
				rows[c.ObjectID] = c.Object.Name
			}
		}
		more = page.Data.Changes.PageInfo.HasNextPage
	}
}

// renameMany has writers rename, make and delete customers until the function that it returns is called.
func renameMany(t *testing.T, o *gatewaytest.Office, credential [2]string, ids []string, writers int) (end func()) {
	t.Helper()
	over := make(chan struct{})
	var all sync.WaitGroup
	for w := range writers {
		mine := ids[w*len(ids)/writers : (w+1)*len(ids)/writers]
		all.Go(func() {
			before := ""
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				id := mine[rand.IntN(len(mine))]
				if w := o.Send(t, credential, http.MethodPut, "/customers/"+id, `{"name": "`+fmt.Sprintf("%c of %d", 'A'+rune(rand.IntN(26)), n)+`"}`); w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, w.Body)
					return
				}
				if n%5 == 0 {
					if before != "" {
						o.Send(t, credential, http.MethodDelete, "/customers/"+before, "")
					}
					before = o.MakeCustomerAs(t, credential)
				}
			}
		})
	}
	return sync.OnceFunc(func() { close(over); all.Wait() })
}

func TestAnExportAndTheChangesAfterItsNumberAreTheExactState(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o, p, walker := openPaged(t, database(t))
			server, writer := o.ExportServer(t), o.Credential(t, backoffice.AllScopes...)
			const query = `{ customers(orderBy: {field: NAME}) { nodes { id name } } }`
			whole := func() gatewaytest.Export {
				p.Pages.Store(0)
				e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, walker, "format=jsonl", query, nil, nil))
				if !e.Complete() {
					t.Fatalf("%v", e)
				}
				return e
			}
			first := o.MakeCustomerAs(t, writer)
			renamed := func(name string) {
				if w := o.Send(t, writer, http.MethodPut, "/customers/"+first, `{"name": "`+name+`"}`); w.Code != http.StatusOK {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			renamed("0 of the first page")
			others := slices.DeleteFunc(slices.Sorted(maps.Keys(customersOf(t, whole().Lines()))), func(id string) bool { return id == first })
			late := "" // the number after the first page: what a walk would tell that took it then
			during := func(page int64) {
				if page == 2 {
					renamed("0 of a page that was read")
					log, err := backoffice.ReadChangePage(context.Background(), o.Store, backoffice.ChangeQuery{After: backoffice.FromOldest})
					if err != nil {
						t.Error(err)
						return
					}
					late = log.End()
				}
				time.Sleep(2 * time.Millisecond) // room for the writers between pages
			}
			// differs reports whether an export and the changes after a number are not what is stored in the end.
			differs := func(after func(gatewaytest.Export) string) bool {
				renamed("0 of the first page")
				end := renameMany(t, o, writer, others, 3)
				defer end()
				p.BeforePage = during
				e := whole()
				p.BeforePage = func(int64) {}
				end()
				got := customersOf(t, e.Lines())
				joinChanges(t, o, walker, got, after(e))
				return !maps.Equal(got, customersOf(t, whole().Lines()))
			}
			for range 5 {
				if differs(func(e gatewaytest.Export) string { return e.Header.Get("Changes-After") }) {
					t.Fatal("the export and the changes after its number are not what is stored")
				}
			}
			if !differs(func(gatewaytest.Export) string { return late }) {
				t.Error("a number that is taken after the first page is good as well, so this test shows nothing")
			}
			if _, n, err := backoffice.ParseChangeCursor(late); err != nil || n == 0 {
				t.Errorf("the late cursor is %q", late)
			}
		})
	}
}
