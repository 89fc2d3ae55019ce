package cli

import (
	"errors"
	"strings"

	"example.org/backoffice/backoffice"
)

// restrictionFlags are the customers that a credential sees.
type restrictionFlags struct {
	OnlyResponsible []string `placeholder:"USER" help:"Show only customers of this responsible user, and their records. Can be repeated. With other --only-… flags, a customer must match all of them."`
	OnlyLabel       []string `placeholder:"LABEL" help:"Show only customers whose responsible user has this label. Can be repeated."`
	OnlyCustomer    []string `placeholder:"CUSTOMER" help:"Show only this customer. Can be repeated."`
	OnlyYear        []string `placeholder:"YEAR" help:"Show only customers with a transcript of this year (YYYY), and of the records that belong to a year only this year's. Can be repeated."`
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
	return errors.New(strings.Join(backoffice.Map(known.UserErrors, func(wrong *backoffice.UserError) string {
		return flagsOfRestriction[strings.Join(wrong.Field, ".")] + ": " + wrong.Message
	}), "; "))
}

// seenBy lists the flags that restrict which customers a credential sees; nil for all customers.
func seenBy(credential *backoffice.Credential) any {
	if !credential.Restriction.IsSet() {
		return nil
	}
	var all []string
	for _, f := range credential.Restriction.Alternatives() {
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
