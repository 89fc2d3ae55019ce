package people

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

// link is a person in a signed path, which any server with the same keys and map can serve. Sealed: others log paths.
type link struct {
	Subject string `json:"s"`
	Name    string `json:"n"`
	Expires int64  `json:"e"` // when the token ends
	Rules   []int  `json:"r"` // of the map by which they see
	Map     []byte `json:"m"` // its digest
}

const sealedAs = "person of a signed path"

func (p *People) seal(l *link) (string, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return "", backoffice.Fault(err, "naming a person in a signed path")
	}
	sealed, err := p.options.Links.SealBriefly(sealedAs, text)
	return backoffice.PersonPrefix + string(sealed), err
}

func (p *People) Linked(name string) (*backoffice.Principal, error) {
	sealed, _ := strings.CutPrefix(name, backoffice.PersonPrefix)
	text, err := p.options.Links.OpenSecret(sealedAs, []byte(sealed))
	l := &link{}
	if err != nil || json.Unmarshal(text, l) != nil {
		return nil, errForeign
	}
	return p.linked(l, name)
}

// linked is whom a signed path is for now. With the map the path ends: what was matched is known, not with what.
func (p *People) linked(l *link, name string) (*backoffice.Principal, error) {
	current := p.file.current()
	if !p.options.Now().Before(time.Unix(l.Expires, 0).Add(skew)) || !bytes.Equal(l.Map, current.digest[:]) {
		return nil, errEnded
	}
	principal, err := p.granted(l, current)
	if err == nil {
		principal.Person.Link = name
	}
	return principal, err
}
