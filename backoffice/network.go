package backoffice

import (
	"net/netip"
	"slices"
	"strings"
)

// MaxNetworks is how many networks a credential may have.
const MaxNetworks = 64

// Networks are those from which a credential may sign in; empty: from anywhere.
type Networks []netip.Prefix

// NetworkOf returns what one client has: an IPv4 address, or a network of 64 bits of IPv6.
func NetworkOf(client netip.Addr) netip.Prefix {
	bits := 64
	if client = client.Unmap(); client.Is4() {
		bits = 32
	}
	network, _ := client.Prefix(bits)
	return network
}

// ParseNetwork parses a network ("10.0.0.0/8") or a single address. IPv4 in IPv6 notation becomes IPv4. host reports
// whether bits after the prefix were set; they are cleared.
func ParseNetwork(text string) (network netip.Prefix, host, ok bool) {
	network, err := netip.ParsePrefix(text)
	if err != nil {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, false, false
		}
		network = netip.PrefixFrom(address, address.BitLen())
	}
	if network.Addr().Is4In6() {
		if network.Bits() < 96 { // wider than IPv4
			return netip.Prefix{}, false, false
		}
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	masked := network.Masked()
	return masked, masked != network, true
}

// NewNetworks parses networks, sorted, each once. BadInput for more than MaxNetworks, for an invalid network, and for
// bits after the prefix: 10.1.2.3/8 may have been meant as that one address.
func NewNetworks(texts []string) (Networks, error) {
	var networks Networks
	for _, text := range texts {
		network, host, ok := ParseNetwork(text)
		if !ok || host {
			return nil, Errorf(BadInput, "a network must be an address, or look like 192.0.2.0/24 or 2001:db8::/32, with zeros after the prefix")
		}
		networks = append(networks, network)
	}
	slices.SortFunc(networks, netip.Prefix.Compare)
	if networks = slices.Compact(networks); len(networks) > MaxNetworks {
		return nil, Errorf(BadInput, "a credential has at most %d networks", MaxNetworks)
	}
	return networks, nil
}

func ParseNetworks(text string) (Networks, error) { return NewNetworks(strings.Fields(text)) }

// String is the stored form: separated by spaces, "" for none.
func (n Networks) String() string { return strings.Join(n.Texts(), " ") }

func (n Networks) Texts() []string {
	return Map(n, netip.Prefix.String)
}

// Admit reports whether a client at an address may sign in. The zero address is in no network.
func (n Networks) Admit(from netip.Addr) bool {
	if len(n) == 0 {
		return true
	}
	from = from.Unmap().WithZone("")
	return slices.ContainsFunc(n, func(network netip.Prefix) bool { return network.Contains(from) })
}
