package cli

import (
	"io"

	"example.org/backoffice/web/notices"
)

// licensesCommand prints the third-party notices that licenses require.
type licensesCommand struct{}

func (*licensesCommand) Run(t terminal) error {
	_, err := io.WriteString(t.out, notices.Text)
	return err
}
