package parity

import (
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth/people/peopletest"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/gateway/gatewaytest"
)

// following is a stand-by: another server, to which people sign in too.
type following struct {
	gatewaytest.Desk
	settings gateway.Settings
	address  string
	all      [2]string           // a credential with every scope
	followed *gatewaytest.Office // an office of testdata
}

func standBy(t *testing.T) following {
	t.Helper()
	shipped := gatewaytest.Settings(t, gatewaytest.Engines["SQLite"](t))
	o := openOfficeIn(t, shipped)
	all := o.Credential(t, backoffice.AllScopes...)
	o.Ask(t, all, `mutation { saveQuery(input: {name: "saved", document: "query Q { viewer { name } }"}) { userErrors { code } } }`, nil, nil)
	shipped.Ship, shipped.ShipKeyset = "file:"+t.TempDir(), filepath.Join(t.TempDir(), "ship.json")
	run := func(serve func(context.Context, *net.TCPListener) error) (address string, stop func()) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- serve(ctx, listener.(*net.TCPListener)) }()
		stop = sync.OnceFunc(func() {
			if end(); <-ended != nil {
				t.Error("a server ended with an error")
			}
		})
		t.Cleanup(stop)
		return listener.Addr().String(), stop
	}
	server, err := shipped.Open(t.Context()) // another process of the office
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	c := gatewaytest.Config(gatewaytest.Limits())
	c.Server.StopTime, c.Ship.Most = time.Second, 1<<30
	_, stop := run(func(ctx context.Context, l *net.TCPListener) error { return server.Serve(ctx, l, c, func() {}) })
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		place, err := shipped.Shipped(shipped.Ship) // the server makes the keyset
		if err == nil {
			_, _, err = place.Newest(t.Context())
		}
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	settings := gatewaytest.Settings(t, "sqlite:"+filepath.Join(t.TempDir(), "standby.db"))
	settings.ShipKeyset = shipped.ShipKeyset
	follower, err := settings.StandBy(shipped.Ship)
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan bool, 1)
	issuer := peopletest.New(t, jose.ES256)
	c.People = gateway.PeopleSettings{Issuer: issuer.URL, Audience: peopletest.Audience, Map: peopletest.Map(t, gatewaytest.UsualMap)}
	address, _ := run(func(ctx context.Context, l *net.TCPListener) error {
		_, err := follower.Run(ctx, l, c, func() { started <- true })
		return err
	})
	select {
	case <-started:
	case <-time.After(time.Minute):
		t.Fatal("it does not start")
	}
	// A server notes things at times: from here on nothing is shipped.
	stop()
	place, err := shipped.Shipped(shipped.Ship)
	if err != nil {
		t.Fatal(err)
	}
	for before := map[string]string(nil); ; time.Sleep(2 * time.Second) {
		last, _, err := place.Newest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := storeDigest(t, settings.Database, settings.Files)
		_, _, header := asked(t, address, all, http.MethodGet, "/livez", "")
		if header.Get("Backoffice-Position") == strconv.FormatInt(last, 10) && maps.Equal(now, before) {
			proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
			return following{gatewaytest.Desk{Office: &gatewaytest.Office{Handler: proxy}, Issuer: issuer}, settings, address, all, o}
		}
		before = now
	}
}

