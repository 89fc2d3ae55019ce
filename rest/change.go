package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/klauspost/compress/gzhttp"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
	"example.org/backoffice/rest/mapping"
)

const tagChanges = "Changes"

type (
	// Noun is a kind of object whose changes are listed.
	Noun         string
	ChangeAction string
)

func (Noun) Schema(huma.Registry) *huma.Schema {
	return oneOf(backoffice.ChangeNouns(), func(name string) string { return name })
}

func (ChangeAction) Schema(huma.Registry) *huma.Schema {
	actions := []backoffice.ChangeAction{backoffice.Created, backoffice.Updated, backoffice.Deleted, backoffice.Reset}
	return oneOf(actions, backoffice.ChangeAction.APIName)
}

// Change is a change of one object, without any value.
type Change struct {
	Cursor   string         `json:"cursor" doc:"Its position in the feed. Continue after it."`
	Sequence int            `json:"sequence" doc:"The change's sequence number. It increases in the order in which changes became visible; gaps mean nothing."`
	At       Instant        `json:"at" doc:"When the change was made."`
	Noun     Noun           `json:"noun" doc:"The kind of object."`
	ObjectID *string        `json:"id" doc:"The object's identifier. Null for RESET."`
	Action   ChangeAction   `json:"action" doc:"What happened to it."`
	Fields   []string       `json:"fields" nullable:"false" doc:"The changed fields, by their names in the GraphQL schema. Empty if the object was created or deleted."`
	ClientID *string        `json:"clientId" doc:"The credential that made the change. Null for the operator."`
	Parents  []ChangeParent `json:"parents" nullable:"false" doc:"The object's parents, current and previous."`
}

type ChangeParent struct {
	Noun Noun   `json:"noun" doc:"The kind of object."`
	ID   string `json:"id" doc:"Its identifier."`
}

type Changes struct {
	Changes []Change `json:"changes" nullable:"false" doc:"The changes, in the order in which they became visible."`
	Latest  string   `json:"latest" doc:"The cursor of the newest change visible to the credential when the page was read. Continue after the last change of the page, or after this one if the page is empty."`
}

var shownChange = mapping.New[backoffice.VisibleChange, Change](
	mapping.Convert(func(n backoffice.Noun) Noun { return Noun(n.APIName()) }),
	mapping.Convert(func(a backoffice.ChangeAction) ChangeAction { return ChangeAction(a.APIName()) }),
	mapping.Convert(func(parents []backoffice.ChangeParent) []ChangeParent {
		return backoffice.Map(parents, func(p backoffice.ChangeParent) ChangeParent {
			return ChangeParent{Noun(p.Noun.APIName()), p.ID}
		})
	}))

