package privacy

import "example.org/backoffice/backoffice"

// Digest is a keyed digest of a content, for later comparison without keeping it. The context separates uses. The key
// prevents guessing registration numbers in the content.
func (k *Keyset) Digest(context string, content []byte) ([]byte, error) {
	digest, err := k.use().contents.ComputeMAC(appendPart(parts("content", context), content))
	if err != nil {
		return nil, backoffice.Fault(err, "digesting content")
	}
	return digest, nil
}

// Lookups are keyed digests of a content, to find it again without keeping it: one per key that is not retired, the
// older first. A program that stores all of them, and looks for all, agrees with every program that knows one of the
// keys. The context separates uses.
func (k *Keyset) Lookups(context string, content []byte) ([][]byte, error) {
	in, err := k.fresh()
	if err != nil {
		return nil, err
	}
	var digests [][]byte
	for _, g := range in.all {
		digest, err := g.indexOf(appendPart(parts("lookup", context), content))
		if err != nil {
			return nil, backoffice.Fault(err, "digesting content")
		}
		digests = append(digests, digest)
	}
	return digests, nil
}

// SameContent reports whether a digest was made of this content in this context, also under an older key. Do not
// compare digests byte by byte: a new primary key gives other bytes.
func (k *Keyset) SameContent(context string, content, digest []byte) bool {
	return k.verifies(func(p *primitives) error {
		return p.contents.VerifyMAC(digest, appendPart(parts("content", context), content))
	})
}
