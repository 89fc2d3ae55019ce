package store

import (
	"bytes"
	"context"
	"strings"

	"example.org/backoffice/backoffice"
)

// The columns of a webhook: the settings, which operators change, and the progress, which senders update.
const (
	webhookSettings = "url, nouns, secret, old_secret, old_secret_to"
	webhookProgress = "stop, at, message_through, message_nouns, message_made_at, message_body, attempts, due," +
		" failure, tried_at, delivered_at, history"

	selectWebhooks = "SELECT /*backoffice:webhooks.list*/ id, client_id, created_at, version, steps, " +
		webhookSettings + ", " + webhookProgress + " FROM webhooks"
)

// listWebhooks reads webhooks without the content of their messages.
var listWebhooks = strings.Replace(selectWebhooks, "message_body", "NULL", 1) + " ORDER BY id"

func queryWebhooks(ctx context.Context, conn Conn, text string, args ...any) (hooks []*backoffice.Webhook, err error) {
	err = conn.Query(ctx, text, args, func(row *Row) error {
		w := &backoffice.Webhook{
			ID: row.Text(0), ClientID: row.Text(1), CreatedAt: row.Instant(2), Version: row.Int(3), Steps: row.Int(4),
			URL: row.Text(5), Secret: bytes.Clone(row.Bytes(7)), OldSecret: bytes.Clone(row.Bytes(8)),
			OldSecretTo: row.Noted(9),
			WebhookProgress: backoffice.WebhookProgress{
				Stop: backoffice.WebhookStop(row.Text(10)), At: row.Int(11),
				Attempts: int(row.Int(16)), Due: row.Noted(17), Failure: row.Text(18),
				TriedAt: row.Noted(19), DeliveredAt: row.Noted(20), History: row.Text(21),
			},
		}
		var err error
		if w.Nouns, err = nounsNamed(row.Text(6)); err != nil {
			return err
		}
		if !row.IsNull(12) {
			w.Message = &backoffice.WebhookMessage{Through: row.Int(12), MadeAt: row.Instant(14),
				Body: bytes.Clone(row.Bytes(15))}
			w.Message.Nouns, err = nounsNamed(row.Text(13))
		}
		hooks = append(hooks, w)
		return err
	})
	return hooks, err
}

func nounsNamed(names string) (nouns []backoffice.Noun, err error) {
	for _, name := range strings.Fields(names) {
		noun, err := backoffice.ParseChangeNoun(name)
		if err != nil { // of a newer program: this one must not guess
			return nil, &backoffice.Error{Kind: backoffice.Internal, Message: "internal error", Cause: err}
		}
		nouns = append(nouns, noun)
	}
	return nouns, nil
}

func apiNames(nouns []backoffice.Noun) string {
	return strings.Join(backoffice.Map(nouns, backoffice.Noun.APIName), " ")
}

// settingsOf and progressOf are the arguments for these columns.
func settingsOf(w *backoffice.Webhook) []any {
	return []any{w.URL, apiNames(w.Nouns), w.Secret, bytesOrNull(w.OldSecret), noted(w.OldSecretTo)}
}

func progressOf(p *backoffice.WebhookProgress) []any {
	message := []any{nil, nil, nil, nil}
	if m := p.Message; m != nil {
		message = []any{m.Through, apiNames(m.Nouns), m.MadeAt.Milliseconds(), m.Body}
	}
	args := append([]any{string(p.Stop), p.At}, message...)
	return append(args, int64(p.Attempts), noted(p.Due), storable(p.Failure), noted(p.TriedAt),
		noted(p.DeliveredAt), p.History)
}

// assigned writes "a = $n, b = $n+1" for columns.
func assigned(columns string, from int) string {
	names := strings.Split(columns, ", ")
	for i, name := range names {
		names[i] = name + " = " + parameter(from+i)
	}
	return strings.Join(names, ", ")
}

func webhook(ctx context.Context, conn Conn, id string) (*backoffice.Webhook, error) {
	hooks, err := queryWebhooks(ctx, conn, selectWebhooks+" WHERE id = $1", storable(id))
	if err == nil && len(hooks) == 0 {
		return nil, unknownWebhook()
	}
	if err != nil {
		return nil, err
	}
	return hooks[0], nil
}

