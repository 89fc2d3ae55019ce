package backoffice

// Map returns what by makes of each element; never nil.
func Map[From, To any](list []From, by func(From) To) []To {
	made := make([]To, len(list))
	for i, one := range list {
		made[i] = by(one)
	}
	return made
}
