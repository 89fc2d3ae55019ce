package ownership

import "encoding/json"

// The parts of the Beneficial Ownership Data Standard that Statements writes, in its names.
type (
	statement struct {
		StatementID   string      `json:"statementId"`
		Subject       string      `json:"declarationSubject"`
		Date          string      `json:"statementDate"`
		Annotations   any         `json:"annotations,omitempty"`
		Publication   publication `json:"publicationDetails"`
		RecordID      string      `json:"recordId"`
		RecordType    string      `json:"recordType"`
		RecordDetails any         `json:"recordDetails"`
	}
	publication struct {
		Date      string `json:"publicationDate"`
		Version   string `json:"bodsVersion"`
		Publisher struct {
			Name string `json:"name"`
		} `json:"publisher"`
	}
	person struct {
		IsComponent bool                `json:"isComponent"`
		PersonType  string              `json:"personType"`
		Names       []map[string]string `json:"names"`
	}
	entity struct {
		IsComponent bool              `json:"isComponent"`
		EntityType  map[string]string `json:"entityType"`
		Name        string            `json:"name"`
		Identifiers []identifier      `json:"identifiers,omitempty"`
	}
	identifier struct {
		ID     string `json:"id"`
		Scheme string `json:"scheme"`
		Name   string `json:"schemeName"`
	}
	relationship struct {
		IsComponent      bool       `json:"isComponent"`
		ComponentRecords []string   `json:"componentRecords,omitempty"`
		Subject          string     `json:"subject"`
		InterestedParty  string     `json:"interestedParty"`
		Interests        []interest `json:"interests"`
	}
	interest struct {
		Type       string         `json:"type"`
		Directness string         `json:"directOrIndirect"`
		Beneficial bool           `json:"beneficialOwnershipOrControl"`
		Details    string         `json:"details,omitempty"`
		Share      *interestShare `json:"share,omitempty"` // left out if it is unknown
		StartDate  string         `json:"startDate,omitempty"`
		EndDate    string         `json:"endDate,omitempty"`
	}
	interestShare struct {
		Exact   json.Number `json:"exact,omitempty"`
		Minimum json.Number `json:"minimum,omitempty"`
		Maximum json.Number `json:"maximum,omitempty"`
	}
)

func recordedShare(p Percent) *interestShare {
	if !p.known {
		return nil
	}
	return &interestShare{Exact: json.Number(p.String())}
}

// computedShare is a range if shares are unknown.
func computedShare(least, most float64) *interestShare {
	lower, upper := json.Number(Decimal(least)), json.Number(Decimal(most))
	if lower == upper {
		return &interestShare{Exact: lower}
	}
	return &interestShare{Minimum: lower, Maximum: upper}
}
