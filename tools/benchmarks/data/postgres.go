package data

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"example.org/backoffice/backoffice"
)

// copied is a table and its rows.
type copied struct {
	table   string
	columns string
	rows    int
	row     func(i int) []any
}

func (o Office) tables() []copied {
	return []copied{
		{"users", "id first_name last_name email language version search_text", Users, func(i int) []any {
			u := o.User(i)
			return []any{u.ID, u.FirstName, u.LastName, u.Email, null(u.Language), int64(u.Version), backoffice.SearchTextOfUser(u)}
		}},
		{"financial_years", "id start_date end_date is_current archived_at", Years, func(i int) []any {
			y := o.Year(i)
			var archived any
			if !y.ArchivedAt.IsZero() {
				archived = int64(y.ArchivedAt)
			}
			return []any{y.ID, y.StartDate, y.EndDate, y.IsCurrentYear, archived}
		}},
		{"checklists", "id name language auth_required reminders_enabled financial_year_id", Years * ChecklistsPerYear, func(i int) []any {
			c := o.Checklist(i)
			return []any{c.ID, c.Name, c.Language, c.AuthRequired, c.RemindersEnabled, c.FinancialYearID}
		}},
		{"customers", "id type own_name first_name last_name display_name kbo_number company_type street house_number postal_code city country customer_code responsible_id language email phone created_at updated_at open_updated_at version name_folded email_folded search_text city_folded postal_code_folded country_folded", o.Customers, func(i int) []any {
			c := o.Customer(i)
			return []any{c.ID, string(c.Type), null(c.OwnName), null(c.FirstName), null(c.LastName), c.DisplayName, null(c.KboNumber), null(c.CompanyType),
				null(c.Address.Street), null(c.Address.HouseNumber), null(c.Address.PostalCode), null(c.Address.City), null(c.Address.Country), null(c.CustomerCode),
				null(c.ResponsibleID), null(c.Language), null(c.Email), null(c.Phone), int64(c.CreatedAt), int64(c.UpdatedAt), int64(c.UpdatedAt), int64(c.Version),
				backoffice.Fold(c.DisplayName), null(backoffice.FoldEmail(string(c.Email))), backoffice.SearchTextOf(c),
				null(backoffice.Fold(string(c.Address.City))), null(backoffice.Fold(string(c.Address.PostalCode))), null(backoffice.Fold(string(c.Address.Country)))}
		}},
		{"relations", "id kind customer_id related_customer_id created_at", o.Relations(), func(i int) []any {
			r := o.Relation(i)
			return []any{r.ID, string(r.Kind), r.CustomerID, r.RelatedCustomerID, int64(r.CreatedAt)}
		}},
		{"transcripts", "id own_status own_updated_at status updated_at is_completed progress document_generated custom_variables customer_id checklist_id financial_year_id", o.Transcripts(), func(i int) []any {
			t := o.Transcript(i)
			return []any{t.ID, string(t.OwnStatus), int64(t.OwnUpdatedAt), string(t.Status), int64(t.UpdatedAt), t.IsCompleted, t.ProgressPercentage,
				t.DocumentGenerated, string(t.CustomVariables), t.CustomerID, t.ChecklistID, t.FinancialYearID}
		}},
	}
}

func null[S ~string](text S) any {
	if text == "" {
		return nil
	}
	return string(text)
}

// LoadPostgres copies the office into the empty tables that the store's migrations made. The rows are ours, so foreign
// keys are not checked while they come, and indexes that are no constraint's are built when they are there.
func (o Office) LoadPostgres(ctx context.Context, url string, told func(table string, rows int)) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "SET synchronous_commit = off; SET maintenance_work_mem = '512MB'"); err != nil {
		return err
	}
	for _, t := range o.tables() {
		told(t.table, t.rows)
		if err := t.load(ctx, conn); err != nil {
			return fmt.Errorf("loading %s: %w", t.table, err)
		}
	}
	for _, text := range []string{"VACUUM (FREEZE, ANALYZE)", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// load copies a table's rows. The triggers that count rows stay on: they are part of what the store maintains. Those
// that note who can see a row would read all rows before it, without an index, and nobody follows the log yet.
func (t copied) load(ctx context.Context, conn *pgx.Conn) error {
	indexes, err := conn.Query(ctx, `SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
		WHERE i.indrelid = $1::text::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid)`, t.table)
	if err != nil {
		return err
	}
	type index struct{ Name, Text string }
	dropped, err := pgx.CollectRows(indexes, pgx.RowToStructByPos[index])
	if err != nil {
		return err
	}
	texts := []string{"ALTER TABLE " + t.table + " DISABLE TRIGGER ALL", "ALTER TABLE " + t.table + " ENABLE TRIGGER USER"}
	for _, i := range dropped {
		texts = append(texts, "DROP INDEX "+i.Name)
	}
	views, err := conn.Query(ctx, `SELECT format('ALTER TABLE %I DISABLE TRIGGER %I', $1::text, t.tgname) FROM pg_trigger t
		WHERE t.tgrelid = $1::text::regclass AND t.tgfoid = 'note_view'::regproc`, t.table)
	if err != nil {
		return err
	}
	noting, err := pgx.CollectRows(views, pgx.RowTo[string])
	if err != nil {
		return err
	}
	texts = append(texts, noting...)
	if _, err := conn.Exec(ctx, strings.Join(texts, ";")); err != nil {
		return err
	}
	next := 0
	rows := pgx.CopyFromFunc(func() ([]any, error) {
		if next == t.rows {
			return nil, nil
		}
		next++
		return t.row(next - 1), nil
	})
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{t.table}, strings.Fields(t.columns), rows); err != nil {
		return err
	}
	for _, i := range dropped {
		if _, err := conn.Exec(ctx, i.Text); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, "ALTER TABLE "+t.table+" ENABLE TRIGGER ALL")
	return err
}
