package cli

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
)

type evidenceCommand struct {
	Sample evidenceSampleCommand `cmd:"" default:"withargs" help:"Pick customers at random, and write a pack of each."`
	Verify evidenceVerifyCommand `cmd:"" help:"Check that a pack of evidence is as it was signed."`
}

type evidenceVerifyCommand struct {
	File string `arg:"" predictor:"path" help:"The zip."`
	Key  string `placeholder:"PATH" predictor:"path" help:"The office's public key, as keys signing prints it; without it the key in the pack counts, and its fingerprint is to be compared."`
}

var errNotAuthentic = errors.New("the pack is not as it was signed")

// Run needs no store.
func (c *evidenceVerifyCommand) Run(t terminal) error {
	var key ed25519.PublicKey
	if c.Key != "" {
		text, err := os.ReadFile(c.Key)
		if err != nil {
			return err
		}
		if key, err = evidence.ParseKey(text); err != nil {
			return err
		}
	}
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	found, err := evidence.Verify(file, info.Size(), key)
	if err != nil {
		return err
	}
	for _, problem := range found.Problems {
		fmt.Fprintln(t.out, problem)
	}
	if len(found.Problems) > 0 {
		return errNotAuthentic
	}
	m := found.Manifest
	_, err = fmt.Fprintf(t.out, "The pack is as it was signed: %s of customer %s, up to %s.\nKey: %s\n",
		backoffice.Plural(len(m.Entries), "entry", "entries"), m.CustomerID, m.To, evidence.Fingerprint(found.Key))
	if err == nil && key == nil {
		_, err = fmt.Fprintln(t.out,
			"That is the key in the pack: compare it with the office's, or pass that with --key.")
	}
	return printed(0, err)
}
