package backoffice

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
)

// SampleCustomers returns the customers that a seed picks, in its order: those with the smallest SHA-256 of the seed, a
// colon and the identifier. Anyone can repeat it, and a customer more or less does not change which others come first.
func SampleCustomers(ctx context.Context, store Readers, seed uint64, size int) ([]*Customer, error) {
	type drawn struct {
		by [sha256.Size]byte
		of *Customer
	}
	var sample []drawn
	compare := func(a, b drawn) int { return bytes.Compare(a.by[:], b.by[:]) }
	prefix := strconv.FormatUint(seed, 10) + ":"
	customers := store.CustomersWithoutNumbers()
	err := eachRow(ctx, customers, ListQuery[CustomerCriteria]{}, NoParent, 0, func(c *Customer) error {
		d := drawn{sha256.Sum256([]byte(prefix + c.ID)), c}
		at, _ := slices.BinarySearchFunc(sample, d, compare)
		if sample = slices.Insert(sample, at, d); len(sample) > size {
			sample = sample[:size]
		}
		return nil
	})
	return Map(sample, func(d drawn) *Customer { return d.of }), err
}
