package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// kind is a kind of caller, with the same one without privacy.read: for them /graphql answers what a tool may.
type kind struct {
	header, without http.Header
	scopes          []backoffice.Scope
	confined        bool // to trusted documents
}

// kinds are every kind of caller of a desk: credentials with each scope and all, confined and restricted ones, and people.
func kinds(t testing.TB, d *gatewaytest.Desk) map[string]kind {
	t.Helper()
	o := d.Office
	all := map[string]kind{"no scope": credentials(t, o)}
	for _, scope := range backoffice.AllScopes {
		all[scope.String()] = credentials(t, o, scope)
	}
	all["every scope"] = credentials(t, o, backoffice.AllScopes...)
	less := slices.DeleteFunc(slices.Clone(backoffice.AllScopes), func(s backoffice.Scope) bool { return s == backoffice.PrivacyRead })
	all["confined"] = kind{gatewaytest.CredentialHeader(o.Confined(t, backoffice.AllScopes...)), gatewaytest.CredentialHeader(o.Confined(t, less...)), backoffice.AllScopes, true}
	for name, f := range map[string]backoffice.RestrictionFields{
		"sees acme": {Customers: []string{"acme"}}, "sees an's": {Responsible: []string{"user-an"}}, "sees 2025": {Years: []string{"2025"}}, "sees nobody": {Customers: []string{"nobody"}},
	} {
		restriction, err := backoffice.NewRestriction(f)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = kind{issue(t, o, restriction, backoffice.AllScopes), issue(t, o, restriction, less), backoffice.AllScopes, false}
	}
	person := func(name string, groups ...string) http.Header {
		return http.Header{"Authorization": {"Bearer " + d.Token(t, name, map[string]any{"groups": groups})}}
	}
	all["a manager"] = kind{person("ada", "managers"), person("ada", "clerks"), []backoffice.Scope{backoffice.PrivacyRead, backoffice.MinfinRead}, false}
	all["a person of acme"] = kind{person("bea", "acme"), person("bea", "acme"), nil, false}
	return all
}

func credentials(t testing.TB, o *gatewaytest.Office, scopes ...backoffice.Scope) kind {
	t.Helper()
	less := slices.DeleteFunc(slices.Clone(scopes), func(s backoffice.Scope) bool { return s == backoffice.PrivacyRead })
	return kind{gatewaytest.CredentialHeader(o.Credential(t, scopes...)), gatewaytest.CredentialHeader(o.Credential(t, less...)), scopes, false}
}

func issue(t testing.TB, o *gatewaytest.Office, to backoffice.Restriction, scopes []backoffice.Scope) http.Header {
	t.Helper()
	now := backoffice.InstantOf(time.Now())
	credential, err := backoffice.NewCredential(backoffice.NewID(), "restricted", scopes, now, 0)
	if err != nil {
		t.Fatal(err)
	}
	credential.Restriction = to
	secret, err := auth.Create(t.Context(), o.Store, credential, now)
	if err != nil {
		t.Fatal(err)
	}
	return gatewaytest.CredentialHeader([2]string{credential.ID, secret})
}

// mapOfTests has, for managers, the same rights without privacy.read.
const mapOfTests = `{"rules": [
	{"claim": "groups", "value": "managers", "scopes": ["privacy.read", "minfin.read"]},
	{"claim": "groups", "value": "clerks", "scopes": ["minfin.read"]},
	{"claim": "groups", "value": "acme", "scopes": [], "onlyCustomer": ["acme"]}
]}`

// open serves the canary office to credentials and people.
func open(t testing.TB, engine string, memory gateway.CacheSettings) *gatewaytest.Desk {
	t.Helper()
	config := gatewaytest.Config(gatewaytest.Limits())
	config.Cache = memory
	d := gatewaytest.OpenDeskOn(t, gatewaytest.Engines[engine](t), config)
	peopletest.Write(t, d.Path, mapOfTests)
	d.Fill(t)
	clerk := d.Token(t, "dan", map[string]any{"groups": []string{"clerks"}})
	for until := time.Now().Add(30 * time.Second); strings.Contains(d.Says(t, clerk, "{ viewer { name } }"), "errors"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the map is not read again")
		}
	}
	return d
}

