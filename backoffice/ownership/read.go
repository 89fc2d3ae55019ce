package ownership

import (
	"cmp"
	"context"
	"slices"
)

// Holding is a shareholder relation: HolderID holds Share of HeldID, and Vote of its votes.
type Holding struct {
	RelationID, HolderID, HeldID string
	Share                        Percent
	Vote                         Percent // unknown: see Graph.voteWeights
	Nominee                      bool    // holds for another; counts as the holder's own, and is only shown
	StartDate, EndDate           string  // YYYY-MM-DD, or ""; only shown
}

// Direction is in which direction holdings are read from a customer.
type Direction uint8

const (
	Owners   Direction = iota // upwards: who holds the customer
	Holdings                  // downwards: what the customer holds
)

const (
	// MaxDepth is the most levels that Read reads.
	MaxDepth = 20
	// MaxHoldings is the most holdings in one graph.
	MaxHoldings = 2_000
)

// Each returns the holdings of which one of the customers is the held one (Owners), or the holder (Holdings).
type Each func(ctx context.Context, customerIDs []string) ([]Holding, error)

// Read reads the graphs of several customers, in their order: 1 to depth levels, with one call of each per level for
// all of them. It asks for no customer twice.
func Read(ctx context.Context, customerIDs []string, direction Direction, depth int, each Each) ([]*Graph, error) {
	graphs := make([]*Graph, len(customerIDs))
	for i, id := range customerIDs {
		graphs[i] = &Graph{
			direction: direction, ids: []string{id}, levels: []int32{0}, index: map[string]int32{id: target},
		}
	}
	read := map[string][]Holding{}
	for range min(depth, MaxDepth) {
		if err := readLevel(ctx, graphs, direction, each, read); err != nil {
			return nil, err
		}
		for _, g := range graphs {
			g.grow(read)
		}
	}
	for _, g := range graphs {
		g.link()
	}
	return graphs, nil
}

// readLevel reads the customers in which any graph ends so far.
func readLevel(ctx context.Context, graphs []*Graph, direction Direction, each Each, read map[string][]Holding) error {
	var ids []string
	for _, g := range graphs {
		for _, id := range g.ids[g.unread:] {
			if _, known := read[id]; !known && !g.limited {
				read[id] = nil
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	holdings, err := each(ctx, ids)
	if err != nil {
		return err
	}
	slices.SortFunc(holdings, func(a, b Holding) int { return cmp.Compare(a.RelationID, b.RelationID) })
	for _, h := range holdings {
		from, _ := h.ends(direction)
		read[from] = append(read[from], h)
	}
	return nil
}

// ends are the two customers of a holding, the nearer to the target first.
func (h *Holding) ends(direction Direction) (near, far string) {
	if direction == Owners {
		return h.HeldID, h.HolderID
	}
	return h.HolderID, h.HeldID
}
