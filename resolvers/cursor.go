package resolvers

import (
	"encoding/binary"
	"errors"
	"math"

	"example.org/backoffice/backoffice"
)

// A cursor holds an order and a place in it, sealed so that it tells nothing of what it points at.

func (r *Root) sealCursor(order backoffice.Order, at backoffice.Position) string {
	plain := make([]byte, 0, 16+len(at.Text)+len(at.ID))
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

func (r *Root) openCursor(cursor string) (order backoffice.Order, at backoffice.Position, err error) {
	plain, err := r.Keys.OpenCursor(cursor)
	if err != nil {
		return order, at, err
	}
	broken := errors.New("a sealed cursor of another form")
	if len(plain) < 10 {
		return order, at, broken
	}
	order = backoffice.Order{Key: backoffice.OrderKey(plain[0]), Descending: plain[1] == 1}
	at.Key, at.Number = order.Key, math.Float64frombits(binary.BigEndian.Uint64(plain[2:]))
	plain = plain[10:]
	size, n := binary.Uvarint(plain)
	if n <= 0 || size > uint64(len(plain)-n) {
		return order, at, broken
	}
	at.Text, at.ID = string(plain[n:n+int(size)]), string(plain[n+int(size):])
	return order, at, nil
}
