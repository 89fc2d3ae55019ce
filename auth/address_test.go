package auth

import (
	"net/http"
	"testing"

	"example.org/backoffice/backoffice"
)

func TestAForwardedAddressCountsOnlyFromTrustedProxies(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies([]string{"127.0.0.0/8", "10.1.0.0/16", "::1", "2001:db8:ffff::/48", "::ffff:172.16.0.0/108"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		peer      string
		forwarded []string
		want      string
	}{
		"no proxy":                       {"203.0.113.9:1", nil, "203.0.113.9"},
		"an untrusted peer's word":       {"203.0.113.9:1", []string{"192.0.2.1"}, "203.0.113.9"},
		"a trusted peer without a word":  {"127.0.0.1:1", nil, "127.0.0.1"},
		"a trusted peer's word":          {"127.0.0.1:1", []string{"192.0.2.1"}, "192.0.2.1"},
		"a client's own word left of it": {"127.0.0.1:1", []string{"1.1.1.1, 192.0.2.1"}, "192.0.2.1"},
		"several proxies":                {"127.0.0.1:1", []string{"1.1.1.1, 192.0.2.1, 10.1.2.3"}, "192.0.2.1"},
		"several lines":                  {"127.0.0.1:1", []string{"1.1.1.1", "192.0.2.1,10.1.2.3", "10.1.9.9"}, "192.0.2.1"},
		"only proxies":                   {"127.0.0.1:1", []string{"10.1.2.3, 10.1.4.5"}, "10.1.2.3"},
		"rubbish":                        {"127.0.0.1:1", []string{"192.0.2.1, rubbish, 10.1.2.3"}, "10.1.2.3"},
		"an empty word":                  {"127.0.0.1:1", []string{""}, "127.0.0.1"},
		"with ports":                     {"127.0.0.1:1", []string{"192.0.2.1:4711"}, "192.0.2.1"},
		"IPv6 in brackets with a port":   {"[::1]:1", []string{"[2001:db8::5]:80"}, "2001:db8::5"},
		"IPv6 in brackets":               {"[::1]:1", []string{"[2001:db8::5]"}, "2001:db8::5"},
		"IPv6 bare":                      {"[::1]:1", []string{"2001:db8::5, 2001:db8:ffff::1"}, "2001:db8::5"},
		"IPv4 written as IPv6":           {"[::ffff:127.0.0.1]:1", []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		"a network written as IPv6":      {"172.16.3.4:1", []string{"192.0.2.1"}, "192.0.2.1"},
		"a peer with a zone":             {"[fe80::1%eth0]:1", nil, "fe80::1"},
		"no peer at all, as on a socket": {"@", []string{"192.0.2.1"}, "invalid IP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.forwarded}}
			if got := proxies.ClientAddress(r).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestATrustedProxyIsANetworkOrAnAddress(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "localhost", "10.0.0.0/33", "10.0.0.1:80", "fe80::1%eth0", "::ffff:0:0/8"} {
		if _, err := ParseProxies([]string{bad}); backoffice.KindOf(err) != backoffice.BadInput || err == nil {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if proxies, err := ParseProxies(nil); err != nil || proxies.contain(parseHop("127.0.0.1")) {
		t.Error("without networks somebody is trusted")
	}
}

func FuzzClientAddress(f *testing.F) {
	proxies, err := ParseProxies([]string{"10.0.0.0/8", "::1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("10.0.0.1:1", "192.0.2.1, 10.0.0.2")
	f.Add("[::1]:1", "[2001:db8::1%x]:2,,")
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		r := &http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {forwarded}}}
		got := proxies.ClientAddress(r)
		direct := parseHop(peer)
		if got.IsValid() != direct.IsValid() || got.Zone() != "" || got.Is4In6() {
			t.Fatalf("%v from %q %q", got, peer, forwarded)
		}
		if !proxies.contain(direct) && got != direct {
			t.Fatalf("%v believed an untrusted peer", got)
		}
	})
}
