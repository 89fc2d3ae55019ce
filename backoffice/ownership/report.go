package ownership

import "example.org/backoffice/backoffice"

// Report collects what a document about a structure of Owners shows.
func (s *Structure) Report(
	of *backoffice.Customer, owners []*BeneficialOwner, discrepancies []*Discrepancy, describe Describe,
) backoffice.OwnershipReport {
	shown := func(stake Stake, category Category) backoffice.ReportedOwner {
		return backoffice.ReportedOwner{
			Name: describe(stake.CustomerID).Name, Category: string(category), Share: Decimal(stake.Share),
			UpperBound: Decimal(stake.UpperBound), Vote: Decimal(stake.Vote), Control: Decimal(stake.Control),
		}
	}
	return backoffice.OwnershipReport{
		Customer: of, At: backoffice.StartOfDay(s.AsOf, 0), Complete: s.Complete(),
		BeneficialOwners: backoffice.Map(owners, func(o *BeneficialOwner) backoffice.ReportedOwner {
			return shown(o.Stake, o.Category)
		}),
		Owners: backoffice.Map(s.Stakes(), func(stake Stake) backoffice.ReportedOwner { return shown(stake, "") }),
		Discrepancies: backoffice.Map(discrepancies, func(d *Discrepancy) backoffice.ReportedDiscrepancy {
			return backoffice.ReportedDiscrepancy{
				Kind: string(d.Kind), Name: describe(d.CustomerID).Name, Declared: d.Declared.String(),
				Computed: Decimal(d.Computed), Certain: d.Certain,
			}
		}),
	}
}
