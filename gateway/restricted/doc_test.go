// Package restricted tests that a caller reads and changes only what their credential allows.
package restricted
