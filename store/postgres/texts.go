package postgres

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// texts encodes lists of texts, mainly identifiers, at once and in binary; pgx's codec quotes each element by itself.
type texts struct{ *pgtype.ArrayCodec }

func registerTexts(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	element, _ := types.TypeForOID(pgtype.TextOID)
	codec := texts{&pgtype.ArrayCodec{ElementType: element}}
	types.RegisterType(&pgtype.Type{Name: "_text", OID: pgtype.TextArrayOID, Codec: codec})
	return nil
}

func (texts) PreferredFormat() int16 { return pgtype.BinaryFormatCode }

func (t texts) PlanEncode(types *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.([]string); ok && format == pgtype.BinaryFormatCode {
		return planOfTexts{}
	}
	return t.ArrayCodec.PlanEncode(types, oid, format, value)
}

type planOfTexts struct{}

// Encode implements pgtype.EncodePlan, for a []string; nil is NULL. The form is that of PostgreSQL's array_recv: the
// number of dimensions, whether there are NULLs, the elements' type; for the one dimension its length and first index;
// then each element with its size.
func (planOfTexts) Encode(value any, to []byte) ([]byte, error) {
	list := value.([]string)
	if list == nil {
		return nil, nil
	}
	size := 20
	for _, text := range list {
		size += 4 + len(text)
	}
	to = slices.Grow(to, size)
	dimensions := uint32(1)
	if len(list) == 0 {
		dimensions = 0
	}
	to = binary.BigEndian.AppendUint32(to, dimensions)
	to = binary.BigEndian.AppendUint32(to, 0)
	to = binary.BigEndian.AppendUint32(to, pgtype.TextOID)
	if len(list) == 0 {
		return to, nil
	}
	to = binary.BigEndian.AppendUint32(to, uint32(len(list)))
	to = binary.BigEndian.AppendUint32(to, 1)
	for _, text := range list {
		to = binary.BigEndian.AppendUint32(to, uint32(len(text)))
		to = append(to, text...)
	}
	return to, nil
}