func asked(t *testing.T, address string, credential [2]string, method, path, body string) (status int, answer string, header http.Header) {
	t.Helper()
	r := gatewaytest.NewRequest(t, credential, method, "http://"+address+path, body)
	r.RequestURI = ""
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// A mutation or a REST operation that is new fails here unless a stand-by refuses it.
func TestAStandByAnswersReadsAndRefusesEveryWriteOfEveryTransport(t *testing.T) {
	t.Parallel()
	d := standBy(t)
	settings, all, o, address := d.settings, d.all, d.followed, d.address
	before := storeDigest(t, settings.Database, settings.Files)
	unchanged := func(what string) {
		t.Helper()
		if changed := changedIn(before, storeDigest(t, settings.Database, settings.Files)); len(changed) > 0 {
			t.Fatalf("%s has changed %v of the stand-by", what, changed)
		}
	}
	for _, field := range gatewaytest.MutationsOfTheSchema(t) {
		for _, dry := range []string{"true", "false"} {
			call := strings.ReplaceAll(rehearsals[field.Name].call, "DRY", "dryRun: "+dry)
			_, answer, _ := asked(t, address, all, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]any{"query": "mutation { " + field.Name + call + " }"}))
			if !strings.Contains(answer, "NOT_ALLOWED") && field.Name != "createDocumentUpload" { // which signs a path, and keeps nothing
				t.Errorf("%s with dryRun %s answers %s", field.Name, dry, answer)
			}
			unchanged(field.Name)
		}
	}
	writes := 0
	for _, of := range gatewaytest.OperationsOf(t, o) {
		if of.Method == http.MethodGet {
			continue
		}
		for _, body := range []string{`{}`, `{"name":"New","color":"#112233","type":"Company","customerId":"acme"}`} {
			status, answer, _ := asked(t, address, all, of.Method, of.PathOf("acme"), body)
			if status < 400 {
				t.Errorf("%s answers %d %s", of.ID, status, answer)
			}
		}
		unchanged(of.ID)
		writes++
	}
	if writes < 10 {
		t.Errorf("only %d operations were tried", writes)
	}
	const label = `mutation { createLabel(input: {name: "New"}) { userErrors { code } } }`
	person := d.Token(t, "ada", map[string]any{"groups": []string{"managers"}})
	socket := gatewaytest.Follower{Address: "ws://" + address, Credential: all}.Connects(t)
	socket.Says(t, gatewaytest.JSON(t, map[string]any{"type": "subscribe", "id": "1", "payload": map[string]string{"query": label}}))
	message, err := socket.Hear(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for transport, refused := range map[string]string{
		"a person": d.Says(t, person, label), "a WebSocket": string(message.Payload),
	} {
		if !strings.Contains(refused, "NOT_ALLOWED") {
			t.Errorf("%s is answered with %s", transport, refused)
		}
	}
	unchanged("another transport")
	status, answer, header := asked(t, address, all, http.MethodPost, "/settings/labels", `{"name":"New","color":"#112233"}`)
	if status != http.StatusConflict || !strings.Contains(answer, "this is a stand-by: write on the server that it follows") {
		t.Errorf("a new label is answered with %d %s", status, answer)
	}
	if header.Get("Backoffice-Position") == "" {
		t.Error("the answer does not tell its position")
	}
	unchanged("a label")
	// What was refused can be read, as on the server.
	const query = `{ customers(first: 50) { totalCount nodes { id displayName version relations(first: 5) { totalCount } } } }`
	_, here, _ := asked(t, address, all, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]any{"query": query}))
	_, there, _ := o.Ask(t, all, query, nil, nil)
	if here != strings.TrimSpace(string(there)) && here != string(there) {
		t.Errorf("the stand-by answers %s\nand the server %s", here, there)
	}
	if signedIn := d.Says(t, person, `{ viewer { name } }`); strings.Contains(signedIn, "errors") {
		t.Errorf("a person is answered with %s", signedIn)
	}
	if tools := d.ToolsOf(t, gatewaytest.CredentialHeader(all)); len(tools) < 2 {
		t.Errorf("an agent has the tools %v", tools)
	}
	// Registration numbers cannot be entered in the register, so they are not disclosed.
	for _, query := range []string{
		`{ customers(first: 50) { nodes { registrationNumber } } }`,
		`{ customers(filter: {registrationNumber: "85073003328"}) { totalCount } }`,
		`{ duplicates(by: REGISTRATION_NUMBER) { groupCount } }`,
		`{ duplicates(by: REGISTRATION_NUMBER, first: 0) { totalCount } }`,
	} {
		_, secret, _ := asked(t, address, all, http.MethodPost, "/graphql", gatewaytest.JSON(t, map[string]any{"query": query}))
		if !strings.Contains(secret, `"code":"UNAVAILABLE"`) || strings.Contains(secret, "data") {
			t.Errorf("%s discloses numbers: %s", query, secret)
		}
	}
	unchanged("reading")
}
