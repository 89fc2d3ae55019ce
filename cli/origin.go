package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/importexport/mirror"
)

const pullSecret = "BACKOFFICE_PULL_CLIENT_SECRET"

// originFlags are the mirrored backoffice and the pair for it.
type originFlags struct {
	From             string `env:"BACKOFFICE_PULL_FROM" placeholder:"URL" help:"The address of the backoffice that is mirrored, such as https://backoffice.example."`
	ClientID         string `name:"client-id" env:"BACKOFFICE_PULL_CLIENT_ID" placeholder:"ID" help:"The client id of a pair of that backoffice. Its secret is in BACKOFFICE_PULL_CLIENT_SECRET."`
	ClientSecretFile string `env:"BACKOFFICE_PULL_CLIENT_SECRET_FILE" placeholder:"FILE" predictor:"path" help:"A file with the secret, in place of the environment variable."`
	secret           string
}

func (f *originFlags) readSecret() error {
	f.secret = os.Getenv(pullSecret)
	if f.ClientSecretFile != "" {
		text, err := os.ReadFile(f.ClientSecretFile)
		if err != nil {
			return fmt.Errorf("--client-secret-file: %w", err)
		}
		f.secret = strings.TrimSpace(string(text))
	}
	if f.secret == "" {
		return errors.New("the secret of the pair is missing: set " + pullSecret + ", or give --client-secret-file")
	}
	return nil
}

func (f *originFlags) of(b *gateway.Backend) *mirror.Pull {
	return &mirror.Pull{Store: b.Store, Files: b.Files, Keys: b.Keys,
		From: f.From, ClientID: f.ClientID, Secret: f.secret}
}

// throughFlags are for writing mirrored records at the origin.
type throughFlags struct {
	WriteThrough bool `env:"BACKOFFICE_WRITE_THROUGH" help:"Do writes of what is mirrored at the origin, with --from and a pair as pull has them, and copy their records at once."`
	originFlags  `embed:""`
}

func (f *throughFlags) check() error {
	switch {
	case !f.WriteThrough:
		return nil
	case f.From == "" || f.ClientID == "":
		return errors.New("--write-through needs --from and --client-id, as pull has them")
	}
	return f.readSecret()
}

// open makes what writes at the origin, nil for none. BadInput when the store is the mirror of another one.
func (f *throughFlags) open(ctx context.Context, b *gateway.Backend) (func(backoffice.Store) backoffice.Origin, error) {
	if !f.WriteThrough {
		return nil, nil
	}
	through, err := f.of(b).Through()
	if err == nil {
		err = through.Check(ctx)
	}
	if err != nil {
		return nil, err
	}
	return func(store backoffice.Store) backoffice.Origin { return through.WithStore(store) }, nil
}
