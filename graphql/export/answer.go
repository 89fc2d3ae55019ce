package export

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.org/backoffice/auth"
	"example.org/backoffice/backoffice"
)

// Headers and trailers of an answer.
const (
	ChangesAfter = "Changes-After" // the cursor of the change feed when the walk began
	ExportRows   = "Export-Rows"   // the number of rows: of the file, without its header
	ExportStatus = "Export-Status" // Complete, and nothing else
	Complete     = "complete"
)

// idleTime is how long an export may work without sending anything.
const idleTime = time.Minute

// flushBytes is how much is encoded before it is sent.
const flushBytes = 64 << 10

var errGone = fmt.Errorf("the client left or stopped reading: %w", context.Canceled)

type exporting struct {
	*Endpoint
	request *http.Request
	options Options
	list    *rootList
	table   *table // nil for JSON Lines
	walk    *walk

	w       http.ResponseWriter
	control *http.ResponseController
	changes string
	begun   bool
	rows    int
	buffer  []byte
}

// text is a format that is written while the list is read.
type text interface {
	// header appends what precedes the rows.
	header(to []byte) []byte
	// append appends the rows of the element at an offset of an answer. It returns the element's end and row count.
	append(to, b []byte, at int) (_ []byte, end, rows int)
}

func (x *exporting) answer(w http.ResponseWriter) {
	ctx, end := context.WithCancelCause(x.request.Context())
	defer end(nil)
	x.w, x.control = &whileLive{w, ctx}, http.NewResponseController(w)
	defer context.AfterFunc(x.config.Life, func() { end(context.Cause(x.config.Life)) })()
	if x.config.Life.Err() != nil { // AfterFunc runs soon, but possibly after the first page
		end(context.Cause(x.config.Life))
	}
	err := x.run(ctx)
	if err != nil && ctx.Err() != nil {
		err = why(ctx)
	}
	switch {
	case err == nil:
		w.Header().Set(ExportRows, strconv.Itoa(x.rows))
		w.Header().Set(ExportStatus, Complete)
		x.config.GraphQL.Done(ctx, x.list.query, x.walk.cost, http.StatusOK, nil)
	case x.begun:
		x.broken(x.request.Context(), x.list.query, x.walk.cost, err)
	default:
		x.refuse(w, x.request, x.list.query, x.walk.cost, err)
	}
}

// whileLive accepts no bytes after an export has ended, however much of the list was read already.
type whileLive struct {
	http.ResponseWriter
	ctx context.Context
}

func (w *whileLive) Write(b []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.ResponseWriter.Write(b)
}

// why returns the reason that a context ended, for the export's log.
func why(ctx context.Context) error {
	cause := context.Cause(ctx)
	if cause == context.Canceled { //nolint:errorlint // the context's own, and no cause that was given
		return errGone
	}
	return cause
}

func (x *exporting) run(ctx context.Context) error {
	leave, err := x.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	x.moved()
	x.walk.moved = x.moved
	// Before the first page: later changes are in the log after this number, whether a page shows them or not.
	page, err := backoffice.ReadChangePage(ctx, x.config.Changes, backoffice.ChangeQuery{
		After: backoffice.FromOldest, Seeing: backoffice.ChangesVisibleTo(auth.From(ctx), nil),
	})
	if err != nil {
		return err
	}
	x.changes = page.End()
	if x.request.Method == http.MethodHead { // nothing is read: it has no rows to show
		x.open()
		return nil
	}
	switch x.options.Format {
	case CSV:
		return x.stream(ctx, newCommas(x.table, x.options.Excel))
	case XLSX:
		return x.sheets(ctx)
	}
	return x.stream(ctx, &lines{row: x.list.row})
}

func (x *exporting) stream(ctx context.Context, as text) error {
	return x.walk.leaves(ctx, func(l *leaf) error {
		if !x.begun {
			x.open()
			x.buffer = as.header(x.buffer)
		}
		err := eachElement(l.part.Data, l.rows, func(at int) (end int, err error) {
			var n int
			x.buffer, end, n = as.append(x.buffer, l.part.Data, at)
			if err := x.count(n); err != nil {
				return end, err
			}
			if len(x.buffer) >= flushBytes {
				return end, x.send()
			}
			return end, nil
		})
		if err == nil {
			err = x.send()
		}
		if err == nil && x.control.Flush() != nil {
			err = errGone
		}
		return err
	})
}

func (x *exporting) count(n int) error {
	if x.rows += n; x.rows > x.config.Limits.ExportRows {
		return errRows(x.config.Limits.ExportRows)
	}
	return nil
}

func (x *exporting) open() {
	x.begun = true
	header := x.w.Header()
	header.Set("Content-Type", x.options.Format.contentType())
	header.Set("Content-Disposition",
		fmt.Sprintf("attachment; filename=%q", backoffice.ShownName(x.list.name)+"."+string(x.options.Format)))
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // by proxies
	header.Add("Vary", "Accept")
	header.Set("Trailer", ExportRows+", "+ExportStatus)
	header.Set(ChangesAfter, x.changes)
	x.w.WriteHeader(http.StatusOK)
}

func (x *exporting) send() error {
	_, err := x.w.Write(x.buffer)
	if x.buffer = x.buffer[:0]; err != nil {
		return errGone
	}
	return nil
}

// moved extends the write deadline, so that the answer survives while the export works. Only a test's writer has none.
func (x *exporting) moved() { _ = x.control.SetWriteDeadline(time.Now().Add(idleTime)) }
