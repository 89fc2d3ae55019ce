package cli

import (
	"io"

	"example.org/backoffice/web/notices"
)

// licensesCommand prints the third-party notices, which licenses want to go with the program.
type licensesCommand struct{}

func (*licensesCommand) Run(t terminal) error {
	_, err := io.WriteString(t.out, notices.Text)
	return err
}
