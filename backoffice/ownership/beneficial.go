package ownership

import (
	"slices"

	"example.org/backoffice/backoffice"
)

// Rule decides who is a beneficial owner.
type Rule string

const (
	// Belgium2018 is the law of 18 September 2017, article 4, 27°: more than 25 % of the shares or votes, held directly
	// or through companies that the person controls.
	Belgium2018 Rule = "BELGIUM_2018"
	// EU2024 is regulation (EU) 2024/1624: 25 % or more, multiplied along each chain and added (article 52); control
	// (article 53); and both in one chain (article 54). It applies from 10 July 2027.
	EU2024 Rule = "EU_2024"
	// Custom is a threshold of the caller or more, by shares, votes or control.
	Custom Rule = "CUSTOM"
)

// Rules are in the order of their dates.
var Rules = []Rule{Belgium2018, EU2024, Custom}

// ruleOn is the law's rule on a day.
func ruleOn(day string) Rule {
	if day >= "2027-07-10" { // regulation (EU) 2024/1624 applies
		return EU2024
	}
	return Belgium2018
}

// enough reports whether a percentage makes an owner by a law.
func (r Rule) enough(percent float64) bool { return percent > 25 || r == EU2024 && percent == 25 }

// Category is why somebody is a beneficial owner.
type Category string

const (
	Ownership     Category = "OWNERSHIP"      // by shares or votes, multiplied along each chain
	Control       Category = "CONTROL"        // only by companies that the person controls, or that control the target
	SeniorManager Category = "SENIOR_MANAGER" // nobody else is found
)

// Categories are in the order of the law.
var Categories = []Category{Ownership, Control, SeniorManager}

// BeneficialOwner is a natural person. A senior manager may have no stake.
type BeneficialOwner struct {
	Stake
	Category Category
}

// BeneficialOwners are the natural persons who, by a rule, own or control the target of a graph of Owners by recorded
// shares; if there is none and nothing was cut off, the directors who are. Only Custom needs a threshold.
func (g *Graph) BeneficialOwners(
	rule Rule, threshold Percent, natural Natural, directorIDs []string,
) ([]*BeneficialOwner, error) {
	enough := rule.enough
	switch {
	case rule == Custom && threshold.units > 0:
		enough = func(percent float64) bool { return percent >= threshold.Float() }
	case rule != Belgium2018 && rule != EU2024:
		return nil, backoffice.Errorf(backoffice.BadInput, "the rule CUSTOM needs a threshold of more than 0 %%")
	}
	stakes, control := g.Stakes(), g.control(rule == EU2024)
	throughControllers := map[string]bool{}
	if rule == EU2024 {
		throughControllers = g.ownersOfControllers(control, natural, enough)
	}
	owners := []*BeneficialOwner{}
	for _, s := range stakes {
		switch {
		case !natural(s.CustomerID):
		case enough(max(s.Share, s.Vote)):
			owners = append(owners, &BeneficialOwner{Stake: s, Category: Ownership})
		case enough(control.most(s.CustomerID)), throughControllers[s.CustomerID]:
			owners = append(owners, &BeneficialOwner{Stake: s, Category: Control})
		}
	}
	if len(owners) > 0 || natural(g.Target()) || g.Truncated(natural) {
		return owners, nil
	}
	for _, id := range directorIDs {
		if natural(id) {
			stake := Stake{CustomerID: id}
			if i := slices.IndexFunc(stakes, func(s Stake) bool { return s.CustomerID == id }); i >= 0 {
				stake = stakes[i]
			}
			owners = append(owners, &BeneficialOwner{Stake: stake, Category: SeniorManager})
		}
	}
	return owners, nil
}

// ownersOfControllers own enough of a company that controls the target (article 54, b): 30 % of a company with 60 % of
// the target is only 18 % of it, and yet counts.
func (g *Graph) ownersOfControllers(control *control, natural Natural, enough func(float64) bool) map[string]bool {
	owners := map[string]bool{}
	solvers := []*solver{g.solver(g.shareWeights()), g.solver(g.votes)}
	for _, controller := range g.Stakes() {
		if natural(controller.CustomerID) || control.most(controller.CustomerID) <= 50 {
			continue
		}
		for _, solver := range solvers {
			for c, share := range solver.from(g.index[controller.CustomerID]) {
				if enough(asPercent(share)) {
					owners[g.ids[c]] = true // a company is no owner
				}
			}
		}
	}
	return owners
}
