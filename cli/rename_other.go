//go:build !linux

package cli

// renameNew renames without overwriting.
func renameNew(from, to string) error { return renameUnlessThere(from, to) }
