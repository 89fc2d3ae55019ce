package privacy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
)

const statementFormat = "backoffice receipt 1"

// statement is a receipt that a server writes by itself: the length of a chain of the register at a time, and its last
// MAC, which covers all entries before it. It is signed, and names the previous receipt: a missing one is noticed.
type statement struct {
	Format string `json:"format"`
	At     string `json:"at"`
	Chain  int64  `json:"chain"`
	Count  int64  `json:"count"`
	Last   string `json:"last"`   // in hexadecimal digits
	Before string `json:"before"` // digest of the previous receipt, "" for the first
	MAC    string `json:"mac"`
}

func (s *statement) signed() []byte {
	b := parts("consultation receipt", s.Format, s.At, s.Last, s.Before)
	return appendNumber(appendNumber(b, s.Chain), s.Count)
}

// state makes the receipt of a chain from its head.
func (k *Keyset) state(head backoffice.ConsultationHead, at backoffice.Instant, before string,
) (name string, content []byte, err error) {
	s := statement{Format: statementFormat, At: at.String(), Chain: head.Chain, Count: head.Count,
		Last: hex.EncodeToString(head.Last), Before: before}
	mac, err := k.use().register.ComputeMAC(s.signed())
	if err != nil {
		return "", nil, err
	}
	s.MAC = hex.EncodeToString(mac)
	content, err = json.Marshal(s)
	return s.name(), append(content, '\n'), err
}

// name is the receipt's path: by day, in order of time.
func (s *statement) name() string {
	moment := strings.NewReplacer("-", "", ":", "").Replace(s.At)
	return fmt.Sprintf("%s/%s-chain%d-entry%d.json", s.At[:len("2006-01-02")], moment, s.Chain, s.Count)
}

// placeOf reads the chain and the entry of a receipt from its name; ok is false when it is no receipt.
func placeOf(name string) (at backoffice.ConsultationPosition, ok bool) {
	rest, isOurs := strings.CutSuffix(name, ".json")
	_, rest, found := strings.Cut(rest, "-chain")
	chain, entry, both := strings.Cut(rest, "-entry")
	var errs [2]error
	at.Chain, errs[0] = strconv.ParseInt(chain, 10, 64)
	at.Number, errs[1] = strconv.ParseInt(entry, 10, 64)
	return at, isOurs && found && both && errs[0] == nil && errs[1] == nil
}

// readStatement reads a receipt and checks its signature; what is the reason when it is not trustworthy.
func (k *Keyset) readStatement(content []byte) (s statement, what string) {
	if json.Unmarshal(content, &s) != nil || s.Format != statementFormat {
		return s, "it is not a receipt, or cut off"
	}
	mac, err := hex.DecodeString(s.MAC)
	if err != nil || !k.verifies(func(p *primitives) error { return p.register.VerifyMAC(mac, s.signed()) }) {
		return s, "it was changed, or belongs to a different keyset"
	}
	return s, ""
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(content))
	return hex.EncodeToString(sum[:])
}

// holds returns what is wrong when the register does not hold the receipt's entry; "" when it does.
func (s *statement) holds(ctx context.Context, store backoffice.ConsultationStore) (what string, err error) {
	found, err := store.ListConsultations(ctx, backoffice.ConsultationPosition{Chain: s.Chain, Number: s.Count - 1}, 1)
	if err != nil {
		return "", err
	}
	if len(found) == 0 || found[0].Chain != s.Chain || found[0].Number != s.Count {
		return fmt.Sprintf("chain %d had %d entries at %s, but entry %d is gone: the register was cut off, emptied, or reset to an older state", s.Chain, s.Count, s.At, s.Count), nil
	}
	if hex.EncodeToString(found[0].MAC) != s.Last {
		return fmt.Sprintf("entry %d of chain %d is not the one that was there at %s: the register was reset to an older state and written to", s.Count, s.Chain, s.At), nil
	}
	return "", nil
}

// VerifyReceipts checks the register against all receipts, and the receipts against each other, and returns their
// number. It reports entries missing from the register, changed receipts, and missing ones that others name.
func (k *Keyset) VerifyReceipts(ctx context.Context, store backoffice.ConsultationStore,
	receipts backoffice.ReceiptStore, report func(Problem)) (count int, err error) {
	names, err := receipts.Names(ctx)
	if err != nil {
		return 0, fmt.Errorf("listing the receipts: %w", err)
	}
	problem := func(name, what string) { report(Problem{What: "receipt " + name + ": " + what}) }
	digests := map[string]bool{"": true}
	before := map[string]string{}
	for _, name := range names {
		if _, ok := placeOf(name); !ok {
			continue
		}
		content, err := receipts.Read(ctx, name)
		if err != nil {
			return count, fmt.Errorf("reading the receipt %s: %w", name, err)
		}
		count++
		digests[digestOf(content)] = true
		s, what := k.readStatement(content)
		if what != "" {
			problem(name, what)
			continue
		}
		if s.name() != name {
			problem(name, "it was renamed")
		}
		before[name] = s.Before
		if what, err = s.holds(ctx, store); err != nil {
			return count, err
		} else if what != "" {
			problem(name, what)
		}
	}
	for _, name := range names {
		if one, read := before[name]; read && !digests[one] {
			problem(name, "the previous receipt is missing or was changed")
		}
	}
	return count, nil
}
