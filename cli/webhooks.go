package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/changes/webhooks"
	"example.org/backoffice/gateway"
)

type webhooksCommand struct {
	Create  webhooksCreateCommand  `cmd:"" help:"Create a webhook and print its secret, which is not shown again."`
	List    webhooksListCommand    `cmd:"" help:"List webhooks: their state, how many changes they have still to send, and why."`
	Ping    webhooksPingCommand    `cmd:"" help:"Post a ping to a webhook, and print its answer."`
	Rewind  webhooksRewindCommand  `cmd:"" help:"Send the changes after a cursor. This also resumes a disabled webhook."`
	Disable webhooksDisableCommand `cmd:"" help:"Disable a webhook until it is rewound."`
	Rotate  webhooksRotateCommand  `cmd:"" help:"Create a new secret for a webhook and print it. For a while, the old one signs too."`
	Delete  webhooksDeleteCommand  `cmd:"" help:"Delete a webhook."`
}

type webhooksCreateCommand struct {
	URL    string   `required:"" name:"url" placeholder:"URL" help:"The address to post changes to, such as https://receiver.example/changes."`
	Noun   []string `placeholder:"NOUN" predictor:"noun" help:"A noun whose changes to send. Can be repeated. Without it, all but MINFIN_DOCUMENT. One of ${nouns}."`
	Client string   `placeholder:"ID" help:"The client id of a credential: the webhook sends what it may see, and ends with it. Without it, what operators may see."`
	From   string   `placeholder:"CURSOR" help:"Start after this cursor of the change feed. Without it, start with the next change."`
	JSON   bool     `name:"json" help:"Print only a JSON object with id and secret."`
	nouns  []backoffice.Noun
}

func (c *webhooksCreateCommand) Validate() (err error) {
	if c.nouns, err = parseAll("--noun", c.Noun, backoffice.ParseChangeNoun); err != nil {
		return err
	}
	if err := backoffice.CheckWebhookURL(c.URL); err != nil {
		return fmt.Errorf("--url: %w", err)
	}
	return nil
}

func (c *webhooksCreateCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	draft := webhooks.Draft{ClientID: c.Client, URL: c.URL, Nouns: c.nouns, From: c.From}
	hook, secret, err := webhooks.Create(ctx, b.Store, b.Keys, draft)
	if err != nil {
		return orUnknown(err, unknownCredential)
	}
	return printWebhook(t, c.JSON, hook.ID, secret)
}

func printWebhook(t terminal, asJSON bool, id, secret string) error {
	if asJSON {
		return json.NewEncoder(t.out).Encode(struct {
			ID     string `json:"id"`
			Secret string `json:"secret"`
		}{id, secret})
	}
	return printed(fmt.Fprintf(t.out, "webhook: %s\nsecret:  %s\nSave the secret now: it is not shown again.\n",
		id, secret))
}

type webhooksListCommand struct{ formatFlag }

func (c *webhooksListCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	hooks, err := store.Webhooks(ctx)
	if err != nil {
		return err
	}
	behind, err := webhooks.Behind(ctx, store, hooks)
	if err != nil {
		return err
	}
	columns := []string{"id", "state", "after", "behind", "waitingSince", "attempts", "nextAttempt", "failure",
		"deliveredAt", "nouns", "clientId", "url", "createdAt", "reason"}
	return c.list(t.out, columns, func(add adder) error {
		for _, hook := range hooks {
			from := backoffice.ChangeQuery{History: hook.History, After: hook.At}
			log, err := backoffice.ReadChangePage(ctx, store, from)
			if err != nil && backoffice.KindOf(err) != backoffice.CursorExpired {
				return err
			}
			if err := add(hook.ID, hook.State(), backoffice.ChangeCursor(hook.History, hook.At), behind[hook.ID],
				given(hook.WaitingSince()), hook.Attempts, given(hook.Due), hook.Failure, given(hook.DeliveredAt),
				hook.NounNames(), hook.ClientID, hook.URL, given(hook.CreatedAt), hook.Reason(log)); err != nil {
				return err
			}
		}
		return nil
	})
}

type webhooksPingCommand struct {
	webhooks.Settings
	ID string `arg:"" help:"The webhook."`
}

func (c *webhooksPingCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	answer, err := webhooks.Ping(ctx, b.Store, b.Keys, c.Settings, c.ID)
	if err != nil {
		return orUnknown(err, unknownWebhook)
	}
	if answer.Status > 0 {
		shown := answer.Body[:min(len(answer.Body), 200)]
		if _, err := fmt.Fprintf(t.out, "%d %s after %s: %q\n", answer.Status, http.StatusText(answer.Status),
			answer.Took.Round(time.Millisecond), shown); err != nil {
			return err
		}
	}
	if !answer.Received() {
		return errors.New("the message was not received: " + answer.Failure)
	}
	return nil
}

type webhooksRewindCommand struct {
	ID string `arg:"" help:"The webhook."`
	To string `required:"" placeholder:"CURSOR" help:"Send the changes after this cursor of the change feed. The cursor in list continues where the webhook stopped."`
}

func (c *webhooksRewindCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := webhooks.Rewind(ctx, store, c.ID, c.To); err != nil {
		return orUnknown(err, unknownWebhook)
	}
	return printed(fmt.Fprintf(t.out, "The webhook resumes after %s within seconds.\n", c.To))
}

type webhooksDisableCommand struct {
	ID string `arg:"" help:"The webhook."`
}

func (c *webhooksDisableCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := webhooks.Disable(ctx, store, c.ID); err != nil {
		return orUnknown(err, unknownWebhook)
	}
	return printed(fmt.Fprintln(t.out,
		"The webhook is disabled; servers stop sending within 5 seconds. To resume it, run webhooks rewind."))
}

type webhooksRotateCommand struct {
	ID      string        `arg:"" help:"The webhook."`
	Overlap time.Duration `default:"168h" help:"How long the old secret signs too (${default})."`
	JSON    bool          `name:"json" help:"Print only a JSON object with id and secret."`
}

func (c *webhooksRotateCommand) Validate() error { return notNegative("--overlap", c.Overlap, "168h") }

func (c *webhooksRotateCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	secret, err := webhooks.Rotate(ctx, b.Store, b.Keys, c.ID, c.Overlap)
	if err != nil {
		return orUnknown(err, unknownWebhook)
	}
	return printWebhook(t, c.JSON, c.ID, secret)
}

type webhooksDeleteCommand struct {
	ID string `arg:"" help:"The webhook."`
}

func (c *webhooksDeleteCommand) Run(ctx context.Context, store backoffice.Store, t terminal) error {
	if err := webhooks.Delete(ctx, store, c.ID); err != nil {
		return orUnknown(err, unknownWebhook)
	}
	return printed(fmt.Fprintln(t.out, "The webhook is deleted; servers stop sending within 5 seconds."))
}

const unknownWebhook = "there is no such webhook: run backoffice webhooks list"
