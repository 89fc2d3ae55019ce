package store

import (
	"context"
	"strings"
	"time"

	"example.org/backoffice/backoffice"
)

func (s *Store) BeginDocument(ctx context.Context, transcriptID, upload string,
	lease time.Duration) (of backoffice.TranscriptDocument, err error) {
	if backoffice.CheckID(transcriptID) != nil {
		return of, nil
	}
	part := func(column string) string {
		return "(SELECT s." + column + " FROM transcripts s WHERE s.id = $1)"
	}
	err = s.repeat(ctx,
		oneRow(on(s.nouns, transcriptTable), "$1", transcriptID, &of.Transcript),
		oneRow(on(s.nouns, customerTable), part("customer_id"), transcriptID, &of.Customer),
		oneRow(on(s.nouns, checklistTable), part("checklist_id"), transcriptID, &of.Checklist),
		oneRow(on(s.nouns, financialYearTable), part("financial_year_id"), transcriptID, &of.FinancialYear),
		s.nouns.dialect.beginUpload(" FROM (SELECT t.id FROM transcripts t WHERE t.id = $3 AND t.is_completed) t",
			upload, lease, transcriptID))
	return of, err
}

// oneRow reads the row with an identifier, which is SQL with one argument.
func oneRow[T any, C comparable](n *noun[T, C], id, arg string, into **T) *Statement {
	columns, read := n.whole(func(t *T) { *into = t })
	return &Statement{Text: "SELECT " + naming(n.table.name, "of_document") + columns + " FROM " + n.table.name +
		" t WHERE t.id = " + id, Args: []any{arg}, Each: read}
}

// setDocumentText writes the document of v to a completed transcript, and nothing else.
func setDocumentText(d *Dialect) string {
	const own = "(CASE WHEN t.own_updated_at > v.own_updated_at THEN t.own_updated_at ELSE v.own_updated_at END)"
	var sets []string
	columns := transcriptTable.written()
	for _, c := range columns {
		if strings.HasPrefix(c.name, "document_generated") || strings.HasPrefix(c.name, "file_") {
			sets = append(sets, c.name+" = "+c.stored())
		}
	}
	mark := parameter(len(columns) + 1)
	if d.bulk {
		mark += "::bigint"
	}
	sets = append(sets, "own_updated_at = "+own, "updated_at = "+
		strings.ReplaceAll(effectiveUpdate, "v.own_updated_at", own), "visible_at = "+mark)
	return "UPDATE /*backoffice:transcripts.set_document*/ transcripts AS t SET " + strings.Join(sets, ", ") +
		" FROM " + transcriptTable.source(d) + " WHERE t.id = v.id AND t.is_completed"
}

func (t *tx) SetDocument(ctx context.Context,
	set *backoffice.Transcript) (changed *backoffice.Transcript, replaced []string, err error) {
	w, d := writerOf(t, transcriptTable), t.store.nouns.dialect
	err = t.together(ctx, func(ctx context.Context) error { // waits for another document of it
		return w.attached(ctx, w.writes.attached, []string{set.ID}, attachments{})
	}, func(ctx context.Context) (err error) {
		replaced, err = listTexts(ctx, t.conn,
			"INSERT /*backoffice:forgotten_files.of_document*/ INTO forgotten_files (file_key, at) SELECT t.file_key, "+
				d.now+" FROM transcripts t WHERE t.id = $1 AND t.is_completed AND t.file_key IS NOT NULL"+
				notImported("t.file_key")+d.forKey+
				" ON CONFLICT (file_key) DO UPDATE SET at = forgotten_files.at RETURNING file_key", set.ID)
		return err
	}, func(ctx context.Context) error {
		_, err := w.run(ctx, t.store.nouns.setDocument, []*backoffice.Transcript{set})
		return err
	}, func(ctx context.Context) error {
		found, err := w.byID(ctx, []string{set.ID}, 0)
		changed = found[set.ID]
		return err
	})
	if err == nil && changed != nil && changed.IsCompleted {
		w.noteTouched([]*backoffice.Transcript{changed}, attachments{changed.ID: nil})
		w.noteChanged([]*backoffice.Transcript{changed}, nil)
	}
	return changed, replaced, err
}
