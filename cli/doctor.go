package cli

import (
	"context"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/gateway"
)

type doctorCommand struct {
	People gateway.PeopleSettings `embed:"" group:"People who sign in by OpenID Connect:"`
}

// Run prints each finding and changes nothing. It fails when a server would not work, or not safely.
func (c *doctorCommand) Run(ctx context.Context, s *settings, t terminal) error {
	wrong := 0
	report := func(f backoffice.Finding) {
		grade := "ok"
		switch {
		case f.Failed:
			grade = "wrong"
			wrong++
		case f.Advice != "":
			grade = "doubtful"
		}
		fmt.Fprintf(t.out, "%-8s  %s: %s\n", grade, f.What, f.Found)
		if f.Advice != "" {
			fmt.Fprintf(t.out, "          → %s\n", f.Advice)
		}
	}
	s.Examine(ctx, &c.People, report)
	if wrong > 0 {
		return fmt.Errorf("%s found; see above how to fix them", backoffice.Plural(wrong, "problem", "problems"))
	}
	return nil
}
