package cli

import (
	"context"
	"errors"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
	"example.org/backoffice/importexport"
	"example.org/backoffice/privacy"
)

type exportCommand struct {
	Path                string `arg:"" predictor:"path" help:"A new or empty folder to write to."`
	RegistrationNumbers bool   `help:"Include registration numbers, unencrypted. The register of consultations records it."`
	Purpose             string `placeholder:"TEXT" help:"Why registration numbers are exported, for the register."`
}

func (c *exportCommand) Validate() error {
	switch {
	case c.RegistrationNumbers && c.Purpose == "":
		return errors.New("--registration-numbers needs --purpose TEXT, which the register of consultations records")
	case !c.RegistrationNumbers && c.Purpose != "":
		return errors.New("--purpose needs --registration-numbers")
	}
	if _, err := privacy.ParsePurpose(c.Purpose); err != nil {
		return errPurpose
	}
	return nil
}

var errPurpose = errors.New("--purpose must be at most 200 characters, with no control characters, " +
	"no run of 9 or more digits and no registration number")

func (c *exportCommand) Run(ctx context.Context, b *gateway.Backend, t terminal) error {
	bar := newProgress(t.err, false)
	exporter := &importexport.Exporter{
		Store: b.Store, Files: b.Files, Vault: b.Vault,
		Progress: func(p importexport.Progress) { bar.at(p.File, p.Done, p.Size) },
	}
	var purpose *string
	if c.RegistrationNumbers {
		purpose = &c.Purpose
	}
	all, err := exporter.Export(ctx, c.Path, purpose)
	bar.end()
	if err := errors.Join(err, b.Vault.WriteReceipts(context.WithoutCancel(ctx), b.Receipts)); err != nil {
		return err
	}
	for _, dumped := range all {
		fmt.Fprintf(t.out, "%s: %s, %s\n", dumped.File, backoffice.Plural(dumped.Records, "record", "records"),
			backoffice.Plural(dumped.Stored, "file", "files"))
	}
	return nil
}
