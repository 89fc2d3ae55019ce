package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/backoffice/backoffice"
	"example.org/backoffice/importexport"
)

const (
	// writeTime is how long an origin may take for a write, and copyTime how long the copy may take after it.
	writeTime = 6 * time.Second
	copyTime  = 8 * time.Second
)

// Through writes mirrored records at their origin and copies them at once: a backoffice.Origin for many callers.
type Through struct {
	*Pull
	origin  *origin
	copying *[64]sync.Mutex // by identifier: of two copies of a record the later one is read later
}

// Through prepares writes at the origin that p pulls from. An invalid address is BadInput.
func (p *Pull) Through() (*Through, error) {
	o, err := p.newOrigin()
	if err != nil {
		return nil, err
	}
	return &Through{p, o, new([64]sync.Mutex)}, nil
}

// WithStore is t with its copies in another store, such as one with a cache.
func (t *Through) WithStore(store backoffice.Store) *Through {
	pull := *t.Pull
	pull.Store = store
	return &Through{&pull, t.origin, t.copying}
}

// Check returns BadInput when the store is the mirror of another origin.
func (t *Through) Check(ctx context.Context) error {
	_, err := t.mine(ctx, t.origin.base.String())
	return err
}

var errNoCopy = backoffice.Errorf(backoffice.Unavailable,
	"the origin wrote the record, but it could not be read back: the next pull brings it")

func (t *Through) Write(ctx context.Context, w *backoffice.OriginWrite) (id string, err error) {
	if is, err := t.mine(ctx, t.origin.base.String()); errors.Is(err, errOther) {
		refused := backoffice.Refuse(&backoffice.UserError{Code: backoffice.CodeNotAllowed,
			Message: "this record is mirrored from another origin than this server writes to: write it there"})
		refused.Mirrored = true
		return "", refused
	} else if err != nil {
		return "", err
	} else if !is.Stored {
		return "", backoffice.ErrReleased
	}
	if w.ID != "" { // noted before the write, so that a pull that has read the record already reads it again
		note := map[string][]byte{throughNote(w.Noun, w.ID): noteOf(w.Deletes)}
		if err := t.Store.NoteMirror(ctx, "", note); err != nil {
			return "", err
		}
	}
	sent, err := t.send(ctx, w)
	if err != nil {
		return "", err
	}
	id = sent.idOf(w)
	one := &t.copying[sumOf(id)%uint64(len(t.copying))]
	one.Lock()
	defer one.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTime) // even when the caller no longer waits
	defer cancel()
	if backoffice.CheckID(id) != nil {
		return "", errNoCopy
	}
	if err := t.copy(ctx, w, id, sent.record); err != nil {
		known := *errNoCopy
		known.Cause = backoffice.Cause(err)
		return "", &known
	}
	return id, nil
}

// copy updates the copy of one record.
func (t *Through) copy(ctx context.Context, w *backoffice.OriginWrite, id string, answered record) (err error) {
	began := backoffice.InstantOf(time.Now())
	run := &pulling{Pull: t.Pull, origin: t.origin, began: began, done: map[backoffice.Noun]*Pulled{}}
	if run.inHand, err = newInHand(); err != nil {
		return err
	}
	defer run.inHand.close()
	importer := t.importer()
	importer.Action, importer.ClientID = w.Action, w.By.ClientID
	if run.stream, err = importer.StreamBeside(run.inHand.folder); err != nil {
		return err
	}
	n := nounOf(w.Noun)
	found, err := run.lookUp(ctx, n, id, w.Sent)
	switch {
	case err != nil:
		return err
	case w.Deletes && found != nil:
		return errNoCopy
	case w.Deletes:
		return run.loadDeletion(ctx, n, id)
	case found == nil:
		if found = answered; found.id() != id {
			return errNoCopy
		}
	}
	return run.loadOne(ctx, n, found)
}

