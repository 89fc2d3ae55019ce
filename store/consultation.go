package store

import (
	"bytes"
	"context"
	"errors"

	"example.org/backoffice/backoffice"
)

var privacyAccessTable = register(&table[backoffice.Consultation, backoffice.ConsultationCriteria]{
	noun:      backoffice.NounConsultation,
	name:      "consultations",
	seenBy:    through("customer_id"),
	uncounted: true,
	id:        backoffice.ConsultationTable.ID,
	finds:     backoffice.ConsultationTable.CanMatch,
	columns: []column[backoffice.Consultation]{
		text("id", "", func(a *backoffice.Consultation) *string { return &a.ID }),
		instant("at", "at "+backoffice.KeyAt.Field(),
			func(a *backoffice.Consultation) *backoffice.Instant { return &a.At }),
		text("client_id", "clientId", func(a *backoffice.Consultation) *string { return &a.ClientID }),
		text("client_name", "clientName subjectName",
			func(a *backoffice.Consultation) *string { return &a.ClientName }),
		optional("purpose", "purpose", func(a *backoffice.Consultation) **string { return &a.Purpose }),
		enum("operation", "operation", backoffice.AllPrivacyOperations,
			func(a *backoffice.Consultation) *backoffice.PrivacyOperation { return &a.Operation }),
		optional("customer_id", "", func(a *backoffice.Consultation) **string { return &a.CustomerID }),
		words("fields", "fields",
			func(a *backoffice.Consultation) *[]backoffice.PrivacyField { return &a.Fields }).orNull(),
		number("chain", "", func(a *backoffice.Consultation) *int64 { return &a.Chain }),
		number("number", "", func(a *backoffice.Consultation) *int64 { return &a.Number }),
		optional("issuer", "", func(a *backoffice.Consultation) **string { return &a.Issuer }),
		optional("subject", "subject subjectName", func(a *backoffice.Consultation) **string { return &a.Subject }),
		blob("mac", "", func(a *backoffice.Consultation) []byte { return a.MAC },
			func(a *backoffice.Consultation, r *Row, i int) { a.MAC = r.Bytes(i) }),
	},
	parents: map[backoffice.Parent]parentColumns[backoffice.ConsultationCriteria]{
		backoffice.OfCustomer: under[backoffice.ConsultationCriteria]("customer_id"),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyAt: byNumber("at")},
})

func (s *Store) OpenConsultationChain(ctx context.Context,
	seal func(chain int64) (chainHead, registerHead backoffice.ConsultationHead)) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lock(ctx, lockChains); err != nil {
			return err
		}
		heads, err := consultationHeads(ctx, tx.conn, 0, 1)
		if err != nil {
			return err
		}
		number := int64(1)
		if len(heads) > 0 && heads[0].Chain == 0 {
			number = heads[0].Count + 1
		}
		chain, register := seal(number)
		const insert = "INSERT /*backoffice:consultation_heads.insert*/ INTO consultation_heads" +
			" (chain, count, last, mac) VALUES ($1, $2, $3, $4)"
		if _, err := tx.conn.Exec(ctx, insert, headArguments(chain)); violationOf(err) != nil {
			err = errors.Join(backoffice.ErrRegisterChanged, err)
			return tx.fail(backoffice.Fault(err, "starting a chain of consultations"))
		} else if err != nil {
			return err
		}
		const replace = insert + " ON CONFLICT (chain) DO UPDATE" +
			" SET count = excluded.count, last = excluded.last, mac = excluded.mac"
		_, err = tx.conn.Exec(ctx, replace, headArguments(register))
		return err
	})
}

func headArguments(head backoffice.ConsultationHead) []any {
	return []any{head.Chain, head.Count, bytesOrNull(head.Last), bytesOrNull(head.MAC)}
}

func bytesOrNull(b []byte) any {
	if len(b) == 0 {
		return nil
	}
	return b
}

func (s *Store) AppendConsultations(ctx context.Context, from, to backoffice.ConsultationHead,
	entries []*backoffice.Consultation) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		const move = "UPDATE /*backoffice:consultation_heads.move*/ consultation_heads" +
			" SET count = $2, last = $3, mac = $4 WHERE chain = $1 AND count = $5 AND mac = $6"
		w := writerOf(tx, privacyAccessTable)
		return tx.together(ctx, func(ctx context.Context) error {
			moved, err := tx.conn.Exec(ctx, move, append(headArguments(to), from.Count, bytesOrNull(from.MAC)))
			if err == nil && (moved != 1 || from.Chain != to.Chain) {
				return backoffice.Fault(backoffice.ErrRegisterChanged, "appending to the register of consultations")
			}
			return err
		}, func(ctx context.Context) error {
			_, err := w.run(ctx, w.writes.insert, entries)
			if err != nil && backoffice.KindOf(err) == backoffice.Refused { // the place of an entry is taken
				return tx.fail(backoffice.Fault(backoffice.ErrRegisterChanged,
					"appending to the register of consultations"))
			}
			return err
		})
	})
}

func (s *Store) ListConsultations(ctx context.Context, after backoffice.ConsultationPosition,
	limit int) (entries []*backoffice.Consultation, err error) {
	each := func(entry *backoffice.Consultation) { entries = append(entries, entry) }
	columns, read := on(s.nouns, privacyAccessTable).whole(each)
	text := "SELECT /*backoffice:consultations.list*/ " + columns + " FROM consultations t" +
		" WHERE (t.chain, t.number) > ($1, $2) ORDER BY t.chain, t.number LIMIT $3"
	err = s.primary().Query(ctx, text, []any{after.Chain, after.Number, int64(limit)}, read)
	return entries, err
}

func (s *Store) ConsultationHeads(ctx context.Context, from int64, limit int) ([]backoffice.ConsultationHead, error) {
	return consultationHeads(ctx, s.primary(), from, limit)
}

func consultationHeads(ctx context.Context, conn Conn, from int64, limit int) ([]backoffice.ConsultationHead, error) {
	const text = "SELECT /*backoffice:consultation_heads.list*/ chain, count, last, mac FROM consultation_heads" +
		" WHERE chain >= $1 ORDER BY chain LIMIT $2"
	var heads []backoffice.ConsultationHead
	err := conn.Query(ctx, text, []any{from, int64(limit)}, func(row *Row) error {
		heads = append(heads, backoffice.ConsultationHead{
			Chain: row.Int(0), Count: row.Int(1), Last: bytes.Clone(row.Bytes(2)), MAC: bytes.Clone(row.Bytes(3)),
		})
		return nil
	})
	return heads, err
}
