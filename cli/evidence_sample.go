package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/graphql/limits"
	"example.org/backoffice/httpserver"
	"example.org/backoffice/privacy"
)

type evidenceSampleCommand struct {
	formatFlag
	Sample  int    `required:"" placeholder:"N" help:"How many customers to pick."`
	Seed    uint64 `required:"" placeholder:"NUMBER" help:"The random seed: the same one picks the same customers."`
	Out     string `placeholder:"FOLDER" predictor:"path" help:"Write a pack of each into this folder, without registration numbers."`
	Purpose string `placeholder:"TEXT" help:"The purpose, for the manifests."`
}

func (c *evidenceSampleCommand) Validate() error {
	if c.Sample < 1 {
		return errors.New("--sample must be 1 or more")
	}
	if _, err := privacy.ParsePurpose(c.Purpose); err != nil {
		return errPurpose
	}
	return nil
}

func (c *evidenceSampleCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) (err error) {
	sample, err := backoffice.SampleCustomers(ctx, b.Store, c.Seed, c.Sample)
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := os.MkdirAll(c.Out, 0o700); err != nil {
			return err
		}
		log := httpserver.Settings{LogLevel: "warn", LogFormat: "text"}.NewLog(t.err)
		operator, err := b.Operator(gateway.Config{Limits: limits.Defaults(), Log: log})
		if err != nil {
			return err
		}
		defer operator.Close()
		for _, customer := range sample {
			path := filepath.Join(c.Out, "evidence-"+customer.ID+".zip")
			err := writeFile(path, false, func(to io.Writer) error { return c.pack(ctx, operator, customer.ID, to) })
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Base(path), err)
			}
		}
	}
	return listAll(c.formatFlag, t.out, []string{"id", "name"}, sample,
		func(customer *backoffice.Customer) []any { return []any{customer.ID, customer.DisplayName} })
}

func (c *evidenceSampleCommand) pack(ctx context.Context, by http.RoundTripper, customerID string, to io.Writer) error {
	address := url.URL{Scheme: "http", Host: "backoffice", Path: "/customers/" + customerID + "/evidence"}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	if c.Purpose != "" {
		r.Header.Set(privacy.PurposeHeader, c.Purpose)
	}
	response, err := by.RoundTrip(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var problem struct{ Detail string }
		if err := json.NewDecoder(response.Body).Decode(&problem); err != nil {
			return err
		}
		return errors.New(problem.Detail)
	}
	_, err = io.Copy(to, response.Body)
	return err
}
