package exports

import (
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
	"example.org/backoffice/privacy"
)

func TestWhatCannotBeExportedIsRefusedBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	bounds := gatewaytest.Limits()
	bounds.ExportRows = 100
	o := gatewaytest.OpenWith(t, gatewaytest.Engines["SQLite"](t), bounds)
	all, none := o.Credential(t, backoffice.AllScopes...), o.Credential(t)
	server := o.ExportServer(t)
	for name, c := range map[string]struct {
		credential        [2]string
		parameters, query string
		header            http.Header
		status            int
		code, tells       string
	}{
		"two root lists": {all, "format=csv", `{ customers { nodes { id } } users { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "customers, users"},
		"no list":        {all, "format=csv", `{ viewer { clientId } }`, nil, 400, "BAD_USER_INPUT", "viewer"},
		"an aggregate":   {all, "format=csv", `{ customersAggregate(groupBy: [TYPE]) { groupCount } }`, nil, 400, "BAD_USER_INPUT", "customersAggregate"},
		"introspection":  {all, "format=csv", `{ __typename }`, nil, 400, "BAD_USER_INPUT", "__typename"},
		"a mutation":     {all, "format=jsonl", `mutation { createLabel(input: {name: "x"}) { label { id } } }`, nil, 400, "BAD_USER_INPUT", "a query"},
		"nothing of it":  {all, "format=jsonl", `{ customers { totalCount } }`, nil, 400, "BAD_USER_INPUT", "nodes"},
		"rows twice":     {all, "format=jsonl", `{ customers { nodes { id } edges { node { id } } } }`, nil, 400, "BAD_USER_INPUT", "nodes and edges"},
		"two unfolded lists": {all, "format=csv&rows=relations", `{ customers { nodes { relations { nodes { id kind } } transcripts { nodes { id progressPercentage } } } } }`, nil,
			400, "BAD_USER_INPUT", "relations, transcripts"},
		"a list inside a list": {all, "format=xlsx&rows=relations", `{ customers { nodes { relations { edges { otherCustomer { transcripts { nodes { id progressPercentage } } } } } } } }`, nil,
			400, "BAD_USER_INPUT", "relations, relations.otherCustomer.transcripts"},
		"a list that is not named":  {all, "format=csv", `{ customers { nodes { id relations { nodes { id kind } } } } }`, nil, 400, "BAD_USER_INPUT", "rows=relations"},
		"a list that is not there":  {all, "format=csv&rows=others", `{ customers { nodes { id relations { nodes { id } } } } }`, nil, 400, "BAD_USER_INPUT", "relations"},
		"rows in JSON Lines":        {all, "format=jsonl&rows=relations", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "rows"},
		"excel of a sheet":          {all, "format=xlsx&excel=on", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "excel"},
		"another format":            {all, "format=pdf", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "jsonl, csv or xlsx"},
		"another parameter":         {all, "format=csv&row=1", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "parameters"},
		"a malformed parameter":     {all, "format=csv&rows=%zz", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "could not be read"},
		"a parameter twice":         {all, "format=csv&format=csv", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "duplicate"},
		"a switch":                  {all, "format=csv&cursor=1", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "on or off"},
		"a format unheard of":       {all, "", `{ customers { nodes { id } } }`, http.Header{"Accept": {"text/html, */*;q=0"}}, 406, "BAD_USER_INPUT", "text/csv"},
		"JSON":                      {all, "", `{ customers { nodes { id } } }`, http.Header{"Accept": {"application/json"}}, 406, "BAD_USER_INPUT", "text/csv"},
		"backwards":                 {all, "format=csv", `{ customers(last: 3) { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "last"},
		"by page":                   {all, "format=csv", `{ customers(page: 3) { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "page"},
		"less than nothing":         {all, "format=csv", `{ customers(first: -3) { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "first"},
		"a bad cursor":              {all, "format=csv&after=nowhere", `{ customers { nodes { id } } }`, nil, 400, "BAD_USER_INPUT", "cursor"},
		"too many rows":             {all, "format=csv", `{ customers(first: 101) { nodes { id } } }`, nil, 400, "COST_LIMIT", "100 rows"},
		"a name of its own":         {all, "format=jsonl", `{ customers { nodes { _cursor: id } } }`, nil, 400, "BAD_USER_INPUT", "_cursor"},
		"the same name twice":       {all, "format=jsonl", `{ relations { edges { id: direction node { id } } } }`, nil, 400, "BAD_USER_INPUT", "id"},
		"the same column twice":     {all, "format=csv&rows=relations", `{ customers { nodes { relations { edges { id: direction node { id } } } } } }`, nil, 400, "BAD_USER_INPUT", "relations.id"},
		"bad syntax":                {all, "format=csv", `{ customers `, nil, 400, "GRAPHQL_PARSE_FAILED", "Syntax"},
		"an unknown field":          {all, "format=csv", `{ customers { nodes { idd } } }`, nil, 400, "GRAPHQL_VALIDATION_FAILED", "idd"},
		"too dear":                  {all, "format=jsonl", `{ customers { nodes { relations(first: 500) { nodes { customer { relations(first: 500) { nodes { id } } } } } } } }`, nil, 400, "COST_LIMIT", "50000"},
		"without a scope":           {none, "format=csv", `{ minfinDocuments { nodes { id } } }`, nil, 403, "FORBIDDEN", "minfin.read"},
		"without a scope below":     {none, "format=csv", `{ customers { nodes { id registrationNumber } } }`, nil, 403, "FORBIDDEN", "privacy.read"},
		"without a scope to filter": {none, "format=csv", `{ customers(filter: {registrationNumber: "85073003328"}) { nodes { id } } }`, nil, 403, "FORBIDDEN", "privacy.read"},
		"without a purpose":         {all, "format=csv", `{ customers { nodes { id registrationNumber } } }`, nil, 400, "BAD_USER_INPUT", "purpose"},
		"with a bad purpose":        {all, "format=csv", `{ customers { nodes { id } } }`, http.Header{privacy.PurposeHeader: {"85073003328"}}, 400, "BAD_USER_INPUT", "purpose"},
		"nobody":                    {[2]string{"nobody", "x"}, "format=csv", `{ customers { nodes { id } } }`, nil, 401, "UNAUTHENTICATED", ""},
	} {
		e := gatewaytest.SendExport(t, gatewaytest.NewExportRequest(t, server.URL, c.credential, c.parameters, c.query, nil, c.header))
		if e.Status != c.status || e.Code() != c.code || !strings.Contains(e.Body, c.tells) || strings.Contains(e.Body, "85073003328") {
			t.Errorf("%s: %d %s: %s", name, e.Status, e.Code(), e.Body)
		}
	}
	if len(o.RegisterEntries(t)) != 0 {
		t.Errorf("what was refused is in the register: %v", o.RegisterEntries(t))
	}
	for method, status := range map[string]int{http.MethodGet: 405, http.MethodPut: 405} {
		r, _ := http.NewRequest(method, server.URL+"/graphql/export?format=csv", strings.NewReader("{}"))
		r.Header.Set(auth.ClientIDHeader, all[0])
		r.Header.Set(auth.ClientSecretHeader, all[1])
		if e := gatewaytest.SendExport(t, r); e.Status != status || e.Header.Get("Allow") != http.MethodPost {
			t.Errorf("%s: %v", method, e)
		}
	}
}

func TestAnExportOverHTTP10IsRefusedSinceItsEndCouldNotBeTold(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	r := gatewaytest.NewExportRequest(t, "http://office.example", o.Credential(t), "format=csv", `{ customers { nodes { id } } }`, nil, nil)
	r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/1.0", 1, 0
	if w := serveExport(o, r); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "proxy_http_version") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
