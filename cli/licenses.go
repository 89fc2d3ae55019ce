package cli

import (
	"io"

	"example.org/backoffice/web/notices"
)

type licensesCommand struct{}

func (*licensesCommand) Run(t terminal) error {
	_, err := io.WriteString(t.out, notices.Text)
	return err
}
