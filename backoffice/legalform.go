package backoffice

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// LegalForm is a company's type: a key of legal_forms.csv.
type LegalForm string

// The forms that the program names.
const (
	LegalFormBV                   LegalForm = "BV"
	LegalFormNV                   LegalForm = "NV"
	LegalFormCV                   LegalForm = "CV"
	LegalFormVOF                  LegalForm = "VOF"
	LegalFormCommV                LegalForm = "COMMV"
	LegalFormVZW                  LegalForm = "VZW"
	LegalFormVME                  LegalForm = "VME"
	LegalFormMaatschap            LegalForm = "MAATSCHAP"
	LegalFormEenmanszaak          LegalForm = "EENMANSZAAK"
	LegalFormAndere               LegalForm = "ANDERE"
	LegalFormInOprichting         LegalForm = "IN_OPRICHTING"
	LegalFormFeitelijkeVereniging LegalForm = "FEITELIJKE_VERENIGING"
)

type LabelLanguage string

const (
	LabelDutch   LabelLanguage = "DUTCH"
	LabelFrench  LabelLanguage = "FRENCH"
	LabelGerman  LabelLanguage = "GERMAN"
	LabelEnglish LabelLanguage = "ENGLISH"
)

//go:embed legal_forms.csv
var legalFormsCSV string

type legalForm struct {
	needsKBO bool
	labels   map[LabelLanguage]string
}

var (
	legalFormOrder []LegalForm
	legalForms     = map[LegalForm]legalForm{}
	legalFormCodes = map[string]LegalForm{}
)

func init() {
	rows, err := csv.NewReader(strings.NewReader(legalFormsCSV)).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("legal_forms.csv: %v", err)) // compiled in: only a faulty build gets here
	}
	for _, row := range rows[1:] {
		form := LegalForm(row[0])
		legalFormOrder = append(legalFormOrder, form)
		legalForms[form] = legalForm{
			needsKBO: row[1] == "with",
			labels: map[LabelLanguage]string{
				LabelDutch: row[3], LabelFrench: row[4], LabelGerman: row[5], LabelEnglish: row[6],
			},
		}
		for _, code := range strings.Fields(row[2]) {
			legalFormCodes[code] = form
		}
	}
}

// LegalForms lists every form in the table's order; the slice is the caller's.
func LegalForms() []LegalForm { return append([]LegalForm(nil), legalFormOrder...) }

// ParseLegalForm accepts the key of a form ("BV"); anything else is BadInput.
func ParseLegalForm(key string) (LegalForm, error) {
	if _, ok := legalForms[LegalForm(key)]; !ok {
		return "", Errorf(BadInput, "unknown legal form; use a key of LegalForm, such as BV, NV or VZW")
	}
	return LegalForm(key), nil
}

// LegalFormOfKBO translates a code of the register, such as 610; LegalFormAndere for those without a form.
func LegalFormOfKBO(code string) LegalForm {
	if form, ok := legalFormCodes[code]; ok {
		return form
	}
	return LegalFormAndere
}

// NeedsKBO reports whether companies of this form have a KBO number; those of the other forms have none.
func (f LegalForm) NeedsKBO() bool { return legalForms[f].needsKBO }

// Label names the form in a language; English when the language is unknown, the key when the form is.
func (f LegalForm) Label(language LabelLanguage) string {
	labels := legalForms[f].labels
	return cmp.Or(labels[language], labels[LabelEnglish], string(f))
}

func (f LegalForm) String() string { return string(f) }

func (f LegalForm) MarshalGQL(w io.Writer) {
	if f == "" {
		_, _ = io.WriteString(w, "null")
		return
	}
	_, _ = io.WriteString(w, strconv.Quote(string(f)))
}

func (f *LegalForm) UnmarshalGQL(v any) (err error) {
	*f, err = readEnum(v, ParseLegalForm)
	return err
}
