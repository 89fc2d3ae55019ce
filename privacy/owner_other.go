//go:build !unix

package privacy

func keepOwner(string, string) error { return nil }
