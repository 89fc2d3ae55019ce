package demo

import (
	"cmp"
	"context"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/privacy"
)

type Demo struct {
	Store     backoffice.Store
	Files     backoffice.FileStore
	Keys      *privacy.Keyset
	Customers int
	Seed      uint64
	Now       time.Time
	// Progress, if set, is called with the number of customers stored so far.
	Progress func(done, all int)
	chunk    int // customers to make and store together; 0 for chunkSize
}

// finished is stored last: a store that has it was filled to the end.
const finished = "label-onboarding"

func Finished(ctx context.Context, store backoffice.Store) (bool, error) {
	found, err := backoffice.ReadByID(ctx, store.Labels(), []string{finished}, 0)
	return len(found) > 0, err
}

type chunk struct {
	last         int
	customers    []*backoffice.Customer
	relations    []*backoffice.CustomerRelation
	transcripts  []*backoffice.Transcript
	calculations []*backoffice.Calculation
	documents    []*backoffice.CustomerDocument
	minfin       []*backoffice.MinfinDocument
	upload       *backoffice.Upload // of their files; nil for none
	err          error
}

// Fill makes the data, or completes an interrupted Fill with the same seed and number.
func (d *Demo) Fill(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newPlan(d.Seed, d.Customers, d.Now)
	if err := d.Store.Write(ctx, p.storeFrame); err != nil {
		return err
	}
	// The goroutine makes chunks; this one stores them.
	made := make(chan *chunk, 1)
	go func() {
		defer close(made)
		size := cmp.Or(d.chunk, chunkSize)
		for first := firstCustomer; first <= d.Customers; first += size {
			c := d.make(ctx, p, first, min(first+size-1, d.Customers))
			select {
			case made <- c:
			case <-ctx.Done():
				return
			}
		}
	}()
	for c := range made {
		if c.err == nil {
			c.err = d.Store.Write(ctx, c.store)
		}
		if c.upload != nil {
			c.upload.Close(ctx, c.err)
		}
		if c.err != nil {
			return c.err
		}
		if d.Progress != nil {
			d.Progress(c.last, d.Customers)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(ctx context.Context, tx backoffice.Tx) error {
		last := &backoffice.Label{ID: finished, Name: "Onboarding", Color: "#ff8c00", CreatedAt: p.ago(p.draw(6), 1)}
		return tx.Labels().Upsert(ctx, []*backoffice.Label{last})
	})
}

// storeFrame stores the records that all others refer to. After an error the transaction stores nothing.
func (p *plan) storeFrame(ctx context.Context, tx backoffice.Tx) error {
	return cmp.Or(
		tx.Labels().Upsert(ctx, p.labels),
		tx.Users().Upsert(ctx, p.users),
		tx.FinancialYears().Upsert(ctx, p.years),
		tx.Checklists().Upsert(ctx, p.lists),
	)
}

func (d *Demo) make(ctx context.Context, p *plan, first, last int) *chunk {
	c := &chunk{last: last}
	works := make([]work, 0, last-first+1)
	for number := first; number <= last; number++ {
		customer, err := p.customer(d.Keys, number)
		if err != nil {
			return &chunk{err: err}
		}
		w := p.work(customer, number)
		works = append(works, w)
		c.customers = append(c.customers, customer)
		c.relations = append(c.relations, p.relations(number, first, last)...)
		c.transcripts = append(c.transcripts, w.transcripts...)
		c.calculations = append(c.calculations, w.calculations...)
	}
	if first == firstCustomer { // only the first customers have files
		c.err = d.makeFiles(ctx, p, c, works)
	}
	return c
}

func (c *chunk) store(ctx context.Context, tx backoffice.Tx) error {
	err := cmp.Or(
		tx.Customers().Upsert(ctx, c.customers),
		tx.Relations().Upsert(ctx, c.relations),
		tx.Transcripts().Upsert(ctx, c.transcripts),
		tx.Calculations().Upsert(ctx, c.calculations),
		tx.Documents().Upsert(ctx, c.documents),
		tx.MinfinDocuments().Upsert(ctx, c.minfin),
	)
	if err == nil && c.upload != nil {
		err = c.upload.Commit(ctx, tx)
	}
	return err
}
