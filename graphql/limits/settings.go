package limits

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Settings are limits of a GraphQL request, such as --limit-depth. 0 allows nothing (Budget: no limit): use Defaults.
type Settings struct {
	Body               int           `default:"262144" least:"1" env:"BODY" help:"Bytes of a request's body."`
	Nesting            int           `default:"64" least:"1" env:"NESTING" help:"Nesting depth of lists and objects in a body, or in a value of a document."`
	Tokens             int           `default:"4000" least:"1" env:"TOKENS" help:"Tokens of a document: names, numbers, strings, punctuation, comments."`
	Aliases            int           `default:"30" env:"ALIASES" help:"Aliases in a document."`
	Directives         int           `default:"50" env:"DIRECTIVES" help:"Directives in a document."`
	Depth              int           `default:"20" least:"1" env:"DEPTH" help:"Nesting depth of fields from the root, fragments included."`
	RootFields         int           `default:"20" least:"1" env:"ROOT_FIELDS" help:"Root fields of an operation, fragments included."`
	Cost               int           `default:"50000" least:"1" env:"COST" help:"Cost of an operation: the objects that it may return."`
	Answer             int           `default:"16777216" least:"1" env:"ANSWER" help:"Bytes of an answer, of both APIs."`
	Upload             int           `default:"52428800" least:"1" env:"UPLOAD" help:"Bytes of an uploaded document."`
	ListValues         int           `default:"25000" env:"LIST_VALUES" help:"Values in the list arguments of an operation, such as identifiers, counted per field."`
	Generated          int           `default:"262144" env:"GENERATED" help:"Bytes of customVariables in the documents that one operation generates."`
	IntrospectionDepth int           `default:"20" env:"INTROSPECTION_DEPTH" help:"Nesting depth of fields below __schema or __type."`
	IntrospectionCost  int           `default:"500000" env:"INTROSPECTION_COST" help:"Estimated fields that introspection may return."`
	Validation         int           `default:"20000" least:"1" env:"VALIDATION" help:"Steps that validating a document may take."`
	ValidationErrors   int           `default:"10" least:"1" env:"VALIDATION_ERRORS" help:"Validation errors that are reported."`
	FieldErrors        int           `default:"1000" least:"1" env:"FIELD_ERRORS" help:"Field errors that are reported; the rest are counted in extensions.errorsOmitted."`
	Time               time.Duration `default:"10s" least:"1" env:"TIME" help:"Time of a request."`
	Together           int           `default:"12000" least:"1" env:"TOGETHER" help:"Cost of the operations that run at a time, per processor; others wait."`
	Waiting            int           `default:"300000" env:"WAITING" help:"Cost of waiting operations, per processor; beyond it, requests of credentials that have their share are rejected."`
	Wait               time.Duration `default:"3s" env:"WAIT" help:"Time that an operation waits before it runs."`
	Budget             int           `default:"0" env:"BUDGET" help:"Cost budget of each credential: a request's estimated cost is charged, and what it did not use is refunded; 0 for no budget."`
	BudgetRestore      int           `default:"1000" least:"1" env:"BUDGET_RESTORE" help:"Cost restored to a credential's budget per second."`
	ExportRows         int           `default:"10000000" least:"1" env:"EXPORT_ROWS" help:"Rows of an export."`
	ExportBytes        int64         `default:"1073741824" least:"1" env:"EXPORT_BYTES" help:"Bytes of the temporary file of an XLSX export; the disk must have that much free."`
	Documents          int           `default:"33554432" env:"DOCUMENTS" help:"Bytes of memory for parsed and validated documents."`
}

// Check returns an error for the first setting below its minimum, the tag least or 0, or for a budget over mostBudget.
func (s Settings) Check() error {
	of := reflect.ValueOf(s)
	for i := range of.NumField() {
		field, value := of.Type().Field(i), of.Field(i).Int()
		least, _ := strconv.ParseInt(field.Tag.Get("least"), 10, 64)
		if value >= least {
			continue
		}
		name := "--limit-" + strings.ReplaceAll(strings.ToLower(field.Tag.Get("env")), "_", "-")
		if field.Type == reflect.TypeFor[time.Duration]() {
			return fmt.Errorf("%s must be a time such as 10s, and %s",
				name, [...]string{"not below 0", "longer than 0"}[least])
		}
		return fmt.Errorf("%s must be %d or more", name, least)
	}
	if s.Budget > mostBudget || s.BudgetRestore > mostBudget {
		return fmt.Errorf("--limit-budget must be 0 to %d, and --limit-budget-restore 1 to %d", mostBudget, mostBudget)
	}
	return nil
}

// Affordable returns settings under which no operation costs more than a credential's whole budget.
func (s Settings) Affordable() Settings {
	if s.Budget > 0 {
		s.Cost = min(s.Cost, s.Budget)
	}
	return s
}

// Defaults returns the default limits, which are those of the flags.
func Defaults() Settings {
	var flags struct {
		Settings `embed:"" prefix:"limit-" envprefix:"BACKOFFICE_LIMIT_"`
	}
	if err := kong.ApplyDefaults(&flags); err != nil {
		panic(err) // a tag is wrong
	}
	return flags.Settings
}
