package demo

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

// forms are the legal forms of a hundred companies, with about their shares in the register of enterprises.
var forms = []struct {
	form  backoffice.LegalForm
	share int
}{
	{backoffice.LegalFormBV, 52}, {backoffice.LegalFormEenmanszaak, 14}, {backoffice.LegalFormNV, 11},
	{backoffice.LegalFormVZW, 8}, {backoffice.LegalFormCommV, 4}, {backoffice.LegalFormVOF, 3},
	{backoffice.LegalFormCV, 2}, {backoffice.LegalFormVME, 2}, {backoffice.LegalFormMaatschap, 1},
	{backoffice.LegalFormInOprichting, 1}, {backoffice.LegalFormFeitelijkeVereniging, 1},
}

func drawForm(r *rand.Rand) backoffice.LegalForm {
	at := r.IntN(100)
	for _, f := range forms {
		if at -= f.share; at < 0 {
			return f.form
		}
	}
	return "" // unknown, for one in a hundred
}

func (p *plan) customer(keys *privacy.Keyset, number int) (*backoffice.Customer, error) {
	r := p.draw(uint64(number)<<8 | 3)
	at := regionFor(r)
	created := 30 + r.IntN(2200)
	updated := r.IntN(created)
	c := &backoffice.Customer{
		ID: customerID(number), Address: address(r, at), Language: backoffice.Text(at.Language), Phone: mobile(r),
		CreatedAt: p.ago(r, created), UpdatedAt: p.ago(r, updated), Version: 1 + r.IntN(4),
		CustomerCode: backoffice.Text(fmt.Sprintf("K%06d", number)),
	}
	if r.IntN(30) == 0 {
		c.Language = "english"
	}
	if r.IntN(12) > 0 {
		c.ResponsibleID = pick(r, p.users).ID
	}
	c.UpdatedAt = max(c.UpdatedAt, c.CreatedAt)
	who := newPerson(r, at)
	var err error
	if isCompany(number) {
		makeCompany(r, at, c, who)
	} else {
		err = makePerson(r, at, c, who, keys)
	}
	if r.IntN(20) == 0 {
		c.Email = ""
	}
	c.Scopes = supportScopes(r, c)
	c.DisplayName = backoffice.DisplayNameOf(c)
	return c, err
}

func address(r *rand.Rand, at *region) backoffice.Address {
	postalCode, city, _ := strings.Cut(pick(r, at.Towns), " ")
	a := backoffice.Address{
		Street: backoffice.Text(pick(r, at.Streets)), HouseNumber: backoffice.Text(strconv.Itoa(1 + r.IntN(250))),
		PostalCode: backoffice.Text(postalCode), City: backoffice.Text(city), Country: backoffice.Text(at.Country),
	}
	if r.IntN(6) == 0 {
		a.Box = backoffice.Text(strconv.Itoa(1 + r.IntN(20)))
	}
	return a
}

func makePerson(r *rand.Rand, at *region, c *backoffice.Customer, who person, keys *privacy.Keyset) (err error) {
	c.Type = backoffice.PrivatePerson
	c.FirstName, c.LastName = backoffice.Text(who.first), backoffice.Text(who.last)
	first, last := mailPart(who.first), mailPart(who.last)
	c.Email = backoffice.Text(fmt.Sprintf("%s.%s%d@post.example", first, last, r.IntN(1000)))
	if r.IntN(25) == 0 { // a newcomer without a number yet
		return nil
	}
	if c.Registration, err = keys.Seal(c.ID, backoffice.RegistrationNumber, who.number); err != nil {
		return err
	}
	if r.IntN(100) < 45 {
		c.SpouseRegistration, err = keys.Seal(c.ID, backoffice.SpouseRegistrationNumber, newPerson(r, at).number)
	}
	return err
}

var notInDomains, dashes = regexp.MustCompile(`[^a-z-]+`), regexp.MustCompile(`-+`)

func makeCompany(r *rand.Rand, at *region, c *backoffice.Customer, who person) {
	c.Type = backoffice.Company
	c.CompanyType = drawForm(r)
	if c.CompanyType.NeedsKBO() {
		c.KboNumber = backoffice.Text(backoffice.RandomKBONumber(r))
	}
	name := companyName(r, at, c.CompanyType, who)
	c.OwnName = backoffice.Text(name)
	domain := notInDomains.ReplaceAllString(strings.ReplaceAll(backoffice.Fold(name), " ", "-"), "")
	c.Email = backoffice.Text("info@" + strings.Trim(dashes.ReplaceAllString(domain, "-"), "-") + ".example")
	if r.IntN(40) == 0 { // known only by its number
		c.OwnName = ""
	}
}

func companyName(r *rand.Rand, at *region, form backoffice.LegalForm, who person) string {
	switch form {
	case backoffice.LegalFormVZW, backoffice.LegalFormFeitelijkeVereniging:
		club := pick(r, at.Clubs)
		_, city, _ := strings.Cut(pick(r, at.Towns), " ")
		return club + " " + city
	case backoffice.LegalFormVME:
		return "Résidence " + pick(r, at.Fancy)
	case backoffice.LegalFormEenmanszaak:
		return pick(r, at.Trades) + " " + who.first + " " + who.last
	case backoffice.LegalFormNV:
		if r.IntN(3) == 0 {
			return who.last + " Holding"
		}
	}
	switch r.IntN(6) {
	case 0:
		return pick(r, at.Fancy)
	case 1:
		return who.last + at.Heirs
	case 2:
		return who.last + " & " + pick(r, at.Families)
	}
	return pick(r, at.Trades) + " " + who.last
}

// supportScopes are the services of the office for a customer; outsourced ones have the suffix -os.
func supportScopes(r *rand.Rand, c *backoffice.Customer) []string {
	scopes := []string{"checklist"}
	if c.Type == backoffice.Company && r.IntN(5) > 0 {
		scopes = append(scopes, "annual-accounts")
	}
	for _, scope := range []string{"accounting-os", "payroll-os", "tax-os", "vat-os"} {
		if r.IntN(6) == 0 {
			scopes = append(scopes, scope)
		}
	}
	slices.Sort(scopes)
	return scopes
}