func unknownWebhook() error {
	return backoffice.Errorf(backoffice.NotFound, "there is no such webhook")
}

func (s *Store) Webhook(ctx context.Context, id string) (*backoffice.Webhook, error) {
	return webhook(ctx, s.primary(), id)
}

func (s *Store) Webhooks(ctx context.Context) ([]*backoffice.Webhook, error) {
	return queryWebhooks(ctx, s.primary(), listWebhooks)
}

func (s *Store) CreateWebhook(ctx context.Context, w *backoffice.Webhook) error {
	var clientID any
	if w.ClientID != "" {
		clientID = w.ClientID
	}
	args := append([]any{w.ID, clientID, w.CreatedAt.Milliseconds(), w.Version, w.Steps}, settingsOf(w)...)
	args = append(args, progressOf(&w.WebhookProgress)...)
	parameters := make([]string, len(args))
	for i := range parameters {
		parameters[i] = parameter(i + 1)
	}
	text := "INSERT /*backoffice:webhooks.insert*/ INTO webhooks (id, client_id, created_at, version, steps, " +
		webhookSettings + ", " + webhookProgress + ") VALUES (" + strings.Join(parameters, ", ") + ")"
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		_, err := tx.conn.Exec(ctx, text, args)
		if violation := violationOf(err); violation != nil {
			if violation.Of == ReferenceViolation {
				return backoffice.Errorf(backoffice.NotFound, "no credential has this client id")
			}
			return takenID()
		}
		if err != nil {
			return err
		}
		return tx.noteWebhook(ctx, w.ID, "webhooks create", backoffice.Created, w.CreatedAt)
	})
}

func (t *tx) noteWebhook(ctx context.Context, id, act string, done backoffice.ChangeAction,
	now backoffice.Instant) error {
	entry := &backoffice.Change{At: now, Action: act, Noun: backoffice.NounWebhook, ObjectID: id, Done: done}
	return t.LogChanges(ctx, entry)
}

func (s *Store) UpdateWebhook(ctx context.Context, id, act string, now backoffice.Instant,
	change func(*backoffice.Webhook) error) error {
	settings := len(strings.Split(webhookSettings, ", "))
	text := "UPDATE /*backoffice:webhooks.update*/ webhooks SET version = version + 1, " +
		assigned(webhookSettings, 2) + ", " + assigned(webhookProgress, 2+settings) + " WHERE id = $1"
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		// The row is locked before it is read, so that the read sees the changes that the lock waited for.
		lock := "SELECT /*backoffice:webhooks.lock*/ id FROM webhooks WHERE id = $1" + s.nouns.dialect.forKey
		if err := tx.conn.Query(ctx, lock, []any{storable(id)}, func(*Row) error { return nil }); err != nil {
			return err
		}
		w, err := webhook(ctx, tx.conn, id)
		if err != nil {
			return err
		}
		if err := change(w); err != nil {
			return err
		}
		if _, err := tx.conn.Exec(ctx, text, append(append([]any{id}, settingsOf(w)...),
			progressOf(&w.WebhookProgress)...)); err != nil {
			return err
		}
		return tx.noteWebhook(ctx, id, act, backoffice.Updated, now)
	})
}

func (s *Store) StepWebhook(ctx context.Context, w *backoffice.Webhook) (done bool, err error) {
	text := "UPDATE /*backoffice:webhooks.step*/ webhooks SET steps = steps + 1, " + assigned(webhookProgress, 4) +
		" WHERE id = $1 AND version = $2 AND steps = $3"
	args := append([]any{w.ID, w.Version, w.Steps}, progressOf(&w.WebhookProgress)...)
	changed, err := s.execAlone(ctx, text, args...)
	if err != nil || changed == 0 {
		return false, err
	}
	w.Steps++
	return true, nil
}

func (s *Store) DeleteWebhook(ctx context.Context, id string, now backoffice.Instant) error {
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		switch deleted, err := tx.conn.Exec(ctx, "DELETE /*backoffice:webhooks.delete*/ FROM webhooks"+
			" WHERE id = $1", []any{storable(id)}); {
		case err != nil:
			return err
		case deleted == 0:
			return unknownWebhook()
		}
		return tx.noteWebhook(ctx, id, "webhooks delete", backoffice.Deleted, now)
	})
}
