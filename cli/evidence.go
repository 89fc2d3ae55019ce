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
	Sample evidenceSampleCommand `cmd:"" default:"withargs" help:"Pick random customers, and write an evidence pack of each."`
	Verify evidenceVerifyCommand `cmd:"" help:"Verify the signature of an evidence pack."`
}

type evidenceVerifyCommand struct {
	File string `arg:"" predictor:"path" help:"The pack, a zip file."`
	Key  string `placeholder:"PATH" predictor:"path" help:"The firm's public key, as printed by keys signing. Without it, compare the fingerprint of the pack's own key with the firm's."`
}

var errNotAuthentic = errors.New("the pack does not match its signature")

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
	_, err = fmt.Fprintf(t.out, "The pack matches its signature: %s of customer %q, up to %q.\nKey: %s\n",
		backoffice.Plural(len(m.Entries), "entry", "entries"), m.CustomerID, m.To, evidence.Fingerprint(found.Key))
	if err == nil && key == nil {
		_, err = fmt.Fprintln(t.out,
			"This is the pack's own key: compare it with the firm's, or pass the firm's with --key.")
	}
	return printed(0, err)
}
