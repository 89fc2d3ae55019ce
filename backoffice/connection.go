package backoffice

// Entity is a row that stands in lists.
type Entity interface {
	Position(OrderKey) Position
}

// Connection is a page of a list as GraphQL sees it. It keeps the question that it answers, so that totals, status
// counts and the page's surroundings are read only when they are asked for.
type Connection[T Entity, C comparable] struct {
	Ask    Ask[C]
	Parent string // whose list; NoParent at the root
	Items  []T
	More   bool                         // as in Page
	Seal   func(Order, Position) string // makes a cursor
}

// Nodes are the page's rows.
func (c *Connection[T, C]) Nodes() []T { return c.Items }

// Edges are the page's rows with their cursors.
func (c *Connection[T, C]) Edges() []*ConnectionEdge[T] {
	block := make([]ConnectionEdge[T], len(c.Items))
	edges := make([]*ConnectionEdge[T], len(c.Items))
	for i, item := range c.Items {
		block[i] = ConnectionEdge[T]{Node: item, order: c.Ask.Order, seal: c.Seal}
		edges[i] = &block[i]
	}
	return edges
}

// PageInfo describes the page's place in its list.
func (c *Connection[T, C]) PageInfo() *PageInfo { return &PageInfo{of: c} }

// ConnectionEdge is a row of a page with its place in the list.
type ConnectionEdge[T Entity] struct {
	Node  T
	order Order
	seal  func(Order, Position) string
}

// Cursor is the row's place, sealed.
func (e *ConnectionEdge[T]) Cursor() string { return e.seal(e.order, e.Node.Position(e.order.Key)) }

// PageInfo describes a page's place in its list. Whether rows stand before and after the page is a resolver's to find
// out: it may need another look into the store (see Before and After).
type PageInfo struct{ of paged }

type paged interface {
	ends() (first, last string)
	around(after bool) Around
}

// StartCursor is the first row's place, null on an empty page.
func (p *PageInfo) StartCursor() Text { first, _ := p.of.ends(); return Text(first) }

// EndCursor is the last row's place, null on an empty page.
func (p *PageInfo) EndCursor() Text { _, last := p.of.ends(); return Text(last) }

// Before tells whether rows of the list stand before the page.
func (p *PageInfo) Before() Around { return p.of.around(false) }

// After tells whether rows of the list stand after the page.
func (p *PageInfo) After() Around { return p.of.around(true) }

// Around is what a page knows about one of its sides: Known says that Exists is the answer; else Ask, put to Parent of
// the connection's noun, has it in More (its window has no rows of its own).
type Around struct {
	Known, Exists bool
	Window        Window
	Connection    any // the *Connection that asks
}

func (c *Connection[T, C]) ends() (start, end string) {
	if len(c.Items) == 0 {
		return "", ""
	}
	order, first, last := c.Ask.Order, c.Items[0], c.Items[len(c.Items)-1]
	return c.Seal(order, first.Position(order.Key)), c.Seal(order, last.Position(order.Key))
}

// around: rows in the direction of travel were noticed while reading (More); beyond the limits that the caller set
// with a cursor, and before a numbered page that is empty, one has to look.
func (c *Connection[T, C]) around(after bool) Around {
	w := c.Ask.Window
	if after != w.Backward && c.More {
		return Around{Known: true, Exists: true}
	}
	switch {
	case after && w.HasBefore:
		return Around{Window: Window{After: w.Before, HasAfter: true, Inclusive: true}, Connection: c}
	case !after && w.HasAfter:
		return Around{Window: Window{Backward: true, Before: w.After, HasBefore: true, Inclusive: true}, Connection: c}
	case !after && w.Offset > 0 && len(c.Items) == 0:
		return Around{Window: Window{}, Connection: c}
	case !after && w.Offset > 0:
		return Around{Known: true, Exists: true}
	}
	return Around{Known: true}
}

// The connections of the nouns that need no more than Connection.
type (
	CustomerConnection         = Connection[*Customer, CustomerCriteria]
	CustomerEdge               = ConnectionEdge[*Customer]
	FinancialYearConnection    = Connection[*FinancialYear, FinancialYearCriteria]
	FinancialYearEdge          = ConnectionEdge[*FinancialYear]
	ChecklistConnection        = Connection[*Checklist, ChecklistCriteria]
	ChecklistEdge              = ConnectionEdge[*Checklist]
	TranscriptEdge             = ConnectionEdge[*Transcript]
	CustomerDocumentConnection = Connection[*CustomerDocument, DocumentCriteria]
	CustomerDocumentEdge       = ConnectionEdge[*CustomerDocument]
	MinfinDocumentConnection   = Connection[*MinfinDocument, MinfinCriteria]
	MinfinDocumentEdge         = ConnectionEdge[*MinfinDocument]
	UserConnection             = Connection[*User, UserCriteria]
	UserEdge                   = ConnectionEdge[*User]
	LabelConnection            = Connection[*Label, LabelCriteria]
	LabelEdge                  = ConnectionEdge[*Label]
	PrivacyAccessConnection    = Connection[*PrivacyAccess, ConsultationCriteria]
	PrivacyAccessEdge          = ConnectionEdge[*PrivacyAccess]
)
