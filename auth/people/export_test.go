package people

// Forget forgets every token that was checked.
func (p *People) Forget() { p.known.InvalidateAll() }
