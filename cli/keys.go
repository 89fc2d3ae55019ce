package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
	"example.org/backoffice/gateway"
	"example.org/backoffice/privacy"
	"example.org/backoffice/privacy/kms"
)

type keysCommand struct {
	Status  keysStatusCommand  `cmd:"" aliases:"list" help:"List the keys, and how much each has sealed."`
	Rotate  keysRotateCommand  `cmd:"" help:"Create a new key, which seals new data once every server has it."`
	Reseal  keysResealCommand  `cmd:"" help:"Reseal with the new key what the old one sealed, while servers run."`
	Retire  keysRetireCommand  `cmd:"" help:"Remove an old key that is no longer needed."`
	Wrap    keysWrapCommand    `cmd:"" help:"Encrypt the keyset file with a key of a key management service."`
	Unwrap  keysUnwrapCommand  `cmd:"" help:"Decrypt the keyset file, to use it without a key management service."`
	Signing keysSigningCommand `cmd:"" help:"Print the public key that verifies evidence packs. The first run creates it."`
}

type keysStatusCommand struct{ formatFlag }

func (c *keysStatusCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	rotator := &privacy.KeyRotator{Keys: b.Keys, Store: b.Store}
	keys, stray, err := rotator.Status(ctx)
	if err != nil {
		return err
	}
	things := []backoffice.SealedThing{backoffice.SealedNumbers, backoffice.SealedTrash, backoffice.SealedWebhooks,
		backoffice.SealedIdempotency, backoffice.SealedRegister}
	columns := []string{"key", "state", "inFile"}
	for _, thing := range things {
		columns = append(columns, string(thing))
	}
	columns = append(columns, "madeAt", "turnedAt", "closedAt")
	err = listAll(c.formatFlag, t.out, columns, keys, func(key privacy.KeyStatus) []any {
		row := []any{key.ID, string(key.State), key.InFile}
		for _, thing := range things {
			row = append(row, key.Counts[thing])
		}
		return append(row, given(key.MadeAt), given(key.TurnedAt), given(key.ClosedAt))
	})
	for _, thing := range things {
		if err == nil && stray[thing] > 0 {
			_, err = fmt.Fprintf(t.err, "%d %s are sealed with none of these keys.\n", stray[thing], thing)
		}
	}
	return err
}

type keysRotateCommand struct {
	Wait time.Duration `default:"2m" help:"How long to wait for servers that do not have the new key yet (${default})."`
}

func (c *keysRotateCommand) Validate() error { return notNegative("--wait", c.Wait, "2m") }

func notNegative(flag string, d time.Duration, such string) error {
	if d < 0 {
		return errors.New(flag + " must be 0 or longer, such as " + such)
	}
	return nil
}

func (c *keysRotateCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	fresh, old, err := newRotator(b, c.Wait, t).Rotate(ctx)
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "The key %s seals from now on; %s stays, to open what it has sealed.\n"+
		"Keep a copy of the keyset file, and run: backoffice keys reseal\n", fresh, old))
}

func newRotator(b *gateway.Backend, wait time.Duration, t terminal) *privacy.KeyRotator {
	report := func(what string) { fmt.Fprintln(t.err, what) }
	return &privacy.KeyRotator{Keys: b.Keys, Store: b.Store, Wait: wait, Tell: report}
}

type keysResealCommand struct {
	Wait time.Duration `default:"2m" help:"How long to wait for servers that still seal with the old key (${default})."`
}

func (c *keysResealCommand) Validate() error { return notNegative("--wait", c.Wait, "2m") }

func (c *keysResealCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	rotator := newRotator(b, c.Wait, t)
	bar := newProgress(t.err, false)
	rotator.Done = func(done, of int64) { bar.at("customers", done, of) }
	done, err := rotator.Reseal(ctx)
	bar.end()
	if err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out,
		"Resealed the registration numbers of %d customers; none is sealed with an old key.\n", done))
}

type keysRetireCommand struct {
	Key         string `arg:"" help:"The key's identifier, from status."`
	DropCursors bool   `help:"Retire it even if clients may have cursors and signed paths that it made: these become invalid, and clients start over."`
}

func (c *keysRetireCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	if err := newRotator(b, 0, t).Retire(ctx, c.Key, c.DropCursors); err != nil {
		return err
	}
	return printed(fmt.Fprintf(t.out, "The key %s was removed from the keyset file. Copy the file to the other servers. "+
		"Earlier backups need the copy of the file from their time.\n", c.Key))
}

type keysWrapCommand struct {
	By string `placeholder:"URI" help:"The key to wrap it with (that of --keyset-kms)."`
}

func (c *keysWrapCommand) Run(ctx context.Context, b *gateway.Backend, s *settings, t terminal) error {
	uri := cmp.Or(c.By, s.KEK)
	if uri == "" {
		return errors.New("pass the key that wraps the file: --by URI, or --keyset-kms URI")
	}
	by, err := kms.Open(uri)
	if err != nil {
		return err
	}
	all, err := s.KeysetFiles()
	if err != nil {
		return err
	}
	if err := newRotator(b, 0, t).Wrap(ctx, by, all...); err != nil {
		return err
	}
	for _, file := range all {
		fmt.Fprintf(t.out, "%s is wrapped. Earlier copies of it are not: destroy them.\n", file.Path)
	}
	return printed(fmt.Fprintf(t.out, "From their next start, servers and commands need --keyset-kms %s.\n", uri))
}

type keysUnwrapCommand struct{}

func (*keysUnwrapCommand) Run(ctx context.Context, b *gateway.Backend, s *settings, t terminal) error {
	all, err := s.KeysetFiles()
	if err != nil {
		return err
	}
	wrapped := slices.DeleteFunc(all, func(file privacy.KeysetFile) bool {
		is, err := file.Wrapped()
		return err == nil && !is // Wrap returns the error
	})
	if len(wrapped) == 0 {
		return printed(fmt.Fprintf(t.out, "%s is not wrapped; nothing was changed.\n", s.Keyset))
	}
	if err := newRotator(b, 0, t).Wrap(ctx, nil, wrapped...); err != nil {
		return err
	}
	for _, file := range wrapped {
		fmt.Fprintf(t.out, "%s is no longer wrapped: anyone who can read it has the keys.\n", file.Path)
	}
	return printed(fmt.Fprintln(t.out, "Remove --keyset-kms."))
}

type keysSigningCommand struct {
	Replace bool `help:"Replace the key, for example after a leak. Earlier packs still need the old public key."`
}

func (c *keysSigningCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	signer, made, err := newRotator(b, 0, t).CreateSigner(ctx, c.Replace)
	if err != nil {
		return err
	}
	if made {
		fmt.Fprintln(t.err, "The keyset file has a new signing key: copy the file to the other servers.")
	}
	if made && c.Replace {
		fmt.Fprintln(t.err, "Restart the servers: until then they sign with the old key.")
	}
	fmt.Fprintf(t.err, "Fingerprint: %s\n", evidence.Fingerprint(signer.Public))
	return printed(t.out.Write(evidence.EncodeKey(signer.Public)))
}
