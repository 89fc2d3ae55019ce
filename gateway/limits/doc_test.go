// Package limits tests that a request takes no more than its share, and that operators see what it takes.
package limits
