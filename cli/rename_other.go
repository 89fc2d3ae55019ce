//go:build !linux

package cli

func renameNew(from, to string) error { return renameUnlessThere(from, to) }
