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

// originFlags are the mirrored backoffice and the credential for it.
type originFlags struct {
	From             string `env:"BACKOFFICE_PULL_FROM" placeholder:"URL" help:"The address of the backoffice to mirror, such as https://backoffice.example."`
	ClientID         string `name:"client-id" env:"BACKOFFICE_PULL_CLIENT_ID" placeholder:"ID" help:"The client id of a credential of that backoffice. Its secret is read from BACKOFFICE_PULL_CLIENT_SECRET."`
	ClientSecretFile string `env:"BACKOFFICE_PULL_CLIENT_SECRET_FILE" placeholder:"FILE" predictor:"path" help:"A file with the secret, instead of the environment variable."`
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
		return errors.New("the credential's secret is missing: set " + pullSecret + ", or pass --client-secret-file")
	}
	return nil
}

func (f *originFlags) of(b *gateway.Backend) *mirror.Pull {
	return &mirror.Pull{Store: b.Store, Files: b.Files, Keys: b.Keys,
		From: f.From, ClientID: f.ClientID, Secret: f.secret}
}

// throughFlags are for writing mirrored records at the origin.
type throughFlags struct {
	WriteThrough bool `env:"BACKOFFICE_WRITE_THROUGH" help:"Send writes of mirrored records to the origin, with --from and a credential as for pull, and copy the results immediately."`
	originFlags  `embed:""`
}

func (f *throughFlags) check() error {
	switch {
	case !f.WriteThrough:
		return nil
	case f.From == "" || f.ClientID == "":
		return errors.New("--write-through needs --from and --client-id, as for pull")
	}
	return f.readSecret()
}

// open returns what writes at the origin, nil for none. BadInput when the store is the mirror of another one.
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
