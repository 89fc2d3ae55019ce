package export

import (
	"net/http"
	"net/url"
	"strings"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/graphql/graphqlhttp"
)

type Format string

// The formats, by their names in ?format= and as file extensions.
const (
	JSONL Format = "jsonl"
	CSV   Format = "csv"
	XLSX  Format = "xlsx"
)

var mediaOf = map[Format]string{
	JSONL: "application/jsonl",
	CSV:   "text/csv",
	XLSX:  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

func (f Format) contentType() string {
	if f == XLSX {
		return mediaOf[f]
	}
	return mediaOf[f] + "; charset=utf-8"
}

// ParseFormat returns the format with a name. Errors: BadInput.
func ParseFormat(name string) (Format, error) {
	if _, known := mediaOf[Format(name)]; known {
		return Format(name), nil
	}
	return "", backoffice.Errorf(backoffice.BadInput, "the format of an export must be jsonl, csv or xlsx")
}

type Options struct {
	Format Format // "" when absent
	Rows   string // the path of the list that is unfolded into rows
	After  string // the cursor after which the list begins; "" for the document's own
	Cursor bool   // adds a cursor to each row
	Excel  bool   // CSV for Excel
}

var optionNames = map[string]func(*Options, string) error{
	"format": func(o *Options, value string) (err error) {
		o.Format, err = ParseFormat(value)
		return err
	},
	"rows":   func(o *Options, value string) error { o.Rows = value; return nil },
	"after":  func(o *Options, value string) error { o.After = value; return nil },
	"cursor": func(o *Options, value string) error { return parseSwitch(&o.Cursor, "cursor", value) },
	"excel":  func(o *Options, value string) error { return parseSwitch(&o.Excel, "excel", value) },
}

func parseSwitch(into *bool, name, value string) error {
	switch value {
	case "on":
		*into = true
	case "off", "":
	default:
		return backoffice.Errorf(backoffice.BadInput, "%s must be on or off", name)
	}
	return nil
}

// ReadOptions separates the options from an address's other parameters. BadInput, also for an option given twice.
func ReadOptions(parameters url.Values) (o Options, rest url.Values, err error) {
	rest = url.Values{}
	for name, values := range parameters {
		set, known := optionNames[name]
		switch {
		case !known:
			rest[name] = values
		case len(values) > 1:
			return o, nil, backoffice.Errorf(backoffice.BadInput, "duplicate parameter")
		default:
			if err := set(&o, values[0]); err != nil {
				return o, nil, err
			}
		}
	}
	return o, rest, nil
}

func (o *Options) check() error {
	switch {
	case o.Rows != "" && o.Format == JSONL:
		return backoffice.Errorf(backoffice.BadInput,
			"rows needs csv or xlsx; in JSON Lines every list is nested in its row")
	case o.Excel && o.Format != CSV:
		return backoffice.Errorf(backoffice.BadInput, "excel needs csv")
	}
	return nil
}

var errNotAcceptable = graphqlhttp.NotAcceptable("an export is " + mediaOf[JSONL] + ", " + mediaOf[CSV] + " or " +
	mediaOf[XLSX] + ": set one in Accept, or in ?format=jsonl, csv or xlsx")

// negotiate returns the format that the Accept headers prefer: JSON Lines when any will do.
func negotiate(header http.Header) (Format, error) {
	var format Format
	best, anything := 0.0, strings.TrimSpace(strings.Join(header.Values("Accept"), "")) == ""
	for entry := range strings.SplitSeq(strings.Join(header.Values("Accept"), ","), ",") {
		media, quality := graphqlhttp.AcceptEntry(entry)
		anything = anything || (media == "*/*" || media == "application/*") && quality > 0
		for offered, name := range mediaOf {
			if name == media && quality > best {
				format, best = offered, quality
			}
		}
	}
	switch {
	case format != "":
		return format, nil
	case anything:
		return JSONL, nil
	}
	return "", errNotAcceptable
}
