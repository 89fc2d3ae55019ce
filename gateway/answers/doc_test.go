// Package answers tests that a kept answer is the one that executing again would give, and that nothing is kept that
// must not be.
package answers
