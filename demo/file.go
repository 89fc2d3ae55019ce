package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/pdf"
)

// Only some customers have files: each file costs a synchronous write to the disk.
const (
	customersWithFiles  = 60
	customersWithMinfin = 40
	pdfType             = "application/pdf"
	writers             = 8 // files written at a time
)

const Office = "Kantoor Vandaele & Renard" // the accounting office with these data

// makeFiles makes documents for the first customers, and the files of their transcripts and calculations.
func (d *Demo) makeFiles(ctx context.Context, p *plan, c *chunk, works []work) (err error) {
	if c.upload, err = backoffice.BeginUpload(ctx, d.Store, d.Files); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	put := func(into **backoffice.File, created backoffice.Instant, write func(io.Writer) error) {
		group.Go(func() error {
			var content bytes.Buffer
			if err := write(&content); err != nil {
				return err
			}
			file, err := c.upload.Put(ctx, &content, pdfType)
			if err != nil {
				return err
			}
			file.TimeCreated = created
			*into = &file
			return nil
		})
	}
	for i, customer := range c.customers[:min(len(c.customers), customersWithFiles)] {
		p.transcriptFiles(customer, works[i], put)
		c.documents = append(c.documents, p.documents(customer, i, put)...)
		if i < customersWithMinfin {
			c.minfin = append(c.minfin, p.minfin(customer, i, put))
		}
	}
	c.minfin = append(c.minfin, p.circulars(put)...)
	return group.Wait()
}

type putter = func(into **backoffice.File, created backoffice.Instant, write func(io.Writer) error)

// transcriptFiles makes the document of the latest completed transcript, and the latest proposal of a calculation.
func (p *plan) transcriptFiles(c *backoffice.Customer, w work, put putter) {
	for _, t := range slices.Backward(w.transcripts) {
		if !t.IsCompleted {
			continue
		}
		t.DocumentGenerated, t.DocumentGeneratedAt = true, t.OwnUpdatedAt
		put(&t.Document, t.OwnUpdatedAt, func(out io.Writer) error {
			return pdf.Transcript(out, pdf.Letterhead{Name: Office}, nil, backoffice.TranscriptDocument{
				Transcript: t, Customer: c,
				Checklist: p.listOf(t.ChecklistID), FinancialYear: p.yearOf(t.FinancialYearID),
			})
		})
		break
	}
	for _, made := range slices.Backward(w.calculations) {
		switch backoffice.TranscriptStatus(made.State) {
		case backoffice.ToProcess, backoffice.InCalculation:
			continue // without a proposal yet
		}
		put(&made.Proposal, made.UpdatedAt, func(out io.Writer) error {
			return pdf.Letter(out, letter(proposal, p.letter(c, made.ID, made.UpdatedAt)))
		})
		break
	}
}

func (p *plan) yearOf(id string) *backoffice.FinancialYear {
	return p.years[slices.IndexFunc(p.years, func(y *backoffice.FinancialYear) bool { return y.ID == id })]
}

func (p *plan) listOf(id string) *backoffice.Checklist {
	return p.lists[slices.IndexFunc(p.lists, func(list *backoffice.Checklist) bool { return list.ID == id })]
}

func (p *plan) letter(c *backoffice.Customer, reference string, at backoffice.Instant) letterContent {
	r := p.draw(uint64(len(reference))<<40 | uint64(at.Milliseconds())&0xffffffff)
	return letterContent{
		sender: Office, language: string(c.Language), customer: pdf.PartyOf(c), reference: reference,
		year: at.Time().Year(), date: at, base: int64(2_000_000 + r.IntN(9_000_000)),
	}
}

// documents are a letter for each customer, and the articles of a company.
func (p *plan) documents(c *backoffice.Customer, i int, put putter) []*backoffice.CustomerDocument {
	kinds := []string{engagementLetter}
	if c.Type == backoffice.Company {
		kinds = append(kinds, articlesExtract)
	}
	names := map[string]map[string]string{
		engagementLetter: {"dutch": "Opdrachtbrief", "french": "Lettre de mission",
			"german": "Auftragsschreiben", "english": "Engagement letter"},
		articlesExtract: {"dutch": "Statuten (uittreksel)", "french": "Statuts (extrait)",
			"german": "Satzung (Auszug)", "english": "Articles (extract)"},
	}
	var made []*backoffice.CustomerDocument
	for at, kind := range kinds {
		d := &backoffice.CustomerDocument{
			ID: fmt.Sprintf("document-%04d-%d", i+1, at+1), Name: names[kind][string(c.Language)] + ".pdf",
			CustomerID: c.ID, CreatedAt: max(c.CreatedAt, p.ago(p.draw(uint64(i)<<8|7), 20+at)),
		}
		put(&d.File, d.CreatedAt, func(out io.Writer) error {
			return pdf.Letter(out, letter(kind, p.letter(c, d.ID, d.CreatedAt)))
		})
		made = append(made, d)
	}
	return made
}

// administration is the sender of the minfin documents.
var administration = map[string]string{"dutch": "FOD Financiën", "french": "SPF Finances",
	"german": "FÖD Finanzen", "english": "FPS Finance"}

// minfin is an assessment notice of the last year for a customer.
func (p *plan) minfin(c *backoffice.Customer, i int, put putter) *backoffice.MinfinDocument {
	year := p.years[len(p.years)-2]
	names := map[string]string{"dutch": "Aanslagbiljet ", "french": "Avertissement-extrait de rôle ",
		"german": "Steuerbescheid ", "english": "Assessment notice "}
	d := &backoffice.MinfinDocument{
		ID: fmt.Sprintf("minfin-%04d", i+1), Name: names[string(c.Language)] + year.StartDate, CustomerID: c.ID,
		DocumentType: "assessment-notice", FinancialYearID: year.ID, SynchronisedAt: p.ago(p.draw(uint64(i)<<8|8), 5+i),
	}
	put(&d.File, d.SynchronisedAt, func(out io.Writer) error {
		content := p.letter(c, d.ID, d.SynchronisedAt)
		content.sender = administration[content.language]
		return pdf.Letter(out, letter(assessmentNotice, content))
	})
	return d
}

// circulars are notes of the administration without a customer, one a year.
func (p *plan) circulars(put putter) []*backoffice.MinfinDocument {
	var made []*backoffice.MinfinDocument
	for i, year := range p.years {
		number, _ := strconv.Atoi(year.StartDate) // we wrote it
		d := &backoffice.MinfinDocument{
			ID: "minfin-note-" + year.StartDate, Name: "Tax note " + year.StartDate, DocumentType: "tax-note",
			FinancialYearID: year.ID, SynchronisedAt: p.ago(p.draw(uint64(i)<<8|9), 2+365*(p.today.Year()-number)),
		}
		put(&d.File, d.SynchronisedAt, func(out io.Writer) error {
			return pdf.Letter(out, letter(taxNote, letterContent{
				sender: administration["english"], language: "english", customer: pdf.Party{Name: Office},
				reference: d.ID, year: number, date: d.SynchronisedAt, base: 4_200_000,
			}))
		})
		made = append(made, d)
	}
	return made
}
