package rest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

const mediaJSON = "application/json"

var unexpectedProperty = validation.MsgUnexpectedProperty

// missingProperty reads huma's message about a required property.
func missingProperty(message string) (name string, ok bool) {
	before, after, _ := strings.Cut(validation.MsgExpectedRequiredProperty, "%s")
	name, ok = strings.CutPrefix(message, before)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, after)
}

// operation describes an operation: its method and path, its name, a summary and a description.
func operation(route, id, summary, about string) huma.Operation {
	method, path, _ := strings.Cut(route, " ")
	return huma.Operation{OperationID: id, Method: method, Path: path, Summary: summary, Description: about}
}

func creation(route, id, summary, about string) huma.Operation {
	op := operation(route, id, summary, about)
	op.DefaultStatus = http.StatusCreated
	return op
}

// register adds an operation. needs is the scope that guards it, "" for none; it is checked before the request is read.
func register[I, O any](
	a *API, op huma.Operation, needs backoffice.Scope, handler func(context.Context, *I) (*O, error)) {
	op.Tags = []string{a.tag}
	private := needs == backoffice.PrivacyRead || discloses(reflect.TypeFor[O]())
	op.Middlewares = append(op.Middlewares, a.admit(needs, private))
	if needs != "" {
		op.Description += "\n\nNeeds the scope `" + string(needs) + "`."
	}
	texts := textsOf(reflect.TypeFor[I]())
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		for name, at := range texts {
			if requestOf(ctx).query.Get(name) == "" && requestOf(ctx).query.Has(name) { // huma treats it as absent
				reflect.ValueOf(in).Elem().FieldByIndex(at).Set(reflect.ValueOf(Optional[string]{backoffice.Value("")}))
			}
		}
		if guarded, is := any(in).(interface{ parse() error }); is {
			if err := guarded.parse(); err != nil {
				return nil, a.present(ctx, err)
			}
		}
		out, err := handler(ctx, in)
		if err != nil {
			return nil, a.present(ctx, err)
		}
		return out, nil
	})
}

// discloses reports whether answers of a type may hold registration numbers.
func discloses(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return discloses(t.Elem())
	case reflect.Struct:
		if t == reflect.TypeFor[RegistrationNumbers]() {
			return true
		}
		for field := range t.Fields() {
			if discloses(field.Type) {
				return true
			}
		}
	}
	return false
}

// textsOf returns the query parameters of an input that may be empty texts.
func textsOf(in reflect.Type) map[string][]int {
	texts := map[string][]int{}
	for _, f := range reflect.VisibleFields(in) {
		if name := f.Tag.Get("query"); name != "" && f.Type == reflect.TypeFor[Optional[string]]() &&
			f.Tag.Get("format") == "" {
			texts[name] = f.Index
		}
	}
	return texts
}

// registerList adds an operation that reads with several statements. They see one snapshot, so totals match the rows.
// It ends with the handler, before anything waits for the client.
func registerList[I, O any](
	a *API, op huma.Operation, needs backoffice.Scope, handler func(context.Context, *I) (*O, error)) {
	register(a, op, needs, func(ctx context.Context, in *I) (*O, error) {
		out, err := inSnapshot(ctx, a.Store, in, handler)
		if errors.Is(err, backoffice.ErrSnapshotChanged) {
			return inSnapshot(backoffice.ForRetry(ctx), a.Store, in, handler)
		}
		return out, err
	})
}

func inSnapshot[I, O any](
	ctx context.Context, store Store, in *I, handler func(context.Context, *I) (*O, error)) (*O, error) {
	ctx, end := backoffice.BeginSnapshot(ctx, store)
	defer end()
	return handler(ctx, in)
}

// admit checks a request before huma does: its scope, query, headers and body.
func (a *API) admit(needs backoffice.Scope, disclosing bool) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r := &request{humaContext: ctx, api: a}
		r.ctx = context.WithValue(ctx.Context(), requestKey{}, r)
		err := r.read(needs)
		if err == nil && disclosing {
			err = backoffice.CheckPurpose(r.ctx)
		}
		switch {
		case err != nil:
		case streams(r.Operation()):
			var end func()
			if end, err = a.start(r.ctx, r.Operation()); err == nil {
				defer end()
				if a.Open != nil {
					err = a.Open(r.ctx)
				}
			}
		case a.Admit != nil:
			var own context.Context
			var leave func()
			cost, least := r.cost()
			if own, leave, err = a.Admit(r.ctx, cost, least); err == nil {
				r.ctx = own
				defer leave()
			}
		}
		if err != nil {
			a.answer(r, err)
			return
		}
		next(r)
		r.sendStatus()
	}
}

func (r *request) read(needs backoffice.Scope) error {
	if needs != "" {
		if err := auth.Require(r.ctx, needs); err != nil {
			return err
		}
	}
	if r.Operation().Method == http.MethodDelete {
		if err := auth.From(r.ctx).MayDelete(); err != nil {
			return err
		}
	}
	for _, read := range []func() error{r.readAccept, r.readQuery, r.readHeaders} {
		if err := read(); err != nil {
			return err
		}
	}
	if r.Operation().RequestBody != nil && !uploads(r.Operation()) {
		return r.readBody()
	}
	return nil
}

func (a *API) answer(r *request, err error) {
	shown := a.present(r.ctx, err)
	for name, values := range shown.GetHeaders() {
		r.SetHeader(name, values[0])
	}
	r.SetHeader("Content-Type", mediaProblem)
	r.humaContext.SetStatus(shown.Status)
	r.sent = true
	_ = json.NewEncoder(r.humaContext.BodyWriter()).Encode(shown)
}

// jsonFormat reads and writes bodies. A body was checked to be strict JSON before it is read.
var jsonFormat = huma.Format{Marshal: writeJSON, Unmarshal: readJSON}

// readJSON reads a body that fits its schema. The decoder is stricter than the schema, and its errors repeat values.
func readJSON(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		if known, ok := errors.AsType[*backoffice.Error](err); ok && known.Kind == backoffice.BadInput {
			return known
		}
		return errors.New("a number must be written as an integer, as its field requires")
	}
	return nil
}

// writeJSON encodes the whole answer before it sends a byte: the encoder writes once.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

type answered[T any] struct{ Body T }

// nothing is an empty answer: 204.
type nothing struct{}

// versioned is an answer whose object can be guarded against lost updates.
type versioned[T any] struct {
	ETag string `header:"ETag" doc:"The object's version, for If-Match."`
	Body T
}

type made[T any] struct {
	Location string `header:"Location" doc:"The path of the object."`
	Body     T
}

type madeVersioned[T any] struct {
	ETag     string `header:"ETag" doc:"The object's version, for If-Match."`
	Location string `header:"Location" doc:"The path of the object."`
	Body     T
}

type Idempotent struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"Makes retries safe: for 24 hours, the same key and content return the object already created. 1 to 255 characters."`
}

func (i Idempotent) key() backoffice.Optional[string] {
	return backoffice.ValueOf(orNull(i.IdempotencyKey))
}