// ask sends the same document to /graphql.
func ask(t testing.TB, o *gatewaytest.Office, header http.Header, id, arguments string) (data json.RawMessage, failed bool) {
	t.Helper()
	body := map[string]any{"documentId": id}
	if arguments != "" {
		body["variables"] = json.RawMessage(arguments)
	}
	r := gatewaytest.NewRequest(t, [2]string{}, http.MethodPost, "/graphql", gatewaytest.JSON(t, body))
	r.Header.Del(auth.ClientIDHeader)
	r.Header.Del(auth.ClientSecretHeader)
	maps.Copy(r.Header, header)
	w := o.Serve(r)
	var answer struct{ Data json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return answer.Data, answer.Data == nil || string(answer.Data) == "null"
}

func TestEachKindOfCallerIsShownWhatItMayRunAndIsAnsweredAsByGraphQL(t *testing.T) {
	t.Parallel()
	for engine := range gatewaytest.Engines {
		for name, memory := range map[string]gateway.CacheSettings{"without a cache": {}, "with a cache": {Cache: 8 << 20}} {
			t.Run(engine+" "+name, func(t *testing.T) {
				t.Parallel()
				d := open(t, engine, memory)
				ids, cells, hidden := mark(t, d.Office), 0, 0
				for who, k := range kinds(t, d) {
					shown := d.ToolsOf(t, k.header)
					if own := slices.Contains(shown, "explain"); own == k.confined || slices.Contains(shown, "query") {
						t.Errorf("%s: %q", who, shown)
					}
					for _, of := range tools {
						cells++
						isShown := slices.Contains(shown, of.Name)
						if isShown != of.isShownTo(k.scopes...) {
							t.Errorf("%s is shown %q: %v", who, of.Name, isShown)
						}
						a := d.Calls(t, k.header, of.Name, of.arguments)
						if !isShown {
							hidden++
							if a.Error != "there is no such tool" {
								t.Errorf("%s runs %q, which is not shown: %s", who, of.Name, a.Whole)
							}
							continue
						}
						as := k.without
						if of.Numbers && slices.Contains(k.scopes, backoffice.PrivacyRead) {
							as = k.header
						}
						want, failed := ask(t, d.Office, as, ids[of.Name], of.arguments)
						if of.Name == "me" { // the name and the scopes are a caller's own
							want = a.StructuredContent
						}
						if a.IsError || failed || string(a.StructuredContent) != string(want) || a.Content[0].Text != string(want) {
							t.Errorf("%s, %q: %s\nand /graphql: %s", who, of.Name, a.Whole, want)
						}
					}
				}
				if cells != 15*len(tools) || hidden < 10 {
					t.Errorf("%d cells, %d of them hidden", cells, hidden)
				}
			})
		}
	}
}

// What a caller may do is looked up at each call: a session has no rights of its own.
func TestAChangeOfRightsIsObeyedBetweenTwoCallsOfASession(t *testing.T) {
	t.Parallel()
	for engine := range gatewaytest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			d := open(t, engine, gateway.CacheSettings{Cache: 8 << 20})
			mark(t, d.Office)
			credential := d.Credential(t, backoffice.AllScopes...)
			session := connect(t, d.Office, gatewaytest.CredentialHeader(credential))
			has := func() (names []string) {
				list, err := session.ListTools(t.Context(), nil)
				if err != nil {
					return []string{err.Error()}
				}
				for _, tool := range list.Tools {
					names = append(names, tool.Name)
				}
				return names
			}
			if !slices.Contains(has(), "taxes") {
				t.Fatal("the tool is not there")
			}
			change := func(do func(*backoffice.Credential) error) {
				if err := d.Store.UpdateCredential(t.Context(), credential[0], do); err != nil {
					t.Fatal(err)
				}
			}
			change(func(c *backoffice.Credential) error {
				return c.ChangeScopes(nil, []backoffice.Scope{backoffice.MinfinRead, backoffice.PrivacyRead}, backoffice.InstantOf(time.Now()))
			})
			header := gatewaytest.CredentialHeader(credential)
			within(t, "scopes that were removed", func() bool { return d.Calls(t, header, "taxes", `{}`).Error == "there is no such tool" })
			if shown := d.ToolsOf(t, header); slices.Contains(shown, "taxes") || slices.Contains(shown, "who_is") {
				t.Errorf("it is shown %q", shown)
			}
			if a := d.Calls(t, header, "card_with_number", `{"id":"acme"}`); len(a.Meta.Withheld) == 0 || strings.Contains(a.Whole, gatewaytest.RegistrationNumbers[0]) {
				t.Errorf("without privacy.read: %s", a.Whole)
			}
			if err := backoffice.RemoveTool(t.Context(), d.Store, "me", backoffice.InstantOf(time.Now())); err != nil {
				t.Fatal(err)
			}
			within(t, "a tool that was removed", func() bool { return d.Calls(t, header, "me", "").Error == "there is no such tool" })
			change(func(c *backoffice.Credential) error { c.Revoke(backoffice.InstantOf(time.Now())); return nil })
			within(t, "a credential that was revoked", func() bool { return d.Calls(t, header, "customers", `{}`).Status == http.StatusUnauthorized })

			token := d.Token(t, "cleo", map[string]any{"groups": []string{"clerks"}})
			person := http.Header{"Authorization": {"Bearer " + token}}
			if a := d.Calls(t, person, "customers", `{"first":500}`); !strings.Contains(a.Whole, "brouwerij") {
				t.Fatal(a.Whole)
			}
			peopletest.Write(t, d.Path, `{"rules": [{"claim": "groups", "value": "clerks", "onlyCustomer": ["acme"]}]}`)
			within(t, "a person who sees less", func() bool {
				a := d.Calls(t, person, "customers", `{"first":500}`)
				return a.Status == http.StatusOK && !strings.Contains(a.Whole, "brouwerij") && d.Calls(t, person, "taxes", `{}`).Error != ""
			})
		})
	}
}

