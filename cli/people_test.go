package cli

import (
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"example.org/backoffice/auth/people/peopletest"
)

func TestTheDoctorAsksTheIssuerAndReadsTheMap(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.must(t, "migrate")
	issuer := peopletest.New(t, jose.ES256)
	path := peopletest.Map(t, `{"rules": [{"claim": "groups", "value": "managers", "scopes": ["privacy.read"]}]}`)
	flags := []string{"doctor", "--oidc-issuer", issuer.URL, "--oidc-audience", peopletest.Audience, "--oidc-map", path}
	if said := s.must(t, flags...); !strings.Contains(said, "ok        people: the issuer publishes 1 key,") {
		t.Error(said)
	}
	if code, said, _ := s.run(t, flags[:3]...); code != exitFailure || !strings.Contains(said, "wrong     people: --oidc-issuer, --oidc-audience and --oidc-map belong together; pass all three") {
		t.Errorf("%d %s", code, said)
	}
	if code, said, _ := s.run(t, append(flags, "--oidc-client", "page", "--oidc-scope", "openid api")...); code != 0 {
		t.Errorf("%d %s", code, said)
	}
	for scope, wrong := range map[string][]string{
		"--oidc-scope must include openid": {"--oidc-client", "page", "--oidc-scope", "profile"},
		"--oidc-scope needs --oidc-client": {"--oidc-scope", "openid"},
	} {
		if code, said, _ := s.run(t, append(flags, wrong...)...); code != exitFailure || !strings.Contains(said, "wrong     people: "+scope) {
			t.Errorf("%d %s", code, said)
		}
	}
	if code, said, _ := s.run(t, "doctor", "--oidc-client", "page"); code != exitFailure || !strings.Contains(said, "--oidc-issuer, --oidc-audience and --oidc-map belong together") {
		t.Errorf("%d %s", code, said)
	}
	peopletest.Write(t, path, `{"rules": [{"claim": "groups", "value": "managers", "scopes": ["all"]}]}`)
	if code, said, _ := s.run(t, flags...); code != exitFailure || !strings.Contains(said, "wrong     people: --oidc-map: rule 1: scope 1") {
		t.Errorf("%d %s", code, said)
	}
	peopletest.Write(t, path, `{"rules": [{"claim": "groups", "value": "managers", "onlyLabel": ["nowhere"]}]}`)
	if code, said, _ := s.run(t, flags...); code != exitFailure || !strings.Contains(said, "wrong     people: --oidc-map: rule 1: no label has this identifier") {
		t.Errorf("%d %s", code, said)
	}
	peopletest.Write(t, path, `{"rules": [{"claim": "groups", "value": "managers"}]}`)
	issuer.Away(true)
	if code, said, _ := s.run(t, flags...); code != exitFailure || !strings.Contains(said, "wrong     people: fetching the issuer's keys") {
		t.Errorf("%d %s", code, said)
	}
}
