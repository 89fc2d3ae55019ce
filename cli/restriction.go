package cli

import (
	"errors"
	"strings"

	"example.org/backoffice/backoffice"
)

// restrictionFlags are the customers that a pair sees.
type restrictionFlags struct {
	OnlyResponsible []string `placeholder:"USER" help:"The pair sees the customers of this user alone, and what hangs on them; may be repeated for several users. Together with another --only-… flag a customer has to meet both."`
	OnlyLabel       []string `placeholder:"LABEL" help:"The pair sees the customers alone whose responsible user has this label; may be repeated."`
	OnlyCustomer    []string `placeholder:"CUSTOMER" help:"The pair sees this customer alone; may be repeated."`
	OnlyYear        []string `placeholder:"YEAR" help:"The pair sees the customers alone that have a transcript of this year (YYYY), and of what belongs to a year that year's; may be repeated."`
}

var flagsOfRestriction = map[string]string{"responsible": "--only-responsible", "labels": "--only-label",
	"customers": "--only-customer", "years": "--only-year"}

func (f *restrictionFlags) read() (backoffice.Restriction, error) {
	r, err := backoffice.NewRestriction(backoffice.RestrictionFields{Responsible: f.OnlyResponsible,
		Labels: f.OnlyLabel, Customers: f.OnlyCustomer, Years: f.OnlyYear})
	return r, flagged(err)
}

func flagged(err error) error {
	known, ok := errors.AsType[*backoffice.Error](err)
	if !ok || known.Kind != backoffice.Refused {
		return err
	}
	return errors.New(strings.Join(backoffice.Mapped(known.UserErrors, func(wrong *backoffice.UserError) string {
		return flagsOfRestriction[strings.Join(wrong.Field, ".")] + ": " + wrong.Message
	}), "; "))
}

// seenBy lists the flags that restrict which customers a pair sees; nil for all customers.
func seenBy(pair *backoffice.Credential) any {
	if !pair.Restriction.IsSet() {
		return nil
	}
	var all []string
	for _, f := range pair.Restriction.Alternatives() {
		var flags []string
		for _, of := range []struct {
			flag   string
			values []string
		}{{"--only-responsible", f.Responsible}, {"--only-label", f.Labels},
			{"--only-customer", f.Customers}, {"--only-year", f.Years}} {
			for _, value := range of.values {
				flags = append(flags, of.flag+" "+value)
			}
		}
		all = append(all, strings.Join(flags, " "))
	}
	return own(strings.Join(all, " or "))
}
