package exports

import (
	"net/http"
	"strings"
	"testing"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway/gatewaytest"
)

func TestTheAddressOfASavedQueryIsAnExport(t *testing.T) {
	t.Parallel()
	for engine, database := range gatewaytest.Engines {
		t.Run("on "+engine, func(t *testing.T) {
			t.Parallel()
			o := gatewaytest.OpenOn(t, database(t))
			credential, all := o.Credential(t), o.Credential(t, backoffice.AllScopes...)
			const list = "query List($type: CustomerType!) { customers(filter: {type: $type}) { nodes { id displayName kboNumber relations(first: 3) { nodes { kind } } } } }"
			if wrong := o.Saves(t, credential, map[string]any{"document": list}); wrong != nil {
				t.Fatal(wrong)
			}
			for format, options := range map[string]string{"jsonl": "", "csv": "rows=relations", "xlsx": "rows=relations"} {
				w := o.Download(t, credential, http.MethodGet, "/queries/List."+format+"?type=COMPANY&"+options, "")
				posted := o.Download(t, credential, http.MethodPost, "/graphql/export?format="+format+"&"+options, `{"query":`+gatewaytest.JSON(t, list)+`,"variables":{"type":"COMPANY"}}`)
				if w.Code != 200 || w.Body.Len() == 0 || w.Header().Get("Content-Type") != posted.Header().Get("Content-Type") || w.Result().Trailer.Get("Export-Status") != "complete" {
					t.Fatalf("%s: %d %v %s", format, w.Code, w.Result().Trailer, w.Body)
				}
				if format != "xlsx" && w.Body.String() != posted.Body.String() {
					t.Errorf("%s:\n%s\nand posted\n%s", format, w.Body, posted.Body)
				}
			}
			o.Trusts(t, "office", "query Numbers { customers { nodes { id registrationNumber } } }")
			for _, format := range []string{"jsonl", "csv", "xlsx"} {
				before := len(o.RegisterEntries(t))
				w := o.Download(t, all, http.MethodHead, "/queries/Numbers."+format, "", "X-Access-Purpose", "yearly check")
				if w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("Changes-After") == "" || !strings.Contains(w.Header().Get("Content-Disposition"), "Numbers."+format) || len(o.RegisterEntries(t)) != before {
					t.Errorf("HEAD %s: %d %v, %d bytes, %d entries", format, w.Code, w.Header(), w.Body.Len(), len(o.RegisterEntries(t))-before)
				}
			}
			before := len(o.RegisterEntries(t))
			w := o.Download(t, all, http.MethodHead, "/queries/Numbers.json", "", "X-Access-Purpose", "yearly check")
			if w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("ETag") != "" || w.Header().Get("Content-Type") != "application/json; charset=utf-8" || len(o.RegisterEntries(t)) != before {
				t.Errorf("HEAD json: %d %v, %d bytes, %d entries", w.Code, w.Header(), w.Body.Len(), len(o.RegisterEntries(t))-before)
			}
			if w := o.Download(t, credential, http.MethodHead, "/queries/Numbers.json", ""); w.Code != 403 {
				t.Errorf("HEAD json without the scope: %d", w.Code)
			}
			if w := o.Download(t, credential, http.MethodGet, "/queries/List.csv?type=COMPANY&rows=relations&excel=on", ""); !strings.HasPrefix(w.Body.String(), "\ufeff") || !strings.Contains(w.Body.String(), ";") {
				t.Errorf("excel=on: %s", w.Body)
			}
		})
	}
}

func TestTheExportOfASavedQueryIsRefusedAsItsAnswerIs(t *testing.T) {
	t.Parallel()
	o := gatewaytest.Open(t)
	all, none, confined := o.Credential(t, backoffice.AllScopes...), o.Credential(t), o.Confined(t)
	o.Trusts(t, "office",
		"query Numbers { customers { nodes { id registrationNumber } } }",
		"query Filtered($n: String) { customers(filter: {registrationNumber: $n}) { nodes { id } } }",
		"query Two { customers { nodes { id } } users { nodes { id } } }",
		"query Good { customers { nodes { id } } }")
	if wrong := o.Saves(t, none, map[string]any{"document": "query Own { customers { nodes { id displayName } } }"}); wrong != nil {
		t.Fatal(wrong)
	}
	for _, test := range []struct {
		credential [2]string
		path       string
		status     int
		code       string
	}{
		{none, "Numbers.csv", 403, "FORBIDDEN"},
		{all, "Numbers.csv", 400, "BAD_USER_INPUT"}, // without a purpose
		{all, "Filtered.jsonl?n=85073003328", 400, "BAD_USER_INPUT"},
		{all, "Two.csv", 400, "BAD_USER_INPUT"},
		{all, "Good.csv?first=1", 400, "BAD_USER_INPUT"},
		{all, "Good.csv?format=csv", 400, "BAD_USER_INPUT"},
		{all, "Good.jsonl?rows=x", 400, "BAD_USER_INPUT"},
		{all, "Good.csv?after=x", 400, "BAD_USER_INPUT"},
		{all, "Unknown.csv", 404, "NOT_FOUND"},
		{confined, "Own.csv", 404, "NOT_FOUND"},
	} {
		w, code := fetchQuery(t, o, test.credential, "/queries/"+test.path)
		if w.Code != test.status || code != test.code || strings.Contains(w.Body.String(), "85073003328") {
			t.Errorf("%s: %d %s", test.path, w.Code, w.Body)
		}
	}
	if w := o.Download(t, confined, http.MethodGet, "/queries/Good.csv", ""); w.Code != 200 || !strings.HasPrefix(w.Body.String(), "id\r\n") {
		t.Errorf("a credential for trusted documents alone: %d %s", w.Code, w.Body)
	}
	if w := o.Download(t, confined, http.MethodPost, "/graphql/export?format=csv", `{"query":"{ customers { nodes { id } } }"}`); w.Code != 403 {
		t.Errorf("an export of another document: %d %s", w.Code, w.Body)
	}
	if w := o.Download(t, all, http.MethodGet, "/queries/Numbers.csv", "", "X-Access-Purpose", "yearly check"); w.Code != 200 {
		t.Errorf("with a purpose: %d %s", w.Code, w.Body)
	}
}
