// Package gatewaytest opens offices for the tests below gateway and asks them as clients do: an Office is the gateway
// that Serve runs, over a store in a temporary folder or in the PostgreSQL server of the tests.
//
// A helper is here when tests of at least two folders use it.
package gatewaytest

import (
	"os"
	"path/filepath"
)

// Path is the path of a file of this module, from wherever a test runs: Path("testdata", "office").
func Path(elements ...string) string {
	root := "."
	for range 8 {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		root = filepath.Join("..", root)
	}
	return filepath.Join(append([]string{root}, elements...)...)
}
