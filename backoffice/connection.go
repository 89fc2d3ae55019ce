package backoffice

import (
	"context"
	"slices"
)

type Entity interface {
	Identity() string // the ID
	Position(OrderKey) Position
}

// Node is any record that GraphQL can fetch by identifier.
type Node = Entity

// List is a query for pages, with what following pages need. All pages of one query share it.
type List[C comparable] struct {
	Ask  ListQuery[C]
	Seal func(Order, Position) string // makes a cursor
	// Exists reports for each parent whether its list has rows in a window.
	Exists func(ctx context.Context, window Window, parents []string) ([]bool, error)
}

// Connection is a page of a list as GraphQL sees it. It keeps its query, so that totals, status counts and the page's
// neighbours are read only when they are asked for.
type Connection[T Entity, C comparable] struct {
	List      *List[C]
	Parent    string // whose list; NoParent at the root
	Items     []T
	Positions []Position // as in Page
	More      bool       // as in Page
	Whole     []T        // the whole list if it is in memory; nil: ask the store
}

// Known makes a page of a list that is wholly in memory, ordered by identifier and read forward.
func Known[T Entity, C comparable](whole []T, window Window, seal func(Order, Position) string) *Connection[T, C] {
	from := 0
	if window.HasAfter {
		from, _ = slices.BinarySearchFunc(whole, window.After.ID, func(row T, id string) int {
			if row.Identity() <= id {
				return -1
			}
			return 1
		})
	}
	to := min(from+window.Limit, len(whole))
	c := &Connection[T, C]{Parent: NoParent, Items: whole[from:to], More: to < len(whole), Whole: whole}
	if whole == nil {
		c.Whole = []T{}
	}
	c.List = &List[C]{Ask: ListQuery[C]{Window: window}, Seal: seal}
	c.List.Exists = func(_ context.Context, _ Window, parents []string) ([]bool, error) {
		return slices.Repeat([]bool{from > 0}, len(parents)), nil // only asked about rows before the page
	}
	return c
}

func (c *Connection[T, C]) Nodes() []T { return c.Items }

func (c *Connection[T, C]) Edges() []*ConnectionEdge[T] {
	block := make([]ConnectionEdge[T], len(c.Items))
	edges := make([]*ConnectionEdge[T], len(c.Items))
	for i, item := range c.Items {
		block[i] = ConnectionEdge[T]{Node: item, Parent: c.Parent, of: c, no: i}
		edges[i] = &block[i]
	}
	return edges
}

func (c *Connection[T, C]) PageInfo() *PageInfo { return &PageInfo{of: c} }

// ConnectionEdge is a row of a page with its cursor.
type ConnectionEdge[T Entity] struct {
	Node   T
	Parent string // whose list; NoParent at the root
	of     interface{ cursor(no int) string }
	no     int
	sealed string
}

// Cursor returns the row's sealed position. It is sealed once, however many aliases ask for it.
func (e *ConnectionEdge[T]) Cursor() string {
	if e.sealed == "" {
		e.sealed = e.of.cursor(e.no)
	}
	return e.sealed
}

func (c *Connection[T, C]) cursor(no int) string {
	order := c.List.Ask.Order
	if c.Positions != nil {
		return c.List.Seal(order, c.Positions[no])
	}
	return c.List.Seal(order, c.Items[no].Position(order.Key))
}

// PageInfo describes a page's position in its list.
type PageInfo struct{ of paged }

type paged interface {
	ends() (start, end string)
	around(after bool) (exists bool, look *PageCheck)
}

// StartCursor is the first row's cursor, null on an empty page.
func (p *PageInfo) StartCursor() Text { start, _ := p.of.ends(); return Text(start) }

// EndCursor is the last row's cursor, null on an empty page.
func (p *PageInfo) EndCursor() Text { _, end := p.of.ends(); return Text(end) }

// Around reports whether the list has rows after the page, or before it. If only the store knows, look is the query for
// it and exists has no meaning.
func (p *PageInfo) Around(after bool) (exists bool, look *PageCheck) { return p.of.around(after) }

// PageCheck asks whether a page has neighbours. Checks with equal List and Window can be sent as one.
type PageCheck struct {
	List   any // the *List, by identity
	Window Window
	Parent string
	Exists func(ctx context.Context, window Window, parents []string) ([]bool, error)
}

func (c *Connection[T, C]) ends() (start, end string) {
	if len(c.Items) == 0 {
		return "", ""
	}
	return c.cursor(0), c.cursor(len(c.Items) - 1)
}

// around knows the rows in the direction of travel (More). Rows beyond a cursor that the caller set, and before a
// numbered page that is empty, need a PageCheck.
func (c *Connection[T, C]) around(after bool) (exists bool, look *PageCheck) {
	w := c.List.Ask.Window
	var beyond Window
	switch {
	case after != w.Backward && c.More:
		return true, nil
	case after && w.HasBefore:
		beyond = Window{After: w.Before, HasAfter: true, Inclusive: true}
	case !after && w.HasAfter:
		beyond = Window{Backward: true, Before: w.After, HasBefore: true, Inclusive: true}
	case !after && w.Offset > 0 && len(c.Items) > 0:
		return true, nil
	case !after && w.Offset > 0: // an empty page past the end: does the list have any row?
	default:
		return false, nil
	}
	return false, &PageCheck{List: c.List, Window: beyond, Parent: c.Parent, Exists: c.List.Exists}
}

type (
	CustomerConnection         = Connection[*Customer, CustomerCriteria]
	CustomerEdge               = ConnectionEdge[*Customer]
	FinancialYearConnection    = Connection[*FinancialYear, FinancialYearCriteria]
	FinancialYearEdge          = ConnectionEdge[*FinancialYear]
	ChecklistConnection        = Connection[*Checklist, ChecklistCriteria]
	ChecklistEdge              = ConnectionEdge[*Checklist]
	CalculationConnection      = Connection[*Calculation, CalculationCriteria]
	CalculationEdge            = ConnectionEdge[*Calculation]
	TranscriptConnection       = Connection[*Transcript, TranscriptCriteria]
	TranscriptEdge             = ConnectionEdge[*Transcript]
	CustomerDocumentConnection = Connection[*CustomerDocument, DocumentCriteria]
	CustomerDocumentEdge       = ConnectionEdge[*CustomerDocument]
	MinfinDocumentConnection   = Connection[*MinfinDocument, MinfinCriteria]
	MinfinDocumentEdge         = ConnectionEdge[*MinfinDocument]
	UserConnection             = Connection[*User, UserCriteria]
	UserEdge                   = ConnectionEdge[*User]
	LabelConnection            = Connection[*Label, LabelCriteria]
	LabelEdge                  = ConnectionEdge[*Label]
	ConsultationConnection     = Connection[*Consultation, ConsultationCriteria]
	ConsultationEdge           = ConnectionEdge[*Consultation]
)
