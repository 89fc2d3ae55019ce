package backoffice

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestACredentialIsHeldToItsNetworks(t *testing.T) {
	t.Parallel()
	networks, err := NewNetworks([]string{"2001:db8::/32", "192.0.2.0/24", "::ffff:198.51.100.7", "203.0.113.9", "192.0.2.0/24"})
	if err != nil {
		t.Fatal(err)
	}
	if got := networks.String(); got != "192.0.2.0/24 198.51.100.7/32 203.0.113.9/32 2001:db8::/32" {
		t.Errorf("they are kept as %q", got)
	}
	for address, in := range map[string]bool{
		"192.0.2.0": true, "192.0.2.255": true, "192.0.3.0": false, "::ffff:192.0.2.9": true, "203.0.113.9": true, "203.0.113.8": false,
		"198.51.100.7": true, "2001:db8:ffff::1": true, "2001:db8::1%eth0": true, "2001:db9::": false, "::192.0.2.9": false,
	} {
		if got := networks.Admit(netip.MustParseAddr(address)); got != in {
			t.Errorf("%s: %v", address, got)
		}
	}
	if networks.Admit(netip.Addr{}) {
		t.Error("who comes from nowhere is let in")
	}
	if !(Networks)(nil).Admit(netip.Addr{}) {
		t.Error("a credential without networks is held to some")
	}
}

func TestANetworkIsWrittenWithoutBitsBehindItsLength(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "office", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.1:80", "10.0.0.0/08", "fe80::1%eth0", "fe80::%eth0/64", "::ffff:0:0/8", "2001:db8::1/32", "::ffff:10.0.0.1/104"} {
		if networks, err := NewNetworks([]string{bad}); KindOf(err) != BadInput || err == nil {
			t.Errorf("%q: %v %v", bad, networks, err)
		} else if bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q is echoed", bad)
		}
	}
}

func FuzzNetworks(f *testing.F) {
	f.Add("10.0.0.0/8 ::ffff:192.0.2.1 2001:db8::/32", "10.1.2.3")
	f.Add("0.0.0.0/0 ::/0", "::1")
	f.Add("1.2.3.4/0", "::ffff:1.2.3.4")
	f.Fuzz(func(t *testing.T, text, address string) {
		networks, err := ParseNetworks(text)
		if err != nil {
			return
		}
		again, err := ParseNetworks(networks.String())
		if err != nil || !slices.Equal(networks, again) {
			t.Fatalf("%v became %v (%v)", networks, again, err)
		}
		for _, network := range networks {
			if network.Addr().Is4In6() || network.Masked() != network || !networks.Admit(network.Addr()) {
				t.Fatalf("%v in %v", network, networks)
			}
		}
		from, err := netip.ParseAddr(address)
		if err != nil {
			return
		}
		want := len(networks) == 0
		for _, network := range networks { // bit by bit, by another way
			want = want || sameBits(network.Addr(), from.Unmap(), network.Bits())
		}
		if got := networks.Admit(from); got != want {
			t.Fatalf("%v in %v: %v", from, networks, got)
		}
	})
}

func sameBits(a, b netip.Addr, bits int) bool {
	x, y := a.AsSlice(), b.AsSlice()
	if len(x) != len(y) {
		return false
	}
	for i := range bits {
		if (x[i/8]^y[i/8])&(0x80>>(i%8)) != 0 {
			return false
		}
	}
	return true
}

func TestACredentialHasAtMost64DifferentNetworks(t *testing.T) {
	t.Parallel()
	all := make([]string, MaxNetworks)
	for i := range all {
		all[i] = fmt.Sprintf("10.0.%d.0/24", i)
	}
	most, err := NewNetworks(all)
	if err != nil {
		t.Fatal(err)
	}
	credential := &Credential{Networks: most}
	if err := credential.ChangeNetworks(most[:2], nil, 1); err != nil || len(credential.Networks) != MaxNetworks {
		t.Errorf("two that are there: %v, %d networks", err, len(credential.Networks))
	}
	other := Networks{netip.MustParsePrefix("192.0.2.0/24")}
	if err := credential.ChangeNetworks(other, nil, 1); err == nil || len(credential.Networks) != MaxNetworks {
		t.Errorf("one more: %v", err)
	}
	if err := credential.ChangeNetworks(other, most[:1], 1); err != nil || !credential.Networks.Admit(other[0].Addr()) {
		t.Errorf("one in place of another: %v", err)
	}
	if _, err := NewNetworks(slices.Concat(all, []string{"192.0.2.0/24"})); KindOf(err) != BadInput {
		t.Errorf("too many: %v", err)
	}
}
