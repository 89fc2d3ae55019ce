package demo

import (
	"fmt"

	"example.org/backoffice/backoffice"
)

// relations makes the relations of a customer. The other customer is in the chunk from first to last, or an earlier
// one, so that it is stored when the relation is.
//
// A company belongs to the company of a third of its number: a tree of holdings and subsidiaries, as deep as the
// logarithm of the office. Every 20th and its neighbour own a part of each other; every 50th is in a ring of three.
// The shares are known but for every tenth.
func (p *plan) relations(number, first, last int) []*backoffice.CustomerRelation {
	r := p.draw(uint64(number)<<8 | 4)
	var made []*backoffice.CustomerRelation
	add := func(kind backoffice.RelationKind, related int, share backoffice.Text) {
		if related < firstCustomer || related > last || related == number {
			return
		}
		relation := &backoffice.CustomerRelation{
			ID: fmt.Sprintf("relation-%07d-%02d", number, len(made)+1), Kind: kind,
			CustomerID: customerID(number), RelatedCustomerID: customerID(related), Version: 1,
		}
		for _, other := range made {
			if other.Kind == kind && other.RelatedCustomerID == relation.RelatedCustomerID {
				return
			}
		}
		if number%10 != 0 {
			relation.SharePercent = share
		}
		relation.CreatedAt = p.ago(r, r.IntN(1500))
		made = append(made, relation)
	}
	person := func() int { return nearest(first+r.IntN(last-first+1), first, last, false) }
	if !isCompany(number) {
		if r.IntN(8) == 0 {
			add(backoffice.ContactPerson, person(), "")
		}
		return made
	}
	director := person()
	add(backoffice.Director, director, "")
	if r.IntN(3) == 0 {
		add(backoffice.Director, person(), "")
	}
	if r.IntN(4) > 0 {
		add(backoffice.UBO, director, "75")
	}
	if r.IntN(3) == 0 {
		add(backoffice.ContactPerson, person(), "")
	}
	if r.IntN(2) == 0 {
		add(backoffice.Shareholder, nearest(number/3, firstCustomer, number-1, true), "75")
	} else {
		add(backoffice.Shareholder, director, "75")
	}
	switch at := number - first; {
	case at%20 == 0:
		add(backoffice.Shareholder, nearest(number+1, number+1, last, true), "10")
	case at%20 == 1 && isCompany(number-1):
		add(backoffice.Shareholder, number-1, "10")
	}
	ring := number - (number-first)%50
	if number-ring < 3 && isCompany(ring) && isCompany(ring+1) && isCompany(ring+2) {
		add(backoffice.Shareholder, ring+(number-ring+1)%3, "15")
	}
	return made
}

// nearest is the nearest number above, or else below, of a company or a person; 0 for none.
func nearest(number, low, high int, company bool) int {
	for step := number; step <= min(high, number+10); step++ {
		if step >= low && isCompany(step) == company {
			return step
		}
	}
	for step := min(number, high); step >= max(low, number-10); step-- {
		if isCompany(step) == company {
			return step
		}
	}
	return 0
}
