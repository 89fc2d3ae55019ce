package privacy

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"example.org/backoffice/backoffice"
)

// Vault opens sealed numbers and records who consulted them. A process has one.
type Vault struct {
	// RequirePurpose rejects disclosures to requests that state no purpose. Set it before the first request.
	RequirePurpose bool

	keys     *Keyset
	register *register
	entries  atomic.Int64
	failures atomic.Int64
}

// Entered counts the entries that this process has made in the register.
func (v *Vault) Entered() int64 { return v.entries.Load() }

// Failures counts the answers that were withheld because their entry could not be made.
func (v *Vault) Failures() int64 { return v.failures.Load() }

func NewVault(keys *Keyset, store backoffice.ConsultationStore) *Vault {
	return &Vault{keys: keys, register: newRegister(keys, store)}
}

// ledger gathers what one request consults until Commit enters it.
type ledger struct {
	vault   *Vault
	viewer  *backoffice.Principal
	purpose *string
	reading backoffice.PrivacyOperation // how opened numbers are entered

	mu       sync.Mutex
	reads    []read
	readAt   map[string]int // customer → place in reads
	searches []*Searching
	entered  bool  // something was consulted and entered already
	failed   error // of the first failed Commit; no later one succeeds
}

type read struct {
	customerID string
	fields     fieldSet
}

// WithLedger starts the ledger of one request, made by a viewer (nil when nobody is signed in) for a stated purpose.
func (v *Vault) WithLedger(ctx context.Context, viewer *backoffice.Principal, purpose *string) context.Context {
	return begin(ctx, &ledger{vault: v, viewer: viewer, purpose: purpose, reading: backoffice.ConsultedByRead})
}

func begin(ctx context.Context, l *ledger) context.Context {
	return backoffice.WithRequest(ctx, func(r *backoffice.Request) { r.Ledger = l })
}

// WithNewLedger starts another ledger for a part of a request, with the same viewer and purpose.
func (v *Vault) WithNewLedger(ctx context.Context) context.Context {
	if l, ok := backoffice.RequestOf(ctx).Ledger.(*ledger); ok {
		return begin(ctx, &ledger{vault: v, viewer: l.viewer, purpose: l.purpose, reading: l.reading})
	}
	return ctx
}

// AsExport enters the numbers opened from here on as an export of each customer's, in the request's ledger and those of
// its parts. BadInput when no purpose is stated; Forbidden without privacy.read.
func AsExport(ctx context.Context) (context.Context, error) {
	l, err := ledgerOf(ctx)
	if err != nil {
		return ctx, err
	}
	if l.purpose == nil {
		return ctx, backoffice.Errorf(backoffice.BadInput, "an export that needs privacy.read must state its purpose, for the register of consultations: send it in the header x-access-purpose")
	}
	return begin(ctx, &ledger{
		vault: l.vault, viewer: l.viewer, purpose: l.purpose, reading: backoffice.ConsultedByExport}), nil
}

// ledgerOf returns the request's ledger, and checks that its viewer may see registration numbers.
func ledgerOf(ctx context.Context) (*ledger, error) {
	l, ok := backoffice.RequestOf(ctx).Ledger.(*ledger)
	if !ok {
		return nil, backoffice.Fault(errors.New("the context has no ledger"), "consulting registration numbers")
	}
	if !l.viewer.Has(backoffice.PrivacyRead) {
		return nil, backoffice.MissingScope(backoffice.PrivacyRead)
	}
	return l, l.CheckPurpose()
}

func (l *ledger) CheckPurpose() error {
	if l.vault.RequirePurpose && l.purpose == nil && l.viewer.Has(backoffice.PrivacyRead) {
		return backoffice.Errorf(backoffice.BadInput, "this server discloses registration numbers only for a stated purpose, for the register of consultations: send it in the header x-access-purpose")
	}
	return nil
}

type SealedNumber struct {
	CustomerID string
	Field      backoffice.PrivacyField
	Number     backoffice.Sealed
}

// Reveal opens numbers for the viewer in ctx: one result per ask, in their order, nil for no number. It is the only way
// to open one. It notes each in the request's ledger, which Commit must enter before any of the answer is sent.
// Forbidden without privacy.read; Internal when a number does not open, and then none is.
func Reveal(ctx context.Context, asks []SealedNumber) ([]*string, error) {
	l, err := ledgerOf(ctx)
	if err != nil {
		return nil, err
	}
	results := make([]*string, len(asks))
	for i, ask := range asks {
		if ask.Number.IsZero() {
			continue
		}
		plain, err := l.vault.keys.open(ask.CustomerID, ask.Field, ask.Number)
		if err != nil {
			return nil, backoffice.Fault(err, "revealing registration numbers")
		}
		results[i] = &plain
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, ask := range asks {
		if results[i] != nil {
			l.noteRead(ask.CustomerID, ask.Field)
		}
	}
	return results, nil
}

// NoteExport records in the ledger in ctx that all of a customer is exported, with or without registration numbers.
func NoteExport(ctx context.Context, customerID string) error {
	l, err := ledgerOf(ctx)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.noteRead(customerID)
	}
	return err
}

