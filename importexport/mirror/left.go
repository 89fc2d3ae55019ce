package mirror

import (
	"cmp"
	"errors"
	"fmt"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

// mostNamed is how many things left out of a pull are named.
const mostNamed = 20

// leaveOut names a wrong answer and lets the pull continue. It returns err when the origin does not answer at all.
func (p *pulling) leaveOut(n *noun, what string, err error) error {
	away := new(errAway)
	if !errors.As(err, &away) || !away.answered {
		return err
	}
	p.origin.leftOut.Add(1)
	p.of(n).leave(fmt.Sprintf("%s: %s", what, away.why))
	return nil
}

// leave names what was left out, up to mostNamed things.
func (d *Pulled) leave(what string) {
	if len(d.LeftOut) < mostNamed {
		d.LeftOut = append(d.LeftOut, what)
	}
	d.Incomplete = cmp.Or(d.Incomplete, whyLeftOut)
}

// Rejected is a record that could not be loaded.
type Rejected struct {
	Record string // its identifier, or its place when that is invalid
	importexport.RejectedLine
}

func (p *pulling) reject(n *noun, of held, faults []importexport.Fault) error {
	rejected := Rejected{of.name, importexport.RejectedLine{Faults: faults}}
	if p.Rejects != nil {
		rejected.Line = of.line // written at the end
		if err := p.Rejects.KeepFile(of.line, p.inHand.folder); err != nil {
			return err
		}
	}
	p.of(n).Rejected = append(p.of(n).Rejected, rejected)
	return nil
}

// nameOf is the name of a record in a report.
func nameOf(w *walk, id string, place []byte) string {
	if backoffice.CheckID(id) == nil {
		return id
	}
	return fmt.Sprintf("record %s of page %d", place, max(w.Pages, 1))
}

const whyUnread = "its list can no longer be read"
const whyLeftOut = "some answers do not conform to the specification"
