//go:build !linux

package cli

// renameNew renames to a name that nothing has.
func renameNew(from, to string) error { return renameUnlessThere(from, to) }
