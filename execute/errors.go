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

// context is the context of the root object.
func (r *run) context() context.Context {
	return graphql.WithFieldContext(r.ctx, &graphql.FieldContext{Object: r.plan.root.object.Name})
}

// groupContext is the context in which gqlgen would tell the errors of the object of g that is being written: it has
// the object's path.
func groupContext(root context.Context, g *group) context.Context {
	if g.from == nil {
		return root
	}
	ctx := graphql.WithFieldContext(groupContext(root, g.from.group), fieldContext(g.from.field))
	if !g.from.field.def.List {
		return ctx
	}
	index := g.from.index
	return graphql.WithFieldContext(ctx, &graphql.FieldContext{Index: &index})
}

// contextOf is that of a field of the object.
func (w *Writer) contextOf(g *group, f *field) context.Context {
	return graphql.WithFieldContext(groupContext(w.run.context(), g), fieldContext(f))
}

// full counts an error and tells whether it is one too many to be kept.
func (w *Writer) full() bool {
	if w.errors++; w.errors <= w.run.executor.maxErrors {
		return false
	}
	w.omitted++
	return true
}

// tell adds an error of field f of the object of g that is being written.
func (w *Writer) tell(g *group, f *field, err error, how blame) {
	if w.full() {
		return
	}
	ctx := w.contextOf(g, f)
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

// miss tells that a field is null and must not be. At the root the resolver may have told why already.
func (w *Writer) miss(g *group, f *field, message string) {
	if w.full() {
		return
	}
	ctx := w.contextOf(g, f)
	if g.from == nil && graphql.HasFieldError(ctx, graphql.GetFieldContext(ctx)) {
		return
	}
	graphql.AddErrorf(ctx, "%s", message)
}

// missElement tells it of the element of a list.
func (w *Writer) missElement(fr *frame) {
	if !w.full() {
		graphql.AddErrorf(groupContext(w.run.context(), &group{from: fr}), nullElement)
	}
}
