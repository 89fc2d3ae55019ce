package backoffice

import "context"

// ChangeConnection is a page of the feed as GraphQL sees it.
type ChangeConnection struct {
	Items []*VisibleChange
	Page  *ChangePage
	After int64 // as in ChangeQuery

	// AnyBefore reports whether the list has changes at After or before it.
	AnyBefore func(ctx context.Context) (bool, error)
}

func (c *ChangeConnection) Nodes() []*VisibleChange { return c.Items }

// Edges are the page's changes with their cursors.
func (c *ChangeConnection) Edges() []*ChangeEdge {
	edges := make([]*ChangeEdge, len(c.Items))
	for i, item := range c.Items {
		edges[i] = &ChangeEdge{Node: item}
	}
	return edges
}

type ChangeEdge struct{ Node *VisibleChange }

func (e *ChangeEdge) Cursor() string { return e.Node.Cursor }

// LatestCursor is where the newest change is that the caller may see at the page's moment.
func (c *ChangeConnection) LatestCursor() string { return c.Page.End() }

// PageInfo describes the page's place in the list.
func (c *ChangeConnection) PageInfo() *PageInfo { return &PageInfo{of: c} }

func (c *ChangeConnection) ends() (start, end string) {
	if len(c.Items) == 0 {
		return "", ""
	}
	return c.Items[0].Cursor, c.Items[len(c.Items)-1].Cursor
}

// around looks for what is before a page where that may be something.
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