func within(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: it is not obeyed", what)
		}
	}
}

func TestClientsOfPeopleFindOutWhereToSignIn(t *testing.T) {
	t.Parallel()
	config := gatewaytest.Config(gatewaytest.Limits())
	config.Agents.URL = "https://office.example/mcp"
	d := gatewaytest.OpenDesk(t, config, func(s backoffice.Store) backoffice.Store { return s })
	const metadata = `resource_metadata="https://office.example/.well-known/oauth-protected-resource/mcp"`
	for name, header := range map[string]http.Header{
		"Bearer " + metadata:                             {},
		`Bearer error="invalid_token", ` + metadata:      {"Authorization": {"Bearer " + d.Token(t, "x", map[string]any{"aud": "another"})}},
		`Bearer error="insufficient_scope", ` + metadata: {"Authorization": {"Bearer " + d.Token(t, "x", map[string]any{"groups": []string{"strangers"}})}},
	} {
		w := d.Serve(gatewaytest.MessageOf(t, header, "tools/list", map[string]any{}))
		if got := w.Header().Get("WWW-Authenticate"); got != name || w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden {
			t.Errorf("%d %s, not %s", w.Code, got, name)
		}
	}
	w := d.Send(t, [2]string{}, http.MethodGet, "/.well-known/oauth-protected-resource/mcp", "")
	want := fmt.Sprintf(`{"resource":"https://office.example/mcp","resource_name":"Backoffice","authorization_servers":[%q],"bearer_methods_supported":["header"]}`, d.URL)
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if plain := gatewaytest.Open(t).Send(t, [2]string{}, http.MethodGet, "/.well-known/oauth-protected-resource/mcp", ""); plain.Code != http.StatusNotFound {
		t.Errorf("where nobody signs in: %d", plain.Code)
	}
}
