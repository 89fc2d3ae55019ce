package ownership

import "example.org/backoffice/backoffice"

// Structure is a graph, read for a day, with what it needs to know of its customers.
type Structure struct {
	*Graph
	AsOf    string
	natural Natural
}

// StakeOf is a stake in a structure.
type StakeOf struct {
	Stake
	Of *Structure
}

func NewStructure(g *Graph, day string, natural Natural) *Structure {
	return &Structure{Graph: g, AsOf: day, natural: natural}
}

// First are the largest stakes.
func (s *Structure) First(n int) []*StakeOf {
	stakes := s.Stakes()
	return backoffice.Map(stakes[:min(n, len(stakes))], func(stake Stake) *StakeOf { return &StakeOf{stake, s} })
}

// Rings are the first cycles.
func (s *Structure) Rings(n int) []*Cycle {
	rings := s.Graph.Cycles()
	return rings[:min(n, len(rings))]
}

func (s *Structure) Complete() bool  { return s.Graph.Complete(s.natural) }
func (s *Structure) Truncated() bool { return s.Graph.Truncated(s.natural) }
func (s *Structure) Cycles() int     { return len(s.Graph.Cycles()) }

// Paths are the first chains to the stake.
func (s *StakeOf) Paths(n int) []*Path { return s.Of.Graph.Paths(s.CustomerID, n) }

// SharePercent is the recorded share, nil for unknown.
func (s *Step) SharePercent() *float64 { return s.Share.number() }

// Party is how a customer is shown.
type Party struct {
	Name      string
	Natural   bool
	KBONumber string // shown for companies only; "" shows none
}

// Describe returns how customers are shown.
type Describe func(customerID string) Party
