package resolvers

import (
	"encoding/binary"
	"errors"
	"math"

	"example.org/backoffice/backoffice"
)

// A cursor holds the type of its lists, an order and a position. It is sealed, so it reveals none of them.

func (r *Root) sealCursor(of string, order backoffice.Order, at backoffice.Position) string {
	plain := make([]byte, 0, 17+len(of)+len(at.Text)+len(at.ID))
	plain = append(append(plain, byte(len(of))), of...)
	descending := byte(0)
	if order.Descending {
		descending = 1
	}
	plain = append(plain, byte(order.Key), descending)
	plain = binary.BigEndian.AppendUint64(plain, math.Float64bits(at.Number))
	plain = binary.AppendUvarint(plain, uint64(len(at.Text)))
	plain = append(plain, at.Text...)
	plain = append(plain, at.ID...)
	return r.Keys.SealCursor(plain)
}

// openCursor fails for a cursor of another type's lists as it does for a malformed one.
func (r *Root) openCursor(of, cursor string) (order backoffice.Order, at backoffice.Position, err error) {
	plain, err := r.Keys.OpenCursor(cursor)
	if err != nil {
		return order, at, err
	}
	broken := errors.New("a sealed cursor of another form")
	if len(plain) < 1 {
		return order, at, broken
	}
	size := int(plain[0])
	if plain = plain[1:]; len(plain) < size+10 || string(plain[:size]) != of {
		return order, at, broken
	}
	plain = plain[size:]
	order = backoffice.Order{Key: backoffice.OrderKey(plain[0]), Descending: plain[1] == 1}
	at.Key, at.Number = order.Key, math.Float64frombits(binary.BigEndian.Uint64(plain[2:]))
	plain = plain[10:]
	length, n := binary.Uvarint(plain)
	if n <= 0 || length > uint64(len(plain)-n) {
		return order, at, broken
	}
	at.Text, at.ID = string(plain[n:n+int(length)]), string(plain[n+int(length):])
	return order, at, nil
}
