package backoffice

import "context"

// ChangeConnection is a page of the feed as GraphQL sees it.
type ChangeConnection struct {
	Items []*VisibleChange
	Page  *ChangePage
	After int64 // as in ChangeQuery
	// AnyBefore reports whether the list has changes at or before After.
	AnyBefore func(ctx context.Context) (bool, error)
}

func (c *ChangeConnection) Nodes() []*VisibleChange { return c.Items }

func (c *ChangeConnection) Edges() []*ChangeEdge {
	return Map(c.Items, func(item *VisibleChange) *ChangeEdge { return &ChangeEdge{Node: item} })
}

type ChangeEdge struct{ Node *VisibleChange }

func (e *ChangeEdge) Cursor() string { return e.Node.Cursor }

// LatestCursor is the cursor of the newest change that the caller may see, in the page's snapshot.
func (c *ChangeConnection) LatestCursor() string { return c.Page.End() }
func (c *ChangeConnection) PageInfo() *PageInfo  { return &PageInfo{of: c} }

func (c *ChangeConnection) ends() (start, end string) {
	if len(c.Items) == 0 {
		return "", ""
	}
	return c.Items[0].Cursor, c.Items[len(c.Items)-1].Cursor
}

// around looks for changes before the page, unless they are all removed.
func (c *ChangeConnection) around(after bool) (exists bool, look *PageCheck) {
	switch {
	case after:
		return c.Page.More, nil
	case c.After <= c.Page.Removed: // FromOldest among them
		return false, nil
	}
	return false, &PageCheck{List: c, Exists: func(ctx context.Context, _ Window, parents []string) ([]bool, error) {
		any, err := c.AnyBefore(ctx)
		return []bool{any}, err
	}}
}
