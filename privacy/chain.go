package privacy

import "example.org/backoffice/backoffice"

// entryMAC signs all of an entry, its position and the MAC of the entry before (nil for the first).
func (k *Keyset) entryMAC(entry *backoffice.Consultation, before []byte) ([]byte, error) {
	return k.use().register.ComputeMAC(entryBytes(entry, before))
}

// headMAC signs the length of a chain and its last MAC.
func (k *Keyset) headMAC(head backoffice.ConsultationHead) ([]byte, error) {
	return k.use().register.ComputeMAC(headBytes(head))
}

func (k *Keyset) entryHolds(entry *backoffice.Consultation, before []byte) bool {
	return k.verifies(func(p *primitives) error { return p.register.VerifyMAC(entry.MAC, entryBytes(entry, before)) })
}

func (k *Keyset) headHolds(head backoffice.ConsultationHead) bool {
	return k.verifies(func(p *primitives) error { return p.register.VerifyMAC(head.MAC, headBytes(head)) })
}

func entryBytes(entry *backoffice.Consultation, before []byte) []byte {
	b := parts("consultation")
	b = appendNumber(b, entry.Chain)
	b = appendNumber(b, entry.Number)
	b = appendPart(b, before)
	b = appendPart(b, entry.ID)
	b = appendNumber(b, entry.At.Milliseconds())
	b = appendPart(b, entry.ClientID)
	b = appendPart(b, entry.ClientName)
	b = appendOptional(b, entry.Purpose)
	b = appendPart(b, string(entry.Operation))
	b = appendOptional(b, entry.CustomerID)
	b = appendNumber(b, int64(len(entry.Fields)))
	for _, field := range entry.Fields {
		b = appendPart(b, string(field))
	}
	if entry.Issuer != nil || entry.Subject != nil { // entries of credentials keep their format from before people
		b = appendPart(b, "person")
		b = appendOptional(b, entry.Issuer)
		b = appendOptional(b, entry.Subject)
	}
	return b
}

func headBytes(head backoffice.ConsultationHead) []byte {
	b := parts("consultation chain")
	b = appendNumber(b, head.Chain)
	b = appendNumber(b, head.Count)
	return appendPart(b, head.Last)
}
