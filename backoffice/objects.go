package backoffice

import (
	"context"
	"io"
)

// ObjectStore keeps objects under names with slashes. A missing one is an error of kind NotFound; if the store does not
// answer, errors are of kind Unavailable.
type ObjectStore interface {
	// Put stores an object durably, whole or not at all, and replaces one of that name. A kill may leave a part of it
	// in Unfinished.
	Put(ctx context.Context, name string, content io.Reader) error
	Get(ctx context.Context, name string) (io.ReadCloser, error)
	// Delete removes an object, durably. A missing one is no error.
	Delete(ctx context.Context, name string) error
	// List visits the names that begin with a folder, "" for all, and are greater than after, in no particular order.
	List(ctx context.Context, folder, after string, visit func(name string) error) error
	// Hold makes the caller the only holder, until release is called or held ends: the holder was replaced, or could
	// not find out in time whether it was. It fails while another one holds it, and for 10 seconds after that was killed.
	Hold(ctx context.Context) (held context.Context, release func(), err error)
}

// Unfinished is the folder of an ObjectStore for objects that are being written.
const Unfinished = ".part"

// ErrHeld reports that another program is the holder of an ObjectStore.
var ErrHeld = Errorf(Unavailable, "another program holds it")
