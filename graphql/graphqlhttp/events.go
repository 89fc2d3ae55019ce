package graphqlhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"example.org/backoffice/graphql/limits"
)

// Server-Sent Events, as in graphql-sse's mode of distinct connections: an event named next for each answer of an
// operation, and one named complete at the end.

type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	text    bytes.Buffer
}

// longestText is the largest buffer that is pooled.
const longestText = 2 * eventBytes

func newEventStream(w http.ResponseWriter) *eventStream {
	header := w.Header()
	header["Content-Type"] = []string{mediaEvents + "; charset=utf-8"}
	header["Cache-Control"] = noStore
	header["X-Content-Type-Options"] = noSniff
	header.Set("X-Accel-Buffering", "no") // by proxies
	header.Add("Vary", "Accept")
	w.WriteHeader(http.StatusOK)
	return &eventStream{w: w, control: http.NewResponseController(w)}
}

func (e *eventStream) next(answers []answer) error {
	for _, a := range answers {
		e.text.WriteString("event: next\ndata: ")
		if err := a.appendTo(&e.text); err != nil {
			return err
		}
		e.text.WriteString("\n\n")
	}
	return e.send()
}

func (e *eventStream) idle() error {
	e.text.WriteString(":\n\n")
	return e.send()
}

func (e *eventStream) complete() error {
	e.text.WriteString("event: complete\ndata:\n\n")
	return e.send()
}

// send fails when the client accepts no more.
func (e *eventStream) send() error {
	_, err := limits.Send(e.w, e.control.SetWriteDeadline, e.text.Bytes(), time.Now().Add(limits.AnswerTime))
	if e.text.Reset(); e.text.Cap() > longestText {
		e.text = bytes.Buffer{}
	}
	if err != nil {
		return err
	}
	return e.control.Flush()
}

func (a answer) appendTo(text *bytes.Buffer) error {
	tail, err := a.tail()
	if err != nil {
		return err
	}
	start := text.Len()
	if a.data != nil {
		text.WriteString(opening)
		text.Write(a.data)
	}
	text.Write(bytes.TrimSuffix(tail, []byte("\n")))
	if written := text.Bytes()[start:]; bytes.ContainsAny(written, "\r\n") { // from a JSON value
		whole := bytes.Clone(written)
		text.Truncate(start)
		return json.Compact(text, whole)
	}
	return nil
}

// writeEvents sends the answer of a query or mutation, and complete.
func (a answer) writeEvents(w http.ResponseWriter) error {
	if _, err := a.tail(); err != nil {
		return err
	}
	e := newEventStream(w)
	if e.next([]answer{a}) == nil {
		_ = e.complete()
	}
	return nil // or the client is gone
}

func (g *GraphQL) stream(ctx context.Context, w http.ResponseWriter, media string, q *prepared) answer {
	if media != mediaEvents {
		a := refusal(media, failure(codeBadInput,
			"a subscription needs Accept: %s, or a WebSocket (%s)",
			mediaEvents, socketProtocol))
		a.status = http.StatusNotAcceptable
		return a
	}
	return g.subscribe(ctx, media, q, func() subscriber { return newEventStream(w) })
}
