package execute

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// blame tells how an error is told, so that it reads as under gqlgen's own executor.
type blame uint8

const (
	theField     blame = iota // with the field's path and its place in the document
	theBatch                  // with the path, as graphql.AddBatchError does
	theArguments              // with the path into the arguments, which are decoded again for each path
)

const (
	nullElement = "the requested element is null which the schema does not allow"
	nullField   = "must not be null"
)

// panicked is what a recovered panic is told as. It has no place in the document.
type panicked struct{ error }

func (p panicked) Unwrap() error { return p.error }

// recovered has the handler's RecoverFunc make an error of a panic. It is to be called where the panic was recovered,
// so that the function sees its stack.
func recovered(ctx context.Context, fault any) error {
	err := graphql.GetOperationContext(ctx).RecoverFunc(ctx, fault)
	if err == nil {
		err = errors.New("internal system error")
	}
	return panicked{err}
}

// step is one composite field on the way to what is being written.
type step struct {
	field *field
	index int // of the element; -1 for what is no list
}

// context is the context that gqlgen would tell the errors of f in: it has f's path.
func (w *Writer) context(f *field) context.Context {
	ctx := graphql.WithFieldContext(w.run.ctx, &graphql.FieldContext{Object: w.run.plan.root.object.Name})
	for i := range w.path {
		ctx = withStep(ctx, &w.path[i])
	}
	if f == nil {
		return ctx
	}
	return graphql.WithFieldContext(ctx, fieldContext(f))
}

func withStep(ctx context.Context, s *step) context.Context {
	ctx = graphql.WithFieldContext(ctx, fieldContext(s.field))
	if s.index >= 0 {
		index := s.index
		ctx = graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &index})
	}
	return ctx
}

// full counts an error and tells whether it is one too many to be kept.
func (w *Writer) full() bool {
	if w.errors++; w.errors <= w.run.executor.maxErrors {
		return false
	}
	w.omitted++
	return true
}

// tell adds the error that a column has for f at the path that is being written.
func (w *Writer) tell(f *field, err error, how blame) {
	if w.full() {
		return
	}
	ctx := w.context(f)
	if p, ok := err.(panicked); ok {
		w.run.operation.Error(ctx, own(p.error))
		return
	}
	switch how {
	case theField:
		w.run.operation.Error(ctx, graphql.AddFieldLocationToError(ctx, own(err)))
	case theBatch:
		index := 0
		if path := graphql.GetPath(ctx); len(path) > 1 {
			if at, ok := path[len(path)-2].(ast.PathIndex); ok {
				index = int(at)
			}
		}
		graphql.AddBatchError(ctx, index, err)
	case theArguments:
		w.run.operation.Error(ctx, argumentError(ctx, f, w.run.operation, err))
	}
}

// argumentError decodes arguments that cannot be decoded once more, now that the path is known.
func argumentError(ctx context.Context, f *field, operation *graphql.OperationContext, otherwise error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = operation.Recover(ctx, fault)
		}
	}()
	if _, err = arguments(ctx, f, operation); err == nil {
		err = own(otherwise)
	}
	return err
}

// own copies an error that is told for several paths, since each copy is given its path.
func own(err error) error {
	shared, ok := errors.AsType[*gqlerror.Error](err)
	if !ok {
		return err
	}
	if _, isList := err.(gqlerror.List); isList {
		return err
	}
	copied := *shared
	if error(shared) != err {
		copied.Err = err
	}
	return &copied
}

// miss tells that f, or the element that is being written when f is nil, is null and must not be. At the root the
// resolver may have told why already.
func (w *Writer) miss(f *field, message string) {
	if w.full() {
		return
	}
	ctx := w.context(f)
	if len(w.path) == 0 && graphql.HasFieldError(ctx, graphql.GetFieldContext(ctx)) {
		return
	}
	graphql.AddErrorf(ctx, "%s", message)
}
