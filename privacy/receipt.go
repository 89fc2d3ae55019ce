package privacy

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"time"

	"example.org/backoffice/backoffice"
)

// receiptMargin excludes entries that are still being written, or come from a server whose clock is behind.
const receiptMargin = time.Minute

// receipt covers all entries up to a time. With write access to the database an older copy of the register can be
// restored, whose chains are all valid: no key in the server helps against that. A receipt kept elsewhere does, since
// entries up to its time never change again.
type receipt struct {
	until  backoffice.Instant
	count  uint64
	digest []byte
}

const receiptDigest = 16 // bytes

// gathering makes the receipt of the entries that it sees, in the register's order.
type gathering struct {
	until backoffice.Instant
	count uint64
	sum   hash.Hash
}

func gather(until backoffice.Instant) *gathering { return &gathering{until: until, sum: sha256.New()} }

func (g *gathering) see(entry *backoffice.Consultation) {
	if entry.At <= g.until {
		g.count++
		g.sum.Write(appendPart(nil, entry.MAC))
	}
}

func (g *gathering) receipt() receipt {
	return receipt{until: g.until, count: g.count, digest: g.sum.Sum(nil)[:receiptDigest]}
}

func (r receipt) String() string {
	b := binary.BigEndian.AppendUint64(nil, uint64(r.until.Milliseconds()))
	b = binary.BigEndian.AppendUint64(b, r.count)
	return hex.EncodeToString(append(b, r.digest...))
}

func parseReceipt(text string) (receipt, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != 16+receiptDigest {
		return receipt{}, backoffice.Errorf(backoffice.BadInput,
			"a receipt must be the %d hexadecimal digits that verify printed", 2*(16+receiptDigest))
	}
	return receipt{
		until:  backoffice.InstantAt(int64(binary.BigEndian.Uint64(b))),
		count:  binary.BigEndian.Uint64(b[8:]),
		digest: b[16:],
	}, nil
}

// compare reports what is wrong with the register now when it must contain the receipt's; "" when nothing is.
func (r receipt) compare(now receipt) string {
	switch {
	case now.count < r.count:
		return fmt.Sprintf("%d entries up to %s are missing that the receipt counts", r.count-now.count, r.until)
	case now.count > r.count:
		return fmt.Sprintf("there are %d more entries up to %s than the receipt counts", now.count-r.count, r.until)
	case subtle.ConstantTimeCompare(now.digest, r.digest) == 0:
		return fmt.Sprintf("the entries up to %s do not match the receipt", r.until)
	}
	return ""
}
