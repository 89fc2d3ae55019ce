package auth

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"example.org/backoffice/backoffice"
)

// Proxies are the networks that are trusted to report a client's address.
type Proxies []netip.Prefix

// ParseProxies reads networks ("10.0.0.0/8") and single addresses. BadInput for anything else.
func ParseProxies(texts []string) (Proxies, error) {
	var proxies Proxies
	for _, text := range texts {
		network, _, ok := backoffice.ParseNetwork(text)
		if !ok {
			return nil, backoffice.Errorf(backoffice.BadInput,
				"a trusted proxy must be an address or a network such as 127.0.0.0/8")
		}
		proxies = append(proxies, network)
	}
	return proxies, nil
}

// ClientAddress returns where a request comes from: the peer or, when that is a trusted proxy, the rightmost address of
// X-Forwarded-For that is not one. An unreadable address, and all to the left of it, was not written by a trusted
// proxy. The address is zero when there is none at all.
func (p Proxies) ClientAddress(r *http.Request) netip.Addr {
	client := parseHop(r.RemoteAddr)
	if !client.IsValid() || !p.contain(client) {
		return client
	}
	lines := slices.DeleteFunc(slices.Clone(r.Header["X-Forwarded-For"]), func(line string) bool { return line == "" })
	for _, hop := range slices.Backward(strings.Split(strings.Join(lines, ","), ",")) {
		address := parseHop(strings.TrimSpace(hop))
		if !address.IsValid() {
			return client
		}
		if client = address; !p.contain(client) {
			return client
		}
	}
	return client
}

func (p Proxies) contain(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// parseHop reads an address with or without a port; an IPv6 one may be in brackets.
func parseHop(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	address, _ := netip.ParseAddr(text) // the zero one for any other text
	return address.Unmap().WithZone("")
}
