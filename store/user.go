package store

import (
	"context"
	"strconv"

	"example.org/backoffice/backoffice"
)

var userTable = describe(backoffice.UserTable, table[backoffice.User, backoffice.UserCriteria]{
	name:   "users",
	seenBy: seenBy{responsible: true},
	special: map[string]special{
		"firstName": {also: "displayName " + backoffice.KeyName.Field()},
		"lastName":  {also: "displayName " + backoffice.KeyName.Field()},
		// A table of their own has them, from which a deleted label disappears.
		"labelIds": {serves: "labels", shown: "(SELECT string_agg(l.label_id, ' ' ORDER BY l.position)" +
			" FROM user_labels l WHERE l.user_id = t.id)"},
	},
	columns: []column[backoffice.User]{
		folded("name_folded", func(u *backoffice.User) string { return backoffice.Fold(u.DisplayName()) }),
		folded("search_text", backoffice.SearchTextOfUser),
	},
	criteria: []criterion[backoffice.UserCriteria]{
		search("users", func(c backoffice.UserCriteria) string { return c.Search }),
	},
	orders: map[backoffice.OrderKey]order{backoffice.KeyName: byText("name_folded")},
	lists: []sideList[backoffice.User]{{
		table: "user_labels", owner: "user_id", value: "label_id", place: "position",
		of:        func(u *backoffice.User) []string { return u.LabelIDs },
		reference: []string{"labelIds"},
	}},
	writes: func(w writer[backoffice.User, backoffice.UserCriteria]) any { return &userWriter{w} },
})

// userWriter frees the customers of users that are deleted.
type userWriter struct {
	writer[backoffice.User, backoffice.UserCriteria]
}

// Delete implements backoffice.Writer. Losing its responsible user is a change of a customer, so its version grows.
func (w *userWriter) Delete(ctx context.Context, ids ...string) ([]string, error) {
	if ids = backoffice.Unique(wellFormed(ids)); ids == nil {
		return nil, nil
	}
	text := "UPDATE /*backoffice:customers.lose_user*/ customers" +
		" SET responsible_id = NULL, version = " + nextVersion("version") + "," +
		" hidden_changes = CASE version WHEN " + strconv.Itoa(backoffice.MaxVersion) + " THEN 0" +
		" ELSE " + nextVersion("version") + " - (" + nextVersion("(version - hidden_changes)") + ") END," +
		" visible_at = $2, open_visible_at = $2," +
		" updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at END," +
		" open_updated_at = CASE WHEN updated_at < $2 THEN $2 ELSE updated_at END" +
		" WHERE " + w.dialect.among("responsible_id") + " RETURNING id"
	var freed []string
	deleted, err := w.deleteAfter(ctx, ids, func(ctx context.Context) (err error) {
		freed, err = listTexts(ctx, w.conn, text, w.dialect.List(ids), w.tx.visible.mark.Milliseconds())
		return err
	})
	if err != nil {
		return nil, err
	}
	w.tx.visible.changed(changedRows{table: customerTable.name}, freed, nil)
	return deleted, nil
}
