package rest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/klauspost/compress/gzhttp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/backoffice/evidence"
	"example.org/backoffice/files"
	"example.org/backoffice/privacy"
)

const mediaZip = "application/zip"

type evidenceAsked struct {
	OfCustomer
	From                Optional[string] `query:"from" doc:"The first day of the journal and of the register, in Belgium; default: from the beginning." example:"2026-01-01"`
	To                  Optional[string] `query:"to" doc:"The last day, which is also that of the owners; default today." example:"2026-12-31"`
	Language            string           `query:"language" enum:"dutch,french,german,english" doc:"The language of the journal and of the register's report; default the customer's, else English."`
	RegistrationNumbers bool             `query:"registrationNumbers" doc:"Add the registration numbers. Needs the scope privacy.read and the header x-access-purpose."`
}

// oneKey marks an operation that a credential may run once at a time.
const oneKey = "one"

func (a *API) evidence() {
	op := operation("GET /customers/{customerId}/evidence", "getEvidence", "Download a pack of evidence of a customer",
		"A signed zip: what is stored of the customer, its owners on the last day, the journal of changes, the stored "+
			"files, and who consulted its registration numbers. `manifest.json` has the SHA-256 of every entry, "+
			"`manifest.sig` its Ed25519 signature, `verify.html` checks both in a browser. "+
			"It has the parts for which the credential has the scope (`minfin.read`, `privacy.read`); the manifest "+
			"names the others. Registration numbers themselves are in it only with `registrationNumbers=true`; the "+
			"register of consultations then has an EXPORT of the customer. One at a time per credential.")
	op.Metadata = map[string]any{streamedKey: true, oneKey: true}
	op.Responses = map[string]*huma.Response{
		"200": {Description: "The pack.", Content: map[string]*huma.MediaType{
			mediaZip: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
		"409": {Description: "The server has no signing key.", Content: problemContent},
	}
	registerList(a, op, "", a.answerEvidence)
}

func (a *API) answerEvidence(ctx context.Context, in *evidenceAsked) (*download, error) {
	if in.RegistrationNumbers {
		var err error
		if ctx, err = privacy.AsExport(ctx); err != nil {
			return nil, err
		}
	}
	span, err := in.span(time.Now())
	if err = cmp.Or(err, backoffice.CheckPurpose(ctx)); err != nil {
		return nil, err
	}
	backoffice.FollowOnPrimary(ctx)
	customer, err := one(ctx, a.customersFor(ctx), backoffice.NounCustomer, in.CustomerID)
	if err != nil {
		return nil, err
	}
	signer, err := a.Keys.Signer()
	if errors.Is(err, privacy.ErrNoSigningKey) {
		return nil, faulty(http.StatusConflict, []ProblemError{{
			Code: string(backoffice.CodeNotAllowed), Detail: privacy.ErrNoSigningKey.Error()}})
	}
	if err != nil {
		return nil, backoffice.Fault(err, "reading the signing key")
	}
	var p *packing
	if requestOf(ctx).Method() != http.MethodHead {
		var done func()
		if ctx, done, err = a.working(ctx, packCost); err != nil {
			return nil, err
		}
		defer done()
		if p, err = a.pack(ctx, in, span, customer); err != nil {
			return nil, err
		}
	}
	return &download{func(sent huma.Context) {
		r, w := humachi.Unwrap(sent)
		header := w.Header()
		header.Set(gzhttp.HeaderNoCompression, "a pack is compressed")
		header.Set("Content-Type", mediaZip)
		header.Set("Content-Disposition", files.ContentDisposition("evidence-"+customer.ID+"-"+span.to, mediaZip))
		w.WriteHeader(http.StatusOK)
		if p == nil {
			return
		}
		defer p.draft.Close()
		if err := p.draft.Send(r.Context(), w, a.Files, p.manifest, signer.Public, signer); err != nil {
			if r.Context().Err() == nil {
				a.log(r.Context(), slog.LevelError, "a pack of evidence broke off", err)
			}
			panic(http.ErrAbortHandler)
		}
	}}, nil
}

const (
	packCost  = 1000 // it reads a list of each kind, and logs
	packPause = 20 * time.Second
)

// working waits until a file of this cost may be made, which then takes as long as it takes; done ends that.
func (a *API) working(ctx context.Context, cost int) (own context.Context, done func(), err error) {
	leave := func() {}
	_, w := humachi.Unwrap(requestOf(ctx).humaContext)
	if a.Admit != nil {
		if ctx, leave, err = a.Admit(ctx, cost, cost); err != nil {
			return nil, nil, err
		}
	}
	ctx, stop := context.WithCancel(backoffice.WithBudget(ctx, nil))
	var moving sync.WaitGroup
	moving.Go(func() {
		control := http.NewResponseController(w)
		backoffice.Every(ctx, packPause, func() { _ = control.SetWriteDeadline(time.Now().Add(3 * packPause)) })
	})
	return ctx, func() { stop(); moving.Wait(); leave() }, nil
}

// evidenceSpan is a number of days in Belgium.
type evidenceSpan struct {
	from, to string // the first, "" for the beginning, and the last
	whole    bool   // from the beginning until today
	backoffice.Span
	receipt backoffice.Instant // until when the receipt covers the register: what is entered then never changes again
}

func (in *evidenceAsked) span(now time.Time) (s evidenceSpan, err error) {
	if s.from, err = backoffice.ParseDay(value(in.From)); err != nil {
		return s, badParameter("from", err.Error())
	}
	if s.to, err = backoffice.ParseDay(value(in.To)); err != nil {
		return s, badParameter("to", err.Error())
	}
	today := backoffice.Today(now)
	switch {
	case s.to == "":
		s.to = today
	case s.to > today:
		return s, badParameter("to", "the last day must not be in the future")
	}
	if s.from > s.to {
		return s, badParameter("from", "the first day must not be after the last one")
	}
	s.whole = s.from == "" && s.to == today
	if s.HasFrom = s.from != ""; s.HasFrom {
		s.From = backoffice.StartOfDay(s.from, 0)
	}
	s.HasTo, s.To = true, backoffice.StartOfDay(s.to, 1)
	// Of a day that is not over, entries are still to come, also from servers whose clock is behind.
	over := backoffice.StartOfDay(backoffice.Today(now.Add(-time.Minute)), 0)
	s.receipt = backoffice.InstantOf(min(s.To, over).Time().Add(-time.Millisecond))
	return s, nil
}

// askedBy is the caller, as the manifest names it.
func askedBy(ctx context.Context) evidence.Requester {
	by := auth.From(ctx)
	asked := evidence.Requester{ClientID: by.ClientID, Name: by.Name, Restricted: by.Restriction.IsSet()}
	if by.Person != nil {
		asked.Issuer, asked.Subject = by.Person.Issuer, by.Person.Subject
	}
	return asked
}
