package backoffice

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes of a page, in rows.
const (
	DefaultPageSize     = 50  // of a GraphQL connection
	DefaultRESTPageSize = 100 // of a REST list, as the specification's links show
	MaxPageSize         = 500
)

// OrderKey names the value by which a list is ordered; the identifier, bytewise, breaks ties.
type OrderKey uint8

const (
	KeyID OrderKey = iota
	KeyName
	KeyCreatedAt
	KeyUpdatedAt
	KeyProgress
	KeyAt
	KeyRelevance       // from here on in pages, not in records: how well a customer meets a search
	KeyRelations       // how many relations a customer has
	KeyOpenTranscripts // how many transcripts of a customer are not completed
	KeyCustomerName    // the name of a transcript's customer
)

// Field names the columns of a row's position in this order for Reader.Columns; no schema field has this name.
func (k OrderKey) Field() string { return "order:" + strconv.Itoa(int(k)) }

type OrderDirection string

const (
	Ascending  OrderDirection = "ASC"
	Descending OrderDirection = "DESC"
)

// Order is a total order of a list. Descending reverses all of it, also the identifiers that break ties.
type Order struct {
	Key        OrderKey
	Descending bool
}

// ByID is the order of every list that does not ask for another.
var ByID = Order{}

// Position is a position in an ordered list: the row's order value (Text or Number, by the key) and its identifier. The
// row need not exist any more.
type Position struct {
	Key    OrderKey
	Text   string
	Number float64 // instants in milliseconds, progress in percent
	ID     string
}

// Compare orders two positions in the same order, like cmp.Compare.
func (p Position) Compare(other Position, descending bool) int {
	by := cmp.Or(strings.Compare(p.Text, other.Text), cmp.Compare(p.Number, other.Number),
		strings.Compare(p.ID, other.ID))
	if descending {
		return -by
	}
	return by
}

// Window is a part of a list: the first Limit rows (with Backward the last) strictly between After and Before, after
// skipping Offset rows. Rows are always returned in the list's order.
type Window struct {
	Limit     int
	Backward  bool
	Offset    int // only with neither After nor Before
	After     Position
	Before    Position
	HasAfter  bool
	HasBefore bool
	Inclusive bool // the rows at After and Before are included
}

// ListQuery asks for pages of a list: which rows, in which order, which part of them. It is comparable, so that equal
// queries about different parents can be sent as one.
type ListQuery[C comparable] struct {
	Parent   Parent // whose list; Root for the list of all
	Criteria C
	Order    Order
	Window   Window
}

// Parent names the noun that a list belongs to.
type Parent uint8

const (
	Root Parent = iota
	OfFinancialYear
	OfChecklist
	OfCustomer
	OfUser
	OfTranscript
)

var ParentNouns = [...]Noun{
	Root: "", OfFinancialYear: NounFinancialYear, OfChecklist: NounChecklist,
	OfCustomer: NounCustomer, OfUser: NounUser, OfTranscript: NounTranscript,
}

// Page is one window of a list. More reports whether the list has further rows in the direction of travel, within After
// and Before.
type Page[T any] struct {
	Items     []T
	Positions []Position // of the items, in an order whose values records do not have; else nil
	More      bool
}

// NoParent is the parent of a list at the root.
const NoParent = ""

// IDs is a set of identifiers, sorted, each once; comparable by identity.
type IDs struct{ list []string }

// NewIDs sorts the identifiers and drops malformed ones.
func NewIDs(ids []string) *IDs {
	list := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return CheckID(id) != nil })
	slices.Sort(list)
	return &IDs{slices.Compact(list)}
}

// List returns the identifiers, which must not be changed.
func (ids *IDs) List() []string { return ids.list }
func (ids *IDs) Len() int       { return len(ids.list) }

// PageArgs are the paging arguments of a connection, as they came; nil is absent.
type PageArgs struct {
	First, Last    *int
	After, Before  *string
	Page, PageSize *int
}

