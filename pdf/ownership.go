package pdf

import (
	"io"
	"strings"

	"example.org/backoffice/backoffice"
)

// Ownership writes who owns a customer on a day, in the customer's language. It fails only with the writer's error.
func (d *Documents) Ownership(w io.Writer, of backoffice.OwnershipReport) error {
	l := labelsFor(string(of.Customer.Language))
	customer := PartyOf(of.Customer)
	c := newComposer(l, d.fonts, l.OwnershipTitle+" – "+customer.Name, d.office.Name, of.At)
	c.head(d.office, l.Ownership, l.OwnershipTitle, customer.Name)
	c.facts(append(customer.facts(l), fact{l.KBONumber, kbo(customer.KBONumber)}),
		[]fact{{l.DateLabel, l.day(of.At)}, {l.Reference, of.Customer.ID}})
	c.y += 6
	known := l.OwnersMissing
	if of.Complete {
		known = l.OwnersComplete
	}
	c.paragraph(bodyStyle, l.OwnershipText+" "+known)
	c.owners(l.BeneficialOwners, of.BeneficialOwners)
	c.owners(l.Owners, of.Owners)
	if len(of.Discrepancies) > 0 {
		c.heading(l.Discrepancies)
		rows := backoffice.Map(of.Discrepancies, func(d backoffice.ReportedDiscrepancy) row {
			lines := []string{l.DiscrepancyKinds[d.Kind]}
			if d.Declared != "" {
				lines = append(lines, l.Declared+": "+l.exact(d.Declared))
			}
			lines = append(lines, l.Computed+": "+l.exact(d.Computed))
			if !d.Certain {
				lines = append(lines, l.Uncertain)
			}
			return row{cells: [2]string{c.clean(d.Name), strings.Join(lines, "\n")}}
		})
		c.table(table{header: [2]string{l.Owner, l.Value}, rows: rows})
	}
	return c.finish(w, d.office.Name+" · "+l.OwnershipTitle+" · "+customer.Name)
}

func (c *composer) owners(heading string, owners []backoffice.ReportedOwner) {
	l := c.labels
	c.heading(heading)
	rows := backoffice.Map(owners, func(o backoffice.ReportedOwner) row {
		share := l.exact(o.Share)
		if o.UpperBound != o.Share {
			share += " – " + l.exact(o.UpperBound)
		}
		lines := []string{l.Share + ": " + share}
		if o.Vote != o.Share {
			lines = append(lines, l.Vote+": "+l.exact(o.Vote))
		}
		if o.Control != o.Share && o.Control != "0" {
			lines = append(lines, l.Control+": "+l.exact(o.Control))
		}
		if o.Category != "" {
			lines = append(lines, l.OwnerCategories[o.Category])
		}
		return row{cells: [2]string{c.clean(o.Name), strings.Join(lines, "\n")}}
	})
	c.tableOr(l.NoOwners, table{header: [2]string{l.Owner, l.Value}, rows: rows})
}
