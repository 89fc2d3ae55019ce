package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
	"example.org/backoffice/backoffice/ownership"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
)

// packing gathers a pack in the request's snapshot. Its JSON is what the other operations answer.
type packing struct {
	*API
	ctx      context.Context
	customer *backoffice.Customer
	span     evidenceSpan
	draft    *evidence.Draft
	manifest evidence.Manifest
	register []*backoffice.Consultation // of the span; nil without privacy.read
	lost     [][2]string                // the days between which a restore lost entries
}

func (a *API) pack(ctx context.Context, in *evidenceAsked, span evidenceSpan, customer *backoffice.Customer) (
	_ *packing, err error) {
	if a.Service.Documents == nil {
		return nil, backoffice.Errorf(backoffice.Unavailable, "this server cannot generate documents")
	}
	incoming, _ := humachi.Unwrap(requestOf(ctx).humaContext)
	purpose, err := privacy.PurposeOf(incoming.Header)
	if err != nil {
		return nil, err
	}
	p := &packing{API: a, ctx: ctx, customer: customer, span: span, manifest: evidence.Manifest{
		CustomerID: customer.ID, From: span.from, To: span.to, Requester: askedBy(ctx), Purpose: purpose,
		Language:            cmp.Or(in.Language, evidence.LanguageOf(string(customer.Language))),
		RegistrationNumbers: in.RegistrationNumbers,
	}}
	if p.draft, err = evidence.NewDraft(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			p.draft.Close()
		}
	}()
	for _, add := range []func() error{p.readPosition, p.readRegister, p.addCustomer, p.addRelations, p.addOwners,
		p.addTranscripts, p.addCalculations, p.addDocuments, p.addMinfin, p.addJournal, p.addRegister} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return p, backoffice.CommitLedger(ctx) // an export is in the register before any of it is sent
}

// may reports whether the caller has the scope for a part, and notes in the manifest that it lacks it.
func (p *packing) may(part string, scope backoffice.Scope) bool {
	if auth.From(p.ctx).HasRequired(scope) {
		return true
	}
	p.manifest.LeftOut = append(p.manifest.LeftOut, evidence.Part{Name: part, RequiredScope: string(scope)})
	return false
}

func (p *packing) addJSON(name string, shown any) error {
	return p.draft.Add(name, func(w io.Writer) error { return evidence.WriteJSON(w, shown) })
}

// addList adds the customer's records of a noun, a page in memory at a time; also is called with each page.
func addList[T any, C comparable, R any](p *packing, name string, rows backoffice.Reader[*T, C], page int,
	show func(*T) R, also func([]*T) error) error {
	return p.draft.Add(name, func(w io.Writer) error {
		var text bytes.Buffer
		text.WriteString("[")
		ask := backoffice.ListQuery[C]{Parent: backoffice.OfCustomer, Window: backoffice.Window{Limit: page}}
		err := backoffice.EachPage(p.ctx, rows, ask, p.customer.ID, 0, func(page []*T) error {
			for _, row := range page {
				text.WriteString("\n")
				if err := evidence.WriteJSON(&text, show(row)); err != nil {
					return err
				}
				if _, err := w.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n"))); err != nil {
					return err
				}
				text.Reset()
				text.WriteString(",")
			}
			return also(page)
		})
		if err != nil {
			return err
		}
		end := "\n]\n"
		if text.String() == "[" {
			end = "[]\n"
		}
		_, err = io.WriteString(w, end)
		return err
	})
}

// addFiles adds the stored files of a page of records. A missing file is an error before anything is sent.
func addFiles[T any](p *packing, folder string, of func(*T) (id, name string, file *backoffice.File)) func([]*T) error {
	return func(page []*T) error {
		var keys []string
		for _, row := range page {
			id, name, file := of(row)
			if file == nil {
				continue
			}
			keys = append(keys, file.Key)
			if err := p.draft.AddFile(path.Join(folder, id, files.SafeName(name, file.ContentType)), file); err != nil {
				return err
			}
		}
		missing, err := p.Files.Missing(p.ctx, keys)
		if err == nil && len(missing) > 0 {
			err = &backoffice.Error{Kind: backoffice.Unavailable, Message: "a stored file of the customer is missing",
				Cause: errors.New("a stored file is missing; " +
					"restore it from a backup (backoffice check names its record)")}
		}
		return err
	}
}

