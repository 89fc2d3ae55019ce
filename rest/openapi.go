package rest

import (
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

const about = `The data of an accounting backoffice: financial years, checklists, transcripts, customers and their relations, documents, calculations, labels and users. The same data and rules are at ` + "`POST /graphql`" + `.

Every request carries a credential pair in the headers ` + "`x-client-id`" + ` and ` + "`x-client-secret`" + `. Lists come in pages; errors are problem details (RFC 9457) that never repeat a value of the request. A pair that reads or searches registration numbers may state why in the header ` + "`x-access-purpose`" + `: at most 200 characters, no run of 9 or more digits.`

// describe is the part of the OpenAPI document that no operation tells.
func (a *API) describe() huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[backoffice.Instant](), reflect.TypeFor[time.Time]())
	tags := []*huma.Tag{
		{Name: tagYears, Description: "The frames in which data is collected."},
		{Name: tagChecklists, Description: "Questionnaires, and assigning them to customers."},
		{Name: tagTranscripts, Description: "Filled-in checklists and their documents."},
		{Name: tagCustomers, Description: "Companies and private persons."},
		{Name: tagRelations, Description: "Who is director, UBO, shareholder or contact person of whom."},
		{Name: tagDocuments, Description: "Documents of customers."},
		{Name: tagCalculations, Description: "Proposals of tax calculations."},
		{Name: tagMinfin, Description: "Documents of the tax administration."},
		{Name: tagSettings, Description: "Labels."},
		{Name: tagUsers, Description: "The people of the office."},
	}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Backoffice", Version: "1.0.0", Description: about,
				Contact: &huma.Contact{Name: "Whoever runs this server"},
			},
			Servers: []*huma.Server{{URL: "/", Description: "This server"}},
			Tags:    tags,
			Components: &huma.Components{Schemas: schemas, SecuritySchemes: map[string]*huma.SecurityScheme{
				"clientId":     {Type: "apiKey", In: "header", Name: strings.ToLower(auth.ClientIDHeader), Description: "The credential pair's client id."},
				"clientSecret": {Type: "apiKey", In: "header", Name: strings.ToLower(auth.ClientSecretHeader), Description: "The credential pair's secret."},
			}},
			Security: []map[string][]string{{"clientId": {}, "clientSecret": {}}},
		},
		Formats:       map[string]huma.Format{mediaJSON: jsonFormat, mediaProblem: jsonFormat},
		DefaultFormat: mediaJSON,
	}
}

// finishDescription completes what huma wrote.
func (a *API) finishDescription() {
	document := a.huma.OpenAPI()
	for _, s := range document.Components.Schemas.Map() {
		for _, property := range s.Properties {
			if property.Nullable && len(property.Enum) > 0 {
				property.Enum = append(property.Enum, nil) // else the enum would exclude what the type allows
			}
		}
	}
}
