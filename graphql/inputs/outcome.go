package inputs

import "example.org/backoffice/backoffice"

type Outcome struct{ UserErrors []*backoffice.UserError }

// Tell sets the errors that the caller can fix; none when the write was done.
func (o *Outcome) Tell(userErrors []*backoffice.UserError) { o.UserErrors = userErrors }
