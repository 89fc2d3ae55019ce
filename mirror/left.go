package mirror

import (
	"errors"
	"fmt"
)

// mostNamed is how many of what a pull had to leave out are named.
const mostNamed = 20

// leaveOut names what the origin answers wrongly, and has the pull go on without it. It returns err
// when the origin does not answer at all.
func (p *pulling) leaveOut(n *noun, what string, err error) error {
	away := new(errAway)
	if !errors.As(err, &away) || !away.answered {
		return err
	}
	p.origin.leftOut.Add(1)
	p.of(n).leave(fmt.Sprintf("%s: %s", what, away.why))
	return nil
}

// leave names what was left out; of very many the first ones.
func (d *Pulled) leave(what string) {
	if len(d.LeftOut) < mostNamed {
		d.LeftOut = append(d.LeftOut, what)
	}
	if d.Incomplete == "" {
		d.Incomplete = whyLeftOut
	}
}

const whyLeftOut = "some of it is not answered as specified"
