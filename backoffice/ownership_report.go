package backoffice

// OwnershipReport is what a document about a customer's owners shows. It has no registration number.
type OwnershipReport struct {
	Customer         *Customer
	At               Instant // the day, on which the relations are in force
	Complete         bool    // nothing is missing
	BeneficialOwners []ReportedOwner
	Owners           []ReportedOwner
	Discrepancies    []ReportedDiscrepancy
}

// ReportedOwner has decimal percentages.
type ReportedOwner struct {
	Name, Share, UpperBound, Vote, Control string
	Category                               string // of a beneficial owner, as the schema names it
}

// ReportedDiscrepancy has decimal percentages, "" for unknown.
type ReportedDiscrepancy struct {
	Kind                     string // as the schema names it
	Name, Declared, Computed string
	Certain                  bool
}
