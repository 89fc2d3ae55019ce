package cli

import (
	"io"

	"example.org/backoffice/web/notices"
)

type licensesCommand struct{}

func (*licensesCommand) Run(t terminal) error {
	return printed(io.WriteString(t.out, notices.Text))
}
