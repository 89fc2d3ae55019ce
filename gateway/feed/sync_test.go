package feed

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/web/static/webtest"
)

// syncClient is the client that docs/sync.md shows.
func syncClient(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/sync.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```js sync.mjs\n(.*?)```").FindSubmatch(page)
	if block == nil {
		t.Fatal("the page shows no client")
	}
	file := filepath.Join(t.TempDir(), "sync.mjs")
	if err := os.WriteFile(file, block[1], 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheClientOfThePageKeepsItsCopyInStep(t *testing.T) {
	t.Parallel()
	node, client := webtest.Tool(t, "node"), syncClient(t)
	o := gatewaytest.Open(t)
	all := o.Credential(t, backoffice.AllScopes...)
	f := o.Follower(t, all)
	folder := t.TempDir()
	// run starts the client, and kills it at the end of do.
	run := func(do func()) {
		ctx, kill := context.WithCancel(t.Context())
		command := exec.CommandContext(ctx, node, client)
		command.Dir = folder
		command.Env = append(os.Environ(), "BACKOFFICE_ORIGIN="+f.Address, "BACKOFFICE_CLIENT_ID="+all[0], "BACKOFFICE_CLIENT_SECRET="+all[1])
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		do()
		kill()
		_ = command.Wait()
	}
	type customer struct{ ID, DisplayName, Email string }
	copied := func() (of struct{ Customers map[string]customer }) {
		text, err := os.ReadFile(filepath.Join(folder, "customers.json"))
		if err != nil {
			return of // none yet
		}
		if err := json.Unmarshal(text, &of); err != nil {
			t.Error("the copy cannot be read:", err)
		}
		return of
	}
	stored := func() map[string]customer {
		_, body, _ := o.Ask(t, all, `{ customers(first: 500) { nodes { id displayName email } } }`, nil, nil)
		var answer struct {
			Data struct{ Customers struct{ Nodes []customer } }
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		of := map[string]customer{}
		for _, c := range answer.Data.Customers.Nodes {
			of[c.ID] = c
		}
		return of
	}
	inStep := func(sentence string) {
		t.Helper()
		want := stored()
		for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
			if got := copied().Customers; len(got) == len(want) && gatewaytest.JSON(t, got) == gatewaytest.JSON(t, want) {
				return
			}
		}
		t.Errorf("%s: the copy is %v, want %v", sentence, copied().Customers, want)
	}
	run(func() {
		inStep("at first")
		o.MakeCustomer(t)
		o.Write(t, all, `mutation { updateCustomer(input: {id: "acme", email: "in@step.example"}) { userErrors { code } } }`)
		inStep("while it follows")
	})
	o.Write(t, all, `mutation { deleteCustomer(input: {id: "acme"}) { userErrors { code } } }`)
	run(func() { inStep("after a deletion that it was not there for") })
	o.MakeCustomer(t)
	for more := true; more; {
		var err error
		if more, err = o.Store.RemoveChanges(t.Context(), backoffice.InstantOf(time.Now().Add(time.Hour)), 100); err != nil {
			t.Fatal(err)
		}
	}
	run(func() { inStep("when its place has expired") })
}