func (p *packing) addCustomer() error {
	var shown struct {
		Customer
		Numbers map[string]string `json:"registrationNumbers,omitempty"`
	}
	showCustomer(&shown.Customer, p.customer)
	if p.may("registrationNumbers", backoffice.PrivacyRead) {
		shown.Numbers = map[string]string{}
		for _, field := range backoffice.AllPrivacyFields {
			shown.Numbers[field.Input()] = evidence.Consulted(p.manifest.Language,
				!p.customer.SealedNumber(field).IsZero(), p.consultedOn(field), p.lost)
		}
	}
	if err := p.addJSON("customer.json", shown); err != nil || !p.manifest.RegistrationNumbers {
		return err
	}
	if err := privacy.NoteExport(p.ctx, p.customer.ID); err != nil {
		return err
	}
	numbers, err := reveal(p.ctx, []*backoffice.Customer{p.customer})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	_ = evidence.WriteJSON(&text, numbers[0]) // to memory
	return p.draft.AddSecret("registration-numbers.json", text.Bytes())
}

// consultedOn returns the days of the span on which a number was consulted.
func (p *packing) consultedOn(field backoffice.PrivacyField) (days []string) {
	for _, entry := range p.register {
		if slices.Contains(entry.Fields, field) {
			days = append(days, backoffice.Today(entry.At.Time()))
		}
	}
	return slices.Compact(days)
}

func (p *packing) addRelations() error {
	related := map[string]bool{}
	err := addList(p, "relations.json", p.Store.Relations(), 0, shownRelation.Map,
		func(page []*backoffice.CustomerRelation) error {
			for _, r := range page {
				related[r.CustomerID], related[r.RelatedCustomerID] = true, true
			}
			return nil
		})
	if err != nil {
		return err
	}
	delete(related, p.customer.ID)
	ids := slices.Sorted(maps.Keys(related))
	return p.draft.Add("related-customers.json", func(w io.Writer) error {
		shown := []Customer{}
		found, err := backoffice.ReadByID(p.ctx, p.Store.CustomersWithoutNumbers(), ids, 0)
		for _, id := range ids {
			if c := found[id]; c != nil {
				shown = append(shown, Customer{})
				showCustomer(&shown[len(shown)-1], c)
			}
		}
		return cmp.Or(err, evidence.WriteJSON(w, shown))
	})
}

func (p *packing) addOwners() error {
	q := ownership.Question{Depth: ownership.MaxDepth, AsOf: &p.span.to, Today: p.span.to}
	of, err := p.owned(p.ctx, p.customer.ID, q, "", "")
	if err != nil {
		return err
	}
	if err := of.compare(p.ctx); err != nil {
		return err
	}
	statements, err := of.statements()
	if err != nil {
		return err
	}
	return errors.Join(p.addJSON("ownership.json", of.shown()),
		addList(p, "discrepancies.json", p.Store.Discrepancies(), 0, shownDiscrepancy.Map,
			func([]*backoffice.Discrepancy) error { return nil }),
		p.draft.AddBytes("ownership.bods.json", statements),
		p.draft.AddBytes("ownership.svg", of.Picture(of.describe)),
		p.draft.Add("ownership.pdf", func(w io.Writer) error { return of.page(p.Service.Documents, w) }))
}

const transcriptsAtOnce = 20 // their answers are large

func (p *packing) addTranscripts() error {
	var drawn []string
	err := addList(p, "transcripts.json", p.Store.Transcripts(), transcriptsAtOnce, shownTranscript.Map,
		addFiles(p, "transcripts", func(t *backoffice.Transcript) (string, string, *backoffice.File) {
			if t.IsCompleted && t.File() == nil {
				drawn = append(drawn, t.ID)
			}
			return t.ID, "transcript", t.File()
		}))
	if err != nil {
		return err
	}
	for _, id := range drawn {
		content, err := p.Service.DrawTranscript(p.ctx, id)
		if err != nil {
			return err
		}
		err = p.draft.Add(path.Join("transcripts", id, "drawn.pdf"), func(w io.Writer) error {
			_, err := io.Copy(w, content)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *packing) addCalculations() error {
	return addList(p, "calculations.json", p.Store.Calculations(), 0, showCalculation, addFiles(p, "calculations",
		func(c *backoffice.Calculation) (string, string, *backoffice.File) {
			return c.ID, "proposal", c.Proposal
		}))
}

func (p *packing) addDocuments() error {
	return addList(p, "documents.json", p.Store.Documents(), 0, showDocument, addFiles(p, "documents",
		func(d *backoffice.CustomerDocument) (string, string, *backoffice.File) { return d.ID, d.Name, d.File }))
}

func (p *packing) addMinfin() error {
	if !p.may("minfin", backoffice.MinfinRead) {
		return nil
	}
	return addList(p, "minfin.json", p.Store.MinfinDocuments(), 0, showMinfin, addFiles(p, "minfin",
		func(d *backoffice.MinfinDocument) (string, string, *backoffice.File) { return d.ID, d.Name, d.File }))
}