// Window checks the arguments and makes the window. open turns a cursor into its position.
// Errors: BadInput for every combination that the contract excludes, and for a cursor of another order.
func (a PageArgs) Window(order Order, open func(cursor string) (Order, Position, error)) (Window, error) {
	var w Window
	if a.Page != nil || a.PageSize != nil {
		if a.Page == nil {
			return w, Errorf(BadInput, "pageSize needs page")
		}
		if a.First != nil || a.Last != nil || a.After != nil || a.Before != nil {
			return w, Errorf(BadInput, "page cannot be combined with first, after, last or before")
		}
		return NumberedWindow(*a.Page, a.PageSize, DefaultPageSize)
	}
	if a.First != nil && a.Last != nil {
		return w, Errorf(BadInput, "first cannot be combined with last")
	}
	w.Limit = DefaultPageSize
	for name, size := range map[string]*int{"first": a.First, "last": a.Last} {
		if size == nil {
			continue
		}
		if *size < 0 || *size > MaxPageSize {
			return w, Errorf(BadInput, "%s must be 0 to %d", name, MaxPageSize)
		}
		w.Limit = *size
	}
	w.Backward = a.Last != nil
	for _, cursor := range []struct {
		name string
		text *string
		at   *Position
		has  *bool
	}{{"after", a.After, &w.After, &w.HasAfter}, {"before", a.Before, &w.Before, &w.HasBefore}} {
		if cursor.text == nil {
			continue
		}
		of, position, err := open(*cursor.text)
		if err != nil {
			return w, Errorf(BadInput, "%s is not a cursor of this list", cursor.name)
		}
		if of != order {
			return w, Errorf(BadInput, "%s is a cursor for a different order", cursor.name)
		}
		*cursor.at, *cursor.has = position, true
	}
	return w, nil
}

// NumberedWindow is page number page (from 1) of size rows; nil is the default size.
// Errors: BadInput for a page under 1 and a size outside 1 to MaxPageSize.
func NumberedWindow(page int, size *int, byDefault int) (Window, error) {
	limit := byDefault
	if size != nil {
		limit = *size
	}
	if page < 1 {
		return Window{}, Errorf(BadInput, "page must be 1 or more")
	}
	if limit < 1 || limit > MaxPageSize {
		return Window{}, Errorf(BadInput, "pageSize must be 1 to %d", MaxPageSize)
	}
	page = min(page, 1<<31) // no list has as many; the product fits
	return Window{Limit: limit, Offset: (page - 1) * limit}, nil
}

// exact sets a criterion to a wanted value. No row has the empty value, or one longer than any text that rows are
// compared by; for these it sets nothing instead.
func exact(into *string, wanted *string, nothing *bool) {
	if wanted == nil {
		return
	}
	if *wanted == "" || len(*wanted) > maxExact {
		*nothing = true
		return
	}
	*into = *wanted
}

// folded is exact for values that are compared without case and accents.
func folded(into *string, wanted *string, nothing *bool) {
	exact(into, wanted, nothing)
	if *into = Fold(*into); *into == "" && wanted != nil {
		*nothing = true
	}
}

// wanted is a criterion, the zero value for none.
func wanted[T any](value *T) (criterion T) {
	if value != nil {
		criterion = *value
	}
	return criterion
}

// maxExact is the most bytes of a text that rows are compared by: an e-mail address is the longest.
const maxExact = maxEmail * utf8.UTFMax

// minSearch and maxSearch are how many characters a search has.
const (
	minSearch = 3
	maxSearch = MaxText
)

// foldSearch folds a search text. Errors: BadInput under 3 characters, and over 200. It checks that before folding,
// because some characters fold to eighteen.
func foldSearch(text string) (string, error) {
	if len(text) > maxSearch*utf8.UTFMax || utf8.RuneCountInString(text) > maxSearch {
		return "", Errorf(BadInput, "search has at most %d characters", maxSearch)
	}
	folded := strings.ReplaceAll(Fold(strings.TrimSpace(text)), "\n", " ")
	switch characters := utf8.RuneCountInString(folded); {
	case characters < minSearch:
		return "", Errorf(BadInput, "search needs at least %d characters", minSearch)
	case characters > 2*maxSearch:
		return "", Errorf(BadInput, "search has at most %d characters, with ligatures spelt out", 2*maxSearch)
	}
	return folded, nil
}