func (l *ledger) noteRead(customerID string, fields ...backoffice.PrivacyField) {
	at, known := l.readAt[customerID]
	if !known {
		if l.readAt == nil {
			l.readAt = map[string]int{}
		}
		at = len(l.reads)
		l.readAt[customerID] = at
		l.reads = append(l.reads, read{customerID: customerID})
	}
	for _, field := range fields {
		l.reads[at].fields.add(field)
	}
}

// Searching is one search by registration number, entered in the register under the customers that it found.
type Searching struct {
	ctx    context.Context // of the request
	ledger *ledger         // nil before Begin
	fields fieldSet
	found  []string        // in order
	named  map[string]bool // those in found
}

// Search prepares a search on behalf of the viewer in ctx. Each one is an entry of its own, once it has begun.
func Search(ctx context.Context) *Searching { return &Searching{ctx: ctx} }

// Index begins the search and returns what the store looks for: the keyed indexes of a number (its 11 digits) in a
// field; see Keyset.Indexes. It has the signature that backoffice.CustomerFilter.Criteria needs.
func (s *Searching) Index(field backoffice.PrivacyField, number string) (string, error) {
	if err := s.Begin(field); err != nil {
		return "", err
	}
	return s.ledger.vault.keys.Indexes(field, number)
}

// Begin puts the search in a field in the ledger: as one entry under nobody, until Found. Forbidden without
// privacy.read.
func (s *Searching) Begin(field backoffice.PrivacyField) error {
	l, err := ledgerOf(s.ctx)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.ledger == nil {
		s.ledger, s.named = l, map[string]bool{}
		l.searches = append(l.searches, s)
	}
	s.fields.add(field)
	return nil
}

// Found names customers that the search found. Each then has one entry, however often it is named, in place of the one
// under nobody. A search without a number is not recorded.
func (s *Searching) Found(customerIDs ...string) {
	if s.ledger == nil {
		return
	}
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	for _, id := range customerIDs {
		if !s.named[id] {
			s.named[id] = true
			s.found = append(s.found, id)
		}
	}
}

// Confirmed records in the ledger in ctx what its viewer learned by a write: that fields of a customer have the numbers
// it sent, or those of another customer or not. With fields, it is a search that found the customers; Forbidden without
// privacy.read, Internal without a ledger.
func (k *Keyset) Confirmed(ctx context.Context, fields []backoffice.PrivacyField, customerIDs ...string) error {
	s := Search(ctx)
	for _, field := range fields {
		if err := s.Begin(field); err != nil {
			return err
		}
	}
	s.Found(customerIDs...)
	return nil
}

// Consulted reports whether the request in ctx has consulted registration numbers: its answer may hold some.
func Consulted(ctx context.Context) bool {
	l, ok := backoffice.RequestOf(ctx).Ledger.(*ledger)
	if !ok {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entered || len(l.searches) > 0 || len(l.reads) > 0
}

func (l *ledger) Commit(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil || len(l.searches)+len(l.reads) == 0 {
		return l.failed
	}
	var entries []*backoffice.Consultation
	for _, s := range l.searches {
		if len(s.found) == 0 {
			entries = append(entries, l.entry(backoffice.ConsultedBySearch, nil, s.fields))
		}
		for _, customerID := range s.found {
			entries = append(entries, l.entry(backoffice.ConsultedBySearch, &customerID, s.fields))
		}
	}
	for _, r := range l.reads {
		entries = append(entries, l.entry(l.reading, &r.customerID, r.fields))
	}
	l.searches, l.reads, l.readAt, l.entered = nil, nil, nil, true
	if l.failed = l.vault.register.append(ctx, entries); l.failed == nil {
		l.vault.entries.Add(int64(len(entries)))
	} else {
		l.vault.failures.Add(1)
	}
	return l.failed
}

func (l *ledger) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.searches, l.reads, l.readAt = nil, nil, nil
}

func (l *ledger) entry(
	operation backoffice.PrivacyOperation, customerID *string, fields fieldSet) *backoffice.Consultation {
	entry := &backoffice.Consultation{
		ClientID: l.viewer.ClientID, ClientName: l.viewer.Name, Purpose: l.purpose,
		Operation: operation, CustomerID: customerID, Fields: fields.list(),
	}
	if person := l.viewer.Person; person != nil {
		entry.Issuer, entry.Subject = &person.Issuer, &person.Subject
	}
	return entry
}

// fieldSet is a set of guarded fields, one bit each, in the order of backoffice.AllPrivacyFields.
type fieldSet uint8

func (s *fieldSet) add(field backoffice.PrivacyField) {
	*s |= 1 << slices.Index(backoffice.AllPrivacyFields, field)
}

func (s fieldSet) list() []backoffice.PrivacyField {
	var fields []backoffice.PrivacyField
	for i, field := range backoffice.AllPrivacyFields {
		if s&(1<<i) != 0 {
			fields = append(fields, field)
		}
	}
	return fields
}