// lookUp reads one record, nil when the origin does not show it. around has the fields that name a list with it.
func (p *pulling) lookUp(ctx context.Context, n *noun, id string, around map[string]any) (found record, err error) {
	if n.object != "" && !n.head {
		if found, err = p.readOne(ctx, n.object+url.PathEscape(id)+n.suffix); err != nil || found.id() == id {
			return found, err
		}
	}
	path, query := n.path, url.Values{}
	switch of := func(field string) string { text, _ := around[field].(string); return text }; n.of {
	case backoffice.NounRelation:
		path = "/customers/" + url.PathEscape(of("customerId")) + "/relations"
	case backoffice.NounTranscript:
		query.Set("checklist", of("checklistId"))
	case backoffice.NounCustomer, backoffice.NounUser: // gone, or not shown
		return nil, nil
	}
	_, err = p.eachPage(ctx, path, query, func(page []record) (more bool) {
		if at := slices.IndexFunc(page, func(r record) bool { return r.id() == id }); at >= 0 {
			found = page[at]
		}
		return found == nil
	})
	if checklist := query.Get("checklist"); found != nil && checklist != "" && found.text("checklist") == "" {
		found["checklist"] = textOf(checklist) // the specification's transcript does not name it
	}
	return found, err
}

// readOne reads the record at an address, nil for none.
func (p *pulling) readOne(ctx context.Context, path string) (found record, err error) {
	status, err := p.origin.get(ctx, path, nil, answerTime, func(r *http.Response) error {
		found = nil
		return decode(r, &found)
	})
	if err != nil || status != http.StatusOK {
		return nil, err
	}
	return found, nil
}

func (p *pulling) loadOne(ctx context.Context, n *noun, r record) error {
	before := p.of(n).Loaded.Rejected
	if _, err := p.loadAll(ctx, n, []record{r}); err != nil {
		return err
	}
	if p.of(n).Loaded.Rejected > before {
		return errNoCopy
	}
	return nil
}

func (p *pulling) loadDeletion(ctx context.Context, n *noun, id string) error {
	loaded, err := p.stream.Load(ctx, n.of, deletionOf(id), false)
	if err != nil {
		return err
	}
	p.of(n).add(loaded)
	if loaded.Rejected > 0 {
		return errNoCopy
	}
	return nil
}

func deletionOf(id string) []byte {
	return record{"_id": textOf(id), "_deleted": json.RawMessage("true")}.line()
}

// request is the specification's request for a write.
func request(w *backoffice.OriginWrite) (method, path string) {
	under := map[backoffice.Noun]string{backoffice.NounCustomer: "/customers", backoffice.NounUser: "/users",
		backoffice.NounLabel: "/settings/labels", backoffice.NounTranscript: "/checklists/assign"}[w.Noun]
	if of, _ := w.Sent["customerId"].(string); w.Noun == backoffice.NounRelation {
		under = "/customers/" + url.PathEscape(of) + "/relations"
	}
	switch {
	case w.ID == "":
		return http.MethodPost, under
	case w.Deletes:
		return http.MethodDelete, under + "/" + url.PathEscape(w.ID)
	case w.Noun == backoffice.NounUser:
		return http.MethodPatch, under + "/" + url.PathEscape(w.ID)
	}
	return http.MethodPut, under + "/" + url.PathEscape(w.ID)
}

// bodyOf is the body of that request: the fields by their REST names.
func bodyOf(w *backoffice.OriginWrite) ([]byte, error) {
	body := map[string]any{}
	for field, value := range w.Sent {
		if w.Noun == backoffice.NounRelation && field == "customerId" { // it is in the path
			continue
		}
		name, part, inObject := strings.Cut(importexport.LineName(field), ".")
		if !inObject {
			body[name] = value
			continue
		}
		object, _ := body[name].(map[string]any)
		if object == nil {
			object = map[string]any{}
			body[name] = object
		}
		object[part] = value
	}
	return json.Marshal(body)
}
