package store

import (
	"context"
	"slices"

	"example.org/backoffice/backoffice"
)

// selectTrusted reads documents with a row for each alias, or one row without.
func selectTrusted(q backoffice.TrustedQuery) (text string, args []any) {
	column := "''"
	if q.Texts {
		column = "d.text"
	}
	text = "SELECT /*backoffice:trusted_documents.list*/ d.document_set, d.id, d.name, d.kind, " + column +
		", d.title, d.about, d.cost, d.scopes, d.created_at, d.client_id, d.retired_at, a.alias, octet_length(d.text)," +
		" d.tool, d.tool_about, d.tool_numbers" +
		"\nFROM trusted_documents d LEFT JOIN trusted_document_aliases a" +
		" ON a.document_set = d.document_set AND a.name = d.name AND a.id = d.id WHERE true"
	if q.ID != "" {
		text += " AND d.id = COALESCE((SELECT MIN(k.id) FROM trusted_document_aliases k WHERE k.alias = $1), $1)"
		args = append(args, storable(q.ID))
	}
	if q.Name != "" {
		text += " AND d.name = " + parameter(len(args)+1)
		args = append(args, storable(q.Name))
	}
	if q.Saved {
		text += " AND d.kind = 'query' AND d.name <> '' AND d.retired_at = 0"
	}
	if q.Tools {
		text += " AND d.tool <> ''"
	}
	return text + " ORDER BY d.document_set, d.name, d.id, a.alias", args
}

func queryTrusted(ctx context.Context, conn Conn,
	q backoffice.TrustedQuery) (found []*backoffice.TrustedDocument, err error) {
	text, args := selectTrusted(q)
	err = conn.Query(ctx, text, args, func(row *Row) error {
		set, id, name := row.Text(0), row.Text(1), row.Text(2)
		var d *backoffice.TrustedDocument
		if len(found) > 0 {
			d = found[len(found)-1]
		}
		if d == nil || d.Set != set || d.ID != id || d.Name != name {
			d = &backoffice.TrustedDocument{
				Set: set, ID: id, Name: name, Kind: row.Text(3), Text: row.Text(4), Title: row.Text(5),
				About: row.Text(6), Scopes: split[backoffice.Scope](row.Text(8)), CreatedAt: row.Instant(9),
				ClientID: row.Text(10), RetiredAt: row.Noted(11), Size: int(row.Int(13)),
				Tool: backoffice.Tool{Name: row.Text(14), About: row.Text(15), Numbers: row.Bool(16)},
			}
			if !row.IsNull(7) {
				d.Cost = new(int(row.Int(7)))
			}
			found = append(found, d)
		}
		if !row.IsNull(12) {
			d.Aliases = append(d.Aliases, row.Text(12))
		}
		return nil
	})
	return found, err
}

func (s *Store) TrustedDocuments(ctx context.Context,
	q backoffice.TrustedQuery) ([]*backoffice.TrustedDocument, error) {
	return queryTrusted(ctx, s.primary(), q)
}

func (s *Store) ChangeTrustedDocuments(ctx context.Context, act backoffice.Change,
	change func([]*backoffice.TrustedDocument) (backoffice.TrustedChanges, error)) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.lock(ctx, lockDocuments); err != nil {
			return err
		}
		have, err := queryTrusted(ctx, tx.conn, backoffice.TrustedQuery{})
		if err != nil {
			return err
		}
		changes, err := change(have)
		if err != nil {
			return err
		}
		if len(changes.Put)+len(changes.Retire)+len(changes.Mark)+len(changes.Remove) == 0 {
			return nil
		}
		if err := tx.changeTrusted(ctx, changes); err != nil {
			return err
		}
		noted := act
		noted.Noun = backoffice.NounTrustedDocuments
		return tx.LogChanges(ctx, &noted)
	})
}

const trustedAtOnce = 500

// changeTrusted applies changes in their order: the target of an alias exists before the alias.
func (t *tx) changeTrusted(ctx context.Context, changes backoffice.TrustedChanges) error {
	const this = " WHERE document_set = $1 AND name = $2 AND id = $3"
	var documents, aliases []func(context.Context) error
	exec := func(text string, args ...any) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := t.conn.Exec(ctx, text, args)
			return err
		}
	}
	for _, d := range changes.Remove {
		documents = append(documents, exec("DELETE /*backoffice:trusted_documents.delete*/ FROM trusted_documents"+this,
			d.Set, d.Name, d.ID))
	}
	for _, d := range changes.Retire {
		documents = append(documents, exec("UPDATE /*backoffice:trusted_documents.retire*/ trusted_documents"+
			" SET retired_at = $4, tool = ''"+this, d.Set, d.Name, d.ID, noted(d.RetiredAt)))
	}
	for _, d := range changes.Mark {
		documents = append(documents, exec("UPDATE /*backoffice:trusted_documents.mark*/ trusted_documents"+
			" SET tool = $4, tool_about = $5, tool_numbers = $6"+this, d.Set, d.Name, d.ID, d.Tool.Name,
			storable(d.Tool.About), d.Tool.Numbers))
	}
	for _, d := range changes.Put {
		var cost any
		if d.Cost != nil {
			cost = int64(*d.Cost)
		}
		documents = append(documents, exec("DELETE /*backoffice:trusted_documents.delete*/ FROM trusted_documents"+this,
			d.Set, d.Name, d.ID), exec(
			"INSERT /*backoffice:trusted_documents.insert*/ INTO trusted_documents (document_set, name, id, kind,"+
				" text, title, about, cost, scopes, created_at, client_id, retired_at, tool, tool_about, tool_numbers)\n"+
				"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
			d.Set, d.Name, d.ID, d.Kind, d.Text, storable(d.Title), storable(d.About), cost, joined(d.Scopes),
			d.CreatedAt.Milliseconds(), d.ClientID, noted(d.RetiredAt), d.Tool.Name, storable(d.Tool.About),
			d.Tool.Numbers))
		for _, alias := range d.Aliases {
			aliases = append(aliases, exec("INSERT /*backoffice:trusted_document_aliases.insert*/"+
				" INTO trusted_document_aliases (alias, document_set, name, id) VALUES ($1, $2, $3, $4)",
				alias, d.Set, d.Name, d.ID))
		}
	}
	for some := range slices.Chunk(slices.Concat(documents, aliases), trustedAtOnce) {
		if err := t.Together(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}
