package webhooks

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func networks(t testing.TB, texts ...string) (list []Network) {
	t.Helper()
	for _, text := range texts {
		var n Network
		if err := n.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		list = append(list, n)
	}
	return list
}

func TestConnectionsIntoPrivateNetworksAreRefusedButThoseThatAreLetIn(t *testing.T) {
	t.Parallel()
	letIn := guard(networks(t, "10.1.0.0/16", "fd00:1::/32", "::ffff:192.168.7.0/120", "127.0.0.1"))
	for address, want := range map[string]bool{
		"8.8.8.8": true, "192.0.1.1": true, "2606:4700::1111": true,
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "fd00:1::9": true, "192.168.7.1": true, "127.0.0.1": true,
		"10.2.0.1": false, "127.0.0.2": false, "192.168.8.1": false, "172.31.255.255": false, "169.254.169.254": false, "100.64.0.1": false,
		"0.0.0.0": false, "0.1.2.3": false, "224.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "192.0.2.1": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:2::1": false, "ff02::1": false,
		"::ffff:127.0.0.2": false, "::ffff:169.254.169.254": false, "64:ff9b::a9fe:a9fe": false, "2002:7f00:1::": false, "2001:0:1::": false, "2001:db8::1": false,
	} {
		if got := letIn("tcp", net.JoinHostPort(address, "443"), nil) == nil; got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
	if err := letIn("tcp", "no address", nil); !errors.Is(err, errPrivate) {
		t.Error(err)
	}
}

func FuzzNetwork(f *testing.F) {
	for _, seed := range []string{"10.0.0.0/8", "::ffff:10.0.0.0/104", "::ffff:0.0.0.0/0", "fe80::1%eth0", "1.2.3.4", "fd00::/8", "10.0.0.1/8", "/", "1.2.3.4/33"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n, again Network
		if n.UnmarshalText([]byte(text)) != nil {
			return
		}
		if err := again.UnmarshalText([]byte(n.String())); err != nil || n != again {
			t.Errorf("%q is read as %v, and that as %v: %v", text, n, again, err)
		}
		// What is let in is in the network as it was written.
		first := netip.Prefix(n).Addr()
		if guard([]Network{n})("tcp", netip.AddrPortFrom(first, 443).String(), nil) != nil {
			t.Errorf("%q does not let %v in", text, first)
		}
		if !strings.Contains(text, "/") && netip.Prefix(n).Bits() != first.BitLen() {
			t.Errorf("%q, an address, is read as %v", text, n)
		}
	})
}
