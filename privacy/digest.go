package privacy

import "example.org/backoffice/backoffice"

// Digest is a keyed digest of a content, by which a later one can be compared without keeping it. The context keeps
// contents of different uses apart. Content may hold registration numbers: without the key the digest cannot be
// guessed back.
func (k *Keyset) Digest(context string, content []byte) ([]byte, error) {
	digest, err := k.contents.ComputeMAC(appendPart(parts("content", context), content))
	if err != nil {
		return nil, backoffice.Fault(err, "digesting a content")
	}
	return digest, nil
}

// Lookup is a keyed digest of a content by which it is found again without being kept. It stays the same while keys are
// rotated, as the index of registration numbers does; the context keeps contents of different uses apart.
func (k *Keyset) Lookup(context string, content []byte) ([]byte, error) {
	digest, err := k.index.ComputePrimaryPRF(appendPart(parts("lookup", context), content), indexSize)
	if err != nil {
		return nil, backoffice.Fault(err, "digesting a content")
	}
	return digest, nil
}

// SameContent says whether a digest was made of this content in this context, also under an older key. Digests are
// compared by it and not byte by byte: a new primary key gives other bytes.
func (k *Keyset) SameContent(context string, content, digest []byte) bool {
	return k.contents.VerifyMAC(digest, appendPart(parts("content", context), content)) == nil
}