type changesAsked struct {
	Since Optional[string] `query:"since" format:"date-time" doc:"Only changes visible since then. Not with after."`

	After       string `query:"after" pattern:"^[a-z0-9]{8,16}[.][0-9]{1,19}$" doc:"Only changes after this cursor: a change's, latest, or an export's. When absent, a page starts with the oldest retained change, and a stream with the next one."`
	Limit       int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"The maximum number of changes in a page."`
	Noun        []Noun `query:"noun,explode" doc:"Only changes of this kind of object. Can be repeated."`
	Wait        int    `query:"wait" minimum:"0" maximum:"30" default:"0" doc:"How many seconds to wait if there are no changes yet. Returns on the first change, or an empty page after that time."`
	LastEventID string `header:"Last-Event-ID" doc:"For streams: the id of the last event. Overrides after and since."`
}

func (a *API) changes() {
	page := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Changes](), true, "Changes")
	change := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Change](), true, "Change")
	a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[ChangeParent](), true, "ChangeParent")
	register(a, huma.Operation{
		OperationID: "listChanges", Method: http.MethodGet, Path: "/changes",
		Tags: []string{tagChanges}, Summary: "List or follow changes",
		Description: "What was created, updated and deleted, in the order in which it became visible: once you have seen a change, you have seen all earlier ones that the credential may read. " +
			"With `wait` the request waits for the next change. With `Accept: text/event-stream` the answer is an endless stream of Server-Sent Events. The id of an event is the cursor of its change, so " +
			"`Last-Event-ID` continues after it; its data is the change. A comment is sent every 15 seconds. When the server ends a stream, it sends the reason in an event named `end`, whose data is a problem. " +
			"A credential can have 20 streams and waiting requests at a time.",
		Metadata: map[string]any{streamedKey: true},
		Responses: map[string]*huma.Response{
			"200": {Description: "The changes.", Content: map[string]*huma.MediaType{
				mediaJSON: {Schema: page},
				mediaEvents: {Schema: &huma.Schema{
					Type: huma.TypeString, Description: "Events with a change as data: " + change.Ref}},
			}},
			"410": {Content: problemContent, Description: "The cursor is older than the retained changes, " +
				"beyond the end of the log, or of another history: export everything again."},
			"429": {Description: "Too many streams and waiting requests at a time.", Content: problemContent},
		},
	}, "", a.answerChanges)
}

func (a *API) answerChanges(ctx context.Context, in *changesAsked) (*download, error) {
	incoming, _ := humachi.Unwrap(requestOf(ctx).humaContext)
	accept := incoming.Header.Values("Accept")
	events := negotiate(accept, mediaJSON, mediaEvents) == mediaEvents &&
		strings.Contains(strings.Join(accept, ","), mediaEvents) // a wildcard alone opens no stream
	q := backoffice.ChangeQuery{After: backoffice.FromOldest, First: in.Limit}
	from, place := in.After, "after"
	if events && in.LastEventID != "" { // a client connects again with the same parameters
		from, place, in.Since = in.LastEventID, "Last-Event-ID", Optional[string]{}
	}
	var err error
	if from != "" {
		if q.History, q.After, err = backoffice.ParseChangeCursor(from); err != nil {
			return nil, badParameter(place, err.Error())
		}
	}
	since, err := instant("since", in.Since)
	switch {
	case err != nil:
		return nil, err
	case since != nil && from != "":
		return nil, badParameter("since", "since cannot be combined with a cursor")
	case since != nil:
		if q.After, err = a.Store.ChangesBefore(ctx, *since); err != nil {
			return nil, err
		}
	}
	var nouns []backoffice.Noun
	for _, name := range in.Noun {
		noun, err := backoffice.ParseChangeNoun(string(name))
		if err != nil {
			return nil, badParameter("noun", err.Error())
		}
		nouns = append(nouns, noun)
	}
	q.Kinds = backoffice.ChangesVisibleTo(auth.From(ctx), nouns)
	q.Seeing = backoffice.ChangesVisibleTo(auth.From(ctx), nil)
	if events {
		q.First = 0
	}
	var visible *backoffice.ChangePage
	if since != nil { // before the page, which then has what is committed after it
		visible, err = a.changesPage(ctx, backoffice.ChangeQuery{After: backoffice.FromOldest, Seeing: q.Seeing})
		if err != nil {
			return nil, err
		}
	}
	page, err := a.changesPage(ctx, q)
	if err != nil {
		return nil, err
	}
	if since != nil { // entries that the caller may not see must not move the end
		page.Seen = visible.Seen
	}
	switch {
	case events && incoming.Method != http.MethodHead:
		if from == "" && since == nil {
			q.After = page.Latest
		}
		q.History = page.History
		return &download{func(ctx huma.Context) { a.streamChanges(ctx, q) }}, nil
	case in.Wait > 0 && len(page.Changes) == 0 && incoming.Method != http.MethodHead:
		q.History, q.After = page.History, page.Latest
		return a.waitForChanges(ctx, q, page.End(), time.Duration(in.Wait)*time.Second)
	}
	return changesAnswer(page.Show(q.Kinds), page.End()), nil
}

// changesPage reads a page under admission, like any other request.
func (a *API) changesPage(ctx context.Context, q backoffice.ChangeQuery) (*backoffice.ChangePage, error) {
	if a.Admit != nil {
		own, leave, err := a.Admit(ctx, 1+q.First, 1)
		if err != nil {
			return nil, err
		}
		defer leave()
		ctx = own
	}
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	return backoffice.ReadChangePage(ctx, a.Store, q)
}

// pageTime limits the reading of a page; the request itself may wait longer.
const pageTime = 10 * time.Second

func changesAnswer(shown []*backoffice.VisibleChange, latest string) *download {
	answer := Changes{Changes: backoffice.Map(shown, shownChange.Map), Latest: latest}
	return &download{func(ctx huma.Context) {
		_, w := humachi.Unwrap(ctx)
		w.Header().Set("Content-Type", mediaJSON)
		_ = writeJSON(w, answer)
	}}
}

// waitForChanges waits for changes after the caller's position.
func (a *API) waitForChanges(
	ctx context.Context, q backoffice.ChangeQuery, end string, wait time.Duration) (*download, error) {
	own, leave, err := a.Feed.Enter(ctx, auth.From(ctx))
	if err != nil {
		return nil, err
	}
	defer leave()
	own, cancel := context.WithTimeout(own, wait)
	defer cancel()
	shown, err := a.Feed.Read(q.History, q.After, q.Kinds).Next(own, q.First)
	if cause := context.Cause(own); err != nil && !errors.Is(cause, context.DeadlineExceeded) { // may be in a read
		return nil, cmp.Or(cause, err)
	}
	if len(shown) > 0 {
		end = shown[len(shown)-1].Cursor
	}
	return changesAnswer(shown, end), nil
}

const (
	mediaEvents  = "text/event-stream"
	commentEvery = 15 * time.Second
	eventsAtOnce = 500
)

// streamChanges sends changes until the client leaves or the stream must end. A slow client holds only its position in
// the log; one that is too slow (limits.Send) is disconnected, and may resume there.
func (a *API) streamChanges(ctx huma.Context, q backoffice.ChangeQuery) {
	r, w := humachi.Unwrap(ctx)
	own, leave, err := a.Feed.Enter(ctx.Context(), auth.From(ctx.Context()))
	if err != nil {
		a.Refuse(w, r, err)
		return
	}
	defer leave()
	w.Header().Set("Content-Type", mediaEvents)
	w.Header().Set("X-Accel-Buffering", "no") // by proxies
	w.Header().Set(gzhttp.HeaderNoCompression, "events are sent uncompressed")
	w.WriteHeader(http.StatusOK)
	events := &eventWriter{w: w, control: http.NewResponseController(w)}
	events.comment()
	reader := a.Feed.Read(q.History, q.After, q.Kinds)
	for events.send() == nil {
		waiting, cancel := context.WithTimeout(own, commentEvery)
		shown, err := reader.Next(waiting, eventsAtOnce)
		idle := waiting.Err() != nil // otherwise a statement itself timed out
		cancel()
		switch {
		case err == nil:
			for _, c := range shown {
				events.change(c)
			}
		case own.Err() == nil && idle:
			events.comment()
		case ctx.Context().Err() != nil && backoffice.EndOfRights(ctx.Context()) == nil: // the client has gone
			return
		default:
			problem := a.present(ctx.Context(), cmp.Or(context.Cause(own), err))
			events.end(problem)
			_ = events.send()
			a.log(ctx.Context(), slog.LevelInfo, "a stream of changes was ended", problem)
			return
		}
	}
	if ctx.Context().Err() == nil {
		a.log(ctx.Context(), slog.LevelInfo, "a stream of changes was ended", errTakesNothing)
	}
}

var errTakesNothing = errors.New("the client read too slowly; it can continue from the last change it received")

// eventWriter writes Server-Sent Events, several at once.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	text    bytes.Buffer
}

func (e *eventWriter) comment() { e.text.WriteString(":\n\n") }

func (e *eventWriter) change(c *backoffice.VisibleChange) {
	e.text.WriteString("id: " + c.Cursor + "\ndata: ")
	e.data(shownChange.Map(c))
}

func (e *eventWriter) end(why *Problem) {
	e.text.WriteString("event: end\ndata: ")
	e.data(why)
}

func (e *eventWriter) data(v any) {
	encoder := json.NewEncoder(&e.text) // ends each value with a newline
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	e.text.WriteByte('\n')
}

// send fails once the client takes no more.
func (e *eventWriter) send() error {
	_, err := e.w.Write(e.text.Bytes())
	e.text.Reset()
	if err != nil {
		return err
	}
	return e.control.Flush()
}
