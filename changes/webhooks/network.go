package webhooks

import (
	"errors"
	"net/netip"
	"slices"
	"syscall"

	"example.org/backoffice/backoffice"
)

// Network is a private network to which messages may go.
type Network netip.Prefix

var errNetwork = errors.New("a network must be an address, or look like 10.1.0.0/16")

func (n *Network) UnmarshalText(text []byte) error {
	network, _, ok := backoffice.ParseNetwork(string(text))
	if !ok {
		return errNetwork
	}
	*n = Network(network)
	return nil
}

func (n Network) String() string { return netip.Prefix(n).String() }

// closed are the networks of IANA's registries of special purposes that are not the internet's, or lead to such ones.
var closed = func() (networks []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		networks = append(networks, netip.MustParsePrefix(text))
	}
	return networks
}()

// public are IPv6's addresses of the internet. Others, such as fc00::/7 or a mapped IPv4, are not.
var public = netip.MustParsePrefix("2000::/3")

func isPublic(address netip.Addr) bool {
	return (address.Is4() || public.Contains(address)) &&
		!slices.ContainsFunc(closed, func(n netip.Prefix) bool { return n.Contains(address) })
}

var errPrivate = errors.New("the address is in a private network")

// guard refuses connections into private networks except those that are let in. It gets the address of the connection
// about to be made, so an earlier resolution of the name does not matter.
func guard(letIn []Network) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return errPrivate
		}
		at := to.Addr().Unmap().WithZone("")
		if isPublic(at) || slices.ContainsFunc(letIn, func(n Network) bool { return netip.Prefix(n).Contains(at) }) {
			return nil
		}
		return errPrivate
	}
}
